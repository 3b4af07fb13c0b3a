//! The timeline of a run: a row an attempt, below it a row a round where there were several, with as many columns as
//! have room and a bar that shows when each ran.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::rounds::Round;
use super::super::state::run::{Attempt, Fate, Run};
use super::super::state::timeline::{Entry, What, entries};
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::super::words;
use super::{fate_sign, outside, put};
use crate::event::Usage;
use crate::text;

/// Fewest and most cells of the bar.
const BAR: (u16, u16) = (8, 32);
/// Cells between two columns.
const GAP: usize = 2;
/// Columns in the order in which they get room.
const ORDER: [usize; 6] = [TIME, TOKENS, FIRST, COST, MODE, TOOLS];
/// Columns as they stand on the screen.
const TITLES: [&str; 6] = ["mode", "tools", "first", "time", "tokens", "cost"];
const MODE: usize = 0;
const TOOLS: usize = 1;
const FIRST: usize = 2;
const TIME: usize = 3;
const TOKENS: usize = 4;
const COST: usize = 5;

/// Draws the timeline: the rows around the shown attempt.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, run: &Run) {
    let rows = entries(run);
    let shown = run.shown_index();
    let head = u16::from(usize::from(area.height) > rows.len().min(2));
    let room = usize::from(area.height - head);
    // The shown attempt's own row stays in sight; of its rounds as many as have room.
    let here = |row: &Entry<'_>| row.attempt == Some(shown);
    let (own, last) = (rows.iter().position(here).unwrap_or(0), rows.iter().rposition(here).unwrap_or(0));
    let top = (last + 1).saturating_sub(room).min(own);
    let cells: Vec<Cells<'_>> = rows.iter().map(|row| Cells::of(state, run, row)).collect();
    let layout = Layout::of(&cells, area.width);
    if head > 0 {
        layout.head(buf, Rect { height: 1, ..area }, state);
    }
    for (i, (row, cells)) in rows.iter().zip(&cells).enumerate().skip(top).take(room) {
        let y = area.y + head + u16::try_from(i - top).unwrap_or(0);
        let line = Rect { y, height: 1, ..area };
        layout.row(buf, line, state, cells);
        layout.bar(buf, line, state, run, row);
        let on = row.attempt == Some(shown) && matches!(row.what, What::Attempt(_));
        if on && state.focus == Region::Attempts {
            buf.set_style(line, state.theme.style(Role::Selection));
        }
    }
}

/// One row's texts.
struct Cells<'a> {
    left: Line<'a>,
    /// The same where there is less room.
    short: Line<'a>,
    right: [String; 6],
}

impl Cells<'_> {
    fn of(state: &State, run: &Run, row: &Entry<'_>) -> Self {
        match row.what {
            What::Attempt(attempt) => Self::of_attempt(state, run, attempt, row.attempt == Some(run.shown_index())),
            What::Round(round) => Self::of_round(state, run, round),
        }
    }

    fn of_attempt(state: &State, run: &Run, attempt: &Attempt, on: bool) -> Self {
        let theme = &state.theme;
        let (sign, word, role) = fate_sign(attempt.fate, theme);
        let mark = if on { theme.glyphs().selected } else { " " };
        let (issues, few) = match attempt.faults() {
            0 => (String::new(), String::new()),
            n => (format!(" · {}", words::count(n, "issue")), format!(" ({n})")),
        };
        let line = |word: &str, issues: String| {
            Line::from(vec![
                Span::styled(format!("{mark} "), theme.style(Role::Accent)),
                Span::raw(format!("{}  ", attempt.number)),
                Span::styled(format!("{sign} {word}"), theme.style(role)),
                Span::styled(issues, theme.style(Role::Muted)),
            ])
        };
        let (left, short) = (line(&word, issues), line(&words::fate_short(attempt.fate), few));
        let mode = attempt.record.as_ref().and_then(|r| r.mode).or(run.mode).map_or("text", crate::event::Mode::code);
        let tools: usize = run.rounds.of(attempt.number).map(|round| round.tools.len()).sum();
        let first = run.rounds.of(attempt.number).find_map(|round| round.first_ms);
        let (from, to) = span(state, run, attempt);
        let right = [
            mode.to_owned(),
            if tools == 0 { String::new() } else { tools.to_string() },
            first.map_or(String::new(), words::span),
            words::span(to.saturating_sub(from)),
            tokens(attempt.usage),
            cost(run, attempt.usage),
        ];
        Self { left, short, right }
    }

    fn of_round(state: &State, run: &Run, round: &Round) -> Self {
        let theme = &state.theme;
        let (arrow, failed) = (theme.glyphs().arrow, theme.glyphs().warning);
        let status = round.head.map(|(status, _)| status).filter(|status| *status >= 400);
        let mut said = vec![Span::styled(format!("     {arrow} call {}", round.call + 1), theme.style(Role::Muted))];
        if let Some(code) = round.failed {
            let status = status.map_or(String::new(), |status| format!(" {status}"));
            said.push(Span::styled(format!("  {failed} {}{status}", code.code()), theme.style(Role::Warning)));
        }
        if let Some(wait) = round.wait_ms {
            said.push(Span::styled(format!(" · then waits {}", words::span(wait)), theme.style(Role::Muted)));
        }
        if !round.tools.is_empty() {
            said.push(Span::raw(" "));
            said.push(outside(&round.tools.join(", "), Role::Info, theme));
        }
        let right = [
            String::new(),
            if round.tools.is_empty() { String::new() } else { round.tools.len().to_string() },
            round.first_ms.map_or(String::new(), words::span),
            words::span(round.ended.unwrap_or(state.now).saturating_sub(round.sent)),
            tokens(round.usage),
            cost(run, round.usage),
        ];
        Self { left: Line::from(said.clone()), short: Line::from(said), right }
    }
}

impl Cells<'_> {
    /// What a column says.
    fn said(&self, column: usize) -> &str {
        self.right.get(column).map_or("", String::as_str)
    }
}

/// From the sending of its first call to its end.
fn span(state: &State, run: &Run, attempt: &Attempt) -> (u64, u64) {
    let sent = run.rounds.of(attempt.number).map(|round| round.sent).min();
    (sent.unwrap_or(attempt.started).min(attempt.started), attempt.ended.unwrap_or(state.now))
}

/// `310>42`: what went in and what came out.
fn tokens(usage: Usage) -> String {
    let n = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
    match (usage.input_tokens, usage.output_tokens) {
        (None, None) => String::new(),
        (input, output) => format!("{}>{}", n(input), n(output)),
    }
}

fn cost(run: &Run, usage: Usage) -> String {
    run.prices.and_then(|prices| prices.of(usage)).map_or(String::new(), words::dollars)
}

/// Where the columns stand, the same for all rows.
struct Layout {
    left: usize,
    /// Outcomes are said in their short form.
    short: bool,
    /// Width of each column; 0 = it has no room, or nothing to say.
    columns: [usize; 6],
    /// Cells of the bar.
    bar: u16,
}

impl Layout {
    /// Outcomes in full where time and tokens have room beside them, else in their short form.
    fn of(cells: &[Cells<'_>], width: u16) -> Self {
        let room = usize::from(width);
        let widest = |line: fn(&Cells<'_>) -> usize| cells.iter().map(line).max().unwrap_or(0).min(room);
        let full = Self::with(cells, room, widest(|row| row.left.width()));
        let cramped = |at: usize| full.columns.get(at) == Some(&0) && cells.iter().any(|row| !row.said(at).is_empty());
        if !cramped(TIME) && !cramped(TOKENS) {
            return full;
        }
        Self { short: true, ..Self::with(cells, room, widest(|row| row.short.width())) }
    }

    fn with(cells: &[Cells<'_>], room: usize, left: usize) -> Self {
        let mut columns = [0; 6];
        let mut used = left;
        for at in ORDER {
            let widest = cells.iter().map(|row| text::width(row.said(at))).max().unwrap_or(0);
            if widest == 0 {
                continue;
            }
            let wanted = widest.max(TITLES.get(at).map_or(0, |title| title.len()));
            if used + GAP + wanted > room {
                break;
            }
            used += GAP + wanted;
            if let Some(column) = columns.get_mut(at) {
                *column = wanted;
            }
        }
        let rest = u16::try_from(room.saturating_sub(used + GAP)).unwrap_or(0);
        Self { left, short: false, columns, bar: if rest < BAR.0 { 0 } else { rest.min(BAR.1) } }
    }

    /// The columns that have room, with the cell each begins at.
    fn places(&self, x: u16) -> impl Iterator<Item = (usize, u16, usize)> {
        let mut at = usize::from(x) + self.left;
        self.columns.iter().copied().enumerate().filter(|(_, width)| *width > 0).map(move |(column, width)| {
            at += GAP;
            let start = at;
            at += width;
            (column, u16::try_from(start).unwrap_or(u16::MAX), width)
        })
    }

    fn head(&self, buf: &mut Buffer, area: Rect, state: &State) {
        let style = state.theme.style(Role::Muted);
        let title = if self.short { "#  outcome (issues)" } else { "#  outcome" };
        put(&state.theme, buf, area.x + 2, area.y, area.width.saturating_sub(2), &Line::styled(title, style));
        for (column, x, width) in self.places(area.x) {
            let title = TITLES.get(column).copied().unwrap_or_default();
            let line = Line::styled(format!("{title:>width$}"), style);
            put(&state.theme, buf, x, area.y, u16::try_from(width).unwrap_or(0), &line);
        }
    }

    fn row(&self, buf: &mut Buffer, area: Rect, state: &State, cells: &Cells<'_>) {
        let left = u16::try_from(self.left).unwrap_or(area.width);
        let line = if self.short { &cells.short } else { &cells.left };
        put(&state.theme, buf, area.x, area.y, left.min(area.width), line);
        for (column, x, width) in self.places(area.x) {
            let said = cells.said(column);
            let line = Line::styled(format!("{said:>width$}"), state.theme.style(Role::Muted));
            put(&state.theme, buf, x, area.y, u16::try_from(width).unwrap_or(0), &line);
        }
    }

    /// When it ran, as a part of the run: thin while nothing had come, thick while it came.
    fn bar(&self, buf: &mut Buffer, area: Rect, state: &State, run: &Run, row: &Entry<'_>) {
        if self.bar == 0 {
            return;
        }
        let (from, first, to) = match row.what {
            What::Attempt(attempt) => {
                let (from, to) = span(state, run, attempt);
                let first = run.rounds.of(attempt.number).find_map(|round| Some(round.sent + round.first_ms?));
                (from, first.unwrap_or(from), to)
            }
            What::Round(round) => {
                let first = round.first_ms.map_or(round.sent, |ms| round.sent + ms);
                (round.sent, first, round.ended.unwrap_or(state.now))
            }
        };
        let whole = run.ended.unwrap_or(state.now).saturating_sub(run.started).max(1);
        let cell = |at: u64| {
            let at = at.saturating_sub(run.started).min(whole) * u64::from(self.bar) / whole;
            u16::try_from(at).unwrap_or(0).min(self.bar)
        };
        let start = cell(from).min(self.bar - 1);
        let end = cell(to).max(start + 1);
        let middle = cell(first).clamp(start, end);
        let glyphs = state.theme.glyphs();
        let role = match row.what {
            What::Attempt(attempt) => bar_role(attempt.fate),
            What::Round(_) => Role::Muted,
        };
        let x = area.right().saturating_sub(self.bar);
        let thin = glyphs.bar_rest.repeat(usize::from(middle - start));
        let thick = glyphs.bar.repeat(usize::from(end - middle));
        let line = Line::from(vec![
            Span::styled(thin, state.theme.style(Role::Muted)),
            Span::styled(thick, state.theme.style(role)),
        ]);
        put(&state.theme, buf, x + start, area.y, end - start, &line);
    }
}

fn bar_role(fate: Fate) -> Role {
    match fate {
        Fate::Streaming | Fate::Judging => Role::Info,
        Fate::Accepted | Fate::Text => Role::Success,
        Fate::Rejected(_) => Role::Error,
        Fate::Failed(_) => Role::Warning,
    }
}

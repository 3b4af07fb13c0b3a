//! The attempts of the run, and the issues of the one that is shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::layout::Areas;
use super::super::state::run::{Attempt, Fate, Run};
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::super::words;
use super::{empty, fate_sign, outside, pane, put};
use crate::text;

/// Draws the region.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) {
    let theme = &state.theme;
    let run = state.run.as_ref();
    let inner = pane(buf, area, state, areas, Region::Attempts, badge(state));
    let Some(run) = run.filter(|r| !r.attempts.is_empty()) else {
        let text = "every attempt is kept here with the reason of its end";
        empty(theme, buf, inner, &[Line::styled(text, theme.style(Role::Muted))]);
        return;
    };
    let rows = u16::try_from(run.attempts.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(4).max(1));
    list(buf, Rect { height: rows, ..inner }, state, run);
    let detail = Rect { y: inner.y + rows, height: inner.height.saturating_sub(rows), ..inner };
    if let Some(attempt) = run.shown() {
        details(buf, detail, state, run, attempt);
    }
}

fn badge<'a>(state: &State) -> Vec<Line<'a>> {
    let Some(run) = &state.run else { return Vec::new() };
    let tokens = run.tokens();
    let part = |label: &str, n: Option<u64>| n.map(|n| format!("{n} {label}"));
    let parts: Vec<String> =
        [part("in", tokens.input_tokens), part("out", tokens.output_tokens)].into_iter().flatten().collect();
    if parts.is_empty() {
        return Vec::new();
    }
    vec![Line::styled(format!(" tokens {} ", parts.join(" · ")), state.theme.style(Role::Muted))]
}

fn list(buf: &mut Buffer, area: Rect, state: &State, run: &Run) {
    let theme = &state.theme;
    let shown = run.shown_index();
    let top = (shown + 1).saturating_sub(usize::from(area.height));
    for (i, attempt) in run.attempts.iter().enumerate().skip(top).take(usize::from(area.height)) {
        let y = area.y + u16::try_from(i - top).unwrap_or(0);
        let on = i == shown;
        put(theme, buf, area.x, y, area.width, &row(state, run, attempt, on));
        if on && state.focus == Region::Attempts {
            buf.set_style(Rect { y, height: 1, ..area }, theme.style(Role::Selection));
        }
    }
}

fn row<'a>(state: &State, run: &Run, attempt: &Attempt, on: bool) -> Line<'a> {
    let theme = &state.theme;
    let (sign, word, role) = fate_sign(attempt.fate, theme);
    let mark = if on { theme.glyphs().selected } else { " " };
    let mode = attempt.record.as_ref().and_then(|r| r.mode).or(run.mode).map_or("text", crate::event::Mode::code);
    let issues = match attempt.faults() {
        0 => String::new(),
        n => format!(" · {}", words::count(n, "issue")),
    };
    let tokens = attempt.usage.output_tokens.map_or(String::new(), |n| format!(" · {n} tok"));
    let span = words::span(attempt.ended.unwrap_or(state.now).saturating_sub(attempt.started));
    Line::from(vec![
        Span::styled(format!("{mark} "), theme.style(Role::Accent)),
        Span::raw(format!("{}  ", attempt.number)),
        Span::styled(format!("{sign} {word}"), theme.style(role)),
        Span::styled(format!("{issues} · {span}{tokens} · {mode}"), theme.style(Role::Muted)),
    ])
}

/// The selected issue in full: message, both paths, what can be done.
fn details(buf: &mut Buffer, area: Rect, state: &State, run: &Run, attempt: &Attempt) {
    let theme = &state.theme;
    put(theme, buf, area.x, area.y, area.width, &rule(area.width, state));
    // Under the numbers of the list.
    let area = Rect {
        x: area.x + 2.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(3),
        height: area.height.saturating_sub(1),
    };
    let mut lines: Vec<Line<'_>> = Vec::new();
    if let Some((position, hint)) = attempt.slip {
        lines.push(Line::styled(words::slip(position, hint), theme.style(Role::Error)));
    }
    if let Some(issue) = attempt.issues.get(attempt.selected) {
        let n = attempt.issues.len();
        let more = if attempt.omitted > 0 { format!(" (+{} more)", attempt.omitted) } else { String::new() };
        let head = format!("issue {} of {n}{more} · {}", attempt.selected + 1, issue.keyword);
        lines.push(Line::styled(head, theme.style(Role::Error)));
        for part in words::wrap(&text::safe(words::without_keyword(issue)), usize::from(area.width)) {
            lines.push(Line::styled(part, theme.style(Role::Text)));
        }
        lines.push(fact(state, "at", &issue.path, area.width));
        lines.push(fact(state, "schema", &issue.schema_path, area.width));
    }
    if let Some((_, failure)) = run.failures.iter().find(|(call, _)| *call == attempt.call) {
        lines.push(fact(state, "provider", &failure.message, area.width));
    }
    if attempt.issues.is_empty() && attempt.slip.is_none() && lines.is_empty() {
        lines.push(Line::styled(nothing(attempt.fate), theme.style(Role::Muted)));
    }
    for (i, line) in lines.iter().enumerate().take(usize::from(area.height)) {
        put(theme, buf, area.x, area.y + u16::try_from(i).unwrap_or(0), area.width, line);
    }
}

/// What stands for the issues of an attempt that has none.
fn nothing(fate: Fate) -> &'static str {
    match fate {
        Fate::Streaming => "still being written",
        Fate::Judging => "being judged",
        Fate::Accepted => "no issues",
        Fate::Text => "text: there was no schema to judge by",
        Fate::Rejected(_) => "rejected as a whole: no single place is at fault",
        Fate::Failed(_) => "the call failed before there was anything to judge",
    }
}

fn rule<'a>(width: u16, state: &State) -> Line<'a> {
    let dash = state.theme.glyphs().border.horizontal_top;
    Line::styled(dash.repeat(usize::from(width)), state.theme.style(Role::Border))
}

/// A labelled path; a long one keeps its end.
fn fact<'a>(state: &State, label: &str, value: &str, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let value = if value.is_empty() { "(root)" } else { value };
    let safe = text::safe(value);
    let value = text::fit_left(&safe, usize::from(width).saturating_sub(10)).into_owned();
    Line::from(vec![
        Span::styled(format!("{label:<9} "), theme.style(Role::Muted)),
        outside(&value, Role::Accent, theme),
    ])
}

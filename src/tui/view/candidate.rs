//! The streamed text of the shown attempt; its thinking above, dim; why it was rejected, in words.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::layout::Areas;
use super::super::state::run::{Attempt, Fate, Run, Status};
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::super::words;
use super::{empty, fate_sign, hang, outside, pane, progress, put, spinner, welcome};
use crate::command::Id;
use crate::event::{ErrorCode, RunError};
use crate::text;

/// Rows of unfolded thinking at most: the answer keeps its place.
const THINKING: u16 = 8;

/// Rows above the text: thinking and the banner.
pub(super) fn head(state: &State, height: u16) -> u16 {
    let Some(attempt) = state.run.as_ref().and_then(Run::shown) else { return 0 };
    (thinking_rows(state, attempt, height) + banner_rows(attempt)).min(height.saturating_sub(1))
}

fn thinking_rows(state: &State, attempt: &Attempt, height: u16) -> u16 {
    match (attempt.thinking.is_empty(), state.thinking_open) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => THINKING.min(height / 2).max(1),
    }
}

fn banner_rows(attempt: &Attempt) -> u16 {
    u16::from(matches!(attempt.fate, Fate::Rejected(_) | Fate::Failed(_)))
}

/// Draws the region.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) {
    let theme = &state.theme;
    let inner = pane(buf, area, state, areas, Region::Candidate, badge(state));
    let Some(attempt) = state.run.as_ref().and_then(Run::shown) else {
        if let Some(Status::Failed(error)) = state.run.as_ref().map(|r| &r.status) {
            refusal(buf, inner, state, error);
            return;
        }
        let key = state.keymap.shown(crate::command::Id::RunStart);
        let line = match state.run.as_ref().filter(|run| run.running()).map(|run| run.preparing) {
            Some(Some(preparing)) => progress::preparing(state, preparing, inner.width),
            Some(None) => Line::styled("waiting for the first attempt", theme.style(Role::Muted)),
            None => {
                Line::styled(format!("{key} runs the prompt; the answer streams in here"), theme.style(Role::Muted))
            }
        };
        // Only scripts could answer: where a model comes from belongs here, the welcome panel is gone.
        let running = state.running();
        let offer = welcome::offer(state).filter(|_| !running && !state.models.any_real());
        let lines: Vec<Line<'_>> =
            std::iter::once(line).chain(offer.into_iter().flat_map(|offer| [Line::default(), offer])).collect();
        empty(theme, buf, inner, &lines);
        return;
    };
    let mut top = inner.y;
    let thinking = thinking_rows(state, attempt, inner.height);
    thoughts(buf, Rect { height: thinking, ..inner }, state, attempt);
    top += thinking;
    if banner_rows(attempt) > 0 {
        banner(buf, Rect { y: top, height: 1, ..inner }, state, attempt);
        top += 1;
    }
    let text = Rect { y: top, height: inner.bottom().saturating_sub(top), ..inner };
    if attempt.rows.is_empty() {
        let preparing = state.run.as_ref().and_then(|run| run.preparing);
        let waiting = match (attempt.fate, preparing) {
            (Fate::Streaming, Some(preparing)) => progress::preparing(state, preparing, text.width),
            (Fate::Streaming, None) => {
                Line::styled(format!("{} waiting for text", spinner(state)), theme.style(Role::Muted))
            }
            (Fate::Judging | Fate::Accepted | Fate::Text | Fate::Rejected(_) | Fate::Failed(_), _) => {
                Line::styled("no text came", theme.style(Role::Muted))
            }
        };
        empty(theme, buf, text, &[waiting]);
        return;
    }
    attempt.rows.render(text, buf, &attempt.scroll, theme);
}

/// An error before the first attempt: there is no candidate, so its place says why, and what opens it.
fn refusal(buf: &mut Buffer, area: Rect, state: &State, error: &RunError) {
    let theme = &state.theme;
    let head = Span::styled(format!("{} {}: ", theme.glyphs().error, error.code.code()), theme.style(Role::Error));
    let mut lines = vec![(Line::from(vec![head, outside(&error.message, Role::Text, theme)]), 2)];
    for issue in &error.issues {
        let path = if issue.path.is_empty() { "(root)" } else { &issue.path };
        lines.push((Line::from(outside(&format!("{path}  {}", issue.message), Role::Text, theme)), 2));
    }
    // What can be done first: the reasons may be longer than the pane.
    let (next, why): (Vec<_>, Vec<_>) = error.facts.iter().partition(|(label, _)| label == "next");
    for (label, text) in next.into_iter().chain(why) {
        let label = Span::styled(format!("{label}: "), theme.style(Role::Muted));
        lines.push((Line::from(vec![label, outside(&words::on_screen(text), Role::Text, theme)]), 2));
    }
    // The keys stand below, always in sight.
    let keys: Vec<Line<'_>> =
        hang(&Line::styled(ways(state, error), theme.style(Role::KeyHint)), 2, usize::from(area.width));
    let keys_rows = u16::try_from(keys.len()).unwrap_or(0).min(area.height);
    let rows: Vec<Line<'_>> =
        lines.iter().flat_map(|(line, indent)| hang(line, *indent, usize::from(area.width))).collect();
    let most = usize::from(area.height.saturating_sub(keys_rows));
    let cut = rows.len() > most;
    let mut shown: Vec<Line<'_>> = rows.into_iter().take(most).collect();
    if let Some(last) = shown.last_mut().filter(|_| cut) {
        *last = Line::styled(theme.glyphs().ellipsis, theme.style(Role::Muted));
    }
    shown.extend(keys.into_iter().take(usize::from(keys_rows)));
    for (i, line) in shown.iter().enumerate() {
        put(theme, buf, area.x, area.y + u16::try_from(i).unwrap_or(0), area.width, line);
    }
}

/// The keys that open what stands in the way.
fn ways(state: &State, error: &RunError) -> String {
    let ways: &[(Id, &str)] = match error.code {
        ErrorCode::Unsupported => {
            &[(Id::Route, "why"), (Id::ProjectNarrow, "narrow"), (Id::ProjectRelax, "relax"), (Id::ModelPick, "model")]
        }
        ErrorCode::InvalidSchema => &[(Id::ProblemNext, "next problem"), (Id::ProblemList, "problems")],
        _ => &[(Id::RunStart, "run again"), (Id::ModelPick, "model")],
    };
    let shown: Vec<String> = ways.iter().map(|(id, word)| format!("{} {word}", state.keymap.shown(*id))).collect();
    shown.join(" · ")
}

/// `attempt 2 of 2 ✓ accepted · native SIMULATED`, shorter where there is less room; simulated is never left out.
fn badge<'a>(state: &State) -> Vec<Line<'a>> {
    let theme = &state.theme;
    let Some(run) = &state.run else { return Vec::new() };
    let Some(attempt) = run.shown() else { return Vec::new() };
    let (sign, word, role) = fate_sign(attempt.fate, theme);
    let sign = if attempt.fate == Fate::Streaming && run.running() { spinner(state) } else { sign };
    let held = if run.running() && run.pinned.is_some() { " (held)" } else { "" };
    let mode = run.mode.map_or(String::new(), |m| format!(" · {}", m.code()));
    let (number, count) = (attempt.number, run.attempts.len());
    let forms = [
        (format!(" attempt {number} of {count}{held} "), format!("{sign} {word}"), mode),
        (format!(" {number}/{count}{held} "), format!("{sign} {word}"), String::new()),
        (format!(" {number}/{count} "), sign.to_owned(), String::new()),
    ];
    let lines = forms.into_iter().map(|(head, fate, tail)| {
        let mut spans = vec![
            Span::styled(head, theme.style(Role::Muted)),
            Span::styled(fate, theme.style(role)),
            Span::styled(format!("{tail} "), theme.style(Role::Muted)),
        ];
        if run.simulated {
            spans.push(Span::styled("SIMULATED", theme.style(Role::Simulated)));
            spans.push(Span::raw(" "));
        }
        if run.demo {
            spans.push(Span::styled("DEMO", theme.style(Role::Simulated)));
            spans.push(Span::raw(" "));
        }
        Line::from(spans)
    });
    lines.collect()
}

fn thoughts(buf: &mut Buffer, area: Rect, state: &State, attempt: &Attempt) {
    let theme = &state.theme;
    if area.height == 0 {
        return;
    }
    let glyphs = theme.glyphs();
    let key = state.keymap.shown(crate::command::Id::ThinkingFold);
    let sign = if state.thinking_open { glyphs.unfolded } else { glyphs.folded };
    let title = format!(" {sign} thinking, {} ({key})", words::length(attempt.thinking.len()));
    put(theme, buf, area.x, area.y, area.width, &Line::styled(title, theme.style(Role::Muted)));
    if area.height < 2 {
        return;
    }
    // The newest part: enough text for the rows that are there.
    let keep = usize::from(area.width) * usize::from(area.height);
    let from = attempt.thinking.len().saturating_sub(keep);
    let tail = attempt.thinking.get(attempt.thinking.ceil_char_boundary(from)..).unwrap_or_default();
    let lines = words::wrap(&text::safe(tail), usize::from(area.width).saturating_sub(2));
    let rows = usize::from(area.height - 1);
    for (i, line) in lines.iter().skip(lines.len().saturating_sub(rows)).enumerate() {
        let y = area.y + 1 + u16::try_from(i).unwrap_or(0);
        put(
            theme,
            buf,
            area.x + 2,
            y,
            area.width.saturating_sub(2),
            &Line::styled(line.as_str(), theme.style(Role::Muted)),
        );
    }
}

/// Why the attempt is not the answer.
fn banner(buf: &mut Buffer, area: Rect, state: &State, attempt: &Attempt) {
    let theme = &state.theme;
    let (sign, word, role) = fate_sign(attempt.fate, theme);
    let why = match (attempt.slip, attempt.issues.get(attempt.selected)) {
        (Some((position, hint)), _) => words::slip(position, hint),
        (None, Some(issue)) => {
            let of = if attempt.faults() > 1 {
                format!("issue {} of {}: ", attempt.selected + 1, attempt.faults())
            } else {
                String::new()
            };
            format!("{of}{}", attempt.why().unwrap_or(&issue.message))
        }
        (None, None) => String::new(),
    };
    let line = Line::from(vec![
        Span::styled(format!(" {sign} {word}  "), theme.style(role)),
        outside(&why, Role::Text, theme),
    ]);
    put(theme, buf, area.x, area.y, area.width, &line);
}

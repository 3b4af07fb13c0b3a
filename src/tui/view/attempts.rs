//! The attempts of the run, and the issues of the one that is shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::layout::Areas;
use super::super::state::rounds::Round;
use super::super::state::run::{Attempt, Fate, Run};
use super::super::state::timeline::height as timeline_height;
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::super::words;
use super::{empty, outside, pane, put, timeline};
use crate::text;

/// Draws the region.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) {
    let theme = &state.theme;
    let run = state.run.as_ref();
    let inner = pane(buf, area, state, areas, Region::Attempts, badge(state));
    let Some(run) = run.filter(|r| !r.attempts.is_empty() || !r.rounds.list.is_empty()) else {
        let text = "every attempt is kept here with the reason of its end";
        empty(theme, buf, inner, &[Line::styled(text, theme.style(Role::Muted))]);
        return;
    };
    let rows = u16::try_from(timeline_height(run)).unwrap_or(u16::MAX).min(inner.height.saturating_sub(5).max(1));
    timeline::draw(buf, Rect { height: rows, ..inner }, state, run);
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
        let why = attempt.why().unwrap_or_else(|| words::without_keyword(issue));
        for part in words::wrap(&text::safe(why), usize::from(area.width)) {
            lines.push(Line::styled(part, theme.style(Role::Text)));
        }
        lines.push(fact(state, "at", &issue.path, area.width));
        lines.push(fact(state, "schema", &issue.schema_path, area.width));
    }
    if let Some((_, failure)) = run.failures.iter().find(|(call, _)| *call == attempt.call) {
        lines.push(fact(state, "provider", &failure.message, area.width));
    }
    if let Some(round) = run.rounds.of(attempt.number).last().filter(|round| !round.headers.is_empty()) {
        lines.push(fact(state, "response", &response(round), area.width));
    }
    if attempt.issues.is_empty() && attempt.slip.is_none() && lines.is_empty() {
        lines.push(Line::styled(nothing(attempt.fate), theme.style(Role::Muted)));
    }
    for (i, line) in lines.iter().enumerate().take(usize::from(area.height)) {
        put(theme, buf, area.x, area.y + u16::try_from(i).unwrap_or(0), area.width, line);
    }
}

/// The status and what one asks for when one writes to a provider.
fn response(round: &Round) -> String {
    let status = round.head.map_or(String::new(), |(status, _)| status.to_string());
    let id = round.headers.iter().find(|(name, _)| name.ends_with("request-id") || name.ends_with("requestid"));
    let id = id.map_or(String::new(), |(_, value)| format!(" · request {value}"));
    format!("{status}{id}")
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

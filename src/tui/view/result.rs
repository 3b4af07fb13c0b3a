//! The validated value: a tree, its raw text, or the text of a plain run. Nothing unvalidated.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::result::{Built, Shown};
use super::super::state::run::Status;
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::layout::Areas;
use super::{empty, outside, pane, put, spinner};
use crate::text;

/// Draws the region.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) {
    let theme = &state.theme;
    let inner = pane(buf, area, state, areas, Region::Result, badge(state));
    match &state.result.shown {
        Shown::Nothing => empty(theme, buf, inner, &[Line::styled(nothing(state), theme.style(Role::Muted))]),
        Shown::Building => {
            let line = format!("{} laying out the value", spinner(state));
            empty(theme, buf, inner, &[Line::styled(line, theme.style(Role::Muted))]);
        }
        Shown::Value(built) if state.result.raw => {
            built.canonical.render(inner, buf, &state.result.scroll, theme);
        }
        Shown::Value(built) => {
            built.tree.render(inner, buf, &state.result.tree, theme);
            foot(buf, area, state, built);
        }
        Shown::Text(rows) => {
            rows.render(inner, buf, &state.result.scroll, theme);
        }
    }
}

fn nothing(state: &State) -> &'static str {
    match state.run.as_ref().map(|r| &r.status) {
        Some(Status::Running | Status::Waiting { .. }) => "only a validated value comes here",
        Some(Status::Failed(_)) => "the run brought no valid value",
        Some(Status::Done) | None => "the validated value comes here",
    }
}

fn badge<'a>(state: &State) -> Vec<Line<'a>> {
    let theme = &state.theme;
    let result = &state.result;
    let sign = theme.glyphs().success;
    let (head, tail) = match &result.shown {
        Shown::Value(_) => (format!(" {sign} valid"), format!(" · {} · attempt {} ", result.mode, result.attempt)),
        Shown::Text(_) => (" text, no schema".to_owned(), " ".to_owned()),
        Shown::Nothing | Shown::Building => return Vec::new(),
    };
    let lines = [tail.as_str(), " "].into_iter().map(|tail| {
        let mut spans = vec![
            Span::styled(head.clone(), theme.style(Role::Success)),
            Span::styled(tail.to_owned(), theme.style(Role::Muted)),
        ];
        if result.raw {
            spans.push(Span::styled("raw ", theme.style(Role::Badge)));
        }
        if result.simulated {
            spans.push(Span::styled("SIMULATED", theme.style(Role::Simulated)));
            spans.push(Span::raw(" "));
        }
        Line::from(spans)
    });
    lines.collect()
}

/// The selected value's pointer in the lower border; a long one keeps its end, the whole is one key away.
fn foot(buf: &mut Buffer, area: Rect, state: &State, built: &Built) {
    let theme = &state.theme;
    let pointer = built.tree.pointer(state.result.tree.selected());
    let pointer = if pointer.is_empty() { "(root)".to_owned() } else { text::safe(&pointer).into_owned() };
    let room = usize::from(area.width.saturating_sub(6));
    let shown = text::fit_left(&pointer, room).into_owned();
    let line = Line::from(vec![Span::raw(" "), outside(&shown, Role::Accent, theme), Span::raw(" ")]);
    let width = area.width.saturating_sub(4);
    put(theme, buf, area.x + 2, area.bottom().saturating_sub(1), width, &line);
}

//! The tour's step, in rows of its own above the status line: it covers nothing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::State;
use super::super::state::tour::Tour;
use super::super::theme::Role;
use super::put;
use crate::command::Id;

/// Draws the step.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, tour: &Tour) {
    let theme = &state.theme;
    let rule = theme.glyphs().border.horizontal_top;
    let title = format!(" {} ", tour.title());
    let keys = format!(" {} skips · {} ends ", state.keymap.shown(Id::TourSkip), state.keymap.shown(Id::TourEnd));
    let room = usize::from(area.width).saturating_sub(crate::text::width(&title) + crate::text::width(&keys) + 4);
    let mut spans = vec![
        Span::styled(rule.repeat(2), theme.style(Role::BorderFocus)),
        Span::styled(title, theme.style(Role::Title)),
        Span::styled(rule.repeat(room), theme.style(Role::BorderFocus)),
        Span::styled(keys, theme.style(Role::KeyHint)),
        Span::styled(rule.repeat(2), theme.style(Role::BorderFocus)),
    ];
    if room == 0 {
        // The keys are in the list of keys, too.
        spans.truncate(2);
    }
    put(theme, buf, area.x, area.y, area.width, &Line::from(spans));
    for (y, row) in (area.y + 1..area.bottom()).zip(tour.rows(state, state.sizes.screen)) {
        put(theme, buf, area.x + 1, y, area.width.saturating_sub(2), &Line::styled(row, theme.style(Role::Text)));
    }
}

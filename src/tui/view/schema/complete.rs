//! The completion list at the caret of the schema: below its line, above it when there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::super::super::state::State;
use super::super::super::theme::Role;
use super::super::{inner, outside, put};
use crate::text;

/// Rows shown at once.
const ROWS: usize = 8;
/// Cells of the list at most.
const WIDE: usize = 84;

/// Draws the list when it is open.
pub(in super::super) fn completions(buf: &mut Buffer, state: &State, caret: (u16, u16)) {
    let Some(offered) = state.schema.offered() else { return };
    let theme = &state.theme;
    let all = &offered.offer.candidates;
    let labels = all.iter().map(|c| text::width(&text::safe(&c.label))).max().unwrap_or(0).min(40);
    let docs = all.iter().map(|c| text::width(&c.doc)).max().unwrap_or(0);
    let screen = buf.area;
    let width = (labels + docs + 7).clamp(18, WIDE).min(usize::from(screen.width));
    let (above, below) = (caret.1.saturating_sub(screen.y), screen.bottom().saturating_sub(caret.1 + 1));
    let wanted = u16::try_from(all.len().min(ROWS) + 2).unwrap_or(3);
    let down = below >= wanted || below >= above;
    let height = wanted.min(if down { below } else { above });
    if height < 3 {
        return;
    }
    let width = u16::try_from(width).unwrap_or(screen.width);
    let x = caret.0.saturating_sub(2).min(screen.right().saturating_sub(width));
    let y = if down { caret.1 + 1 } else { caret.1 - height };
    let area = Rect { x, y, width, height };
    Clear.render(area, buf);
    buf.set_style(area, theme.style(Role::Popup));
    let count = format!(" {}/{} ", offered.selected + 1, all.len());
    Block::bordered()
        .border_set(theme.glyphs().border)
        .border_style(theme.style(Role::BorderFocus))
        .title_bottom(Line::styled(count, theme.style(Role::Muted)).right_aligned())
        .render(area, buf);
    let inside = inner(area);
    let top = (offered.selected + 1).saturating_sub(usize::from(inside.height));
    for (y, (i, candidate)) in (inside.y..inside.bottom()).zip(all.iter().enumerate().skip(top)) {
        let on = i == offered.selected;
        let sign = if on { theme.glyphs().selected } else { " " };
        let label = text::truncate(&text::safe(&candidate.label), labels).into_owned();
        let pad = " ".repeat(labels.saturating_sub(text::width(&label)) + 2);
        let line = Line::from(vec![
            Span::styled(format!("{sign} "), theme.style(Role::Accent)),
            Span::raw(format!("{label}{pad}")),
            outside(&candidate.doc, Role::Muted, theme),
        ]);
        put(theme, buf, inside.x, y, inside.width, &line);
        if on {
            buf.set_style(Rect { y, height: 1, ..inside }, theme.style(Role::Selection));
        }
    }
    super::super::popup::ground(buf, area, theme);
}

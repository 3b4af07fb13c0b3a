//! The keys that do something here and now, as a panel above the hints: seen at a glance, gone with the next key.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::State;
use super::super::theme::Role;
use super::popup::{frame, ground};
use super::put;
use crate::command::{Command, table};
use crate::text;

/// The least cells of a column: a key, a gap and a title.
const COLUMN: u16 = 34;
const KEY: usize = 12;

/// Draws the panel so that it ends above the hints.
pub(super) fn draw(buf: &mut Buffer, hints: Rect, state: &State) {
    let theme = &state.theme;
    let rows = rows(state);
    let columns = (hints.width.saturating_sub(2) / COLUMN).max(1);
    let most = hints.y.saturating_sub(3);
    let lines = u16::try_from(rows.len()).unwrap_or(u16::MAX).div_ceil(columns).min(most);
    let height = lines + 2;
    let area = Rect { y: hints.y.saturating_sub(height + 1), height, ..hints };
    let left_out = rows.len().saturating_sub(usize::from(lines) * usize::from(columns));
    let more = if left_out == 0 { "any key does it · Esc closes".to_owned() } else { format!("{left_out} more: F1") };
    let inside = frame(buf, area, state, &format!("Keys: {}", state.focus.title()), &more);
    let column = inside.width / columns;
    for (i, (key, title)) in rows.iter().take(usize::from(lines) * usize::from(columns)).enumerate() {
        let (across, line) = (i / usize::from(lines.max(1)), i % usize::from(lines.max(1)));
        let x = inside.x + u16::try_from(across).unwrap_or(0) * column;
        let y = inside.y + u16::try_from(line).unwrap_or(0);
        let pad = KEY.saturating_sub(text::width(key)).max(1);
        let spans = vec![
            Span::styled(format!(" {key}"), theme.style(Role::KeyHint)),
            Span::raw(" ".repeat(pad)),
            Span::styled((*title).to_owned(), theme.style(Role::Text)),
        ];
        let room = column.min(inside.right().saturating_sub(x)).saturating_sub(1);
        put(theme, buf, x, y, room, &Line::from(spans));
    }
    ground(buf, area, theme);
}

/// Key and title of what can be done now, the part's own first.
fn rows(state: &State) -> Vec<(String, &'static str)> {
    let contexts = state.contexts();
    let mut seen = std::collections::HashSet::new();
    let mut rows = Vec::new();
    for context in &contexts {
        let here = |c: &&Command| c.contexts.contains(context) && state.barred(c.id).is_none();
        for row in table().iter().filter(here) {
            let mine = |chord: &&crate::command::Chord| state.keymap.lookup(&contexts, **chord) == Some(row.id);
            if let Some(chord) = state.keymap.keys(row.id).iter().find(mine)
                && seen.insert(row.title)
            {
                rows.push((chord.to_string(), row.title));
            }
        }
    }
    rows
}

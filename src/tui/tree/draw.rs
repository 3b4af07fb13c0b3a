//! Drawing the window of a tree: what fits in each row and nothing more is looked at.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Node, TreeRows, TreeState};
use crate::tui::cells::{self, End, Fit};
use crate::tui::highlight::Kind;
use crate::tui::theme::{Role, Theme};

/// One row being drawn.
struct Pen<'a> {
    buf: &'a mut Buffer,
    theme: &'a Theme,
    state: &'a TreeState,
    left: u16,
    x: u16,
    y: u16,
    right: u16,
}

impl TreeRows {
    /// Draws the window; returns how many rows were drawn. Call [`TreeState::show`] with the same height before.
    pub fn render(&self, area: Rect, buf: &mut Buffer, state: &TreeState, theme: &Theme) -> usize {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return 0;
        }
        buf.set_style(area, theme.style(Role::Text));
        let mut next = Some(state.top());
        let mut drawn = 0;
        for y in area.y..area.bottom() {
            let Some(node) = next else { break };
            let mut pen = Pen { buf, theme, state, left: area.x, x: area.x, y, right: area.right() };
            self.draw_row(node, &mut pen);
            if node == state.selected() {
                buf.set_style(Rect { y, height: 1, ..area }, theme.style(Role::Selection));
            }
            next = state.below(self, node);
            drawn += 1;
        }
        drawn
    }

    fn draw_row(&self, node: Node, pen: &mut Pen<'_>) {
        let glyphs = pen.theme.glyphs();
        // The selected row is told by a sign too, not by colour alone.
        let sign = if node == pen.state.selected() { glyphs.selected } else { " " };
        pen.text(sign, Role::Accent);
        // Deep rows must still show something.
        let width = pen.right.saturating_sub(pen.x);
        let indent = u16::try_from(self.depth(node) * 2).unwrap_or(u16::MAX).min(width / 2);
        pen.x = pen.x.saturating_add(indent);
        let folded = pen.state.is_folded(node);
        let fold = match (self.is_container(node), folded) {
            (false, _) => " ",
            (true, true) => glyphs.folded,
            (true, false) => glyphs.unfolded,
        };
        pen.text(fold, Role::Muted);
        pen.text(" ", Role::Text);
        self.draw_key(node, pen);
        if self.is_container(node) { self.draw_container(node, folded, pen) } else { self.draw_leaf(node, pen) }
    }

    fn draw_key(&self, node: Node, pen: &mut Pen<'_>) {
        match self.key_text(node) {
            Some(key) => {
                let start = self.start(node);
                // Quotes only where the name needs them.
                let bare = super::is_name(key.trim_matches('"'));
                let cut = usize::from(bare);
                self.draw_source(start + cut, start + key.len() - cut, Kind::Key.role(), pen);
            }
            None if node == 0 => return,
            None => pen.text(&self.ordinal(node).to_string(), Role::Gutter),
        }
        pen.text(": ", Kind::Punct.role());
    }

    fn draw_container(&self, node: Node, folded: bool, pen: &mut Pen<'_>) {
        let object = self.byte(self.value_start(node)) == b'{';
        let count = self.children(node);
        let (open, close, noun) = match (object, count) {
            (true, 1) => ("{", "}", "key"),
            (true, _) => ("{", "}", "keys"),
            (false, 1) => ("[", "]", "item"),
            (false, _) => ("[", "]", "items"),
        };
        pen.text(open, Kind::Punct.role());
        if folded {
            pen.text(pen.theme.glyphs().ellipsis, Role::Muted);
            pen.text(close, Kind::Punct.role());
        }
        pen.text(&format!(" {count} {noun}"), Role::Muted);
        if folded {
            pen.text("  ", Role::Text);
            // The compact text is its own preview; only what fits is drawn.
            let start = self.value_start(node);
            self.draw_source(start, start + self.value_text(node).len(), Role::Muted, pen);
        }
    }

    fn draw_leaf(&self, node: Node, pen: &mut Pen<'_>) {
        let start = self.value_start(node);
        let kind = match self.byte(start) {
            b'"' => Kind::String,
            b'{' | b'[' => Kind::Punct,
            b't' | b'f' | b'n' => Kind::Literal,
            _ => Kind::Number,
        };
        self.draw_source(start, self.leaf_end(node), kind.role(), pen);
    }

    /// Draws a piece of the compact text with its hits, cut with a sign where the row ends.
    fn draw_source(&self, start: usize, end: usize, role: Role, pen: &mut Pen<'_>) {
        let needle = super::escaped(pen.state.needle()).len();
        let plain = pen.theme.style(Role::Text).patch(pen.theme.style(role));
        let mut at = start;
        while at < end {
            let Some(unit) = cells::unit(&self.text, at, End::Closed) else { return };
            if pen.x.saturating_add(unit.width(0)) > pen.right {
                return pen.cut();
            }
            let hit = needle > 0 && touches(pen.state.hits(), needle, at..at + unit.len);
            let style = if hit { plain.patch(pen.theme.style(Role::Match)) } else { plain };
            pen.x = unit.draw(pen.buf, (pen.x, pen.y), pen.left, pen.right, style);
            at += unit.len;
        }
    }
}

fn touches(hits: &[u32], len: usize, range: std::ops::Range<usize>) -> bool {
    let first = hits.partition_point(|hit| *hit as usize + len <= range.start);
    hits.get(first).is_some_and(|hit| (*hit as usize) < range.end)
}

impl Pen<'_> {
    fn text(&mut self, text: &str, role: Role) {
        let style = self.theme.style(Role::Text).patch(self.theme.style(role));
        let (x, fit) = cells::draw_text(self.buf, (self.x, self.y), self.right, text, style);
        self.x = x;
        match fit {
            Fit::Whole => {}
            Fit::Cut => self.cut(),
        }
    }

    /// Says in the last cell that there is more, and ends the row.
    fn cut(&mut self) {
        let style: Style = self.theme.style(Role::Text).patch(self.theme.style(Role::Muted));
        let last = self.right.saturating_sub(1);
        // A wide character under the sign would be cut in half.
        if self.x > last && last > self.left {
            if let Some(cell) = self.buf.cell_mut((last - 1, self.y)) {
                if ratatui::buffer::CellWidth::cell_width(cell.symbol()) > 1 {
                    cell.set_symbol(" ");
                }
            }
        }
        let at = last.min(self.x);
        if self.right > self.left {
            cells::draw_text(self.buf, (at, self.y), self.right, self.theme.glyphs().ellipsis, style);
        }
        self.x = self.right;
    }
}

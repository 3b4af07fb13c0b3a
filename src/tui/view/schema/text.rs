//! The visible lines of the schema: numbers, colours, marks. Costs what is in sight, however long text and lines are.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::super::highlight::{self, Kind, Token};
use super::super::super::state::folds::Hidden;
use super::super::super::state::schema::Problem;
use super::super::super::state::{Region, State};
use super::super::super::theme::Role;
use super::super::{editor, put};
use super::gutter;
use crate::schema::source::Form;
use crate::text;
use crate::tui::words;

/// Bytes of a line read past the window: a key is told from a text by the colon behind it.
const AHEAD: usize = 256;
/// Cells of what closes hidden lines, at most.
const CLOSING: usize = 12;

/// What colours the text besides its tokens; the same for all lines of a frame.
struct Marks<'a> {
    problems: &'a [Problem],
    bracket: Option<usize>,
    selected: Option<Range<usize>>,
    mark: Option<Range<usize>>,
}

/// Draws the lines from the top of the window on.
pub(super) fn lines(buf: &mut Buffer, area: Rect, state: &State) {
    let pane = &state.schema;
    let marks = Marks {
        problems: pane.problems(),
        bracket: if state.focus == Region::Schema { pane.editor.bracket() } else { None },
        selected: pane.editor.selected(),
        mark: pane.mark.map(|(start, end)| start..end.max(start + 1)),
    };
    for (y, row) in (area.y..area.bottom()).zip(pane.shown()) {
        let Some(line) = pane.editor.lines().get(row) else { break };
        let start = pane.editor.line_start(row);
        let end = start + line.len();
        // Sorted by place, so those of a line stand together.
        let first = marks.problems.partition_point(|p| p.start < start);
        let last = marks.problems.partition_point(|p| p.start <= end);
        let here = marks.problems.get(first..last).unwrap_or_default();
        // The line that stands for hidden ones has their sign too.
        let hidden = pane.folds.below(row);
        let below =
            hidden.map_or(end, |hidden| pane.editor.line_start(hidden.last) + pane.editor.lines()[hidden.last].len());
        let signed = marks.problems.partition_point(|p| p.start <= below);
        number(buf, area, y, state, row, marks.problems.get(first..signed).unwrap_or_default());
        let came = text_line(buf, area, y, state, (row, start, line), &Marks { problems: here, ..marks_of(&marks) });
        if let (Some(hidden), Some(cell)) = (hidden, came) {
            folded(buf, area, (cell, y), state, hidden);
        }
    }
}

fn marks_of<'a>(marks: &Marks<'a>) -> Marks<'a> {
    Marks { selected: marks.selected.clone(), mark: marks.mark.clone(), ..*marks }
}

/// Sign and number left of a line.
fn number(buf: &mut Buffer, area: Rect, y: u16, state: &State, row: usize, problems: &[Problem]) {
    let theme = &state.theme;
    let fatal = problems.iter().any(|p| p.fatal);
    let (sign, role) = match problems {
        [] => (" ", Role::Gutter),
        _ if fatal => (theme.glyphs().error, Role::Error),
        _ => (theme.glyphs().warning, Role::Warning),
    };
    let width = usize::from(gutter(state)) - 3;
    let current = state.focus == Region::Schema && state.schema.editor.row() == row;
    let number = if current { Role::Text } else { Role::Gutter };
    let fold = if state.schema.folds.below(row).is_some() { theme.glyphs().folded } else { " " };
    let line = Line::from(vec![
        Span::styled(sign, theme.style(role)),
        Span::styled(format!(" {:>width$}", row + 1), theme.style(if fatal { Role::Error } else { number })),
        Span::styled(fold, theme.style(Role::Accent)),
    ]);
    put(theme, buf, area.x, y, gutter(state).min(area.width), &line);
}

/// What stands for hidden lines, behind the line above them: how many they are, and how they end.
fn folded(buf: &mut Buffer, area: Rect, (cell, y): (usize, u16), state: &State, hidden: &Hidden) {
    let theme = &state.theme;
    let editor = &state.schema.editor;
    let end = editor.line_start(hidden.last) + editor.lines()[hidden.last].len();
    let closing = hidden.closer.and_then(|at| editor.as_str().get(at..end)).unwrap_or_default().trim_end();
    let line = Line::from(vec![
        Span::styled(format!(" … {} ", words::count(hidden.count(), "line")), theme.style(Role::Muted)),
        Span::styled(text::truncate(closing, CLOSING).into_owned(), theme.style(Role::JsonPunct)),
    ]);
    let x = cell.saturating_sub(state.schema.left) + usize::from(gutter(state));
    let Some(x) = u16::try_from(x).ok().filter(|x| *x < area.width && cell >= state.schema.left) else { return };
    put(theme, buf, area.x + x, y, area.width - x, &line);
}

impl Marks<'_> {
    /// The role that lies over the tokens at a byte of the text.
    fn over(&self, at: usize) -> Option<Role> {
        if self.bracket == Some(at) {
            return Some(Role::Match);
        }
        if self.mark.as_ref().is_some_and(|mark| mark.contains(&at)) {
            return Some(Role::MarkError);
        }
        if let Some(problem) = self.problems.iter().find(|p| p.start <= at && at < p.end) {
            return Some(if problem.fatal { Role::MarkError } else { Role::MarkWarning });
        }
        self.selected.as_ref().is_some_and(|range| range.contains(&at)).then_some(Role::Selection)
    }
}

/// Gives the cell of the line where it ends, when that is in sight.
fn text_line(
    buf: &mut Buffer,
    area: Rect,
    y: u16,
    state: &State,
    (row, start, line): (usize, usize, &str),
    marks: &Marks<'_>,
) -> Option<usize> {
    let theme = &state.theme;
    let gutter = gutter(state).min(area.width);
    let width = area.width - gutter;
    let stop = state.schema.ruler.before_cell(row, state.schema.left);
    let left = state.schema.left - stop.cell;
    // A minified file is one line: only what can be in sight is read.
    let sight = left + usize::from(width) + 1;
    let rest = line.get(stop.byte..).unwrap_or_default();
    let end = rest.char_indices().nth(sight * 2 + AHEAD).map_or(rest.len(), |(i, _)| i);
    let rest = rest.get(..end).unwrap_or_default();
    // Only JSON has colours here; in YAML and TOML they would often be wrong.
    let tokens = match state.schema.form() {
        Form::Json | Form::Jsonc => tokens(rest, stop.lexer),
        Form::Yaml | Form::Toml => Vec::new(),
    };
    let hits = state.schema.editor.needle().find(rest);
    let style = |offset: usize| -> Style {
        let at = tokens.partition_point(|t| t.end <= offset);
        let base = theme.style(tokens.get(at).map_or(Role::Text, |t| t.kind.role()));
        let hit = hits.get(hits.partition_point(|h| h.end <= offset)).is_some_and(|h| h.contains(&offset));
        let over = marks.over(start + stop.byte + offset).or(hit.then_some(Role::Match));
        over.map_or(base, |over| base.patch(theme.style(over)))
    };
    let came = editor::draw_line(buf, (area.x + gutter, y), width, rest, left, style)?;
    (stop.byte + rest.len() == line.len()).then_some(came + stop.cell)
}

/// The tokens of a piece of one line. A line is lexed alone, so a text before a colon is told to be a key here.
fn tokens(line: &str, mut lexer: highlight::State) -> Vec<Token> {
    let mut tokens = Vec::new();
    highlight::lex(&mut lexer, line, 0, |token| tokens.push(token));
    let quoted = |t: &Token| matches!(t.kind, Kind::String | Kind::Escape | Kind::Key);
    let mut key = false;
    for token in tokens.iter_mut().rev() {
        if token.kind == Kind::Punct {
            key = line.get(token.start..token.end).is_some_and(|t| t.starts_with(':'));
        } else if quoted(token) {
            token.kind = match (key, token.kind) {
                (_, Kind::Escape) => Kind::Escape,
                (true, _) => Kind::Key,
                (false, _) => Kind::String,
            };
        } else if token.kind != Kind::Space {
            key = false;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_texts_on_a_line_of_its_own() {
        let lex = |line: &str| tokens(line, highlight::State::default());
        let kinds = |line: &str| lex(line).iter().map(|t| t.kind).filter(|k| *k != Kind::Space).collect::<Vec<_>>();
        let (k, s, p) = (Kind::Key, Kind::String, Kind::Punct);
        assert_eq!(kinds(r#"  "type": "string","#), [k, p, s, p]);
        assert_eq!(kinds(r#"  "a": { "b": "c" }"#), [k, p, p, k, p, s, p]);
        assert_eq!(kinds(r#""only""#), [s]);
    }
}

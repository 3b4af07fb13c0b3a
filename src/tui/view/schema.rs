//! The schema editor: line numbers, colours, problem marks, and below the text what preflight and negotiation say.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::highlight::{self, Kind, Token};
use super::super::state::schema::{Problem, Report};
use super::super::state::{Region, State, level_name};
use super::super::theme::Role;
use super::super::words;
use super::layout::Areas;
use super::{editor, empty, outside, pane, put};
use crate::plan::{Plan, Unsupported};
use crate::schema::Dialect;
use crate::schema::preflight::Checked;
use crate::schema::project::Level;
use crate::schema::source::Form;
use crate::text;

/// Cells a long line keeps in sight right and left of the caret.
const MARGIN: usize = 4;

/// Rows below the text: the check and the route.
fn foot(height: u16) -> u16 {
    if height >= 6 { 2 } else { u16::from(height >= 3) }
}

fn gutter(state: &State) -> u16 {
    let digits = state.schema.editor.lines().len().to_string().len();
    u16::try_from(digits.max(2) + 3).unwrap_or(5)
}

/// Moves the window so that the caret is in it.
pub(super) fn fit(state: &mut State, inner: Rect) {
    let height = usize::from(inner.height.saturating_sub(foot(inner.height)));
    let width = usize::from(inner.width.saturating_sub(gutter(state)));
    state.sizes.schema = height;
    let (row, column) = state.schema.editor.caret();
    let last = row.saturating_sub(height.saturating_sub(1));
    state.schema.top = state.schema.top.clamp(last.min(row), row);
    let cell = state.schema.editor.lines().get(row).map_or(0, |l| editor::cell_of(l, column));
    let margin = MARGIN.min(width / 3);
    if cell < state.schema.left + margin {
        state.schema.left = cell.saturating_sub(margin);
    } else if cell + margin >= state.schema.left + width {
        state.schema.left = (cell + margin + 1).saturating_sub(width);
    }
    if cell + margin < width {
        state.schema.left = 0;
    }
}

/// Draws the region; gives the caret's cell.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) -> Option<(u16, u16)> {
    let inner = pane(buf, area, state, areas, Region::Schema, badge(state));
    let foot = foot(inner.height);
    let text = Rect { height: inner.height.saturating_sub(foot), ..inner };
    if state.schema.editor.is_blank() && state.focus != Region::Schema {
        hints(buf, text, state);
    } else {
        lines(buf, text, state);
    }
    let strip = Rect { y: text.bottom(), height: foot, ..inner };
    report(buf, strip, state);
    caret(text, state)
}

fn badge<'a>(state: &State) -> Vec<Line<'a>> {
    let theme = &state.theme;
    let name = outside(&state.schema.name(), Role::Muted, theme);
    // A schema without a file says already that it is not saved.
    let dirty = if state.schema.dirty() && state.schema.path.is_some() { " (changed)" } else { "" };
    vec![Line::from(vec![Span::raw(" "), name, Span::styled(dirty, theme.style(Role::Warning)), Span::raw(" ")])]
}

fn hints(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let key = |id| state.keymap.shown(id);
    let rows = [
        (key(crate::command::Id::SchemaLoad), "opens a schema file"),
        (key(crate::command::Id::SchemaNew), "starts from a small schema"),
        (key(crate::command::Id::FocusSchema), "to write or paste one here"),
    ];
    let lines: Vec<Line<'_>> =
        std::iter::once(Line::styled("No schema yet: answers are plain text", theme.style(Role::Muted)))
            .chain(std::iter::once(Line::default()))
            .chain(rows.iter().map(|(key, what)| {
                Line::from(vec![
                    Span::styled(format!("{key:>7}"), theme.style(Role::KeyHint)),
                    Span::styled(format!("  {what:<27}"), theme.style(Role::Muted)),
                ])
            }))
            .collect();
    empty(theme, buf, area, &lines);
}

fn caret(text: Rect, state: &State) -> Option<(u16, u16)> {
    let (row, column) = state.schema.editor.caret();
    let line = state.schema.editor.lines().get(row)?;
    let cell = editor::cell_of(line, column).checked_sub(state.schema.left)?;
    let y = row.checked_sub(state.schema.top).filter(|y| *y < usize::from(text.height))?;
    let x = usize::from(text.x + gutter(state)) + cell;
    let x = u16::try_from(x).ok()?.min(text.right().saturating_sub(1));
    Some((x, text.y + u16::try_from(y).ok()?))
}

fn lines(buf: &mut Buffer, area: Rect, state: &State) {
    let pane = &state.schema;
    let (problems, form) = (pane.problems(), pane.form());
    let bracket = if state.focus == Region::Schema { pane.editor.bracket() } else { None };
    let mut start: usize = pane.editor.lines().iter().take(pane.top).map(|l| l.len() + 1).sum();
    for (i, line) in pane.editor.lines().iter().enumerate().skip(pane.top).take(usize::from(area.height)) {
        let y = area.y + u16::try_from(i - pane.top).unwrap_or(0);
        let here: Vec<&Problem> = problems.iter().filter(|p| p.line == i + 1).collect();
        number(buf, area, y, state, i, &here);
        let styles = Styles { state, form, row: i, start, problems: &here, bracket };
        text_line(buf, area, y, state, line, &styles);
        start += line.len() + 1;
    }
}

/// Sign and number left of a line.
fn number(buf: &mut Buffer, area: Rect, y: u16, state: &State, row: usize, problems: &[&Problem]) {
    let theme = &state.theme;
    let fatal = problems.iter().any(|p| p.fatal);
    let (sign, role) = match problems {
        [] => (" ", Role::Gutter),
        _ if fatal => (theme.glyphs().error, Role::Error),
        _ => (theme.glyphs().warning, Role::Warning),
    };
    let width = usize::from(gutter(state)) - 3;
    let current = state.focus == Region::Schema && state.schema.editor.caret().0 == row;
    let number = if current { Role::Text } else { Role::Gutter };
    let line = Line::from(vec![
        Span::styled(sign, theme.style(role)),
        Span::styled(format!(" {:>width$} ", row + 1), theme.style(if fatal { Role::Error } else { number })),
    ]);
    put(theme, buf, area.x, y, gutter(state).min(area.width), &line);
}

/// What colours a line besides its tokens.
struct Styles<'a> {
    state: &'a State,
    form: Form,
    row: usize,
    /// Byte offset of the line in the text.
    start: usize,
    problems: &'a [&'a Problem],
    bracket: Option<usize>,
}

impl Styles<'_> {
    fn over(&self, line: &str, offset: usize) -> Option<Role> {
        let at = self.start + offset;
        if self.bracket == Some(at) {
            return Some(Role::Match);
        }
        if self.state.schema.mark.is_some_and(|(a, b)| (a..b.max(a + 1)).contains(&at)) {
            return Some(Role::MarkError);
        }
        let column = line.get(..offset).map_or(0, |t| t.chars().count()) + 1;
        let problem =
            self.problems.iter().find(|p| column >= p.column && column < p.column + token_length(line, p.column));
        if let Some(problem) = problem {
            return Some(if problem.fatal { Role::MarkError } else { Role::MarkWarning });
        }
        self.selected(column - 1).then_some(Role::Selection)
    }

    fn selected(&self, column: usize) -> bool {
        self.state.schema.editor.selection().is_some_and(|(a, b)| (self.row, column) >= a && (self.row, column) < b)
    }
}

/// Characters of the token that begins at a column: a problem underlines what it is about.
fn token_length(line: &str, column: usize) -> usize {
    let offset = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(i, _)| i);
    let rest = line.get(offset..).unwrap_or_default();
    let end = match rest.strip_prefix('"') {
        Some(inner) => inner.find('"').map_or(rest.len(), |i| i + 2),
        None => rest.find(|c: char| !c.is_alphanumeric() && !"-+.".contains(c)).unwrap_or(rest.len()),
    };
    rest.get(..end).map_or(1, |t| t.chars().count()).max(1)
}

fn text_line(buf: &mut Buffer, area: Rect, y: u16, state: &State, line: &str, styles: &Styles<'_>) {
    let (theme, form) = (&state.theme, styles.form);
    let gutter = gutter(state).min(area.width);
    let width = area.width - gutter;
    // A minified file is one line: only what can be in sight is read.
    let sight = state.schema.left + usize::from(width) + 1;
    let end = line.char_indices().nth(sight * 2).map_or(line.len(), |(i, _)| i);
    let line = line.get(..end).unwrap_or(line);
    // Only JSON has colours here; in YAML and TOML they would often be wrong.
    let tokens = match form {
        Form::Json | Form::Jsonc => tokens(line),
        Form::Yaml | Form::Toml => Vec::new(),
    };
    let hits = hits(line, state.schema.editor.needle());
    let style = |offset: usize| -> Style {
        let base = tokens.iter().find(|t| t.start <= offset && offset < t.end).map_or(Role::Text, |t| t.kind.role());
        let base = theme.style(base);
        let hit = hits.iter().any(|h| h.contains(&offset)).then_some(Role::Match);
        styles.over(line, offset).or(hit).map_or(base, |over| base.patch(theme.style(over)))
    };
    editor::draw_line(buf, (area.x + gutter, y), width, line, state.schema.left, style);
}

/// The tokens of one line. A line is lexed alone, so a text before a colon is told to be a key here.
fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = highlight::tokens(line);
    let quoted = |t: &Token| matches!(t.kind, Kind::String | Kind::Escape | Kind::Key);
    let mut key = false;
    for i in (0..tokens.len()).rev() {
        let Some(token) = tokens.get_mut(i) else { continue };
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

/// Byte ranges of a needle in a line, ASCII case folded.
fn hits(line: &str, needle: &str) -> Vec<std::ops::Range<usize>> {
    if needle.is_empty() {
        return Vec::new();
    }
    let (line, needle) = (line.to_ascii_lowercase(), needle.to_ascii_lowercase());
    line.match_indices(&needle).map(|(i, m)| i..i + m.len()).collect()
}

/// The two lines below the text.
fn report(buf: &mut Buffer, area: Rect, state: &State) {
    let lines = [check_line(state, area.width), route_line(state)];
    for (i, line) in lines.iter().enumerate().take(usize::from(area.height)) {
        put(&state.theme, buf, area.x, area.y + u16::try_from(i).unwrap_or(0), area.width, line);
    }
}

fn check_line<'a>(state: &State, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let glyphs = theme.glyphs();
    let muted = theme.style(Role::Muted);
    let Some(Report { checked, .. }) = state.schema.report() else {
        return if state.schema.checking() {
            Line::styled(format!(" {} checking", glyphs.pending), muted)
        } else {
            Line::default()
        };
    };
    match checked {
        Ok(checked) => {
            let warnings = checked.warnings.len();
            let warned =
                if warnings == 0 { String::new() } else { format!(" · {}", words::count(warnings, "warning")) };
            let mut line = Line::from(vec![
                Span::styled(format!(" {} legal", glyphs.success), theme.style(Role::Success)),
                Span::styled(warned, theme.style(Role::Warning)),
            ]);
            // Whole facts only, as many as have room.
            let form = state.schema.form();
            let form = (!form.is_json()).then(|| form.title().to_owned());
            for fact in form.into_iter().chain(facts(checked)) {
                if line.width() + text::width(&fact) + 3 > usize::from(width) {
                    break;
                }
                line.push_span(Span::styled(format!(" · {fact}"), muted));
            }
            line
        }
        Err(errors) => {
            let next = state.keymap.shown(crate::command::Id::ProblemNext);
            let first = state.schema.problems().into_iter().next();
            let first = first.map_or(String::new(), |p| format!(" · {}:{} {}", p.line, p.column, p.message));
            Line::from(vec![
                Span::styled(
                    format!(" {} {}", glyphs.error, words::count(errors.len(), "problem")),
                    theme.style(Role::Error),
                ),
                Span::styled(format!(" · {next} next"), theme.style(Role::KeyHint)),
                outside(&first, Role::Muted, theme),
            ])
        }
    }
}

/// What is worth knowing about a legal schema, the most useful first.
fn facts(checked: &Checked) -> Vec<String> {
    let c = checked.counts;
    let envelope = checked.envelope.then(|| "envelope".to_owned());
    let hash: String = checked.format.schema_hash.chars().take(8).collect();
    let rest = [
        words::length(c.canonical_bytes),
        format!("depth {}", c.depth),
        words::count(c.containers, "container"),
        format!("hash {hash}"),
    ];
    std::iter::once(format!("draft {}", dialect(checked.dialect))).chain(envelope).chain(rest).collect()
}

fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Draft4 => "04",
        Dialect::Draft6 => "06",
        Dialect::Draft7 => "07",
        Dialect::Draft201909 => "2019-09",
        Dialect::Draft202012 => "2020-12",
    }
}

/// The portability strip: which route the selected model would take, or where it refuses and what opens it.
fn route_line<'a>(state: &State) -> Line<'a> {
    let theme = &state.theme;
    match state.schema.report().and_then(|r| r.route.as_ref()) {
        None => Line::default(),
        Some(Ok(plan)) => {
            let mut line = Line::styled(format!(" {} ", theme.glyphs().arrow), theme.style(Role::Muted));
            line.push_span(outside(&state.models.name, Role::Muted, theme));
            line.push_span(Span::styled(format!(": {}", plan_words(plan)), theme.style(Role::Success)));
            if let Some(badge) = state.models.badge(&state.models.name).filter(|badge| badge.counts) {
                let badge = format!(" · {} {}", badge.verdict.name(), badge.date);
                line.push_span(Span::styled(badge, theme.style(Role::Muted)));
            }
            line
        }
        Some(Err(unsupported)) => refused_line(state, unsupported),
    }
}

fn plan_words(plan: &Plan) -> String {
    let changes = match plan.changes.len() {
        0 => String::new(),
        n => format!(", {} for the provider", words::count(n, "change")),
    };
    format!("{}{changes}", super::super::update::mode_words(plan))
}

fn refused_line<'a>(state: &State, unsupported: &Unsupported) -> Line<'a> {
    let theme = &state.theme;
    let places: usize = unsupported.routes.iter().map(|r| r.refusals.len()).max().unwrap_or(0);
    let opens: Option<Level> = unsupported.routes.iter().filter_map(|r| r.opens_at).min();
    let mut line = Line::styled(format!(" {} ", theme.glyphs().error), theme.style(Role::Error));
    line.push_span(outside(&state.models.name, Role::Muted, theme));
    let places = if places == 0 { String::new() } else { format!(" at {}", words::count(places, "place")) };
    line.push_span(Span::styled(format!(": refused{places}"), theme.style(Role::Error)));
    if let Some(level) = opens.filter(|l| *l != Level::Exact) {
        let id =
            if level == Level::Narrow { crate::command::Id::ProjectNarrow } else { crate::command::Id::ProjectRelax };
        line.push_span(Span::styled(format!(" · {}", state.keymap.shown(id)), theme.style(Role::KeyHint)));
        line.push_span(Span::styled(format!(" {} opens it", level_name(level)), theme.style(Role::Muted)));
    }
    line.push_span(Span::styled(
        format!(" · {}", state.keymap.shown(crate::command::Id::Route)),
        theme.style(Role::KeyHint),
    ));
    line.push_span(Span::styled(" why", theme.style(Role::Muted)));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_marks_its_token() {
        assert_eq!(token_length("  \"type\": 5", 3), 6);
        assert_eq!(token_length("  \"type\": -12.5,", 11), 5);
        assert_eq!(token_length("{", 1), 1);
        assert_eq!(token_length("", 9), 1);
    }

    #[test]
    fn keys_are_told_from_texts_on_a_line_of_its_own() {
        let kinds = |line: &str| tokens(line).iter().map(|t| t.kind).filter(|k| *k != Kind::Space).collect::<Vec<_>>();
        let (k, s, p) = (Kind::Key, Kind::String, Kind::Punct);
        assert_eq!(kinds(r#"  "type": "string","#), [k, p, s, p]);
        assert_eq!(kinds(r#"  "a": { "b": "c" }"#), [k, p, p, k, p, s, p]);
        assert_eq!(kinds(r#""only""#), [s]);
    }

    #[test]
    fn hits_fold_ascii_case() {
        assert_eq!(hits("aXbx", "X"), [1..2, 3..4]);
        assert!(hits("abc", "").is_empty());
    }
}

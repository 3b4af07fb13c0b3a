//! Below the schema's text: what the check says, and which route the selected model would take.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::super::state::schema::Report;
use super::super::super::state::{State, level_name};
use super::super::super::theme::Role;
use super::super::super::words;
use super::super::{board, outside, put};
use crate::command::{Id, Need};
use crate::plan::{Plan, Unsupported};
use crate::schema::Dialect;
use crate::schema::preflight::Checked;
use crate::schema::project::Level;
use crate::text;

/// In the lower border: where the caret stands, and what the keyword there means.
pub(super) fn hover(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let Some(hover) = state.schema.hover.as_ref().filter(|hover| !hover.pointer.is_empty()) else { return };
    let room = usize::from(area.width.saturating_sub(8));
    let pointer = text::safe(&hover.pointer).into_owned();
    let pointer = text::fit_left(&pointer, (room / 3).max(12)).into_owned();
    let y = area.bottom().saturating_sub(1);
    let cells = u16::try_from(text::width(&pointer) + 2).unwrap_or(0);
    let muted = theme.style(Role::Muted);
    put(
        theme,
        buf,
        area.x + 2,
        y,
        cells.min(area.width.saturating_sub(4)),
        &Line::styled(format!(" {pointer} "), muted),
    );
    let Some((keyword, meaning, draft)) = &hover.told else { return };
    let room = room.saturating_sub(usize::from(cells) + 2);
    let whole = format!("{keyword} · {meaning} · {}", dialect(*draft));
    let told = if text::width(&whole) <= room { whole } else { text::truncate(meaning, room).into_owned() };
    let width = u16::try_from(text::width(&told)).unwrap_or(0);
    if width > 8 {
        put(
            theme,
            buf,
            area.right().saturating_sub(width + 4),
            y,
            width + 2,
            &Line::styled(format!(" {told} "), muted),
        );
    }
}

/// The lines below the text.
pub(super) fn report(buf: &mut Buffer, area: Rect, state: &State) {
    let width = area.width;
    let lines = [check_line(state, width), route_line(state), board::strip(state, width), earlier_line(state, width)];
    for (i, line) in lines.iter().enumerate().take(usize::from(area.height)) {
        put(&state.theme, buf, area.x, area.y + u16::try_from(i).unwrap_or(0), area.width, line);
    }
}

/// What the edited schema does to earlier answers.
fn earlier_line<'a>(state: &State, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let lines = state.history.lines();
    let changed = state.has(Need::Changed);
    let key = if changed { format!(" · {}", state.keymap.shown(Id::Retro)) } else { String::new() };
    let room = usize::from(width).saturating_sub(3 + text::width(&key));
    let Some(said) = lines.iter().find(|line| text::width(line) <= room).or(lines.last()) else {
        return Line::default();
    };
    let fails = state.history.retro.as_ref().is_some_and(|retro| retro.now_fail > 0);
    let (sign, role) = if fails { (theme.glyphs().warning, Role::Warning) } else { (theme.glyphs().info, Role::Muted) };
    let mut line = Line::styled(format!(" {sign} "), theme.style(role));
    line.push_span(outside(said, role, theme));
    line.push_span(Span::styled(key, theme.style(Role::KeyHint)));
    line
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
            let first = state.schema.problems().first();
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

pub(super) fn dialect(dialect: Dialect) -> &'static str {
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
    format!("{}{changes}", super::super::super::update::mode_words(plan))
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

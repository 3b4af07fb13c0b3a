//! Header, status line and key hints.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::state::popup::{Kind, Popup};
use super::super::state::result::Shown;
use super::super::state::run::{Run, Status};
use super::super::state::{State, Tone, level_name};
use super::super::theme::{Role, Theme};
use super::super::words;
use super::{SMALLEST, outside, progress, put, spinner};
use crate::command::{Command, Context, Id, Need, table};

/// A screen too small for anything else.
pub(super) fn too_small(buf: &mut Buffer, area: Rect, theme: &Theme) {
    let lines = [
        format!("{}×{} is too small", area.width, area.height),
        format!("formwork needs {}×{}", SMALLEST.0, SMALLEST.1),
        "Ctrl-C twice quits".to_owned(),
    ];
    for (i, text) in lines.iter().enumerate().take(usize::from(area.height)) {
        let y = area.y + u16::try_from(i).unwrap_or(0);
        put(theme, buf, area.x, y, area.width, &Line::styled(text.as_str(), theme.style(Role::Warning)));
    }
}

/// What is said of a demo model, as long as there is room for.
const DEMO: [&str; 2] = ["demo model: unreliable answers", "unreliable answers"];
const SHORTEST_DEMO: &str = "DEMO";

/// The model and the settings; right: how the run stands. What a narrow screen has no room for goes, the mark of a
/// simulated model last.
pub(super) fn header(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let mut spans =
        vec![Span::styled(" formwork ", theme.style(Role::Title)), Span::styled("· ", theme.style(Role::Muted))];
    if state.models.name.is_empty() {
        spans.push(Span::styled("no model: Alt-M", theme.style(Role::Warning)));
    } else {
        spans.push(outside(&state.models.name, Role::Accent, theme));
    }
    if state.models.name.starts_with("sim/") {
        spans.push(Span::raw(" "));
        spans.push(Span::styled("SIMULATED", theme.style(Role::Simulated)));
    }
    let mut left = Line::from(spans);
    if state.models.is_demo() {
        // How the run stands keeps a few cells beside it.
        let room = usize::from(area.width).saturating_sub(left.width() + if state.run.is_some() { 12 } else { 1 });
        let said = DEMO.into_iter().find(|said| crate::text::width(said) < room).unwrap_or(SHORTEST_DEMO);
        left.push_span(Span::raw(" "));
        left.push_span(Span::styled(said, theme.style(Role::Simulated)));
    }
    let room = usize::from(area.width).saturating_sub(left.width() + 2);
    let right = run_lines(state).into_iter().find(|line| line.width() <= room).unwrap_or_default();
    let settings =
        format!("  project: {} · budget: {} calls", level_name(state.settings.level), state.settings.max_retries);
    if crate::text::width(&settings) + right.width() <= room {
        left.push_span(Span::styled(settings, theme.style(Role::Muted)));
    }
    let width = u16::try_from(right.width()).unwrap_or(0);
    put(theme, buf, area.x, area.y, area.width.saturating_sub(width), &left);
    put(theme, buf, area.right().saturating_sub(width), area.y, width, &right);
}

/// `⠋ running · attempt 2 · 3.1 s · 412 tokens`, longest first.
fn run_lines<'a>(state: &State) -> Vec<Line<'a>> {
    let theme = &state.theme;
    let Some(run) = &state.run else { return Vec::new() };
    let elapsed = words::span(run.ended.unwrap_or(state.now).saturating_sub(run.started));
    let tokens = run.tokens().output_tokens.map_or(String::new(), |n| format!(" · {n} tokens"));
    let attempt = run.attempts.last().map_or(String::new(), |a| format!("attempt {} · ", a.number));
    let glyphs = theme.glyphs();
    let (sign, role, word) = match &run.status {
        Status::Running => (spinner(state), Role::Info, "running".to_owned()),
        Status::Waiting { until, code, .. } => {
            let left = words::span(until.saturating_sub(state.now));
            (glyphs.retry, Role::Warning, format!("{}: again in {left}", code.code()))
        }
        Status::Done => (glyphs.success, Role::Success, "done".to_owned()),
        Status::Failed(error) => (glyphs.error, Role::Error, error.code.code().to_owned()),
    };
    let tails = [
        format!("· {attempt}{elapsed}{tokens} "),
        format!("· {attempt}{elapsed} "),
        format!("· {elapsed} "),
        String::new(),
    ];
    let line = |tail: String| {
        Line::from(vec![
            Span::styled(format!("{sign} {word} "), theme.style(role)),
            Span::styled(tail, theme.style(Role::Muted)),
        ])
    };
    tails.into_iter().map(line).collect()
}

/// The newest notice, else where things stand.
pub(super) fn status(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let glyphs = theme.glyphs();
    let line = if let Some(notice) = &state.notice {
        let (sign, role) = match notice.tone {
            Tone::Info => (glyphs.info, Role::Info),
            Tone::Good => (glyphs.success, Role::Success),
            Tone::Warn => (glyphs.warning, Role::Warning),
            Tone::Bad => (glyphs.error, Role::Error),
        };
        Line::from(vec![Span::styled(format!(" {sign} "), theme.style(role)), outside(&notice.text, role, theme)])
    } else if let Some(probing) = &state.probe {
        progress::probe(state, probing, area.width)
    } else if let Some(pull) = &state.pull {
        progress::pull(state, pull, area.width)
    } else {
        standing(state)
    };
    put(theme, buf, area.x, area.y, area.width, &line);
}

/// What a failed or finished run says while nothing newer does.
fn standing<'a>(state: &State) -> Line<'a> {
    let theme = &state.theme;
    match state.run.as_ref().map(|r: &Run| &r.status) {
        Some(Status::Failed(error)) => {
            let facts: Vec<String> = error.facts.iter().map(|(label, text)| format!("{label}: {text}")).collect();
            let facts = if facts.is_empty() { String::new() } else { format!(" · {}", facts.join(" · ")) };
            Line::from(vec![
                Span::styled(format!(" {} {}: ", theme.glyphs().error, error.code.code()), theme.style(Role::Error)),
                outside(&format!("{}{facts}", error.message), Role::Muted, theme),
            ])
        }
        Some(Status::Done) => done(state),
        Some(Status::Running | Status::Waiting { .. }) | None => Line::default(),
    }
}

/// What a run brought stays to be read after its notice is gone.
fn done<'a>(state: &State) -> Line<'a> {
    let theme = &state.theme;
    let said = match &state.result.shown {
        Shown::Value(_) => format!("valid on attempt {} ({})", state.result.attempt, state.result.mode),
        Shown::Text(_) => "answered in text: there was no schema to judge by".to_owned(),
        Shown::Nothing | Shown::Building => return Line::default(),
    };
    let sign = format!(" {} ", theme.glyphs().success);
    Line::from(vec![Span::styled(sign, theme.style(Role::Success)), Span::styled(said, theme.style(Role::Muted))])
}

/// The keys that matter here, from the table: the context's own first, then everywhere's.
pub(super) fn hints(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    let contexts = state.contexts();
    let mut spans = vec![Span::raw(" ")];
    let mut used = 1;
    for row in contexts.iter().flat_map(|c| hinted(*c)) {
        let key = state.keymap.shown(row.id);
        // A running run shows how to stop it; everything else that cannot be given now stays away.
        if key.is_empty() || state.barred(row.id).is_some() && !row.needs.contains(&Need::Prompt) {
            continue;
        }
        let hint = hint_of(row, state);
        let width = crate::text::width(&key) + crate::text::width(hint) + 3;
        if used + width > usize::from(area.width) {
            break;
        }
        used += width;
        spans.push(Span::styled(key, theme.style(Role::KeyHint)));
        spans.push(Span::styled(format!(" {hint}  "), theme.style(Role::Muted)));
    }
    put(theme, buf, area.x, area.y, area.width, &Line::from(spans));
}

/// Taking a row of some lists does more than choose it: the hint says what.
fn hint_of(row: &Command, state: &State) -> &'static str {
    match state.popups.last() {
        Some(Popup::List(list)) if list.kind == Kind::Offers && row.id == Id::ListAccept => "downloads",
        _ => row.hint,
    }
}

fn hinted(context: Context) -> impl Iterator<Item = &'static Command> {
    table().iter().filter(move |c| !c.hint.is_empty() && c.contexts.contains(&context))
}

//! The validated value: a tree, its raw text, or the text of a plain run. Nothing unvalidated.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::layout::Areas;
use super::super::state::result::{Built, Shown};
use super::super::state::run::Status;
use super::super::state::{Region, State};
use super::super::theme::Role;
use super::{empty, outside, pane, put, spinner};
use crate::text;

/// Draws the region.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas) {
    let theme = &state.theme;
    let inner = pane(buf, area, state, areas, Region::Result, badge(state));
    let old = narrow_mark(state, area);
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
            let room = area.width.saturating_sub(u16::try_from(old.width()).unwrap_or(0));
            foot(buf, Rect { width: room, ..area }, state, built);
        }
        Shown::Text(rows) => {
            rows.render(inner, buf, &state.result.scroll, theme);
        }
    }
    let width = u16::try_from(old.width()).unwrap_or(0);
    let x = area.right().saturating_sub(width + 2).max(area.x);
    put(theme, buf, x, area.bottom().saturating_sub(1), width, &old);
}

/// Where the upper border has no room for it, the lower one says that the schema changed.
fn narrow_mark<'a>(state: &State, area: Rect) -> Line<'a> {
    if area.width >= 80 || state.result.built().is_none() || !state.result_is_old() {
        return Line::default();
    }
    let theme = &state.theme;
    Line::styled(format!(" {} schema changed since ", theme.glyphs().warning), theme.style(Role::Warning))
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
    let short: String = result.schema_hash.as_deref().unwrap_or_default().chars().take(8).collect();
    let (valid, old) = (theme.glyphs().success, theme.glyphs().warning);
    let how = format!(" · {} · attempt {} ", result.mode, result.attempt);
    // Longest first; that the schema changed is never left out.
    let (role, forms) = match &result.shown {
        Shown::Value(_) if state.result_is_old() => {
            let changed = " · schema changed since ".to_owned();
            let forms = vec![
                (format!(" {old} valid for {short}"), changed),
                (format!(" {old} schema changed"), " ".to_owned()),
            ];
            (Role::Warning, forms)
        }
        Shown::Value(_) => {
            let long = if short.is_empty() { format!(" {valid} valid") } else { format!(" {valid} valid for {short}") };
            let brief = format!(" {valid} valid");
            (Role::Success, vec![(long, how.clone()), (brief.clone(), how), (brief, " ".to_owned())])
        }
        Shown::Text(_) => (Role::Success, vec![(" text, no schema".to_owned(), " ".to_owned())]),
        Shown::Nothing | Shown::Building => return Vec::new(),
    };
    let (role, forms) = match result.sample {
        Some(seed) => sample_forms(state, seed),
        None => (role, forms),
    };
    let lines = forms.into_iter().map(|(head, tail)| {
        let mut spans = vec![Span::styled(head, theme.style(role)), Span::styled(tail, theme.style(Role::Muted))];
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

/// A sample is no answer, and says so in every width.
fn sample_forms(state: &State, seed: u64) -> (Role, Vec<(String, String)>) {
    let head = format!(" SAMPLE {} seed {seed}", state.theme.glyphs().pending);
    let tail = " · no answer ".to_owned();
    let old = format!(" {} schema changed since ", state.theme.glyphs().warning);
    let forms = if state.result_is_old() {
        vec![(head.clone(), format!(" ·{old}")), (head, old)]
    } else {
        vec![(head.clone(), tail), (head, " ".to_owned())]
    };
    (Role::Simulated, forms)
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

//! The panel before anything is loaded: what was found, and three steps to the first result.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

use super::super::state::State;
use super::super::theme::Role;
use super::super::words;
use super::{hang, outside, put};
use crate::command::Id;

/// Draws the panel.
pub(super) fn draw(buf: &mut Buffer, area: Rect, state: &State) {
    let theme = &state.theme;
    Block::bordered()
        .border_set(theme.glyphs().border)
        .border_style(theme.style(Role::Border))
        .title_top(Line::styled(" Welcome ", theme.style(Role::Title)))
        .render(area, buf);
    let inner = super::inner(area);
    let pad = u16::from(inner.width > 44) + 1;
    let width = inner.width.saturating_sub(pad + 1);
    let wrapped = |lines: Vec<Line<'static>>, indent| {
        let indent = |line: &Line<'_>| if line.spans.len() > 1 { indent } else { 0 };
        lines.iter().flat_map(|line| hang(line, indent(line), usize::from(width))).collect::<Vec<_>>()
    };
    let (steps, found) = (steps(state), found(state));
    let mut lines = wrapped(steps.clone(), 3);
    lines.push(Line::default());
    lines.extend(wrapped(found.clone(), 2));
    if lines.len() > usize::from(inner.height) {
        lines = wrapped(steps.into_iter().filter(|line| line.spans.len() > 1).collect(), 3);
        lines.truncate(STEPS);
        // Of what was found as many whole entries as there is room for, the most telling first.
        for entry in telling(&found) {
            let rows = wrapped(vec![entry.clone()], 2);
            if lines.len() + rows.len() <= usize::from(inner.height) {
                lines.extend(rows);
            }
        }
    }
    let top = u16::from(usize::from(inner.height) > lines.len() + 3);
    for (i, line) in lines.iter().enumerate().take(usize::from(inner.height.saturating_sub(top))) {
        put(theme, buf, inner.x + pad, inner.y + top + u16::try_from(i).unwrap_or(0), width, line);
    }
}

/// Steps to the first result.
const STEPS: usize = 3;

/// What is found, without its title: the first entry, which model answers, the rest.
fn telling<'a>(found: &'a [Line<'static>]) -> Vec<&'a Line<'static>> {
    let entries = found.get(1..).unwrap_or_default();
    let Some((last, rest)) = entries.split_last() else { return Vec::new() };
    let mut order: Vec<_> = rest.iter().take(1).collect();
    order.push(last);
    order.extend(rest.iter().skip(1));
    order
}

fn steps(state: &State) -> Vec<Line<'static>> {
    let theme = &state.theme;
    let key = |id| state.keymap.shown(id);
    let step = |n: &'static str, parts: Vec<(String, Role)>| {
        let mut line = Line::styled(format!("{n}  "), theme.style(Role::Accent));
        for (text, role) in parts {
            line.push_span(Span::styled(text, theme.style(role)));
        }
        line
    };
    let text = |t: &str| (t.to_owned(), Role::Text);
    let k = |id| (key(id), Role::KeyHint);
    let mut lines = vec![
        Line::styled("Prototype a JSON Schema for structured output.", theme.style(Role::Text)),
        Line::default(),
        step(
            "1",
            vec![text("A schema: "), k(Id::SchemaNew), text(" a small one, "), k(Id::SchemaLoad), text(" a file")],
        ),
        step("2", vec![text("Write a prompt below; "), ("Enter".to_owned(), Role::KeyHint), text(" runs it")]),
        step("3", vec![text("Watch each attempt; keep what is valid")]),
        Line::default(),
        Line::from(vec![
            Span::styled(key(Id::Palette), theme.style(Role::KeyHint)),
            Span::styled(" commands   ", theme.style(Role::Muted)),
            Span::styled(key(Id::ModelPick), theme.style(Role::KeyHint)),
            Span::styled(" model   ", theme.style(Role::Muted)),
            Span::styled(key(Id::Help), theme.style(Role::KeyHint)),
            Span::styled(" help", theme.style(Role::Muted)),
        ]),
    ];
    if !state.habits.toured && state.tour.is_none() {
        lines.push(Line::from(vec![
            Span::styled("/tour", theme.style(Role::KeyHint)),
            Span::styled(" in the prompt: five steps through one run, offline", theme.style(Role::Muted)),
        ]));
    }
    lines
}

/// What can answer: a model inside the program, servers, keys, the scripted provider; each with a sign and a word.
fn found(state: &State) -> Vec<Line<'static>> {
    let theme = &state.theme;
    let glyphs = theme.glyphs();
    let mut lines = vec![Line::styled("What can answer", theme.style(Role::Muted))];
    let yes = |text: String| {
        Line::from(vec![
            Span::styled(format!("{} ", glyphs.success), theme.style(Role::Success)),
            outside(&text, Role::Text, theme),
        ])
    };
    let no = |text: &str| {
        Line::from(vec![
            Span::styled(format!("{} ", glyphs.unknown), theme.style(Role::Muted)),
            Span::styled(text.to_owned(), theme.style(Role::Muted)),
        ])
    };
    lines.extend(here(state).into_iter().map(yes));
    lines.extend(offer(state));
    if state.keys_found.is_empty() {
        lines.push(no("no provider key (OPENAI_API_KEY opens openai/…)"));
    }
    lines.extend(state.keys_found.iter().map(|k| yes(format!("key {k}"))));
    if state.models.servers.is_empty() {
        lines.push(no("no local server (Ollama, llama.cpp, LM Studio, vLLM)"));
    }
    lines.extend(state.models.servers.iter().map(|s| {
        let models = super::words::count(s.models.len(), "model");
        yes(format!("{} at {} with {models}", s.provider, s.base_url))
    }));
    lines.push(yes("sim/repair, scripted and offline: shows a repair at work".to_owned()));
    let model = &state.models.name;
    let simulated = if model.starts_with("sim/") { " (simulated answers)" } else { "" };
    lines.push(Line::from(vec![
        Span::styled(format!("{} ", glyphs.arrow), theme.style(Role::Accent)),
        outside(model, Role::Accent, theme),
        Span::styled(format!(" answers now{simulated}"), theme.style(Role::Muted)),
    ]));
    lines
}

/// The models inside the program: pulled, put there by hand, or named at the start.
fn here(state: &State) -> Vec<String> {
    let known = |name: &str| state.models.offers.iter().find(|offer| offer.name == name);
    let note = |name: &str| known(name).map_or(String::new(), |offer| format!("; {}", offer.note));
    state.models.inside().map(|name| format!("local/{name} runs inside formwork{}", note(name))).collect()
}

/// How to get one where there is none.
pub(super) fn offer(state: &State) -> Option<Line<'static>> {
    let theme = &state.theme;
    let first = state.models.offers.first().filter(|_| state.models.inside().next().is_none())?;
    let size = words::bytes(first.bytes);
    let muted = |text: String| Span::styled(text, theme.style(Role::Muted));
    Some(Line::from(vec![
        Span::styled(format!("{} ", theme.glyphs().arrow), theme.style(Role::Accent)),
        Span::styled(state.keymap.shown(Id::ModelPull), theme.style(Role::KeyHint)),
        muted(format!(" pulls a small model that runs inside formwork ({size}, no key, no server)")),
    ]))
}

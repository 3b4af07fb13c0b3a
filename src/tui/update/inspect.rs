//! Looking at what a run left: attempts, issues, requests, the result; and the pages that explain.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::effect::{Edited, Effect};
use super::super::state::popup::{Page, Popup};
use super::super::state::result::Shown;
use super::super::state::run::{Attempt, Run};
use super::super::state::{Region, State, Tone};
use super::{board, focus, open, popup, raw, run::mode_words, turns};
use crate::command::{Id, command};
use crate::dialect::Message;
use crate::plan::{ClosedRoute, Plan, Unsupported};
use crate::text::ends::plain;
use crate::tui::rows::Syntax;
use crate::tui::scroll::Motion;
use crate::tui::tree::{CopyWhat, TreeRows, TreeState};
use crate::tui::{slash, words};

/// Shows a page above everything.
pub(super) fn page(state: &mut State, title: &str, text: &str, syntax: Syntax, note: &str) {
    // The program's own words follow the glyph set; a text of the model or the provider is shown as it is.
    let text = match syntax {
        Syntax::Plain => state.theme.glyphs().fold(text),
        Syntax::Json | Syntax::Diff => text.to_owned(),
    };
    open(state, Popup::Page(Box::new(Page::new(title, &text, syntax, note))));
}

/// Scrolls what has the focus: the topmost page, else the focused reader.
pub(super) fn scroll(state: &mut State, motion: Motion) {
    let height = state.sizes.page;
    match state.popups.last_mut() {
        Some(Popup::Page(page)) => page.scroll.go(&page.rows, height, motion),
        Some(Popup::Ask(ask)) => ask.page.scroll.go(&ask.page.rows, height, motion),
        Some(Popup::Board(view)) => board::step(view, motion),
        Some(Popup::Raw(_)) => raw::scroll(state, motion),
        Some(Popup::Turns(_)) => turns::scroll(state, motion),
        Some(Popup::List(_) | Popup::Line(_)) | None => scroll_region(state, state.focus, motion),
    }
}

/// Scrolls a region, whatever has the focus.
pub(super) fn scroll_region(state: &mut State, region: Region, motion: Motion) {
    let sizes = state.sizes;
    match region {
        Region::Candidate => {
            if let Some(attempt) = state.run.as_mut().and_then(Run::shown_mut) {
                attempt.scroll.go(&attempt.rows, sizes.candidate, motion);
            }
        }
        Region::Result => scroll_result(state, motion),
        Region::Attempts => {
            let back = matches!(motion, Motion::Up(_) | Motion::PageUp | Motion::Home);
            step_attempt(state, if back { -1 } else { 1 });
        }
        Region::Schema | Region::Prompt => {}
    }
}

fn scroll_result(state: &mut State, motion: Motion) {
    let height = state.sizes.result;
    let result = &mut state.result;
    match &result.shown {
        Shown::Value(built) if result.raw => result.scroll.go(&built.canonical, height, motion),
        Shown::Value(built) => result.tree.go(&built.tree, height, motion),
        Shown::Text(rows) => result.scroll.go(rows, height, motion),
        Shown::Nothing | Shown::Building => {}
    }
}

/// Folds, unfolds and walks the matches of the tree.
pub(super) fn tree(state: &mut State, id: Id) {
    let height = state.sizes.result;
    let Some(rows) = state.result.built().map(|b| Arc::clone(&b.tree)) else { return };
    let tree = &mut state.result.tree;
    let found = match id {
        Id::TreeNextMatch => tree.next_hit(&rows, height),
        Id::TreePreviousMatch => tree.previous_hit(&rows, height),
        other => {
            fold(tree, &rows, height, other);
            true
        }
    };
    if !found {
        state.say(Tone::Info, "no match: / searches");
    }
}

fn fold(tree: &mut TreeState, rows: &TreeRows, height: usize, id: Id) {
    match id {
        Id::TreeCollapse => tree.fold_or_parent(rows, height),
        Id::TreeExpand => tree.unfold_or_child(rows, height),
        Id::TreeExpandAll => tree.fold_level(rows, height, usize::MAX),
        Id::TreeCollapseAll => tree.fold_level(rows, height, 1),
        _ => tree.toggle(rows, height),
    }
}

/// Opens the tree down to a level and folds what stands deeper.
pub(super) fn fold_level(state: &mut State, level: &str) {
    let height = state.sizes.result;
    let Some(rows) = state.result.built().map(|b| Arc::clone(&b.tree)) else { return };
    match level.trim().parse() {
        Ok(level) => state.result.tree.fold_level(&rows, height, level),
        Err(_) => state.say(Tone::Warn, "a level is a number: 1 shows the root's members"),
    }
}

/// Searches keys and values of the result.
pub(super) fn search(state: &mut State, needle: &str) {
    let height = state.sizes.result;
    needle.clone_into(&mut state.result.needle);
    let Some(rows) = state.result.built().map(|b| Arc::clone(&b.tree)) else { return };
    let hits = state.result.tree.search(&rows, height, needle);
    let text = if needle.is_empty() {
        "search ended".to_owned()
    } else {
        words::count(hits, "match").replace("matchs", "matches")
    };
    state.say(Tone::Info, text);
}

/// Shows the attempt before or after.
pub(super) fn step_attempt(state: &mut State, by: isize) {
    let Some(run) = state.run.as_mut() else { return };
    let last = run.attempts.len().saturating_sub(1);
    let at = run.shown_index().saturating_add_signed(by).min(last);
    // On the newest attempt of a running run the reader follows again.
    run.pinned = Some(at).filter(|at| !(run.running() && *at == last));
    point(state);
}

/// Shows the attempt with this number.
pub(super) fn show_attempt(state: &mut State, number: &str) {
    let Some(run) = state.run.as_mut() else { return };
    let found = number.trim().parse::<u32>().ok().and_then(|n| run.attempts.iter().position(|a| a.number == n));
    if let Some(at) = found {
        run.pinned = Some(at);
        point(state);
    } else {
        let text = format!("there is no attempt {number:?}: {}", words::count(run.attempts.len(), "attempt"));
        state.say(Tone::Warn, text);
    }
}

/// Selects the issue before or after, around the ends.
pub(super) fn step_issue(state: &mut State, by: isize) {
    if let Some(attempt) = state.run.as_mut().and_then(Run::shown_mut) {
        let n = isize::try_from(attempt.issues.len()).unwrap_or(1).max(1);
        let at = isize::try_from(attempt.selected).unwrap_or(0);
        attempt.selected = usize::try_from((at + by).rem_euclid(n)).unwrap_or(0);
    }
    point(state);
}

/// Selects an issue by its index.
pub(super) fn select_issue(state: &mut State, index: usize) {
    if let Some(attempt) = state.run.as_mut().and_then(Run::shown_mut) {
        attempt.selected = index.min(attempt.issues.len().saturating_sub(1));
    }
    point(state);
}

/// Marks the selected issue's place in the candidate and its keyword in the schema, and scrolls both there.
pub(super) fn point(state: &mut State) {
    let height = state.sizes.candidate;
    let Some(attempt) = state.run.as_mut().and_then(Run::shown_mut) else { return };
    attempt.mark();
    if let Some(place) = attempt.place() {
        attempt.scroll.to_offset(&attempt.rows, height, place.start);
    }
    let keyword = attempt.issues.get(attempt.selected).map(|i| i.schema_path.clone());
    state.schema.mark = keyword.and_then(|pointer| state.schema.keyword(&pointer));
    if let Some((start, _)) = state.schema.mark {
        state.schema.editor.jump_offset(start);
    }
    if !matches!(state.focus, Region::Candidate | Region::Attempts) {
        state.reader = Region::Candidate;
    }
}

/// What was asked of the model after the shown attempt.
pub(super) fn repair(state: &mut State) {
    let Some(messages) = state.run.as_ref().and_then(Run::repair) else { return };
    let dash = state.theme.glyphs().border.horizontal_top;
    let mut text = String::new();
    // The issues first: they are what one opens this page for.
    let (answers, asked): (Vec<_>, Vec<_>) = messages.iter().partition(|m| matches!(m, Message::Assistant { .. }));
    for message in asked.into_iter().chain(answers) {
        let (role, body) = match message {
            Message::System { text } => ("system", text.as_str()),
            Message::User { text, .. } => ("user", text.as_str()),
            Message::Assistant { text, calls, .. } if calls.is_empty() => {
                ("assistant (the rejected answer)", text.as_str())
            }
            Message::Assistant { calls, .. } => {
                ("assistant (the rejected call)", calls.first().map_or("", |c| c.arguments.as_str()))
            }
            Message::ToolResult { content, .. } => ("tool result", content.as_str()),
        };
        let _ = writeln!(text, "{dash}{dash} {role}\n{body}\n");
    }
    page(state, "Repair request", text.trim_end(), Syntax::Json, "what was added to ask again");
}

/// What the provider said when it failed: the user's own screen only.
pub(super) fn failure(state: &mut State) {
    let Some(run) = &state.run else { return };
    let mut text = String::new();
    for (call, failure) in &run.failures {
        let _ = writeln!(text, "call {}: {} — {}", call + 1, failure.code.code(), failure.message);
        let facts = [
            ("status", failure.status.map(|s| s.to_string())),
            ("provider code", failure.provider_code.clone()),
            ("request id", failure.request_id.clone()),
            ("retry after", failure.retry_after_ms.map(words::span)),
            ("can be sent again", Some(if failure.retryable { "yes" } else { "no" }.to_owned())),
        ];
        for (label, value) in facts.into_iter().filter_map(|(l, v)| Some((l, v?))) {
            let _ = writeln!(text, "  {label}: {value}");
        }
        if let Some(detail) = &failure.detail {
            let _ = writeln!(text, "\n{detail}\n");
        }
    }
    page(state, "The provider's error", text.trim_end(), Syntax::Json, "text of the provider, for your screen only");
}

/// Every route to the selected model, open or closed, with paths and what a projection changes.
pub(super) fn route(state: &mut State) {
    let model = state.models.name.clone();
    let mut text = match state.schema.report().and_then(|r| r.route.as_ref()) {
        None => without_schema(state, &model),
        Some(Ok(plan)) => open_route(plan, &reason(state, &model)),
        Some(Err(unsupported)) => closed_routes(unsupported),
    };
    let found = state.models.findings(&model);
    if !found.is_empty() {
        let old = state.models.badge(&model).is_some_and(|badge| !badge.counts);
        let note = if old { " (the route does not go by it: too old, or the configuration stands above)" } else { "" };
        let _ = write!(text, "\nWhat probes found{note}:\n{found}");
    }
    page(state, &format!("Route to {model}"), &text, Syntax::Plain, "Alt-E exact · Alt-N narrow · Alt-X relax");
}

/// Why the model takes its route, as its list says it.
fn reason(state: &State, model: &str) -> String {
    if let Some(row) = state.models.rows.iter().find(|row| row.name == model) {
        return row.reason.clone();
    }
    let found = state.models.catalog.find(model);
    found.map_or_else(|error| error.to_string(), |(endpoint, id)| endpoint.route(&id).1)
}

fn without_schema(state: &State, model: &str) -> String {
    let head = if state.schema.editor.is_blank() {
        "No schema yet: answers are plain text."
    } else {
        "The schema is not legal yet: there is nothing to carry."
    };
    let route = state.models.catalog.find(model).map_or("none", |(endpoint, id)| endpoint.route(&id).0);
    let why = words::on_screen(&reason(state, model));
    format!("{head}\n\nA plain schema would go: {route}\nwhy: {why}\n")
}

fn open_route(plan: &Plan, why: &str) -> String {
    let mut text = format!("The run would take: {}\nwhy: {}\n", mode_words(plan), words::on_screen(why));
    let _ = match &plan.submit_tool_name {
        Some(name) if plan.wrapped => writeln!(text, "by the hidden tool {name}, the root wrapped as {{\"value\": …}}"),
        Some(name) => writeln!(text, "by the hidden tool {name}"),
        None => Ok(()),
    };
    if plan.changes.is_empty() {
        text.push_str("\nThe provider sees the schema as you wrote it.\n");
        return text;
    }
    text.push_str("\nThe provider's copy of the schema is changed; answers are judged by yours:\n");
    for change in &plan.changes {
        let level = super::super::state::level_name(change.level);
        let _ = writeln!(text, "  {}  {} ({level})", root(&change.path), change.what);
    }
    text
}

fn closed_routes(unsupported: &Unsupported) -> String {
    let mut text = format!("{unsupported}\n");
    for ClosedRoute { mode, reasons, refusals, opens_at } in &unsupported.routes {
        let _ = writeln!(text, "\n{}: closed", mode.code());
        for reason in reasons {
            let _ = writeln!(text, "  {}", words::on_screen(reason));
        }
        for refusal in refusals {
            let _ = writeln!(text, "  {}  {} [{}]", root(&refusal.path), refusal.message, refusal.rule);
        }
        if let Some(level) = opens_at {
            let _ = writeln!(text, "  opens with /project {}", super::super::state::level_name(*level));
        }
    }
    text.push_str("\nWhat to do:\n");
    for advice in &unsupported.advice {
        let advice = words::on_screen(advice);
        if !advice.starts_with(words::ROUTE_PAGE) {
            let _ = writeln!(text, "  {advice}");
        }
    }
    text
}

fn root(pointer: &str) -> &str {
    if pointer.is_empty() { "(root)" } else { pointer }
}

/// Which configuration is in force.
pub(super) fn config(state: &mut State) {
    let mut text = String::new();
    for (label, value) in &state.config_facts {
        let _ = writeln!(text, "{label:<14} {value}");
    }
    page(state, "Configuration", text.trim_end(), Syntax::Plain, "formwork config check reads it strictly");
}

/// Copies by the word of `/copy`.
pub(super) fn copy(state: &mut State, what: &str) -> Vec<Effect> {
    match copy_text(state, what) {
        Ok((name, text)) => vec![Effect::Copy { what: name, text }],
        Err(why) => {
            state.say(Tone::Warn, why);
            Vec::new()
        }
    }
}

fn copy_text(state: &State, what: &str) -> Result<(String, String), String> {
    let of_tree = |what: CopyWhat, name: &str| {
        let built = state.result.built().ok_or_else(|| "no validated value yet".to_owned())?;
        let node = state.result.tree.selected();
        let pointer = built.tree.pointer(node);
        Ok((format!("{name} of {}{}", root(&pointer), sample_words(state)), built.tree.copy(node, what)))
    };
    let attempt = state.run.as_ref().and_then(Run::shown);
    match what {
        "value" => match &state.result.shown {
            Shown::Text(rows) => Ok(("the answer".to_owned(), rows.text().to_owned())),
            Shown::Nothing | Shown::Building | Shown::Value(_) => of_tree(CopyWhat::Value, "value"),
        },
        "subtree" => of_tree(CopyWhat::Json, "subtree"),
        "pointer" => of_tree(CopyWhat::Pointer, "pointer"),
        "path" => of_tree(CopyWhat::JsonPath, "path"),
        "pretty" => {
            let built = state.result.built().ok_or_else(|| "no validated value yet".to_owned())?;
            Ok((format!("the indented result{}", sample_words(state)), built.tree.copy(0, CopyWhat::Json)))
        }
        "canonical" => {
            let built = state.result.built().ok_or_else(|| "no validated value yet".to_owned())?;
            let what = if state.result.sample.is_some() { "the canonical text" } else { "the canonical result" };
            Ok((format!("{what}{}", sample_words(state)), built.canonical.text().to_owned()))
        }
        "candidate" => {
            let attempt: &Attempt = attempt.ok_or_else(|| "no attempt yet: run first".to_owned())?;
            Ok((format!("the text of attempt {}", attempt.number), attempt.rows.text().to_owned()))
        }
        "schema" => Ok(("the schema".to_owned(), state.schema.editor.text())),
        "curl" => {
            let sent = state.run.as_ref().and_then(Run::request);
            let sent = sent.ok_or_else(|| "no request was sent over a wire".to_owned())?;
            Ok(("the request as curl".to_owned(), sent.curl.clone()))
        }
        other => {
            let names: Vec<&str> = command(Id::Copy).args.choices().iter().map(|(n, _)| *n).collect();
            Err(format!("{other:?} cannot be copied: {}", names.join(", ")))
        }
    }
}

/// What is said beside everything that is taken from a sample.
fn sample_words(state: &State) -> String {
    state.result.sample.map_or_else(String::new, |seed| format!(" (a sample, seed {seed}: no answer)"))
}

/// Copies the text of the topmost page.
pub(super) fn copy_page(state: &State) -> Vec<Effect> {
    match state.popups.last() {
        Some(Popup::Page(page)) => {
            vec![Effect::Copy { what: page.title.to_lowercase(), text: page.text().to_owned() }]
        }
        Some(Popup::List(_) | Popup::Line(_) | Popup::Ask(_) | Popup::Board(_) | Popup::Raw(_) | Popup::Turns(_))
        | None => Vec::new(),
    }
}

/// Writes the result to a file; without a path asks for one.
pub(super) fn export(state: &mut State, path: &str) -> Vec<Effect> {
    if path.is_empty() {
        popup::export_as(state);
        return Vec::new();
    }
    let Some(built) = state.result.built() else { return Vec::new() };
    let text = format!("{}\n", built.canonical.text());
    let path = PathBuf::from(path);
    let over = state.outputs.over(&path);
    vec![Effect::WriteFile { path, text, sample: state.result.sample, over }]
}

/// The schema in the user's own editor, written as its file is.
pub(super) fn edit_schema(state: &State) -> Vec<Effect> {
    let text = state.schema.ends.write(state.schema.editor.as_str());
    vec![Effect::EditText { what: Edited::Schema(state.schema.form()), text }]
}

/// Puts the text of an external editor back. What ends its lines stays what it was.
pub(super) fn edited(state: &mut State, what: Edited, text: &str) -> Vec<Effect> {
    match what {
        Edited::Schema(_) => {
            let (mine, text) = (state.schema.editor.as_str(), plain(text));
            // Editors end the last line; where it had no end it gets none.
            let ended = if mine.ends_with('\n') { &text } else { text.strip_suffix('\n').unwrap_or(&text) };
            if ended != mine {
                let ended = ended.to_owned();
                state.schema.editor.replace(&ended);
            }
            focus(state, Region::Schema);
            Vec::new()
        }
        Edited::Prompt => {
            state.prompt.set(text.trim_end());
            focus(state, Region::Prompt);
            slash::refresh(state)
        }
    }
}

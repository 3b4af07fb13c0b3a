//! Command id → what it does. One arm a command; the work lies in the files beside.

use super::super::effect::{Edited, Effect, Errand};
use super::super::state::editor::{Editor, Shift};
use super::super::state::popup::Popup;
use super::super::state::raw::Stride;
use super::super::state::{Armed, Glance, Region, State, Tone};
use super::{
    board, calls, close_popup, compare, draft, edit, fields, focus, function, help, history, inspect, loose, mouse,
    open, panes, popup, probe, pull, raw, report, run, sample, schema, schema_source, tour, turns, work,
};
use crate::command::{Chord, Id, command};
use crate::json::layout::Layout;
use crate::schema::project::Level;
use crate::tui::layout::Axis;
use crate::tui::scroll::Motion;
use crate::tui::{palette, slash};

/// How long the second Ctrl-C counts as such, in milliseconds.
const ARMED: u64 = 2_000;

/// A command by key. Esc without a run is no mistake, so unmet needs of quiet keys say nothing.
pub(super) fn by_key(state: &mut State, id: Id, chord: Chord) -> Vec<Effect> {
    if id == Id::RunCancel && !state.running() && probe::stoppable(state) {
        return probe::cancel(state);
    }
    if id == Id::RunCancel && !state.running() && state.pull.is_some() {
        return pull::cancel(state);
    }
    if id == Id::RunCancel && !state.running() {
        state.notice = None;
        return Vec::new();
    }
    // The key itself is the number.
    let number = chord.printable().filter(|_| id == Id::TreeLevel);
    give(state, id, &number.map_or_else(String::new, String::from))
}

/// Gives a command, or says why it cannot be given.
pub(super) fn give(state: &mut State, id: Id, argument: &str) -> Vec<Effect> {
    if let Some(reason) = state.barred(id) {
        state.say(Tone::Warn, format!("{}: {reason}", command(id).title));
        return Vec::new();
    }
    // Sending a line or taking a row gives another command, which is the one that may be armed.
    let asks = matches!(
        id,
        Id::Interrupt | Id::Quit | Id::SchemaNew | Id::SchemaLoad | Id::SchemaInfer | Id::SchemaShort | Id::Draft
    );
    if !asks && !matches!(id, Id::PromptSend | Id::ListAccept) {
        state.armed = None;
    }
    act(state, id, argument)
}

/// True when the command was given twice in time; else arms it and says `warning`.
pub(super) fn armed(state: &mut State, id: Id, warning: &str) -> bool {
    if state.armed.take().is_some_and(|a| a.id == id) {
        return true;
    }
    state.armed = Some(Armed { id, until: state.now + ARMED });
    state.say(Tone::Warn, warning);
    if let Some(notice) = &mut state.notice {
        notice.until = state.now + ARMED;
    }
    false
}

#[expect(clippy::too_many_lines, reason = "the table of commands: one arm each")]
fn act(state: &mut State, id: Id, argument: &str) -> Vec<Effect> {
    match id {
        Id::RunStart => return run::start(state),
        Id::RunCancel => return run::cancel(state),
        Id::ModelPick if argument.is_empty() => popup::models(state),
        Id::ModelPick => run::choose_model(state, argument),
        Id::ModelPull if argument.is_empty() => pull::offer(state),
        Id::ModelPull => return pull::start(state, argument),
        Id::Probe => probe::ask(state, argument),
        Id::Draft if argument.is_empty() => draft::ask(state),
        Id::Fallback | Id::Retries | Id::Project | Id::Copy | Id::Layout if argument.is_empty() => {
            popup::choices(state, id);
        }
        Id::Fallback => run::set_fallback(state, argument),
        Id::Retries => run::set_retries(state, argument),
        Id::Project => run::set_level_named(state, argument),
        Id::ProjectExact => run::set_level(state, Level::Exact),
        Id::ProjectNarrow => run::set_level(state, Level::Narrow),
        Id::ProjectRelax => run::set_level(state, Level::Relax),
        Id::Route => inspect::route(state),
        Id::Palette => {
            let list = palette::open(state);
            open(state, Popup::List(Box::new(list)));
        }
        Id::Help | Id::ReaderHelp if argument.is_empty() => help::open(state),
        Id::Help | Id::ReaderHelp => help::topic(state, argument),
        Id::Tour => return tour::begin(state),
        Id::TourSkip => tour::skip(state),
        Id::TourEnd => tour::end(state),
        Id::ThemePick if argument.is_empty() => return popup::themes(state),
        Id::ThemePick => return popup::keep_theme(argument),
        Id::ConfigShow => inspect::config(state),
        Id::Mouse => return mouse::toggle(state),
        Id::Redraw => return vec![Effect::Repaint],
        Id::Suspend => return vec![Effect::Suspend],
        Id::Interrupt => return interrupt(state),
        Id::Quit => return quit(state),
        Id::FocusNext => focus(state, state.focus.step(1)),
        Id::FocusPrevious => focus(state, state.focus.step(Region::ALL.len() - 1)),
        Id::FocusSchema => focus(state, Region::Schema),
        Id::FocusPrompt => focus(state, Region::Prompt),
        Id::FocusCandidate => focus(state, Region::Candidate),
        Id::FocusResult => focus(state, Region::Result),
        Id::FocusAttempts => focus(state, Region::Attempts),
        Id::Zoom => state.zoom = !state.zoom,
        Id::Wider => return panes::resize(state, Axis::Width, 1),
        Id::Narrower => return panes::resize(state, Axis::Width, -1),
        Id::Taller => return panes::resize(state, Axis::Height, 1),
        Id::Shorter => return panes::resize(state, Axis::Height, -1),
        Id::Layout => return panes::layout(state, argument),
        Id::Jump => panes::jump(state),
        Id::Which => state.glance = Some(Glance::Keys),
        Id::SchemaLoad if argument.is_empty() => return popup::files(state),
        Id::SchemaLoad => return schema::load(state, argument),
        Id::SchemaRecent => popup::recent(state),
        Id::SchemaNew => schema::fresh(state),
        Id::SchemaSave => return schema::save(state, argument),
        Id::SchemaEdit => return inspect::edit_schema(state),
        Id::PromptEdit => return vec![Effect::EditText { what: Edited::Prompt, text: state.prompt.editor.text() }],
        Id::Board => board::show(state),
        Id::Fields => return fields::show(state),
        Id::BoardOpen => return board::choose(state),
        Id::SchemaSample => return sample::ask(state, argument),
        Id::SampleNext => return sample::step(state, 1),
        Id::SamplePrevious => return sample::step(state, -1),
        Id::ResultBack => sample::back(state),
        Id::SchemaLoose => return loose::ask(state, argument),
        Id::LooseAdd => loose::add(state),
        Id::SchemaWeight => return loose::weigh(state),
        Id::SchemaVersions => return history::versions(state),
        Id::Retro => history::changed(state),
        Id::VersionName => history::name(state),
        Id::VersionDiff => return history::difference(state),
        Id::SchemaJson => return work::send(state, Errand::Json),
        Id::SchemaPick => return schema_source::pick(state, argument),
        Id::SchemaInfer => return schema_source::infer(state, argument),
        Id::SchemaShort => return schema_source::from_short(state, argument),
        Id::ProblemNext => schema::next_problem(state, schema::Direction::Forward),
        Id::ProblemPrevious => schema::next_problem(state, schema::Direction::Back),
        Id::ProblemList => popup::problems(state),
        Id::Undo => return history(state, Id::Undo),
        Id::Redo => return history(state, Id::Redo),
        Id::Search => popup::search_schema(state),
        Id::SearchNext => schema::next_match(state),
        Id::SearchPrevious => edit::previous_match(state),
        Id::SearchCase => edit::toggle_case(state),
        Id::SearchPattern => edit::toggle_manner(state),
        Id::Replace => edit::replace(state),
        Id::ReplaceAll => edit::replace_all(state),
        Id::SelectAll => edit::with(state, Editor::select_all),
        Id::Duplicate => edit::with(state, Editor::duplicate_lines),
        Id::LineUp => edit::shift(state, Shift::Up),
        Id::LineDown => edit::shift(state, Shift::Down),
        Id::LineDelete => edit::with(state, Editor::delete_lines),
        Id::Indent => edit::with(state, Editor::indent),
        Id::Outdent => edit::with(state, Editor::outdent),
        Id::EditCopy => return edit::copy(state),
        Id::Cut => return edit::cut(state),
        Id::Paste => edit::paste(state),
        Id::Format => return work::lay(state, Layout::Pretty),
        Id::Minify => return work::lay(state, Layout::Compact),
        Id::Target => return work::target(state),
        Id::Back => edit::back(state),
        Id::References => return work::references(state),
        Id::Draft => return draft::answer(state, argument),
        Id::Complete => edit::complete(state),
        Id::CompleteNext => edit::step(state, 1),
        Id::CompletePrevious => edit::step(state, -1),
        Id::CompleteAccept => edit::accept(state),
        Id::CompleteClose => state.schema.offered = None,
        Id::Bracket => schema::bracket(state),
        Id::SchemaFold => edit::fold(state, argument),
        Id::SchemaUnfold => edit::unfold(state),
        Id::PromptSend => return send(state),
        Id::PromptNewline => {
            state.prompt.editor.plain_newline();
            return slash::refresh(state);
        }
        Id::PromptOlder => {
            state.prompt.older();
            return slash::refresh(state);
        }
        Id::PromptNewer => {
            state.prompt.newer();
            return slash::refresh(state);
        }
        Id::SlashNext => step_completion(state, 1),
        Id::SlashPrevious => step_completion(state, -1),
        Id::SlashAccept => return accept_completion(state),
        Id::SlashClose => state.prompt.closed_at = Some(state.prompt.editor.revision()),
        Id::Up => inspect::scroll(state, Motion::Up(1)),
        Id::Down => inspect::scroll(state, Motion::Down(1)),
        Id::PageUp => inspect::scroll(state, Motion::PageUp),
        Id::PageDown => inspect::scroll(state, Motion::PageDown),
        Id::Top => inspect::scroll(state, Motion::Home),
        Id::Bottom => inspect::scroll(state, Motion::End),
        Id::ThinkingFold => state.thinking_open = !state.thinking_open,
        Id::CandidateCopy => return inspect::copy(state, "candidate"),
        Id::TreeToggle
        | Id::TreeCollapse
        | Id::TreeExpand
        | Id::TreeExpandAll
        | Id::TreeCollapseAll
        | Id::TreeNextMatch
        | Id::TreePreviousMatch => inspect::tree(state, id),
        Id::TreeLevel => inspect::fold_level(state, argument),
        Id::TreeSearch => popup::search_result(state),
        Id::CopyValue => return inspect::copy(state, "value"),
        Id::CopySubtree => return inspect::copy(state, "subtree"),
        Id::CopyPointer => return inspect::copy(state, "pointer"),
        Id::CopyCanonical => return inspect::copy(state, "canonical"),
        Id::CurlCopy => return inspect::copy(state, "curl"),
        Id::Copy => return inspect::copy(state, argument),
        Id::RawToggle => state.result.raw = !state.result.raw,
        Id::Export => return inspect::export(state, argument),
        Id::ExportRun => return report::export(state, argument),
        Id::FunctionSave => return function::save(state, argument),
        Id::AttemptPrevious | Id::AttemptLeft => inspect::step_attempt(state, -1),
        Id::AttemptNext | Id::AttemptRight => inspect::step_attempt(state, 1),
        Id::AttemptShow if argument.is_empty() => popup::attempts(state),
        Id::AttemptShow => inspect::show_attempt(state, argument),
        Id::IssuePrevious | Id::IssueBack => inspect::step_issue(state, -1),
        Id::IssueNext | Id::IssueOn => inspect::step_issue(state, 1),
        Id::IssueList => popup::issues(state),
        Id::IssuePlace => {
            inspect::point(state);
            focus(state, Region::Candidate);
        }
        Id::IssueKeyword => {
            inspect::point(state);
            focus(state, Region::Schema);
        }
        Id::RepairShow => inspect::repair(state),
        Id::RequestShow => calls::request(state),
        Id::ResponseShow => calls::response(state),
        Id::AttemptDiff => return compare::attempts(state, argument),
        Id::RawShow => raw::show(state),
        Id::RawReadBack => raw::step(state, Stride::Read, -1),
        Id::RawReadOn => raw::step(state, Stride::Read, 1),
        Id::RawAttemptBack => raw::step(state, Stride::Attempt, -1),
        Id::RawAttemptOn => raw::step(state, Stride::Attempt, 1),
        Id::RawSpoilt => raw::spoilt(state),
        Id::RawHex => raw::hex(state),
        Id::RawCopy => return raw::copy(state),
        Id::RawCopyBytes => return raw::copy_bytes(state),
        Id::Turns => turns::show(state),
        Id::TurnShow => turns::pick(state),
        Id::TurnFold => turns::fold(state),
        Id::TurnFoldAll => turns::fold_all(state),
        Id::TurnEdit => return turns::edit(state),
        Id::TurnRerun => return turns::rerun(state),
        Id::TurnCopy => return turns::copy(state),
        Id::TurnCopyAll => return turns::copy_branch(state),
        Id::FailureShow => inspect::failure(state),
        Id::ListUp => return popup::go(state, -1),
        Id::ListDown => return popup::go(state, 1),
        Id::ListPageUp => return popup::go(state, -10),
        Id::ListPageDown => return popup::go(state, 10),
        Id::ListAccept | Id::LineAccept => return popup::accept(state),
        Id::AskYes => return popup::yes(state),
        Id::AskNo => popup::no(state),
        Id::PageCopy => return inspect::copy_page(state),
        Id::PopupClose | Id::PageClose => close_popup(state),
    }
    Vec::new()
}

/// The ladder of Ctrl-C: popup, run, probe, download, draft, then quit when pressed twice.
fn interrupt(state: &mut State) -> Vec<Effect> {
    if !state.popups.is_empty() {
        close_popup(state);
        return Vec::new();
    }
    if state.running() {
        return run::cancel(state);
    }
    if probe::stoppable(state) {
        return probe::cancel(state);
    }
    if state.pull.as_ref().is_some_and(|pull| !pull.cancelled) {
        return pull::cancel(state);
    }
    if !state.prompt.editor.is_blank() {
        state.prompt.editor.clear();
        state.say(Tone::Info, "draft cleared (undo brings it back)");
        return slash::refresh(state);
    }
    if armed(state, Id::Interrupt, &quit_warning(state)) {
        state.quit = Some(0);
    }
    Vec::new()
}

fn quit_warning(state: &State) -> String {
    let unsaved = if state.schema.dirty() { "the schema is not saved; " } else { "" };
    format!("{unsaved}press Ctrl-C again to quit")
}

fn quit(state: &mut State) -> Vec<Effect> {
    if !state.schema.dirty() || armed(state, Id::Quit, "the schema is not saved: quit again to leave it so") {
        state.quit = Some(0);
    }
    Vec::new()
}

fn history(state: &mut State, id: Id) -> Vec<Effect> {
    let (schema, prompt) = (&mut state.schema.editor, &mut state.prompt.editor);
    let done = match (state.focus == Region::Schema, id == Id::Undo) {
        (true, true) => schema.undo(),
        (true, false) => schema.redo(),
        (false, true) => prompt.undo(),
        (false, false) => prompt.redo(),
    };
    if done {
        // What was said of the edit is no longer so.
        state.notice = None;
    } else {
        let what = if id == Id::Undo { "nothing to undo" } else { "nothing to redo" };
        state.say(Tone::Info, what);
    }
    if state.focus == Region::Prompt { slash::refresh(state) } else { Vec::new() }
}

/// Enter in the prompt: a slash command is given, anything else is run.
fn send(state: &mut State) -> Vec<Effect> {
    if !state.prompt.is_slash() {
        return give(state, Id::RunStart, "");
    }
    match slash::entered(state) {
        slash::Entered::Run(id, argument) => {
            let line = state.prompt.text();
            state.prompt.sent(&line);
            give(state, id, &argument)
        }
        slash::Entered::Complete(line) => {
            state.prompt.set(&line);
            slash::refresh(state)
        }
        #[cfg(debug_assertions)]
        slash::Entered::Wrong(_) if state.prompt.text() == "/debug panic" => vec![Effect::Panic],
        slash::Entered::Wrong(why) => {
            state.say(Tone::Warn, why);
            Vec::new()
        }
    }
}

fn step_completion(state: &mut State, by: isize) {
    let n = isize::try_from(state.prompt.completions.len()).unwrap_or(1).max(1);
    let at = isize::try_from(state.prompt.selected).unwrap_or(0);
    state.prompt.selected = usize::try_from((at + by).rem_euclid(n)).unwrap_or(0);
    state.prompt.chosen = true;
}

fn accept_completion(state: &mut State) -> Vec<Effect> {
    let Some(line) = state.prompt.completions.get(state.prompt.selected).map(|c| c.line.clone()) else {
        return Vec::new();
    };
    state.prompt.set(&line);
    slash::refresh(state)
}

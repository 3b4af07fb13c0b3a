//! Starting and following runs. Items of older runs fall away by their sequence number.

use std::time::Duration;

use super::super::effect::Effect;
use super::super::notify::News;
use super::super::state::result::{ResultPane, Shown};
use super::super::state::run::{Outcomes, Run, Status};
use super::super::state::{Region, State, Tone, Watched, fallback_name, fallback_named, level_name, level_named};
use super::schema::{Direction, next_problem, recheck};
use super::turns;
use crate::capability::Dialect;
use crate::feed::Item;
use crate::machine::Budget;
use crate::plan::Plan;
use crate::report::Asked;
use crate::runtime::{Reads, RunSpec, Written};
use crate::schema::ResponseFormat;
use crate::schema::project::Level;
use crate::tui::rows::{Gutter, Rows, Syntax};
use crate::tui::scroll::Scroll;
use crate::tui::words;

/// A local model may read a long prompt for minutes before its first token.
const IDLE: Duration = Duration::from_mins(5);
/// Continuations after ordinary tool calls (ENGINE §5).
const ITERATIONS: u32 = 20;

/// Starts a run with the draft, or with the last prompt again. A schema still being checked is waited for.
pub(super) fn start(state: &mut State) -> Vec<Effect> {
    if state.schema.checking() {
        state.run_when_checked = true;
        return Vec::new();
    }
    state.run_when_checked = false;
    let written = state
        .schema
        .report()
        .map(|report| Written { text: report.text.as_str().into(), source: state.schema.path.clone() });
    let format = match state.schema.report().map(|r| &r.checked) {
        Some(Err(_)) => {
            next_problem(state, Direction::Forward);
            return Vec::new();
        }
        Some(Ok(checked)) => Some(checked.format.clone()),
        None => None,
    };
    let (endpoint, model_id) = match state.models.catalog.find(&state.models.name) {
        Ok(found) => found,
        Err(error) => {
            state.say(Tone::Bad, words::on_screen(&error.to_string()));
            return Vec::new();
        }
    };
    let draft = state.prompt.text();
    let prompt = if draft.is_empty() || draft.starts_with('/') {
        state.prompt.last().unwrap_or_default().to_owned()
    } else {
        draft
    };
    if !state.prompt.is_slash() {
        state.prompt.sent(&prompt);
    }
    let simulated = endpoint.dialect == Dialect::Sim;
    state.runs += 1;
    let run = Run::new(state.runs, state.models.name.clone(), format.is_some(), simulated, state.now);
    let run = run.with_schema(format.as_ref().map(|f| f.schema_hash.clone())).of_demo(state.models.is_demo());
    turns::begin(state, &run, &prompt);
    let asked = Asked::new(state.models.name.clone(), state.settings.system.as_deref(), &prompt, &[]);
    let run = run.asking(match (&format, &written) {
        (Some(format), Some(written)) => asked.with_schema(&format.schema_hash, written.text.clone()),
        (None, _) | (_, None) => asked,
    });
    state.run = Some(run);
    state.result = ResultPane::default();
    (state.bench.kept, state.bench.asked) = (None, None);
    state.schema.mark = None;
    state.notice = None;
    if state.focus != Region::Attempts {
        state.reader = Region::Candidate;
    }
    if state.focus == Region::Result {
        state.focus = Region::Candidate;
    }
    let spec = RunSpec {
        system: state.settings.system.clone(),
        format: format.map(|f| with_fallback(state, f)),
        level: state.settings.level,
        budget: Budget { max_retries: state.settings.max_retries, max_iterations: ITERATIONS },
        deadline: state.settings.timeout_seconds.map(Duration::from_secs),
        idle_timeout: IDLE,
        assert_format: state.settings.assert_format,
        tempo: crate::sim::Tempo::Typing,
        written,
        reads: Reads::Told,
        ..RunSpec::new(endpoint, model_id, prompt)
    };
    vec![Effect::StartRun { sequence: state.runs, spec: Box::new(spec) }]
}

fn with_fallback(state: &State, format: ResponseFormat) -> ResponseFormat {
    ResponseFormat { fallback: state.settings.fallback.unwrap_or(format.fallback), ..format }
}

/// Cancels the run; its last events still come.
pub(super) fn cancel(state: &mut State) -> Vec<Effect> {
    state.run_when_checked = false;
    vec![Effect::CancelRun]
}

/// Takes items of a run; late ones of an older run fall away.
pub(super) fn items(state: &mut State, sequence: u64, items: Vec<Item>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for item in items {
        let now = state.now;
        let Some(run) = state.run.as_mut().filter(|r| r.sequence == sequence) else { return effects };
        let outcome = run.take(item, now);
        let told = !matches!(outcome, Outcomes::Nothing);
        effects.extend(outcome_of(state, outcome));
        if told {
            turns::note(state);
        }
    }
    effects
}

fn outcome_of(state: &mut State, outcome: Outcomes) -> Option<Effect> {
    match outcome {
        Outcomes::Nothing => return None,
        Outcomes::Value(value) => {
            let run = state.run.as_ref()?;
            // A run's result takes the place of a sample.
            (state.bench.kept, state.bench.asked) = (None, None);
            state.result = ResultPane {
                shown: Shown::Building,
                simulated: run.simulated,
                mode: run.plan.as_ref().map_or_else(String::new, mode_words),
                attempt: run.attempts.last().map_or(1, |a| a.number),
                schema_hash: run.schema_hash.clone(),
                ..ResultPane::default()
            };
            show_result(state);
            let (mode, attempt) = (state.result.mode.clone(), state.result.attempt);
            state.say(Tone::Good, format!("valid on attempt {attempt} ({mode})"));
            return Some(Effect::BuildTree { sequence: state.runs, value });
        }
        Outcomes::Text(text) => {
            (state.bench.kept, state.bench.asked) = (None, None);
            state.result = ResultPane {
                shown: Shown::Text(Box::new(Rows::of(&text, Syntax::Plain, Gutter::None))),
                scroll: Scroll::at_start(),
                simulated: state.run.as_ref().is_some_and(|r| r.simulated),
                ..ResultPane::default()
            };
            show_result(state);
            turns::answered(state);
        }
        Outcomes::Retried { attempt, code } => {
            let word = code.code();
            state.say(Tone::Warn, format!("attempt {attempt} was rejected: {word}; asking again"));
        }
        Outcomes::Failed => failed(state),
    }
    None
}

/// The result comes to the top, unless the reader is busy with the candidate or the attempts.
fn show_result(state: &mut State) {
    if !matches!(state.focus, Region::Candidate | Region::Attempts) {
        state.reader = Region::Result;
    }
}

fn failed(state: &mut State) {
    let Some(Status::Failed(error)) = state.run.as_ref().map(|r| &r.status) else { return };
    let code = error.code.code();
    let next = error
        .facts
        .iter()
        .find(|(label, _)| label == "next")
        .map_or(String::new(), |(_, t)| format!("; {}", words::on_screen(t)));
    let text = format!("{code}: {}{next}", error.message);
    let tone = if error.code == crate::event::ErrorCode::Cancelled { Tone::Info } else { Tone::Bad };
    state.say(tone, text);
}

/// `native, narrowed`.
#[must_use]
pub fn mode_words(plan: &Plan) -> String {
    let mode = plan.mode.code();
    match plan.level {
        Level::Exact => mode.to_owned(),
        Level::Narrow => format!("{mode}, narrowed"),
        Level::Relax => format!("{mode}, relaxed"),
    }
}

/// The feed of a run ended.
pub(super) fn ended(state: &mut State, sequence: u64) -> Vec<Effect> {
    let now = state.now;
    turns::note(state);
    let lost = state.run.as_mut().filter(|r| r.sequence == sequence).is_some_and(|r| r.lost(now));
    if lost {
        state.say(Tone::Bad, "the run ended without a word: this is a fault of formwork");
    }
    let run = state.run.as_ref().filter(|run| run.sequence == sequence);
    let news = run.map(|run| if lost || matches!(run.status, Status::Failed(_)) { News::Failed } else { News::Done });
    let unwatched = news.filter(|_| state.watched == Watched::No);
    unwatched.map(Effect::Notify).into_iter().collect()
}

/// Selects a model by name.
pub(super) fn choose_model(state: &mut State, name: &str) {
    match state.models.catalog.find(name) {
        Ok((endpoint, _)) => {
            name.clone_into(&mut state.models.name);
            recheck(state);
            let hint = endpoint.api_key_env.as_ref().filter(|_| !endpoint.is_ready());
            match hint {
                Some(variable) => state.say(Tone::Warn, format!("{name}: no key yet, set {variable} and start again")),
                None => state.say(Tone::Good, format!("{name} answers from now on")),
            }
        }
        Err(error) => state.say(Tone::Warn, words::on_screen(&error.to_string())),
    }
}

/// `/fallback WORD`.
pub(super) fn set_fallback(state: &mut State, word: &str) {
    match fallback_named(word) {
        Some(fallback) => {
            state.settings.fallback = Some(fallback);
            recheck(state);
            state.say(Tone::Good, format!("fallback {}", fallback_name(fallback)));
        }
        None => state.say(Tone::Warn, format!("{word:?} is no fallback: auto, none or prompt")),
    }
}

/// `/retries N`.
pub(super) fn set_retries(state: &mut State, word: &str) {
    match word.parse::<u32>().ok().filter(|n| (1..=100).contains(n)) {
        Some(n) => {
            state.settings.max_retries = n;
            let repair = if n == 1 { ": no repair" } else { "" };
            state.say(Tone::Good, format!("at most {n} provider calls a run{repair}"));
        }
        None => state.say(Tone::Warn, format!("{word:?} is no call budget: 1 to 100")),
    }
}

/// `/project WORD`.
pub(super) fn set_level_named(state: &mut State, word: &str) {
    match level_named(word) {
        Some(level) => set_level(state, level),
        None => state.say(Tone::Warn, format!("{word:?} is no level: exact, narrow or relax")),
    }
}

/// Sets how far a projection may go.
pub(super) fn set_level(state: &mut State, level: Level) {
    state.settings.level = level;
    recheck(state);
    state.say(Tone::Good, format!("projection {}", level_name(level)));
}

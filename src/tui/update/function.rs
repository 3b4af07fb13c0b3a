//! What stands on the screen as a function: its name is asked, its text made here, its file written elsewhere.

use std::path::PathBuf;

use super::super::effect::Effect;
use super::super::state::popup::Purpose;
use super::super::state::{State, Tone};
use super::{popup, schema};
use crate::function::{Draft, Settings, is_name};
use crate::schema::project::Level;

/// Saves prompt, schema, model and settings under a name; without one asks for it.
pub(super) fn save(state: &mut State, name: &str) -> Vec<Effect> {
    let prompt = prompt(state);
    if prompt.is_empty() {
        state.say(Tone::Warn, "Save as a function: write a prompt first");
        return Vec::new();
    }
    if name.is_empty() {
        popup::line(state, Purpose::NameFunction, "Save as a function named", "");
        return Vec::new();
    }
    if !is_name(name) {
        state.say(Tone::Warn, "a function's name has letters, digits, _ and -, at most 64, no digit first");
        return Vec::new();
    }
    let settings = Settings {
        fallback: state.settings.fallback,
        level: Some(state.settings.level).filter(|level| *level != Level::default()),
        max_retries: Some(state.settings.max_retries).filter(|n| *n != crate::machine::Budget::default().max_retries),
        timeout_seconds: state.settings.timeout_seconds,
        ..Settings::default()
    };
    let schema = state.schema.editor.text();
    let draft = Draft {
        about: None,
        model: Some(state.models.name.clone()),
        settings,
        system: state.settings.system.clone(),
        prompt,
        schema: Some((schema, state.schema.form())).filter(|(text, _)| !text.trim().is_empty()),
    };
    let (text, vars) = draft.text();
    let path = state.functions.join(format!("{name}.md"));
    let over = state.outputs.over(&path);
    let given: Vec<String> = vars.iter().map(|var| format!(" --var {var}=…")).collect();
    let call = format!("formwork call {name}{}", given.concat());
    vec![Effect::SaveFunction { path, text, call, over }]
}

/// The draft, or the last prompt when a slash command stands in its place.
fn prompt(state: &State) -> String {
    let draft = state.prompt.text();
    if draft.is_empty() || draft.starts_with('/') {
        state.prompt.last().unwrap_or_default().trim().to_owned()
    } else {
        draft.trim().to_owned()
    }
}

/// The file was written, or was not.
pub(super) fn saved(state: &mut State, path: PathBuf, call: &str, error: Option<String>) {
    match error {
        None => {
            state.say(Tone::Good, format!("saved {}; run it with: {call}", schema::shown(&path)));
            state.outputs.allow(path);
        }
        Some(why) => state.say(Tone::Bad, why),
    }
}

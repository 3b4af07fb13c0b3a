//! Probing a model's server: asked about, followed, cancelled. Nothing is sent before the question was answered.

use std::fmt::Write;
use std::sync::Arc;

use super::super::effect::{Effect, Learned};
use super::super::state::popup::{Ask, Page, Popup, Then};
use super::super::state::probe::Probing;
use super::super::state::{State, Tone};
use super::super::words;
use super::{open, reply, schema};
use crate::capability::Day;
use crate::capability::verdict::{Feature, Verdict};
use crate::command::Id;
use crate::probe::{self, PATIENCE, Spec};
use crate::tui::rows::Syntax;

/// Says what a probe of this model may cost, and asks; without a name, of the chosen one.
pub(super) fn ask(state: &mut State, name: &str) {
    let name = if name.is_empty() { state.models.name.clone() } else { name.to_owned() };
    if let Some(probing) = &state.probe {
        state.say(Tone::Warn, format!("{} is being probed: one at a time", probing.name));
        return;
    }
    let (endpoint, model) = match state.models.catalog.find(&name) {
        Ok(found) => found,
        Err(error) => {
            state.say(Tone::Warn, words::on_screen(&error.to_string()));
            return;
        }
    };
    if let Err(barred) = probe::can_be_asked(&endpoint) {
        state.say(Tone::Warn, barred.to_string());
        return;
    }
    // The day is set anew when it begins.
    let today = endpoint.facts.today.unwrap_or(Day::of(1970, 1, 1));
    let spec = Spec { endpoint, model, today, patience: PATIENCE };
    let text = state.theme.glyphs().fold(&question(state, &spec));
    let page = Page::new(&format!("Probe {name}?"), &text, Syntax::Plain, "nothing is sent before your yes");
    open(state, Popup::Ask(Box::new(Ask { page, then: Then::Probe(Box::new(spec)) })));
}

fn question(state: &State, spec: &Spec) -> String {
    let cost = probe::cost(spec);
    let price = if spec.endpoint.is_local() { "" } else { " A paid provider charges for them." };
    let mut text = format!(
        "At most {} small requests go to {}, at most {} tokens in all.{price}\n\n\
         They show what this server really holds of a schema, and hold fixed words only: neither your prompt nor your \
         schema. The verdict is kept, and runs go by it from then on.\n",
        cost.requests,
        spec.endpoint.host(),
        cost.tokens
    );
    let earlier = state.models.findings(&spec.name());
    if !earlier.is_empty() {
        let _ = write!(text, "\nFound before:\n{earlier}");
    }
    text
}

/// Yes: the question's probe begins.
pub(super) fn start(state: &mut State, spec: Box<Spec>) -> Vec<Effect> {
    state.probe = Some(Probing::new(spec.name(), state.now));
    state.notice = None;
    vec![Effect::Probe(spec)]
}

/// Can a probe be stopped now?
pub(super) fn stoppable(state: &State) -> bool {
    state.probe.as_ref().is_some_and(|probing| !probing.cancelled)
}

/// Asks the probe to stop; nothing of it is kept.
pub(super) fn cancel(state: &mut State) -> Vec<Effect> {
    let Some(probing) = &mut state.probe else { return Vec::new() };
    probing.cancelled = true;
    vec![Effect::CancelProbe]
}

/// A feature is settled.
pub(super) fn progress(state: &mut State, feature: Feature, verdict: Verdict) {
    if let Some(probing) = &mut state.probe {
        probing.told.push((feature, verdict));
    }
}

/// The probe ended.
pub(super) fn ended(state: &mut State, name: &str, outcome: Result<Learned, String>) {
    let cancelled = state.probe.take().is_some_and(|probing| probing.cancelled);
    match outcome {
        Ok(learned) => took(state, name, learned),
        Err(_) if cancelled => state.say(Tone::Info, format!("the probe of {name} was stopped; nothing was kept")),
        Err(why) => state.say(Tone::Bad, why),
    }
}

/// What was found counts from now on.
fn took(state: &mut State, name: &str, learned: Learned) {
    let Learned { catalog, schema, stopped } = learned;
    reply::renew(state, *catalog);
    if same(state, name) {
        schema::recheck(state);
    }
    if let Some(why) = stopped {
        state.say(Tone::Warn, format!("{name}: stopped: {why}; what was found before that is kept"));
        return;
    }
    let tone = if schema == Verdict::Enforced { Tone::Good } else { Tone::Info };
    let mut text = format!("{name}: schema {}: {}", schema.name(), schema.meaning());
    if declared(state, name) {
        text.push_str("; the configuration declares it otherwise and stands above");
    } else if same(state, name) {
        let _ = write!(text, "; {} has the evidence", state.keymap.shown(Id::Route));
    }
    state.say(tone, text);
}

/// Is it the chosen model?
fn same(state: &State, name: &str) -> bool {
    let named = |name: &str| state.models.catalog.find(name).ok();
    let (Some(chosen), Some(probed)) = (named(&state.models.name), named(name)) else { return false };
    Arc::ptr_eq(&chosen.0, &probed.0) && chosen.1 == probed.1
}

fn declared(state: &State, name: &str) -> bool {
    state.models.catalog.find(name).is_ok_and(|(endpoint, _)| endpoint.facts.declared_native)
}

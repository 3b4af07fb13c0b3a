//! Pulling a model: offered, asked for by name, followed, cancelled. What is downloaded is told before it begins.

use super::super::effect::Effect;
use super::super::state::popup::{Kind, List, Popup, Row};
use super::super::state::pull::{Offer, Phase, Pull};
use super::super::state::{State, Tone};
use super::super::words;
use super::{reply, run};
use crate::catalog::Catalog;
use crate::command::Id;
use crate::tui::palette::choice;

/// The models that can be pulled; taking one is the consent.
pub(super) fn offer(state: &mut State) {
    let rows = state.models.offers.iter().map(row).collect();
    let list = List::new(Kind::Offers, "Pull a model: Enter downloads it, Esc leaves", rows, "no model is called so");
    super::open(state, Popup::List(Box::new(list)));
}

fn row(offer: &Offer) -> Row {
    let here = if offer.installed { " · here" } else { "" };
    let size = words::bytes(offer.bytes);
    let barred = offer.installed.then(|| "it is here already: choose it with /model".to_owned());
    Row {
        aside: format!("{size} · {}{here}", offer.licence),
        barred,
        ..choice(Id::ModelPull, &offer.name, &offer.note)
    }
}

/// Begins a download.
pub(super) fn start(state: &mut State, name: &str) -> Vec<Effect> {
    if let Some(pull) = &state.pull {
        state.say(Tone::Warn, format!("{} is being pulled: one at a time", pull.name));
        return Vec::new();
    }
    let known = state.models.offers.iter().find(|offer| offer.name == name);
    if known.is_some_and(|offer| offer.installed) {
        state.say(Tone::Info, format!("{name} is here already: /model local/{name}"));
        return Vec::new();
    }
    let total = known.map(|offer| offer.bytes);
    state.pull = Some(Pull::new(name, total, state.now));
    state.notice = None;
    vec![Effect::PullModel { name: name.to_owned() }]
}

/// Asks the download to stop; what came stays for the next time.
pub(super) fn cancel(state: &mut State) -> Vec<Effect> {
    match &mut state.pull {
        Some(pull) => {
            pull.cancelled = true;
            vec![Effect::CancelPull]
        }
        None => Vec::new(),
    }
}

/// More came.
pub(super) fn progress(state: &mut State, phase: Phase, done: u64, total: Option<u64>) {
    if let Some(pull) = &mut state.pull {
        pull.progress(phase, done, total);
    }
}

/// The download ended.
pub(super) fn ended(state: &mut State, name: &str, outcome: Result<Catalog, String>) {
    let cancelled = state.pull.take().is_some_and(|pull| pull.cancelled);
    match outcome {
        Ok(catalog) => {
            reply::renew(state, catalog);
            for offer in state.models.offers.iter_mut().filter(|offer| offer.name == name) {
                offer.installed = true;
            }
            let model = format!("local/{name}");
            // Whoever chose a model keeps it.
            if state.models.name.starts_with("sim/") || state.models.name.is_empty() {
                run::choose_model(state, &model);
            } else {
                state.say(Tone::Good, format!("{model} is here: /model {model}"));
            }
        }
        Err(_) if cancelled => state.say(Tone::Info, format!("pulling {name} was stopped; what came is kept")),
        Err(why) => state.say(Tone::Bad, why),
    }
}

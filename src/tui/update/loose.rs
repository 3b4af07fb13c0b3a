//! What the schema lets through: the list, the jump to the place, the constraint that one key adds. And the page of weights.

use std::path::PathBuf;
use std::sync::Arc;

use super::super::effect::{Effect, LooseJob};
use super::super::state::bench::{Answer, Loosened};
use super::super::state::popup::{Kind, List, Popup, Row, Take};
use super::super::state::{Region, State, Tone};
use super::{focus, open, schema};
use crate::json::edit::{Edit, apply};
use crate::schema::loose::Offer;
use crate::tui::rows::Syntax;

/// Looks for what gets through, from the last result, else a sample, or from the file that is named.
pub(super) fn ask(state: &mut State, path: &str) -> Vec<Effect> {
    let file = (!path.is_empty()).then(|| PathBuf::from(path));
    let Some(job) = job(state, file) else {
        state.say(Tone::Info, "the schema is being checked: try again");
        return Vec::new();
    };
    vec![Effect::Loosen(Box::new(job))]
}

fn job(state: &mut State, file: Option<PathBuf>) -> Option<LooseJob> {
    let format = state.schema.legal()?.format.clone();
    // A sample on the screen is a sample: the run's own result lies behind it.
    let pane = if state.result.sample.is_some() { state.bench.kept.as_deref() } else { Some(&state.result) };
    let good = pane.and_then(|pane| pane.built()).map(|built| Arc::clone(&built.value));
    state.bench.loosening += 1;
    Some(LooseJob {
        generation: state.bench.loosening,
        format,
        good,
        file,
        seed: state.bench.seed,
        assert_format: state.settings.assert_format,
    })
}

/// The search ended: the list opens, or is filled again when it is open.
pub(super) fn came(state: &mut State, generation: u64, outcome: Result<Loosened, String>) {
    if generation != state.bench.loosening {
        return;
    }
    let found = match outcome {
        Ok(found) => found,
        Err(why) => return state.say(Tone::Warn, why),
    };
    let refreshed = std::mem::take(&mut state.bench.stale);
    let mut list = list(&found);
    state.bench.loose = Some(found);
    if let Some(Popup::List(old)) = state.popups.last_mut().filter(|popup| is_loose(popup)) {
        list.selected = old.selected.min(list.rows.len().saturating_sub(1));
        **old = list;
    } else if !refreshed {
        open(state, Popup::List(Box::new(list)));
    }
}

fn is_loose(popup: &Popup) -> bool {
    matches!(popup, Popup::List(list) if list.kind == Kind::Loose)
}

fn list(found: &Loosened) -> List {
    let rows = found.findings.iter().zip(&found.felt).enumerate().map(|(index, (finding, felt))| {
        let at = if finding.path.is_empty() { "(root)" } else { &finding.path };
        let offer = finding.offer.as_ref();
        let cost = if felt.is_empty() { String::new() } else { format!(" · with it {felt}") };
        let detail = offer.map(|offer| format!("{}{cost}", offer.place()));
        Row {
            label: format!("{at}  {}", finding.what),
            detail: detail.unwrap_or_else(|| finding.why_no_offer().to_owned()),
            aside: offer.map_or_else(String::new, Offer::brief),
            key: String::new(),
            take: Take::Finding(index),
            barred: None,
        }
    });
    let from = match &found.answer {
        Answer::Result => "the last result".to_owned(),
        Answer::Sample(seed) => format!("sample {seed}"),
        Answer::File(path) => schema::shown(path),
    };
    let through = found.tried - found.caught;
    let more = if found.omitted > 0 { format!(", {} left out", found.omitted) } else { String::new() };
    let title = format!("Lets through {through} of {} (from {from}{more}) · Alt-A adds the constraint", found.tried);
    List::new(Kind::Loose, &title, rows.collect(), "nothing gets through that was tried")
}

/// Jumps to the place of a finding in the schema.
pub(super) fn jump(state: &mut State, index: usize) {
    let Some(finding) = state.bench.loose.as_ref().and_then(|found| found.findings.get(index)) else { return };
    let Some(offer) = finding.offer.clone() else {
        let why = finding.why_no_offer();
        state.say(Tone::Info, format!("{why}: there is no one place to jump to"));
        return;
    };
    state.schema.mark = state.schema.keyword(&offer.at);
    if let Some((start, _)) = state.schema.mark {
        state.schema.editor.jump_offset(start);
    }
    focus(state, Region::Schema);
    state.say(Tone::Info, offer.words());
}

/// Puts the constraint of the selected finding into the text: one edit, one undo.
pub(super) fn add(state: &mut State) {
    let Some(Popup::List(list)) = state.popups.last() else { return };
    let Some(Take::Finding(index)) = list.row().map(|row| row.take.clone()) else { return };
    if state.bench.loose.as_ref().is_some_and(|found| state.schema.hash() != Some(&found.schema_hash)) {
        state.say(Tone::Warn, "the schema changed since it was searched: close the list and search again");
        return;
    }
    let Some(finding) = state.bench.loose.as_ref().and_then(|found| found.findings.get(index)) else { return };
    let Some(offer) = finding.offer.clone() else {
        let why = finding.why_no_offer();
        state.say(Tone::Info, why);
        return;
    };
    if !schema::can_be_mended(state) {
        return;
    }
    let Some(report) = state.schema.report().filter(|_| !state.bench.stale && !state.schema.checking()) else {
        state.say(Tone::Info, "the schema is being checked: try again");
        return;
    };
    let envelope = report.checked.as_ref().is_ok_and(|checked| checked.envelope);
    let pointer = if envelope { format!("/schema{}", offer.pointer) } else { offer.pointer.clone() };
    match apply(&state.schema.editor.text(), &[Edit::Set { pointer, value: offer.replacement.clone() }]) {
        Ok(text) => {
            state.schema.editor.replace(&text);
            state.bench.stale = true;
            if let Some(Popup::List(list)) = state.popups.last_mut() {
                list.loading = true;
            }
            state.say(Tone::Good, format!("added {}; undo takes it back", offer.words()));
        }
        Err(why) => state.say(Tone::Bad, why.to_string()),
    }
}

/// The changed schema was checked: it is searched again while the list is open.
pub(super) fn refresh(state: &mut State) -> Vec<Effect> {
    if !state.bench.stale {
        return Vec::new();
    }
    let file = state.bench.loose.as_ref().and_then(|found| match &found.answer {
        Answer::File(path) => Some(path.clone()),
        Answer::Result | Answer::Sample(_) => None,
    });
    let open = state.popups.last().is_some_and(is_loose);
    let job = if open { job(state, file) } else { None };
    if job.is_none() {
        state.bench.stale = false;
    }
    job.map(|job| Effect::Loosen(Box::new(job))).into_iter().collect()
}

/// Asks what the schema weighs.
pub(super) fn weigh(state: &mut State) -> Vec<Effect> {
    let Some(checked) = state.schema.legal() else {
        state.say(Tone::Info, "the schema is being checked: try again");
        return Vec::new();
    };
    vec![Effect::Weigh { format: Box::new(checked.format.clone()), bar: state.theme.glyphs().bar }]
}

/// The weights came.
pub(super) fn weighed(state: &mut State, text: &str) {
    super::inspect::page(
        state,
        "What the schema weighs",
        text,
        Syntax::Plain,
        "an estimate: shares are surer than totals",
    );
}

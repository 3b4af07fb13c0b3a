//! The portability board: what every provider makes of the schema, why, and the edits that would change it.

use super::super::effect::{BoardJob, Effect, OffersJob, PreviewJob, Previewed};
use super::super::state::board::{BoardView, Offered};
use super::super::state::popup::{Ask, Kind, List, Page, Popup, Row, Take, Then};
use super::super::state::{State, Tone};
use super::{open, schema};
use crate::plan::board::{Offer, Offers};
use crate::plan::portability::{Objection, Portability, Support};
use crate::schema::project::{Effect as Meaning, Verdict};
use crate::tui::rows::Syntax;
use crate::tui::scroll::Motion;
use crate::tui::words;

/// Asks all providers about the newest legal text.
pub(super) fn ask(state: &State) -> Option<Effect> {
    let checked = state.schema.legal()?;
    let (generation, format) = (state.schema.generation, checked.format.clone());
    Some(Effect::Board(Box::new(BoardJob { generation, format })))
}

/// Opens the board at the chosen model's provider.
pub(super) fn show(state: &mut State) {
    let provider = state.models.name.split('/').next().unwrap_or_default();
    let provider = crate::catalog::known::canonical(provider);
    let row = |name: &str| crate::plan::board::PROVIDERS.iter().position(|known| known.name == name);
    let selected = row(provider).unwrap_or(0);
    open(state, Popup::Board(Box::new(BoardView { selected })));
}

/// Moves to another provider.
pub(super) fn step(view: &mut BoardView, motion: Motion) {
    let last = crate::plan::board::PROVIDERS.len() - 1;
    view.selected = match motion {
        Motion::Up(_) => view.selected.checked_sub(1).unwrap_or(last),
        Motion::Down(_) => (view.selected + 1) % (last + 1),
        Motion::PageUp | Motion::HalfUp | Motion::Home => 0,
        Motion::PageDown | Motion::HalfDown | Motion::End => last,
    };
}

/// Looks for the edits of the provider under the selection.
pub(super) fn choose(state: &mut State) -> Vec<Effect> {
    let (Some(Popup::Board(view)), Some(checked)) = (state.popups.last(), state.schema.legal()) else {
        return Vec::new();
    };
    let Some(row) = state.schema.board().and_then(|board| view.row(board)) else {
        state.say(Tone::Info, "the providers are still being asked");
        return Vec::new();
    };
    let provider = row.provider.name;
    let Some(profile) = row.provider.profile else {
        state.say(Tone::Info, format!("what {provider} accepts depends on the server behind it: /probe finds out"));
        return Vec::new();
    };
    let (generation, format) = (state.schema.generation, checked.format.clone());
    vec![Effect::Offers(Box::new(OffersJob { generation, provider, profile, format }))]
}

/// The edits are known: they are listed with the places that stand in the way.
pub(super) fn offered(state: &mut State, offered: Offered) {
    let on_top = matches!(state.popups.last(), Some(Popup::Board(_)));
    if offered.generation != state.schema.generation || !on_top {
        return;
    }
    let Some(board) = state.schema.board() else { return };
    let Some(row) = board.rows.iter().find(|row| row.provider.name == offered.provider) else { return };
    let Some(found) = &row.found else { return };
    let date = row.profile().map_or("", |profile| profile.date);
    let mut rows = offered.offers.as_deref().map_or_else(Vec::new, edits);
    rows.extend(found.objections.iter().map(|objection| objection_row(objection, date)));
    if rows.is_empty() {
        state.say(Tone::Good, format!("{} takes the schema as it is", offered.provider));
        return;
    }
    let title = format!("{}: {}", offered.provider, summary(found));
    state.schema.mends = Some(offered);
    let list = List::new(Kind::Objections, &title, rows, "no place and no edit reads so");
    open(state, Popup::List(Box::new(list)));
}

/// `3 places stand in the way; narrow opens it`.
#[must_use]
pub fn summary(found: &Portability) -> String {
    let places = words::count(found.objections.len(), "place");
    match found.native {
        Support::Accepted if found.objections.is_empty() => "takes the schema as it is".to_owned(),
        Support::Accepted => "takes the schema natively; as a tool it does not".to_owned(),
        Support::Narrow | Support::Relax => {
            format!("{places} in the way; level {} opens it", found.native.name())
        }
        Support::Refused => format!("{places} in the way; no edit opens it"),
        Support::Unknown => "nobody proved anything".to_owned(),
    }
}

fn edits(offers: &Offers) -> Vec<Row> {
    let one = |(at, offer): (usize, &Offer)| Row {
        label: format!("edit {}  {}", holder(offer.edit.pointer()), offer.what),
        detail: offer.reasons.join(", "),
        aside: effect_of(offer).to_owned(),
        key: String::new(),
        take: Take::Offer(Some(at)),
        barred: None,
    };
    let mut rows: Vec<Row> = offers.each.iter().enumerate().map(one).collect();
    if rows.len() > 1 {
        let all = Row {
            label: format!("all {} edits", rows.len()),
            detail: tally(offers),
            aside: String::new(),
            key: String::new(),
            take: Take::Offer(None),
            barred: None,
        };
        rows.insert(0, all);
    }
    rows
}

/// What was shown of an edit alone; nothing is claimed that was not.
fn effect_of(offer: &Offer) -> &'static str {
    if offer.shown { offer.effect.name() } else { "not shown" }
}

/// `2 keep the meaning, 1 narrows it`.
fn tally(offers: &Offers) -> String {
    let of = |effect| offers.each.iter().filter(|offer| offer.shown && offer.effect == effect).count();
    let open = offers.each.iter().filter(|offer| !offer.shown).count();
    let words = |n: usize, one: &str, more: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {more}")),
    };
    let parts = [
        words(of(Meaning::Keeps), "keeps the meaning", "keep the meaning"),
        words(of(Meaning::Narrows), "narrows it", "narrow it"),
        words(of(Meaning::Widens), "widens it", "widen it"),
        words(open, "could not be shown either way", "could not be shown either way"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn objection_row(objection: &Objection, date: &str) -> Row {
    let refusal = &objection.refusal;
    let route = match objection.routes {
        [only] => format!(" · {only} only"),
        _ => String::new(),
    };
    let ignored = if refusal.verdict == Verdict::Ignored { "ignored: " } else { "" };
    Row {
        label: place(&refusal.path),
        detail: format!("{ignored}{}", refusal.message),
        aside: format!("{}{route} · {date}", refusal.rule),
        key: String::new(),
        take: Take::SchemaPointer(refusal.path.clone()),
        barred: None,
    }
}

/// The schema whose keyword is edited.
fn holder(pointer: &str) -> String {
    place(pointer.rsplit_once('/').map_or("", |(schema, _)| schema))
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { "(root)".to_owned() } else { pointer.to_owned() }
}

/// Looks at an offered edit before it is made.
pub(super) fn preview(state: &mut State, which: Option<usize>) -> Vec<Effect> {
    if !schema::can_be_mended(state) {
        return Vec::new();
    }
    let (Some(offered), Some(board)) = (&state.schema.mends, state.schema.board()) else { return Vec::new() };
    let Some(offers) = offered.offers.as_deref().filter(|_| offered.generation == state.schema.generation) else {
        state.say(Tone::Info, "the schema changed meanwhile: open the board again");
        return Vec::new();
    };
    let chosen: Vec<&Offer> = match which {
        Some(at) => offers.each.get(at).into_iter().collect(),
        None => offers.each.iter().collect(),
    };
    let claims = match chosen.as_slice() {
        [one] => vec![format!("{}: {}.", place(one.edit.pointer()), one.reasons.join(", "))],
        _ => vec![format!("{}, each for itself: {}.", words::count(chosen.len(), "edit"), tally(offers))],
    };
    let below = state.schema.below();
    vec![Effect::Preview(Box::new(PreviewJob {
        text: state.schema.editor.text(),
        form: state.schema.form(),
        edits: chosen.iter().map(|offer| offer.edit.clone().below(below)).collect(),
        schema: state.schema.legal().map(|checked| checked.format.schema.clone()),
        board: board.clone(),
        title: format!("Edit the schema for {}?", offered.provider),
        claims,
    }))]
}

/// Asks whether the edit is to be made.
pub(super) fn previewed(state: &mut State, preview: Previewed) {
    let Previewed { before, after, title, page } = preview;
    let text = state.theme.glyphs().fold(&page);
    let page = Page::new(&title, &text, Syntax::Diff, "Enter makes the edit, Esc leaves it");
    let then = Then::Mend { before, after, said: "the schema is edited; undo takes it back".to_owned() };
    open(state, Popup::Ask(Box::new(Ask { page, then })));
}

//! What went over the wire: the exact requests of the shown attempt, and the heads of all responses.

use std::fmt::Write;

use super::super::state::State;
use super::super::state::rounds::Round;
use super::super::state::run::{Run, Sent};
use super::inspect::page;
use crate::json::{ParseLimits, parse, pretty};
use crate::tui::rows::Syntax;
use crate::tui::words;

/// The exact requests of the shown attempt: one, or one a round.
pub(super) fn request(state: &mut State) {
    let Some(run) = &state.run else { return };
    let number = run.shown().map_or(0, |attempt| attempt.number);
    let mut calls: Vec<(u32, &Sent)> =
        run.rounds.of(number).filter_map(|round| Some((round.call, run.sent.get(&round.call)?))).collect();
    if calls.len() < 2 {
        // The call that made the attempt, or the newest there is.
        calls = run.request().map(|sent| (0, sent)).into_iter().collect();
    }
    let dash = state.theme.glyphs().border.horizontal_top;
    let (text, note) = match calls.as_slice() {
        [] => return,
        [(_, sent)] => (written(sent), format!("secrets are left out · {} · u copies it as curl", answered(sent))),
        many => {
            let mut text = String::new();
            for (call, sent) in many {
                let _ = writeln!(text, "{dash}{dash} call {}, {}\n{}\n", call + 1, answered(sent), written(sent));
            }
            (text.trim_end().to_owned(), "secrets are left out · u copies the last as curl".to_owned())
        }
    };
    page(state, "Provider request", &text, Syntax::Json, &note);
}

fn written(sent: &Sent) -> String {
    let body = parse(&sent.body, ParseLimits { max_bytes: usize::MAX, max_depth: 1_000 });
    let body = body.map_or_else(|_| sent.body.clone(), |v| pretty(&v));
    let headers: String = sent.headers.iter().fold(String::new(), |mut out, (name, value)| {
        let _ = writeln!(out, "{name}: {value}");
        out
    });
    format!("POST {}\n{headers}\n{body}", sent.url)
}

fn answered(sent: &Sent) -> String {
    match (sent.status, sent.first_byte_ms) {
        (Some(status), Some(ms)) => format!("answered {status} after {}", words::span(ms)),
        _ => "not answered yet".to_owned(),
    }
}

/// Status, times and headers of every call.
pub(super) fn response(state: &mut State) {
    let Some(run) = &state.run else { return };
    let mut text = String::new();
    for round in &run.rounds.list {
        round_words(&mut text, run, round);
    }
    page(state, "Responses", text.trim_end(), Syntax::Plain, "of the headers a fixed list: no cookies, no keys");
}

fn round_words(text: &mut String, run: &Run, round: &Round) {
    let status = round.head.map_or_else(|| "no response head".to_owned(), |(status, _)| format!("status {status}"));
    let _ = writeln!(text, "call {} · attempt {} · {status}", round.call + 1, round.attempt);
    let since = |ms: u64| format!("{} after it was sent", words::span(ms));
    let facts = [
        ("head", round.head.map(|(_, ms)| since(ms))),
        ("first", round.first_ms.map(since)),
        ("end", round.ended.map(|end| since(end.saturating_sub(round.sent)))),
        ("failed", round.failed.map(|code| code.code().to_owned())),
        ("then", round.wait_ms.map(|ms| format!("waited {} before the next call", words::span(ms)))),
    ];
    for (label, said) in facts.into_iter().filter_map(|(label, said)| Some((label, said?))) {
        let _ = writeln!(text, "  {label}: {said}");
    }
    for (name, value) in &round.headers {
        let _ = writeln!(text, "  {name}: {}", crate::text::safe(value));
    }
    if round.head.is_none() && run.simulated {
        let _ = writeln!(text, "  simulated: there is no wire, so there are no headers");
    }
    text.push('\n');
}

//! Every table of recorded responses.

mod anthropic;
mod azure;
mod bedrock;
mod compat;
mod google;
pub(crate) mod harness;
mod ollama;
mod openai_chat;
mod responses;

use harness::{Recording, Refused, Whole};

pub(crate) fn recordings() -> Vec<Recording> {
    let tables = [
        anthropic::recordings(),
        google::recordings(),
        openai_chat::recordings(),
        compat::recordings(),
        responses::recordings(),
        azure::recordings(),
        bedrock::recordings(),
        ollama::recordings(),
    ];
    tables.into_iter().flatten().collect()
}

pub(crate) fn wholes() -> Vec<Whole> {
    let tables = [
        anthropic::wholes(),
        google::wholes(),
        openai_chat::wholes(),
        compat::wholes(),
        responses::wholes(),
        azure::wholes(),
        bedrock::wholes(),
        ollama::wholes(),
    ];
    tables.into_iter().flatten().collect()
}

pub(crate) fn refusals() -> Vec<Refused> {
    let tables =
        [anthropic::refusals(), google::refusals(), compat::refusals(), responses::refusals(), bedrock::refusals()];
    tables.into_iter().flatten().collect()
}

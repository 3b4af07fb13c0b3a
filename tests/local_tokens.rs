//! The default model's tokens against llama.cpp's, and its file as a source of hostile ones.
#![cfg(feature = "local")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/weights.rs"]
mod weights;

use std::time::Instant;

use formwork::json::{ParseLimits, Value, parse};
use formwork::local::gguf::Gguf;
use formwork::local::tokenizer::Tokenizer;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

fn tokenizer() -> Option<Tokenizer> {
    let gguf = Gguf::open(&weights::weights()?).unwrap();
    Some(Tokenizer::from_gguf(&gguf).unwrap())
}

fn decoded(tokenizer: &Tokenizer, tokens: &[u32]) -> Vec<u8> {
    tokens.iter().flat_map(|token| tokenizer.bytes(*token)).copied().collect()
}

/// Bytes that the model's vocabulary lacks, of those that UTF-8 has.
const UNKNOWN: &[u8] = &[0x04, 0x06, 0x13, 0x14, 0x16, 0x1d, 0xf1, 0xf2];

#[test]
fn token_ids_are_those_of_llama_cpp() {
    let Some(tokenizer) = tokenizer() else { return };
    let list = parse(include_str!("data/tokens.json"), ParseLimits::default()).unwrap();
    let texts = list["texts"].as_array().unwrap();
    assert!(texts.len() > 150, "{}", texts.len());
    let mut wrong = Vec::new();
    for row in texts {
        let text = row["text"].as_str().unwrap();
        let expected: Vec<u64> = row["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
        let found: Vec<u64> = tokenizer.encode(text).into_iter().map(u64::from).collect();
        if found != expected {
            wrong.push(format!("{text:?}\n  llama.cpp {expected:?}\n  here      {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
}

#[test]
fn scratch_speed() {
    let Some(tokenizer) = tokenizer() else { return };
    let prose = "The quick brown fox (it's 12 years old) jumps over {\"the\": [\"lazy\", 3.5]} dogs.\n".repeat(1 << 14);
    let word = "pneumonoultramicroscopic".repeat(1 << 16);
    for (name, text) in [("prose", prose), ("word", word), ("x", "x".repeat(1<<20)), ("blank", " ".repeat(1 << 20)), ("blankn", " \n".repeat(1 << 19)), ("marks", "=".repeat(1<<20)), ("cjk", "漢字仮名".repeat(1<<17))] {
        let start = Instant::now();
        let tokens = tokenizer.encode(&text).len();
        println!("{name} {} bytes {tokens} tokens {:?}", text.len(), start.elapsed());
    }
}

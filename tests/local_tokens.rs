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

use std::io::Read;
use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, parse};
use formwork::local::gguf::{Gguf, GgufError};
use formwork::local::tokenizer::Tokenizer;
use proptest::prelude::*;

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
fn the_ends_of_an_answer_are_known_and_are_no_text() {
    let Some(tokenizer) = tokenizer() else { return };
    assert_eq!((tokenizer.len(), tokenizer.bos(), tokenizer.stops()), (49_152, None, &[0, 2][..]));
    assert_eq!((tokenizer.control("<|im_start|>"), tokenizer.control("<|im_end|>")), (Some(1), Some(2)));
    assert!((0..=16).all(|token| tokenizer.bytes(token).is_empty()));
    assert!((17..49_152).all(|token| !tokenizer.bytes(token).is_empty()));
}

/// A megabyte of each kind, one word or many. Three to ten seconds were a square; the bound is wide for slow machines.
#[test]
fn a_megabyte_is_encoded_in_time() {
    let Some(tokenizer) = tokenizer() else { return };
    let prose = "The quick brown fox (it's 12 years old) jumps over {\"the\": [\"lazy\", 3.5]} dogs.\n".repeat(1 << 14);
    let texts = [
        ("prose", prose),
        ("one word", "pneumonoultramicroscopic".repeat(1 << 16)),
        ("blanks", " ".repeat(1 << 20)),
        ("blank lines", " \n".repeat(1 << 19)),
        ("signs", "=".repeat(1 << 20)),
        ("digits", "9".repeat(1 << 20)),
    ];
    for (name, text) in texts {
        let start = Instant::now();
        let tokens = tokenizer.encode(&text);
        println!("{name}: {} bytes, {} tokens, {:?}", text.len(), tokens.len(), start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(30), "{name}: {:?}", start.elapsed());
        assert!(decoded(&tokenizer, &tokens) == text.as_bytes(), "{name}");
    }
}

#[test]
fn tokens_are_the_text_again() {
    let Some(tokenizer) = tokenizer() else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let pieces = prop_oneof![
        any::<String>(),
        "[ \\t\\r\\n\\u{a0}]{0,9}",
        "[a-zA-Z0-9'\"{}:,<|>_.-]{0,20}",
        "(<\\|im_(start|end)\\|>|'s|'LL|\\u{200d}|\\u{301}|\\x04|\\x00){0,4}",
    ];
    let texts = proptest::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat());
    let law = |text: String| {
        let tokens = tokenizer.encode(&text);
        prop_assert!(tokens.iter().all(|token| *token > 16), "a control token");
        let known: Vec<u8> = text.bytes().filter(|byte| !UNKNOWN.contains(byte)).collect();
        prop_assert_eq!(decoded(&tokenizer, &tokens), known);
        Ok(())
    };
    runner.run(&texts, law).unwrap();
}

/// The real file cut off: in every byte of the first four KiB, at some places of the header, in the weights.
#[test]
fn the_file_cut_anywhere_is_refused() {
    let Some(path) = weights::weights() else { return };
    let whole = fs_err::metadata(&path).unwrap().len();
    let mut head = Vec::new();
    fs_err::File::open(&path).unwrap().take(2 << 20).read_to_end(&mut head).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.gguf");
    // longest first: the file is shortened in place
    let lengths = (0..40).map(|step| head.len() - step * 51_001).chain((0..=4096).rev());
    fs_err::write(&cut, &head).unwrap();
    let file = fs_err::OpenOptions::new().write(true).open(&cut).unwrap();
    for length in lengths {
        file.set_len(length as u64).unwrap();
        match Gguf::open(&cut).expect_err("it was opened") {
            GgufError::Cut { place, missing } => {
                assert!(length >= 4 && missing >= 1 && missing <= whole - length as u64, "{length}: {place} {missing}");
            }
            error => assert!(length < 4 && matches!(error, GgufError::Foreign { .. }), "{length}: {error}"),
        }
    }
}

/// What is missing is exact when the header is whole.
#[test]
fn missing_weights_are_counted() {
    let Some(path) = weights::weights() else { return };
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.gguf");
    fs_err::copy(&path, &cut).unwrap();
    let whole = fs_err::metadata(&cut).unwrap().len();
    let mut rights = fs_err::metadata(&cut).unwrap().permissions();
    #[allow(
        clippy::permissions_set_readonly_false,
        reason = "a copy of a file that may be read-only, in a folder of its own"
    )]
    rights.set_readonly(false);
    fs_err::set_permissions(&cut, rights).unwrap();
    fs_err::OpenOptions::new().write(true).open(&cut).unwrap().set_len(whole - 12_345).unwrap();
    let message = Gguf::open(&cut).unwrap_err().to_string();
    assert!(message.contains("12345 bytes or more are missing"), "{message}");
}

//! The estimate of tokens against the built-in model's tokenizer, on every real schema at hand.
#![cfg(feature = "local")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/weights.rs"]
mod weights;

use formwork::json::{ParseLimits, Value, canonical, parse};
use formwork::local::gguf::Gguf;
use formwork::local::tokenizer::Tokenizer;
use formwork::schema::weight::Parts;

fn schemas() -> Vec<Value> {
    let mut all = Vec::new();
    if let Some(root) = cases::shared().map(|root| root.join("corpora")) {
        for row in cases::rows("corpora/MANIFEST.jsonl") {
            let text = fs_err::read_to_string(root.join(row["path"].as_str().unwrap())).unwrap_or_default();
            all.extend(parse(&text, ParseLimits::default()).ok());
        }
    }
    for source in ["baml", "instructor", "openai-python", "outlines"] {
        all.extend(
            cases::rows(&format!("corpora/pydantic-models/{source}.jsonl")).iter().map(|row| row["schema"].clone()),
        );
    }
    // Enough of each kind, and no half minute for the largest.
    all.retain(|schema| canonical(schema).len() < 200_000);
    all
}

/// `cargo test --test weight -- --nocapture` prints the figures; `tests/real/weights.sh` puts the model in place.
#[test]
fn the_estimate_is_near_the_real_count() {
    let Some(file) = weights::weights() else { return };
    let tokenizer = Tokenizer::from_gguf(&Gguf::open(&file).unwrap()).unwrap();
    let mut errors = Vec::new();
    for schema in schemas() {
        let (real, parts) = (tokenizer.encode(&canonical(&schema)).len(), Parts::of(&schema));
        errors.push((parts.tokens() as f64 - real as f64) / real as f64);
    }
    if errors.is_empty() {
        return;
    }
    errors.sort_by(f64::total_cmp);
    let share = |percent: usize| errors[(errors.len() - 1) * percent / 100] * 100.0;
    println!(
        "{} schemas: error of the estimate {:+.1} % in the middle, {:+.1} to {:+.1} % for nine of ten, {:+.1} to {:+.1} % at worst",
        errors.len(),
        share(50),
        share(5),
        share(95),
        share(0),
        share(100)
    );
    assert!(share(50).abs() < 2.0 && share(5) > -10.0 && share(95) < 10.0);
}

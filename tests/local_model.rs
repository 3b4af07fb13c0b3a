//! Ten schemas and the embedded model: the grammar takes each of them exactly, whatever tokens a model might choose the
//! answer is valid, and the real model answers each of them through the whole chain.

#![cfg(feature = "local")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

#[path = "support/local.rs"]
mod local;
#[path = "support/ten.rs"]
mod ten;
#[allow(dead_code, reason = "the walk's own vocabulary is not needed here")]
#[path = "support/walk.rs"]
mod walk;
#[path = "support/weights.rs"]
mod weights;

use std::sync::Arc;
use std::time::Instant;

use formwork::event::Mode;
use formwork::json::{ParseLimits, parse};
use formwork::local::gguf::Gguf;
use formwork::local::grammar::{Compiler, verdict};
use formwork::local::tokenizer::Tokenizer;
use formwork::plan::GrammarVerdict;
use formwork::runtime::RunSpec;
use formwork::schema::preflight::check_text;
use formwork::schema::validate::{JudgeOptions, Judgement, judge};
use walk::{End, Walk};

const OPTIONS: JudgeOptions = JudgeOptions {
    limits: ParseLimits { max_bytes: 1024 * 1024, max_depth: 128 },
    // formats are held by the grammar, so here they count
    assert_format: true,
};

#[test]
fn ten_kinds_of_schema_are_held_exactly() {
    assert_eq!(ten::SCHEMAS.len(), 10);
    for case in ten::SCHEMAS {
        let schema = parse(case.schema, ParseLimits::default()).unwrap();
        assert!(check_text(case.schema).is_ok(), "{} is legal", case.name);
        assert_eq!(verdict(&schema), GrammarVerdict::Strict, "{}", case.name);
    }
}

#[test]
fn any_tokens_of_the_real_tokenizer_end_in_a_valid_answer() {
    let Some(path) = weights::weights() else { return };
    let tokenizer = Arc::new(Tokenizer::from_gguf(&Gguf::open(&path).unwrap()).unwrap());
    let started = Instant::now();
    let compiler = Compiler::new(&tokenizer).unwrap();
    println!("compiler for {} tokens in {:?}", tokenizer.len(), started.elapsed());
    for case in ten::SCHEMAS {
        let checked = check_text(case.schema).unwrap();
        let judge = judge(&checked.format, OPTIONS).unwrap();
        let mut finished = 0;
        let mut steps = 0;
        let started = Instant::now();
        for seed in 0..6 {
            let mut constraint = compiler.schema(&checked.format.schema).unwrap();
            let mut walk = Walk::over(Arc::clone(&tokenizer), seed);
            let end = walk.run(constraint.as_mut());
            steps += walk.taken();
            match end {
                End::Finished(text) => {
                    finished += 1;
                    let verdict = judge.judge(&text);
                    let valid = matches!(verdict, Judgement::Valid { .. }) || case.is_loose(&text);
                    assert!(valid, "{}: {text} {verdict:?}", case.name);
                }
                End::TooLong => {}
                End::Failed(error, text) => panic!("{}: {error} after {text}", case.name),
            }
        }
        println!("{}: {finished} of 6 texts, {steps} tokens, {:?}", case.name, started.elapsed());
        assert!(finished > 0, "{}: no text came to its end", case.name);
    }
}

/// Plan, prompt, engine, grammar, reader, machine, judge: the way `formwork --print` goes, with the real weights.
#[test]
fn the_real_model_answers_ten_schemas_with_valid_values() {
    let Some(path) = weights::weights() else { return };
    let _alone = local::alone();
    for case in ten::SCHEMAS {
        let started = Instant::now();
        let ran = local::run(RunSpec { assert_format: true, ..local::spec(&path, case.prompt, Some(case.schema)) });
        let message = ran.message();
        assert_eq!(ran.mode(), Some(Mode::Native), "{}", case.name);
        // judged again, by the schema as it was written: the run's own verdict is what is tested
        let checked = check_text(case.schema).unwrap();
        let judge = judge(&checked.format, OPTIONS).unwrap();
        let verdict = judge.judge(message);
        assert!(matches!(verdict, Judgement::Valid { .. }), "{}: {message} {verdict:?}", case.name);
        assert_eq!(ran.value(), Some(&parse(message, ParseLimits::default()).unwrap()), "{}", case.name);
        assert_eq!(ran.attempts().len(), 1, "{}: the grammar leaves nothing to repair", case.name);
        println!("{}: {message} {:?} {:?}", case.name, ran.usage(), started.elapsed());
    }
}

//! The embedded model on one thread: load, prefill, decode, memory, and what the grammar costs.
//!
//! `FORMWORK_TEST_MODEL=MODEL.gguf cargo bench --bench local` prints tokens per second of CPU time (of this thread, from
//! /proc, so other programs beside it count little), the peak of memory, and the times of the grammar for ten schemas.
//! Linux only.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

#[path = "../tests/support/cpu.rs"]
mod cpu;
#[allow(dead_code, reason = "the tests' own questions are not asked here")]
#[path = "../tests/support/ten.rs"]
mod ten;
#[path = "../tests/support/weights.rs"]
mod weights;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use formwork::json::{ParseLimits, parse};
use formwork::local::constraint::{Constraint, TokenSet};
use formwork::local::gguf::Gguf;
use formwork::local::grammar::{Compiler, verdict};
use formwork::local::model::{CHUNK, Cache, Hidden, Model};
use formwork::local::tokenizer::Tokenizer;

use cpu::{cpu, since};

const PREFILL: usize = 512;
const DECODE: usize = 64;
/// A walk through a grammar is cut off here.
const STEPS: usize = 200;

fn main() {
    let Some(path) = weights::weights() else { return };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| measure(&path));
}

fn measure(path: &Path) {
    let (model, tokenizer) = loaded(path);
    speed(&model, &tokenizer);
    println!("{:>22}: {:.0} MB", "peak of memory", peak_kb() / 1_000.0);
    grammar(&Arc::new(tokenizer));
    println!("{:>22}: {:.0} MB", "with the grammar", peak_kb() / 1_000.0);
}

/// As the first call does it: header, tokenizer, all weights.
fn loaded(path: &Path) -> (Model, Tokenizer) {
    let (wall, start) = (Instant::now(), cpu());
    let gguf = Gguf::open(path).unwrap();
    let tokenizer = Tokenizer::from_gguf(&gguf).unwrap();
    let model = Model::load(&gguf, &mut |_, _| ControlFlow::Continue(())).unwrap();
    println!("{:>22}: {:.2?} ({:.2?} of CPU)", "load", wall.elapsed(), since(start));
    (model, tokenizer)
}

fn speed(model: &Model, tokenizer: &Tokenizer) {
    let text = "The invoice of the third of May lists three lamps, two chairs and a table of oak. ".repeat(40);
    let prompt: Vec<u32> = tokenizer.encode(&text).into_iter().take(PREFILL).collect();
    assert_eq!(prompt.len(), PREFILL);
    let mut cache = model.cache();
    told("prefill", PREFILL, best_of(3, || prefill(model, &mut cache, &prompt).1));
    for (name, length) in [("decode", 32), ("decode behind 512", PREFILL)] {
        let decoded = best_of(3, || {
            let hidden = prefill(model, &mut cache, &prompt[..length]).0;
            decode(model, &mut cache, hidden)
        });
        told(name, DECODE, decoded);
    }
}

/// The shortest of several tries.
fn best_of(tries: usize, mut work: impl FnMut() -> Duration) -> Duration {
    (0..tries).map(|_| work()).min().unwrap()
}

fn prefill(model: &Model, cache: &mut Cache, prompt: &[u32]) -> (Hidden, Duration) {
    cache.truncate(0);
    let mut hidden = Hidden::default();
    let start = cpu();
    for chunk in prompt.chunks(CHUNK) {
        hidden = model.feed(cache, chunk).unwrap();
    }
    (hidden, since(start))
}

/// Greedily, all tokens looked at each time.
fn decode(model: &Model, cache: &mut Cache, mut hidden: Hidden) -> Duration {
    let mut logits = Vec::new();
    let start = cpu();
    for _ in 0..DECODE {
        model.logits(&hidden, None, &mut logits).unwrap();
        let best = (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b])).unwrap();
        hidden = model.feed(cache, &[u32::try_from(best).unwrap()]).unwrap();
    }
    since(start)
}

fn told(what: &str, tokens: usize, took: Duration) {
    let each = took / u32::try_from(tokens).unwrap();
    println!("{what:>22}: {:.1} tokens a CPU second ({each:.2?} each)", tokens as f64 / took.as_secs_f64());
}

fn grammar(tokenizer: &Arc<Tokenizer>) {
    let start = Instant::now();
    let compiler = Compiler::new(tokenizer).unwrap();
    println!("{:>22}: {:.2?}, once a model", "grammar's tokens", start.elapsed());
    let mut allowed = TokenSet::new(tokenizer.len());
    for case in ten::SCHEMAS {
        let schema = parse(case.schema, ParseLimits::default()).unwrap();
        let start = Instant::now();
        black_box(verdict(&schema));
        let settled = start.elapsed();
        let start = Instant::now();
        let mut constraint = compiler.schema(&schema).unwrap();
        let built = start.elapsed();
        let mut masks = walk(constraint.as_mut(), &mut allowed);
        masks.sort();
        let sum: Duration = masks.iter().sum();
        let mean = sum / u32::try_from(masks.len().max(1)).unwrap();
        let worst = masks.last().copied().unwrap_or_default();
        println!(
            "{:>22}: verdict {settled:.2?}, compiled {built:.2?}, a mask {mean:.2?} (worst {worst:.2?}, {} masks)",
            case.name,
            masks.len()
        );
    }
}

/// What each step's mask took, along one text: a token from the middle of those allowed, so that texts have some length.
fn walk(constraint: &mut dyn Constraint, allowed: &mut TokenSet) -> Vec<Duration> {
    let mut masks = Vec::new();
    for step in 0..STEPS {
        if constraint.is_complete() {
            break;
        }
        let forced = constraint.forced();
        if !forced.is_empty() {
            for token in forced {
                constraint.take(token).unwrap();
            }
            continue;
        }
        let start = Instant::now();
        constraint.allowed(allowed).unwrap();
        masks.push(start.elapsed());
        let count = allowed.count();
        if count == 0 {
            break;
        }
        let token = allowed.iter().nth(step * 7 % count).unwrap();
        constraint.take(token).unwrap();
    }
    masks
}

/// The most memory this process had so far.
fn peak_kb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

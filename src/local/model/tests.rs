//! Laws of the network on a tiny model of made-up weights. That its numbers are right is `tests/local_llama.rs`'s matter.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use super::*;
use crate::local::gguf::build::Build;

const WIDTH: u64 = 32;
const INNER: u64 = 64;
const WORDS: u64 = 20;
const CONTEXT: u32 = 200;

/// Numbers that look like chance and are always the same.
fn weights(name: &str, count: u64) -> Vec<u8> {
    let mut state = name.bytes().fold(0x9e37_79b9_u32, |state, byte| state.rotate_left(5) ^ u32::from(byte));
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f32::from(u16::try_from(state >> 16).unwrap()) / 65_536.0 - 0.5) * 0.6
    };
    (0..count).flat_map(|_| next().to_le_bytes()).collect()
}

fn tensor(build: Build, name: &str, lengths: &[u64]) -> Build {
    build.tensor(name, lengths, 0, &weights(name, lengths.iter().product()))
}

/// Two layers, four heads that share two of keys and values.
fn tiny() -> Build {
    let mut build = Build::default()
        .text("general.architecture", "llama")
        .uint("llama.block_count", 2)
        .uint("llama.context_length", CONTEXT)
        .uint("llama.embedding_length", u32::try_from(WIDTH).unwrap())
        .uint("llama.feed_forward_length", u32::try_from(INNER).unwrap())
        .uint("llama.attention.head_count", 4)
        .uint("llama.attention.head_count_kv", 2)
        .raw(b"llama.attention.layer_norm_rms_epsilon", 6, &1e-5_f32.to_le_bytes());
    build = tensor(build, "token_embd.weight", &[WIDTH, WORDS]);
    build = tensor(build, "output_norm.weight", &[WIDTH]);
    for layer in 0..2 {
        for (part, lengths) in [
            ("attn_norm", &[WIDTH][..]),
            ("attn_q", &[WIDTH, WIDTH]),
            ("attn_k", &[WIDTH, WIDTH / 2]),
            ("attn_v", &[WIDTH, WIDTH / 2]),
            ("attn_output", &[WIDTH, WIDTH]),
            ("ffn_norm", &[WIDTH]),
            ("ffn_gate", &[WIDTH, INNER]),
            ("ffn_up", &[WIDTH, INNER]),
            ("ffn_down", &[INNER, WIDTH]),
        ] {
            build = tensor(build, &format!("blk.{layer}.{part}.weight"), lengths);
        }
    }
    build
}

fn load(build: &Build) -> Result<Model, ModelError> {
    Model::load(&build.open().unwrap(), &mut |_, _| ControlFlow::Continue(()))
}

fn logits(model: &Model, hidden: &Hidden) -> Vec<f32> {
    let mut out = Vec::new();
    model.logits(hidden, None, &mut out).unwrap();
    out
}

fn fed(model: &Model, cache: &mut Cache, tokens: &[u32], step: usize) -> Vec<f32> {
    let mut hidden = Hidden::default();
    for part in tokens.chunks(step) {
        hidden = model.feed(cache, part).unwrap();
    }
    logits(model, &hidden)
}

fn assert_near(a: &[f32], b: &[f32]) {
    assert_eq!(a.len(), b.len());
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < 1e-3 && a.iter().any(|logit| *logit != 0.0), "{apart}");
}

#[test]
fn how_tokens_are_fed_makes_no_difference() {
    let model = load(&tiny()).unwrap();
    let tokens: Vec<u32> = (0..50).map(|at| at * 7 % 20).collect();
    let at_once = fed(&model, &mut model.cache(), &tokens, CHUNK);
    for step in [1, 3, 5, 6, 11, 12, 13, 49] {
        assert_near(&at_once, &fed(&model, &mut model.cache(), &tokens, step));
    }
    let other = fed(&model, &mut model.cache(), &tokens[1..], CHUNK);
    assert!(at_once.iter().zip(&other).any(|(a, b)| (a - b).abs() > 1e-3), "the first token counts");
}

#[test]
fn a_rollback_forgets_what_came_behind() {
    let model = load(&tiny()).unwrap();
    let mut cache = model.cache();
    let wanted = fed(&model, &mut cache, &[1, 2, 3, 4], 4);
    model.feed(&mut cache, &[9, 9, 9]).unwrap();
    cache.truncate(2);
    assert_eq!(cache.len(), 2);
    assert_near(&wanted, &fed(&model, &mut cache, &[3, 4], 2));
    cache.truncate(0);
    assert!(cache.is_empty());
    assert_near(&wanted, &fed(&model, &mut cache, &[1, 2, 3, 4], 1));
}

#[test]
fn the_wanted_logits_are_those_of_all() {
    let model = load(&tiny()).unwrap();
    let hidden = model.feed(&mut model.cache(), &[1, 2, 3]).unwrap();
    let all = logits(&model, &hidden);
    let mut few = TokenSet::new(20);
    few.insert(3);
    few.insert(17);
    let mut out = Vec::new();
    model.logits(&hidden, Some(&few), &mut out).unwrap();
    for (token, (all, found)) in all.iter().zip(&out).enumerate() {
        let wanted = [3, 17].contains(&token);
        assert!(
            if wanted { (all - found).abs() < 1e-4 } else { *found == f32::NEG_INFINITY },
            "{token}: {all} {found}"
        );
    }
}

#[test]
fn what_does_not_fit_leaves_the_conversation_as_it_was() {
    let model = load(&tiny()).unwrap();
    let mut cache = model.cache();
    model.feed(&mut cache, &[1, 2]).unwrap();
    assert!(matches!(model.feed(&mut cache, &[3, 20]), Err(ModelError::Token(20))));
    assert_eq!(cache.len(), 2);
    let long = vec![1; CONTEXT as usize - 1];
    assert!(matches!(model.feed(&mut cache, &long), Err(ModelError::Full(200))));
    assert_eq!(cache.len(), 2);
    assert_near(&fed(&model, &mut cache, &[3], 1), &fed(&model, &mut model.cache(), &[1, 2, 3], 3));
}

#[test]
fn loading_is_told_and_can_be_stopped() {
    let gguf = tiny().open().unwrap();
    let mut told = Vec::new();
    Model::load(&gguf, &mut |done, total| {
        told.push((done, total));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(told, (0..20).map(|done| (done, 20)).collect::<Vec<_>>());
    let stop =
        Model::load(&gguf, &mut |done, _| if done == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    assert!(matches!(stop, Err(ModelError::Stopped)));
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let refused = |build: Build| load(&build).err().expect("it was loaded").to_string();
    let other = Build::default().text("general.architecture", "mamba\u{1b}[2J");
    assert!(refused(other).ends_with("this version runs llama and qwen2"));
    assert!(!refused(Build::default().text("general.architecture", "a\u{1b}[2J")).contains('\u{1b}'));
    assert!(refused(Build::default()).contains("general.architecture"));
    assert!(refused(tensor(tiny(), "blk.0.attn_q.lora", &[2])).contains("blk.0.attn_q.lora"));
    assert!(refused(tiny().uint("llama.expert_count", 8)).contains("llama.expert_count = 8"));
    let bare = Build::default().text("general.architecture", "llama").uint("llama.attention.head_count", 0);
    assert!(refused(bare).contains("llama.attention.head_count = 0"));
}

//! A model's measures, read from the file's header and held against the tensors it holds, before any is read.

use super::{Gguf, ModelError, SUPPORTED};
use crate::text;

/// The measures of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub layers: usize,
    pub width: usize,
    /// Width of the feed-forward part.
    pub inner: usize,
    pub heads: usize,
    /// Heads of keys and values; each is shared by `heads / shared_heads` others.
    pub shared_heads: usize,
    /// Numbers in a head.
    pub head: usize,
    pub vocabulary: usize,
    /// Tokens a conversation may have: what the model was made for, at most 16,384.
    pub context: usize,
    pub epsilon: f32,
    /// Numbers of a head that carry the position.
    pub(super) turned: usize,
    pub(super) rope_base: f32,
    pub(super) rope_scale: f32,
    pub(super) pairing: Pairing,
    /// The embedding serves for the output too.
    pub(super) tied: bool,
    /// The file has factors for the rotary positions.
    pub(super) rope_factors: bool,
    /// Queries, keys and values have a bias.
    pub(super) biased: bool,
}

/// Which numbers of a head are turned together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing {
    /// 0 with 1, 2 with 3: llama, as converted to GGUF.
    Neighbours,
    /// The first half with the second: qwen2.
    Halves,
}

/// A conversation is no longer than this whatever the model could do: what is remembered of it lies in memory.
pub(super) const MAX_CONTEXT: usize = 16 * 1024;
/// No known model has a measure above this; a product of three of them still fits.
const MAX_MEASURE: u64 = 1 << 20;

impl Shape {
    /// Reads and checks everything.
    pub(super) fn read(gguf: &Gguf) -> Result<Self, ModelError> {
        let name = gguf.text("general.architecture").ok_or_else(|| missing("general.architecture"))?;
        let architecture = SUPPORTED.iter().copied().find(|known| *known == name);
        let architecture = architecture.ok_or_else(|| ModelError::Architecture { name: shown(name) })?;
        let keys = Keys { gguf, architecture };
        let shape = keys.shape()?;
        shape.check(gguf)?;
        Ok(shape)
    }

    /// How many tensors there are to read.
    pub(super) const fn tensors(&self) -> u64 {
        let layer = if self.biased { 12 } else { 9 };
        (self.layers * layer + 2 + !self.tied as usize + self.rope_factors as usize) as u64
    }

    /// What scores are scaled by.
    #[allow(clippy::cast_precision_loss, reason = "a head is far below 2^24 numbers")]
    pub(super) fn attention_scale(&self) -> f32 {
        1.0 / (self.head as f32).sqrt()
    }

    /// Name and shape of every tensor that must be there.
    fn expected(&self, layer: usize) -> Vec<(String, Vec<usize>)> {
        let (query, shared) = (self.heads * self.head, self.shared_heads * self.head);
        let mut parts = vec![
            ("attn_norm.weight", vec![self.width]),
            ("attn_q.weight", vec![query, self.width]),
            ("attn_k.weight", vec![shared, self.width]),
            ("attn_v.weight", vec![shared, self.width]),
            ("attn_output.weight", vec![self.width, query]),
            ("ffn_norm.weight", vec![self.width]),
            ("ffn_gate.weight", vec![self.inner, self.width]),
            ("ffn_up.weight", vec![self.inner, self.width]),
            ("ffn_down.weight", vec![self.width, self.inner]),
        ];
        if self.biased {
            parts.extend([("attn_q.bias", vec![query]), ("attn_k.bias", vec![shared]), ("attn_v.bias", vec![shared])]);
        }
        parts.into_iter().map(|(part, shape)| (format!("blk.{layer}.{part}"), shape)).collect()
    }

    /// All tensors that must be there are, with their shapes, and no other: one that was left out would count.
    fn check(&self, gguf: &Gguf) -> Result<(), ModelError> {
        let mut known = std::collections::HashSet::new();
        let mut expect = |tensor: String, expected: Vec<usize>| {
            let found = gguf.shape(&tensor).ok_or_else(|| ModelError::NoTensor(tensor.clone()))?;
            if found != expected {
                let found = found.iter().copied().take(8).collect();
                return Err(ModelError::Mismatch { tensor, found, expected });
            }
            known.insert(tensor);
            Ok(())
        };
        expect("token_embd.weight".to_owned(), vec![self.vocabulary, self.width])?;
        expect("output_norm.weight".to_owned(), vec![self.width])?;
        if !self.tied {
            expect("output.weight".to_owned(), vec![self.vocabulary, self.width])?;
        }
        if self.rope_factors {
            expect("rope_freqs.weight".to_owned(), vec![self.turned / 2])?;
        }
        for layer in 0..self.layers {
            for (tensor, shape) in self.expected(layer) {
                expect(tensor, shape)?;
            }
        }
        match gguf.tensor_names().find(|name| !known.contains(*name)) {
            Some(unknown) => Err(ModelError::UnknownTensor(shown(unknown))),
            None => Ok(()),
        }
    }
}

/// The header's keys, below the architecture's name.
struct Keys<'a> {
    gguf: &'a Gguf,
    architecture: &'static str,
}

impl Keys<'_> {
    fn shape(&self) -> Result<Shape, ModelError> {
        let qwen = self.architecture == "qwen2";
        let heads = self.measure("attention.head_count")?;
        let shared_heads = self.measure_or("attention.head_count_kv", heads)?;
        let width = self.measure("embedding_length")?;
        if heads % shared_heads != 0 {
            return Err(self.wrong("attention.head_count_kv", &shared_heads, "does not divide the number of heads"));
        }
        if self.gguf.uint(&self.name("attention.key_length")).is_none() && width % heads != 0 {
            return Err(self.wrong("attention.head_count", &heads, "does not divide the width"));
        }
        let head = self.measure_or("attention.key_length", width / heads)?;
        if self.measure_or("attention.value_length", head)? != head {
            return Err(self.wrong("attention.value_length", &head, "is not the length of the keys"));
        }
        let turned = self.measure_or("rope.dimension_count", head)?;
        if turned > head || turned % 2 != 0 {
            return Err(self.wrong("rope.dimension_count", &turned, "is odd or more than a head has"));
        }
        for key in ["expert_count", "attention.sliding_window"] {
            if let Some(value) = self.gguf.uint(&self.name(key)).filter(|value| *value > 0) {
                return Err(self.wrong(key, &value, "this version cannot do"));
            }
        }
        let embedding = self.gguf.shape("token_embd.weight");
        let vocabulary = embedding.and_then(|shape| shape.first()).copied().unwrap_or(0);
        if vocabulary == 0 {
            return Err(ModelError::NoTensor("token_embd.weight".to_owned()));
        }
        Ok(Shape {
            layers: self.measure("block_count")?,
            width,
            inner: self.measure("feed_forward_length")?,
            heads,
            shared_heads,
            head,
            vocabulary,
            context: self.measure("context_length")?.min(MAX_CONTEXT),
            epsilon: self.number("attention.layer_norm_rms_epsilon", None)?,
            turned,
            rope_base: self.number("rope.freq_base", Some(10_000.0))?,
            rope_scale: self.rope_scale()?,
            pairing: if qwen { Pairing::Halves } else { Pairing::Neighbours },
            tied: self.gguf.shape("output.weight").is_none(),
            rope_factors: self.gguf.shape("rope_freqs.weight").is_some(),
            biased: qwen || self.gguf.shape("blk.0.attn_q.bias").is_some(),
        })
    }

    fn name(&self, key: &str) -> String {
        format!("{}.{key}", self.architecture)
    }

    fn wrong(&self, key: &str, value: &dyn std::fmt::Display, why: &'static str) -> ModelError {
        ModelError::Setting { key: self.name(key), value: shown(&value.to_string()), why }
    }

    fn measure(&self, key: &str) -> Result<usize, ModelError> {
        let value = self.gguf.uint(&self.name(key)).ok_or_else(|| missing(&self.name(key)))?;
        let fits = (1..=MAX_MEASURE).contains(&value).then(|| usize::try_from(value).ok()).flatten();
        fits.ok_or_else(|| self.wrong(key, &value, "no model of this kind has"))
    }

    fn measure_or(&self, key: &str, default: usize) -> Result<usize, ModelError> {
        if self.gguf.uint(&self.name(key)).is_some() { self.measure(key) } else { Ok(default) }
    }

    /// A positive number.
    #[allow(clippy::cast_possible_truncation, reason = "the network counts in single precision")]
    fn number(&self, key: &str, default: Option<f64>) -> Result<f32, ModelError> {
        let value = self.gguf.float(&self.name(key)).or(default).ok_or_else(|| missing(&self.name(key)))?;
        let single = value as f32;
        if single.is_normal() && single > 0.0 {
            Ok(single)
        } else {
            Err(self.wrong(key, &value, "is no usable number"))
        }
    }

    /// Only the linear kind is known; `1` is no scaling.
    fn rope_scale(&self) -> Result<f32, ModelError> {
        match self.gguf.text(&self.name("rope.scaling.type")) {
            None | Some("none") => Ok(1.0),
            Some("linear") => Ok(1.0 / self.number("rope.scaling.factor", Some(1.0))?),
            Some(other) => Err(self.wrong("rope.scaling.type", &shown(other), "this version cannot do")),
        }
    }
}

fn missing(key: &str) -> ModelError {
    ModelError::Missing(key.to_owned())
}

/// A name from the file: bounded, and nothing that could drive a terminal.
fn shown(name: &str) -> String {
    text::truncate(&text::safe(name), 80).into_owned()
}

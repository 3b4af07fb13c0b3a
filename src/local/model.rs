//! The network: llama and qwen2 models from a GGUF file, on the CPU, one conversation at a time.
//!
//! Everything a file says is checked before it is used; an architecture, a tensor or a setting that is not known is
//! refused by name. Knows nothing of text, tokens' bytes or grammars.

mod attention;
mod cache;
mod matrix;
mod packed;
mod product;
mod shape;

use std::ops::ControlFlow;

use candle_core::DType;

use self::attention::Rope;
pub use self::cache::Cache;
use self::matrix::Matrix;
pub use self::shape::Shape;
use super::constraint::TokenSet;
use super::gguf::{Gguf, GgufError};

/// The architectures that can be run.
pub const SUPPORTED: &[&str] = &["llama", "qwen2"];

/// At most this many tokens are fed at a time: between two batches a cancel is looked at.
pub const CHUNK: usize = 64;

/// Why a model cannot be used. Safe to show: names of the file's own tensors and keys, numbers, nothing else.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    File(#[from] GgufError),
    #[error("the model's architecture is {name:?}: this version runs {}", SUPPORTED.join(" and "))]
    Architecture { name: String },
    #[error("the model file does not say {0}")]
    Missing(String),
    #[error("the model file says {key} = {value}, which {why}")]
    Setting { key: String, value: String, why: &'static str },
    #[error("the model file has no tensor {0}")]
    NoTensor(String),
    #[error("the tensor {tensor} has the shape {found:?}, expected is {expected:?}")]
    Mismatch { tensor: String, found: Vec<usize>, expected: Vec<usize> },
    #[error("the model file holds the tensor {0:?}, which this version does not know")]
    UnknownTensor(String),
    #[error("the tensor {tensor} holds a number that half precision cannot hold")]
    NotFinite { tensor: String },
    #[error("the model's arithmetic failed")]
    Arithmetic(#[from] candle_core::Error),
    #[error("the token {0} is not in the model's vocabulary")]
    Token(u32),
    #[error("the model's context of {0} tokens is full")]
    Full(usize),
    #[error("loading was stopped")]
    Stopped,
}

/// A loaded model. Holds no conversation: that is the [`Cache`].
pub struct Model {
    shape: Shape,
    embedding: Matrix,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    /// `None` when the embedding serves for the output too.
    output: Option<Matrix>,
    rope: Rope,
}

struct Layer {
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    joined: Matrix,
    feed_norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

/// A product with an optional bias.
struct Linear {
    weights: Matrix,
    bias: Option<Vec<f32>>,
}

/// What the network made of the last token fed.
#[derive(Debug, Clone, Default)]
pub struct Hidden(Vec<f32>);

impl Model {
    /// Reads all weights. `progress` is told `(done, total)` tensors and may stop the loading.
    ///
    /// # Errors
    /// [`ModelError`], naming what is wrong with the file.
    pub fn load(gguf: &Gguf, progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<Self, ModelError> {
        let shape = Shape::read(gguf)?;
        let mut reader = Reader { gguf, progress, done: 0, total: shape.tensors() };
        let embedding = reader.matrix("token_embd.weight")?;
        let layers = (0..shape.layers).map(|index| reader.layer(index)).collect::<Result<_, _>>()?;
        let norm = reader.vector("output_norm.weight")?;
        let output = if shape.tied { None } else { Some(reader.matrix("output.weight")?) };
        let factors = if shape.rope_factors { Some(reader.vector("rope_freqs.weight")?) } else { None };
        let rope = Rope::new(&shape, factors.as_deref());
        Ok(Self { shape, embedding, layers, norm, output, rope })
    }

    /// The model's measures.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// An empty conversation.
    #[must_use]
    pub fn cache(&self) -> Cache {
        Cache::new(&self.shape)
    }

    /// Appends up to [`CHUNK`] tokens to the conversation. On an error the conversation is as it was.
    ///
    /// # Errors
    /// [`ModelError::Full`], [`ModelError::Token`].
    pub fn feed(&self, cache: &mut Cache, tokens: &[u32]) -> Result<Hidden, ModelError> {
        let start = cache.len();
        if start + tokens.len() > self.shape.context {
            return Err(ModelError::Full(self.shape.context));
        }
        let fed = self.forward(cache, tokens);
        if fed.is_err() {
            cache.truncate(start);
        }
        fed
    }

    fn forward(&self, cache: &mut Cache, tokens: &[u32]) -> Result<Hidden, ModelError> {
        let mut x = self.embed(tokens)?;
        let turns = self.rope.turns(cache.len(), tokens.len());
        for (index, layer) in self.layers.iter().enumerate() {
            self.attend(layer, cache, index, &turns, &mut x);
            self.think(layer, &mut x);
        }
        cache.advance(tokens.len());
        let last = x.len().saturating_sub(self.shape.width);
        let last = x.get(last..).unwrap_or_default();
        Ok(Hidden(normed(last, &self.norm, self.shape.epsilon)))
    }

    fn embed(&self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let mut x = Vec::with_capacity(tokens.len() * self.shape.width);
        for &token in tokens {
            let index = usize::try_from(token).ok().filter(|index| *index < self.shape.vocabulary);
            self.embedding.row(index.ok_or(ModelError::Token(token))?, &mut x);
        }
        Ok(x)
    }

    fn attend(&self, layer: &Layer, cache: &mut Cache, index: usize, turns: &[(f32, f32)], x: &mut [f32]) {
        let input = normed(x, &layer.attention_norm, self.shape.epsilon);
        let mut query = layer.query.apply(&input);
        let mut key = layer.key.apply(&input);
        let value = layer.value.apply(&input);
        self.rope.turn(&mut query, self.shape.heads, turns);
        self.rope.turn(&mut key, self.shape.shared_heads, turns);
        cache.push(index, &key, &value);
        let mixed = attention::attention(&self.shape, cache, index, &query);
        add(x, &layer.joined.times(&mixed));
    }

    fn think(&self, layer: &Layer, x: &mut [f32]) {
        let input = normed(x, &layer.feed_norm, self.shape.epsilon);
        let mut gate = layer.gate.times(&input);
        let up = layer.up.times(&input);
        for (gate, up) in gate.iter_mut().zip(&up) {
            *gate = *gate / (1.0 + (-*gate).exp()) * up;
        }
        add(x, &layer.down.times(&gate));
    }

    /// How likely each token is next, as unscaled numbers; where only some are wanted the others are minus infinity.
    ///
    /// # Errors
    /// [`ModelError::Arithmetic`].
    pub fn logits(&self, hidden: &Hidden, only: Option<&TokenSet>, out: &mut Vec<f32>) -> Result<(), ModelError> {
        let head = self.output.as_ref().unwrap_or(&self.embedding);
        // Rows picked one by one are slower than rows in order.
        let few = only.filter(|only| only.count() < head.rows() / 4);
        out.clear();
        let Some(few) = few else {
            out.append(&mut head.times(&hidden.0));
            return Ok(());
        };
        out.resize(head.rows(), f32::NEG_INFINITY);
        head.picked(&hidden.0, few.iter().map(|token| token as usize), |token, logit| {
            if let Some(place) = out.get_mut(token) {
                *place = logit;
            }
        });
        Ok(())
    }
}

impl Linear {
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut out = self.weights.times(x);
        if let Some(bias) = &self.bias {
            out.chunks_exact_mut(bias.len().max(1)).for_each(|row| add(row, bias));
        }
        out
    }
}

/// Reads tensors whose presence and shape [`Shape::read`] has checked.
struct Reader<'a> {
    gguf: &'a Gguf,
    progress: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    done: u64,
    total: u64,
}

impl Reader<'_> {
    fn step(&mut self) -> Result<(), ModelError> {
        let told = (self.progress)(self.done, self.total);
        self.done += 1;
        if told.is_break() { Err(ModelError::Stopped) } else { Ok(()) }
    }

    fn matrix(&mut self, name: &str) -> Result<Matrix, ModelError> {
        self.step()?;
        Matrix::load(self.gguf, name)
    }

    fn vector(&mut self, name: &str) -> Result<Vec<f32>, ModelError> {
        self.step()?;
        let vector = self.gguf.tensor(name, DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
        if vector.iter().any(|number| !number.is_finite()) {
            return Err(ModelError::NotFinite { tensor: name.to_owned() });
        }
        Ok(vector)
    }

    fn linear(&mut self, name: &str) -> Result<Linear, ModelError> {
        let weights = self.matrix(&format!("{name}.weight"))?;
        let bias = format!("{name}.bias");
        let bias = if self.gguf.shape(&bias).is_some() { Some(self.vector(&bias)?) } else { None };
        Ok(Linear { weights, bias })
    }

    fn layer(&mut self, index: usize) -> Result<Layer, ModelError> {
        let name = |part: &str| format!("blk.{index}.{part}");
        Ok(Layer {
            attention_norm: self.vector(&name("attn_norm.weight"))?,
            query: self.linear(&name("attn_q"))?,
            key: self.linear(&name("attn_k"))?,
            value: self.linear(&name("attn_v"))?,
            joined: self.matrix(&name("attn_output.weight"))?,
            feed_norm: self.vector(&name("ffn_norm.weight"))?,
            gate: self.matrix(&name("ffn_gate.weight"))?,
            up: self.matrix(&name("ffn_up.weight"))?,
            down: self.matrix(&name("ffn_down.weight"))?,
        })
    }
}

/// Each row scaled to a mean square of one, then weighted.
fn normed(x: &[f32], weights: &[f32], epsilon: f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(x.len());
    #[allow(clippy::cast_precision_loss, reason = "a width is far below 2^24")]
    let width = weights.len() as f32;
    for row in x.chunks_exact(weights.len().max(1)) {
        let square: f32 = row.iter().map(|x| x * x).sum();
        let scale = 1.0 / (square / width + epsilon).sqrt();
        out.extend(row.iter().zip(weights).map(|(x, weight)| x * scale * weight));
    }
    out
}

fn add(sum: &mut [f32], more: &[f32]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

#[cfg(test)]
mod tests;

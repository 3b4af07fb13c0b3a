//! Where a token looks: rotary positions, and attention with heads that share keys and values.

use super::cache::Place;
use super::shape::Pairing;
use super::{Cache, Shape};

/// From this many rows on the products are real matrix products.
const MANY: usize = 12;

/// Rotary positions: the angle of each pair of numbers grows with the position.
pub(super) struct Rope {
    pairing: Pairing,
    head: usize,
    /// Angle a position adds, one a pair.
    speeds: Vec<f32>,
}

impl Rope {
    pub(super) fn new(shape: &Shape, factors: Option<&[f32]>) -> Self {
        #[allow(clippy::cast_precision_loss, reason = "a head is far below 2^24 numbers")]
        let speed = |pair: usize| {
            let exponent = (2 * pair) as f32 / shape.turned as f32;
            let factor = factors.and_then(|factors| factors.get(pair)).copied().unwrap_or(1.0);
            shape.rope_scale / (shape.rope_base.powf(exponent) * factor)
        };
        let speeds = (0..shape.turned / 2).map(speed).collect();
        Self { pairing: shape.pairing, head: shape.head, speeds }
    }

    /// Cosine and sine for each pair of each of `count` positions from `start` on.
    pub(super) fn turns(&self, start: usize, count: usize) -> Vec<(f32, f32)> {
        #[allow(clippy::cast_precision_loss, reason = "a context is far below 2^24 tokens")]
        let position = |position: usize| self.speeds.iter().map(move |speed| position as f32 * speed);
        (start..start + count).flat_map(position).map(|angle| (angle.cos(), angle.sin())).collect()
    }

    /// Turns every head of every row.
    pub(super) fn turn(&self, rows: &mut [f32], heads: usize, turns: &[(f32, f32)]) {
        let pairs = self.speeds.len();
        let turned = rows.chunks_exact_mut((heads * self.head).max(1)).zip(turns.chunks_exact(pairs.max(1)));
        for (row, turns) in turned {
            for head in row.chunks_exact_mut(self.head) {
                match self.pairing {
                    Pairing::Neighbours => {
                        for (pair, (cos, sin)) in head.chunks_exact_mut(2).zip(turns) {
                            if let [a, b] = pair {
                                (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
                            }
                        }
                    }
                    Pairing::Halves => {
                        let (first, second) = head.split_at_mut(pairs.min(head.len()));
                        for ((a, b), (cos, sin)) in first.iter_mut().zip(second).zip(turns) {
                            (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
                        }
                    }
                }
            }
        }
    }
}

/// Attention of the newest tokens (one row of `query` each) over the conversation up to each of them.
pub(super) fn attention(shape: &Shape, cache: &Cache, layer: usize, query: &[f32]) -> Vec<f32> {
    let (head, group) = (shape.head, shape.heads / shape.shared_heads);
    let width = shape.heads * head;
    let count = query.len() / width.max(1);
    let mut out = vec![0.0; query.len()];
    let mut part = Vec::with_capacity(count * group * head);
    for shared in 0..shape.shared_heads {
        let Some(place) = cache.place(layer, shared) else { continue };
        let columns = shared * group * head..(shared + 1) * group * head;
        part.clear();
        for row in query.chunks_exact(width) {
            part.extend_from_slice(row.get(columns.clone()).unwrap_or_default());
        }
        let mixed =
            if part.len() / head >= MANY { many(shape, group, &part, place) } else { few(shape, group, &part, place) };
        for (row, mixed) in out.chunks_exact_mut(width).zip(mixed.chunks_exact(group * head)) {
            if let Some(place) = row.get_mut(columns.clone()) {
                place.copy_from_slice(mixed);
            }
        }
    }
    out
}

/// How many tokens a row may see: all before its own, and its own.
const fn seen(tokens: usize, rows: usize, group: usize, row: usize) -> usize {
    tokens - rows / group + row / group + 1
}

fn few(shape: &Shape, group: usize, query: &[f32], place: &Place) -> Vec<f32> {
    let (head, rows, tokens) = (shape.head, query.len() / shape.head, place.keys.rows());
    let mut out = vec![0.0; query.len()];
    let mut scores = vec![0.0; tokens];
    for (row, (query, out)) in query.chunks_exact(head).zip(out.chunks_exact_mut(head)).enumerate() {
        let Some(scores) = scores.get_mut(..seen(tokens, rows, group, row)) else { continue };
        place.keys.dots(0, &place.keys.padded(query), scores);
        soften(scores, shape.attention_scale());
        place.values.add_shares(scores, out);
    }
    out
}

fn many(shape: &Shape, group: usize, query: &[f32], place: &Place) -> Vec<f32> {
    let (rows, tokens) = (query.len() / shape.head, place.keys.rows());
    let mut scores = place.keys.products(0, tokens, &place.keys.padded_rows(query));
    for (row, scores) in scores.chunks_exact_mut(tokens.max(1)).enumerate() {
        let (shown, hidden) = scores.split_at_mut(seen(tokens, rows, group, row).min(tokens));
        soften(shown, shape.attention_scale());
        hidden.fill(0.0);
    }
    place.values.mixed(&scores)
}

/// Scores become shares that add up to one.
fn soften(scores: &mut [f32], scale: f32) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = ((*score - most) * scale).exp();
        sum += *score;
    }
    let share = 1.0 / sum;
    for score in scores {
        *score *= share;
    }
}

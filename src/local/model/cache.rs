//! What attention remembers of a conversation: a key and a value for each token, layer and head, in half precision.

use half::f16;
use half::slice::HalfFloatSliceExt as _;

use super::Shape;

/// Grows with the conversation and can be rolled back to any earlier length.
pub struct Cache {
    length: usize,
    heads: usize,
    head: usize,
    /// One for each layer and head, token after token.
    keys: Vec<Vec<f16>>,
    values: Vec<Vec<f16>>,
}

impl Cache {
    pub(super) fn new(shape: &Shape) -> Self {
        let places = shape.layers * shape.shared_heads;
        Self {
            length: 0,
            heads: shape.shared_heads,
            head: shape.head,
            keys: vec![Vec::new(); places],
            values: vec![Vec::new(); places],
        }
    }

    /// Tokens in it.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Forgets everything behind the first `length` tokens.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
        let numbers = self.length * self.head;
        self.keys.iter_mut().chain(&mut self.values).for_each(|place| place.truncate(numbers));
    }

    /// Adds the keys and values of new tokens to one layer: a row a token, head beside head.
    pub(super) fn push(&mut self, layer: usize, keys: &[f32], values: &[f32]) {
        append(&mut self.keys, layer * self.heads, self.heads, self.head, keys);
        append(&mut self.values, layer * self.heads, self.heads, self.head, values);
    }

    /// All layers have the new tokens.
    pub(super) const fn advance(&mut self, tokens: usize) {
        self.length += tokens;
    }

    /// Keys and values of one head, widened.
    pub(super) fn read(&self, layer: usize, head: usize, keys: &mut Vec<f32>, values: &mut Vec<f32>) {
        let index = layer * self.heads + head;
        widen(self.keys.get(index), keys);
        widen(self.values.get(index), values);
    }
}

fn append(places: &mut [Vec<f16>], first: usize, heads: usize, head: usize, rows: &[f32]) {
    for row in rows.chunks_exact((heads * head).max(1)) {
        let places = places.iter_mut().skip(first).take(heads);
        for (place, numbers) in places.zip(row.chunks_exact(head.max(1))) {
            let start = place.len();
            place.resize(start + head, f16::ZERO);
            if let Some(new) = place.get_mut(start..) {
                new.convert_from_f32_slice(numbers);
            }
        }
    }
}

fn widen(place: Option<&Vec<f16>>, out: &mut Vec<f32>) {
    let place = place.map_or(&[][..], Vec::as_slice);
    out.resize(place.len(), 0.0);
    place.convert_to_f32_slice(out);
}

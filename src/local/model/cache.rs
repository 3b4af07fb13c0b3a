//! What attention remembers of a conversation: a key and a value for each token, layer and head, packed.

use super::Shape;
use super::packed::Packed;

/// Grows with the conversation and can be rolled back to any earlier length.
pub struct Cache {
    length: usize,
    heads: usize,
    head: usize,
    /// One for each layer and head, token after token.
    places: Vec<Place>,
}

/// Keys and values of one head.
pub(super) struct Place {
    pub(super) keys: Packed,
    pub(super) values: Packed,
}

impl Cache {
    pub(super) fn new(shape: &Shape) -> Self {
        let place = || Place { keys: Packed::new(shape.head, 0), values: Packed::new(shape.head, 0) };
        let count = shape.layers * shape.shared_heads;
        let places = std::iter::repeat_with(place).take(count).collect();
        Self { length: 0, heads: shape.shared_heads, head: shape.head, places }
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
        for place in &mut self.places {
            place.keys.truncate(self.length);
            place.values.truncate(self.length);
        }
    }

    /// Adds the keys and values of new tokens to one layer: a row a token, head beside head.
    pub(super) fn push(&mut self, layer: usize, keys: &[f32], values: &[f32]) {
        let (head, width) = (self.head.max(1), (self.heads * self.head).max(1));
        for (keys, values) in keys.chunks_exact(width).zip(values.chunks_exact(width)) {
            let places = self.places.iter_mut().skip(layer * self.heads);
            for ((place, keys), values) in places.zip(keys.chunks_exact(head)).zip(values.chunks_exact(head)) {
                place.keys.extend(keys);
                place.values.extend(values);
            }
        }
    }

    /// All layers have the new tokens.
    pub(super) const fn advance(&mut self, tokens: usize) {
        self.length += tokens;
    }

    /// Keys and values of one head.
    pub(super) fn place(&self, layer: usize, head: usize) -> Option<&Place> {
        self.places.get(layer * self.heads + head)
    }
}

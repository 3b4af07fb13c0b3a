//! What holds a generation to a form: the door between the token loop and the grammar behind it.

/// A set of token ids, one bit a token.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenSet {
    words: Vec<u32>,
    size: usize,
}

/// The constraint cannot go on: a defect or a limit of the grammar, never the fault of the answer's reader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// No token may come next, and the text is no answer yet.
    #[error("the grammar is stuck: no token may follow")]
    Stuck,
    /// An object must go on with another member, and it has all the names that it may have.
    #[error("an object needs one more member, and all names that its schema allows are used")]
    NoName,
    /// A token was fed that was not allowed.
    #[error("the grammar does not allow this token")]
    NotAllowed,
    /// The grammar became too large or too slow to follow.
    #[error("the grammar exceeds its limits: {0}")]
    Limit(String),
}

/// A form that an answer is held to, token by token.
pub trait Constraint: Send {
    /// Fills `out` with the tokens that may come next. Stop tokens are never in it: [`Constraint::may_stop`] tells.
    ///
    /// # Errors
    /// [`ConstraintError`], after which the constraint is of no more use.
    fn allowed(&mut self, out: &mut TokenSet) -> Result<(), ConstraintError>;

    /// The tokens that must come next whatever the model thinks; empty where there is a choice. They still have to be
    /// taken.
    fn forced(&mut self) -> Vec<u32>;

    /// The model's (or the forced) token is part of the text now.
    ///
    /// # Errors
    /// [`ConstraintError`] when the token was not allowed.
    fn take(&mut self, token: u32) -> Result<(), ConstraintError>;

    /// May the answer end here?
    fn may_stop(&mut self) -> bool;

    /// Must it end here: may nothing follow?
    fn is_complete(&mut self) -> bool;
}

impl TokenSet {
    /// An empty set of ids below `size`.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self { words: vec![0; size.div_ceil(32)], size }
    }

    /// Ids are below this.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Takes a bit mask, 32 tokens a word, the lowest id in the lowest bit. Bits past the size are dropped.
    pub fn assign(&mut self, words: &[u32]) {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word = words.get(index).copied().unwrap_or(0);
        }
        if let Some(last) = self.words.last_mut().filter(|_| !self.size.is_multiple_of(32)) {
            *last &= (1 << (self.size % 32)) - 1;
        }
    }

    /// Adds an id; one past the size is ignored.
    pub fn insert(&mut self, token: u32) {
        let index = token as usize;
        if let Some(word) = self.words.get_mut(index / 32).filter(|_| index < self.size) {
            *word |= 1 << (index % 32);
        }
    }

    /// Takes an id out.
    pub fn remove(&mut self, token: u32) {
        let index = token as usize;
        if let Some(word) = self.words.get_mut(index / 32) {
            *word &= !(1 << (index % 32));
        }
    }

    #[must_use]
    pub fn contains(&self, token: u32) -> bool {
        let index = token as usize;
        self.words.get(index / 32).is_some_and(|word| word & (1 << (index % 32)) != 0)
    }

    /// How many ids are in it.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The ids, rising.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let base = (0u32..).step_by(32);
        self.words.iter().zip(base).flat_map(|(&word, base)| {
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|rest| *rest != 0)
                .map(move |rest| base + rest.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_in_order() {
        let mut set = TokenSet::new(70);
        for id in [69, 0, 31, 32, 64, 70, 4000] {
            set.insert(id);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 31, 32, 64, 69]);
        set.remove(31);
        assert!(!set.contains(31) && set.contains(32) && !set.contains(4000));
        assert_eq!(set.count(), 4);
    }

    #[test]
    fn a_mask_longer_than_the_set_adds_nothing() {
        let mut set = TokenSet::new(33);
        set.assign(&[1, u32::MAX, u32::MAX]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 32]);
        set.assign(&[]);
        assert_eq!(set.count(), 0);
    }
}

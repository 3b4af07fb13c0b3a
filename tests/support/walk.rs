//! Random texts through a constraint: seeded, closing when long. A small vocabulary stands for a tokenizer.

use std::sync::Arc;

use formwork::local::constraint::{Constraint, ConstraintError, TokenSet};
use formwork::local::grammar::{Compiler, Vocabulary};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// After so many bytes the walk prefers what closes; after so many tokens it gives up.
const LONG: usize = 120;
const MOST: usize = 3_000;

/// Single bytes, and some longer tokens as real vocabularies have them. The last token ends the answer.
pub(crate) struct Pieces {
    words: Vec<Vec<u8>>,
    stop: [u32; 1],
}

const MERGES: &[&str] = &[
    "{\"", "\":", "\":\"", "\",\"", "\"}", "\"},{\"", "\"]", "}}", "]}", "},", "null", "true", "false", "12", "00",
    ".5", "the", " and", "name", "a\"", "\"a\"", "\"a\":", "é", "日本", "\\n", "\\\"", "-1", "e", "E+", "[]", "{}",
    "\",", ",\"",
];

impl Pieces {
    pub(crate) fn new() -> Self {
        let mut words: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        words.extend(MERGES.iter().map(|word| word.as_bytes().to_vec()));
        let stop = u32::try_from(words.len()).unwrap();
        words.push(Vec::new());
        Self { words, stop: [stop] }
    }
}

impl Vocabulary for Pieces {
    fn size(&self) -> usize {
        self.words.len()
    }

    fn bytes(&self, token: u32) -> &[u8] {
        self.words.get(token as usize).map_or(&[], Vec::as_slice)
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let fits = self.words.iter().enumerate().filter(|(_, word)| !word.is_empty() && rest.starts_with(word));
            let (token, word) = fits.max_by_key(|(_, word)| word.len()).unwrap();
            tokens.push(u32::try_from(token).unwrap());
            rest = rest.split_at(word.len()).1;
        }
        tokens
    }

    fn stops(&self) -> &[u32] {
        &self.stop
    }
}

pub(crate) fn compiler() -> Compiler {
    Compiler::new(&Arc::new(Pieces::new())).unwrap()
}

pub(crate) enum End {
    Finished(String),
    TooLong,
    Failed(ConstraintError, String),
}

pub(crate) struct Walk<V> {
    random: StdRng,
    pieces: Arc<V>,
    text: Vec<u8>,
    taken: usize,
}

impl Walk<Pieces> {
    pub(crate) fn new(seed: u64) -> Self {
        Self::over(Arc::new(Pieces::new()), seed)
    }
}

impl<V: Vocabulary> Walk<V> {
    pub(crate) fn over(vocabulary: Arc<V>, seed: u64) -> Self {
        Self { random: StdRng::seed_from_u64(seed), pieces: vocabulary, text: Vec::new(), taken: 0 }
    }

    /// Tokens taken so far.
    #[allow(dead_code, reason = "not every test binary counts")]
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    pub(crate) fn run(&mut self, constraint: &mut dyn Constraint) -> End {
        let end = self.steps(constraint);
        let text = std::mem::take(&mut self.text);
        match end {
            Ok(true) => End::Finished(String::from_utf8(text).expect("whole characters")),
            Ok(false) => End::TooLong,
            Err(error) => End::Failed(error, String::from_utf8_lossy(&text).into_owned()),
        }
    }

    /// Did the text come to its end?
    fn steps(&mut self, constraint: &mut dyn Constraint) -> Result<bool, ConstraintError> {
        let mut allowed = TokenSet::new(self.pieces.size());
        for _ in 0..MOST {
            if constraint.is_complete() {
                return Ok(true);
            }
            let forced = constraint.forced();
            if !forced.is_empty() {
                for token in forced {
                    self.take(constraint, token)?;
                }
                continue;
            }
            let long = self.text.len() > LONG;
            if constraint.may_stop() && (long || self.random.random_range(0..4) == 0) {
                return Ok(true);
            }
            constraint.allowed(&mut allowed)?;
            let tokens: Vec<u32> = allowed.iter().collect();
            if tokens.is_empty() {
                return Ok(true);
            }
            let token = self.choose(&tokens, long);
            self.take(constraint, token)?;
        }
        Ok(false)
    }

    fn take(&mut self, constraint: &mut dyn Constraint, token: u32) -> Result<(), ConstraintError> {
        constraint.take(token)?;
        self.taken += 1;
        self.text.extend_from_slice(self.pieces.bytes(token));
        Ok(())
    }

    fn choose(&mut self, tokens: &[u32], long: bool) -> u32 {
        let closing = |token: &&u32| matches!(self.pieces.bytes(**token), b"\"" | b"}" | b"]" | b"null");
        let closers: Vec<u32> = tokens.iter().filter(closing).copied().collect();
        // Names must differ, so a closing quotation mark is not always there, or not always wise.
        if !closers.is_empty() && (long || self.random.random_range(0..6) == 0) && self.random.random_range(0..8) != 0 {
            return closers[self.random.random_range(0..closers.len())];
        }
        let plain: Vec<u32> = tokens
            .iter()
            .filter(|token| self.pieces.bytes(**token).iter().all(u8::is_ascii_graphic))
            .copied()
            .collect();
        let from = if plain.is_empty() || self.random.random_range(0..5) == 0 { tokens } else { &plain };
        from[self.random.random_range(0..from.len())]
    }
}

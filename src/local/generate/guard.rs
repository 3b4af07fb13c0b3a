//! Notices a text that goes in circles: the same stretch of tokens again and again.

/// The longest stretch that is looked for.
const LONGEST: usize = 64;
/// So many tokens must have come again, and so many times the stretch.
const TOKENS: usize = 24;
const TIMES: usize = 3;

/// For each length of a stretch how many tokens equal those so far before them.
#[derive(Debug)]
pub(super) struct Circles {
    runs: [usize; LONGEST],
}

impl Default for Circles {
    fn default() -> Self {
        Self { runs: [0; LONGEST] }
    }
}

impl Circles {
    /// The next token after those made so far.
    pub(super) fn push(&mut self, made: &[u32], token: u32) {
        for (run, before) in self.runs.iter_mut().zip(made.iter().rev().map(Some).chain(std::iter::repeat(None))) {
            *run = if before == Some(&token) { *run + 1 } else { 0 };
        }
    }

    /// The shortest stretch that the text is caught in.
    pub(super) fn found(&self) -> Option<usize> {
        let stretches = (1..).zip(&self.runs);
        stretches.filter(|(length, run)| **run >= TOKENS.max(TIMES * length)).map(|(length, _)| length).next()
    }
}

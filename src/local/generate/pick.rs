//! Which of the allowed tokens to take: the likeliest, or what closes when an answer must come to its end.

use super::Words;
use crate::local::constraint::TokenSet;

/// The likeliest of the tokens; the first of equals. What is no number never wins.
pub(super) fn best(tokens: impl Iterator<Item = u32>, logits: &[f32]) -> Option<u32> {
    let mut best: Option<(u32, f32)> = None;
    for token in tokens {
        let Some(&logit) = logits.get(token as usize) else { continue };
        if !logit.is_nan() && best.is_none_or(|(_, most)| logit > most) {
            best = Some((token, logit));
        }
    }
    best.map(|(token, _)| token)
}

/// Where in JSON the text stands, as far as closing needs it.
#[derive(Debug, Default)]
pub(super) struct Place {
    in_string: bool,
    escaped: bool,
    /// The token that the string of the moment began with.
    began: usize,
}

impl Place {
    /// Reads the bytes of the token with this number.
    pub(super) fn read(&mut self, bytes: &[u8], number: usize) {
        for byte in bytes {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => {
                    self.in_string = !self.in_string;
                    self.began = number;
                }
                _ => {}
            }
        }
    }

    /// Did the string of the moment begin within the last `tokens` of `made` tokens? Then it is whole stretches of
    /// structure that come again, not the string's own text.
    pub(super) const fn began_within(&self, made: usize, tokens: usize) -> bool {
        self.in_string && made.saturating_sub(self.began) < tokens
    }
}

/// The tokens of a vocabulary by what they do to an answer; made once a model.
#[derive(Debug)]
pub struct Kinds {
    /// All that are text, and those that end an answer.
    sayable: TokenSet,
    /// `]`, `}` and their combinations.
    brackets: Vec<u32>,
    /// `"`, alone or with such brackets.
    quotes: Vec<u32>,
    /// What else begins with `"`.
    quoted: Vec<u32>,
    /// What begins with `,`.
    commas: Vec<u32>,
    /// What opens something or is only white space.
    openers: TokenSet,
}

impl Kinds {
    /// Sorts a vocabulary.
    #[must_use]
    pub fn new(words: &dyn Words) -> Self {
        let size = words.size();
        let mut kinds = Self {
            sayable: TokenSet::new(size),
            brackets: Vec::new(),
            quotes: Vec::new(),
            quoted: Vec::new(),
            commas: Vec::new(),
            openers: TokenSet::new(size),
        };
        words.stops().iter().for_each(|stop| kinds.sayable.insert(*stop));
        for token in 0..u32::try_from(size).unwrap_or(u32::MAX) {
            kinds.sort(token, words.bytes(token));
        }
        kinds
    }

    fn sort(&mut self, token: u32, bytes: &[u8]) {
        let Some((first, rest)) = bytes.split_first() else { return };
        self.sayable.insert(token);
        let closes = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b']' | b'}'));
        match first {
            b']' | b'}' if closes(rest) => self.brackets.push(token),
            b'"' if closes(rest) => self.quotes.push(token),
            b'"' => self.quoted.push(token),
            b',' => self.commas.push(token),
            _ => {}
        }
        if bytes.iter().any(|byte| matches!(byte, b'[' | b'{')) || bytes.iter().all(u8::is_ascii_whitespace) {
            self.openers.insert(token);
        }
    }

    pub(super) const fn sayable(&self) -> &TokenSet {
        &self.sayable
    }

    /// The allowed token that brings the answer nearest to its end; `None` when none is better than the others.
    pub(super) fn closing(&self, place: &Place, allowed: &TokenSet, logits: &[f32]) -> Option<u32> {
        let of = |tokens: &[u32]| best(tokens.iter().copied().filter(|token| allowed.contains(*token)), logits);
        if place.in_string {
            if place.escaped { None } else { of(&self.quotes).or_else(|| of(&self.quoted)) }
        } else {
            let shallow = || best(allowed.iter().filter(|token| !self.openers.contains(*token)), logits);
            of(&self.brackets).or_else(|| of(&self.commas)).or_else(shallow)
        }
    }
}

//! Text to the tokens of a model and back, from the vocabulary in its file: byte-level BPE with the ids of llama.cpp.
//!
//! The merging is done by the `tokenizers` crate, the cutting into words by `split`. Text never becomes a control token
//! (`<|im_start|>` written by someone is just text): those are put in by the template, through [`Tokenizer::control`].
//! What it refuses by name: `SentencePiece` and `WordPiece` vocabularies, and ways of cutting that are not in the table.
//!
//! Where it goes beyond llama.cpp: tokens of the form `<|…|>` count as control tokens also when a file calls them
//! user-defined, so that no text can fake a turn of a conversation.
//!
//! A byte that no token stands for is left out, as there (the default model knows no U+0004 and a few more controls).

mod alphabet;
mod split;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::collections::HashMap;
use std::fmt;

use tokenizers::Model as _;
use tokenizers::models::bpe::BPE;

use super::gguf::Gguf;
use alphabet::Alphabet;
use split::{Splitter, Style};
use vocabulary::Vocabulary;

/// The vocabulary of a model. Share it in an `Arc`; all methods take `&self`.
pub struct Tokenizer {
    bpe: BPE,
    splitter: Splitter,
    /// The letter of each byte that has a token.
    letters: [Option<char>; 256],
    /// Texts that are one token wherever they stand, the longest first.
    fixed: Vec<(String, u32)>,
    control: HashMap<String, u32>,
    /// Bytes of all tokens, one after the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    bos: Option<u32>,
    stops: Vec<u32>,
}

/// A text in the making: what is still text, and what is a token already.
enum Part<'t> {
    Text(&'t str),
    Token(u32),
}

/// A model file's tokenizer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenizerError {
    #[error("the model file says nothing under `{key}`, which its tokenizer needs; convert the model again")]
    Missing { key: &'static str },
    #[error("the model's tokenizer is of the kind `{kind}`{}, which is not supported; supported is `gpt2` (byte-level BPE)", vocabulary::known_as(.kind))]
    Kind { kind: String },
    #[error(
        "the model's tokenizer cuts text the way `{name}`, which is not supported; supported are {}",
        split::supported()
    )]
    Style { name: String },
    #[error("the model file's tokenizer is damaged: {fault}; download or convert it again")]
    Damaged { fault: String },
}

impl Tokenizer {
    /// Takes the tokenizer out of a model file.
    ///
    /// # Errors
    /// [`TokenizerError`]: not there, of another kind, or damaged.
    pub fn from_gguf(gguf: &Gguf) -> Result<Self, TokenizerError> {
        let style = vocabulary::style(gguf)?;
        let vocabulary = Vocabulary::read(gguf)?;
        let alphabet = Alphabet::new();
        let letters = std::array::from_fn(|byte| {
            let letter = u8::try_from(byte).map(|byte| alphabet.letter(byte)).ok()?;
            vocabulary.is_text(&letter.to_string()).then_some(letter)
        });
        let (bytes, ends) = vocabulary.bytes(&alphabet);
        Ok(Self {
            bpe: vocabulary.merging(style.whole_words)?,
            splitter: Splitter::new(style).map_err(|fault| TokenizerError::Damaged { fault })?,
            letters,
            fixed: vocabulary.fixed()?,
            bytes,
            ends,
            bos: Self::beginning(gguf, style),
            stops: vocabulary.stops(gguf),
            control: vocabulary.control(),
        })
    }

    /// The model wants it at the head of a prompt, by its kind or because the file says so.
    fn beginning(gguf: &Gguf, style: Style) -> Option<u32> {
        let wanted = gguf.flag("tokenizer.ggml.add_bos_token").unwrap_or(style.begins);
        let token = gguf.uint("tokenizer.ggml.bos_token_id").filter(|_| wanted)?;
        u32::try_from(token).ok()
    }

    /// The tokens of a text. Never a control token, whatever the text holds.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 4);
        for part in self.parts(text) {
            match part {
                Part::Text(text) => self.merge(text, &mut tokens),
                Part::Token(token) => tokens.push(token),
            }
        }
        tokens
    }

    /// Cuts out the texts that are one token: the longest first in the whole text, as llama.cpp does.
    fn parts<'t>(&self, text: &'t str) -> Vec<Part<'t>> {
        let mut parts = vec![Part::Text(text)];
        for (known, token) in self.fixed.iter().filter(|(known, _)| text.contains(known)) {
            let before = std::mem::take(&mut parts);
            for part in before {
                match part {
                    Part::Token(token) => parts.push(Part::Token(token)),
                    Part::Text(text) => {
                        let between = text.split(known.as_str()).map(Part::Text);
                        let cut = between.flat_map(|text| [Part::Token(*token), text]).skip(1);
                        parts.extend(cut);
                    }
                }
            }
        }
        parts
    }

    fn merge(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut spelt = String::new();
        self.splitter.words(text, |word| {
            for byte in word.bytes() {
                match self.letters.get(usize::from(byte)).copied().flatten() {
                    Some(letter) => spelt.push(letter),
                    // nothing is merged across a byte without a token
                    None => self.take(&mut spelt, tokens),
                }
            }
            self.take(&mut spelt, tokens);
        });
    }

    fn take(&self, spelt: &mut String, tokens: &mut Vec<u32>) {
        // it fails only for a token that stands for the unknown, and none is set
        let merged = self.bpe.tokenize(spelt).unwrap_or_default();
        tokens.extend(merged.into_iter().map(|token| token.id));
        spelt.clear();
    }

    /// The control token of this text: `<|im_start|>`.
    #[must_use]
    pub fn control(&self, text: &str) -> Option<u32> {
        self.control.get(text).copied()
    }

    /// The bytes that a token stands for, which need not be whole characters; empty for control tokens, for tokens
    /// that are not in use, and past the end.
    #[must_use]
    pub fn bytes(&self, token: u32) -> &[u8] {
        let index = token as usize;
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(index)).map(|(start, end)| start..*end);
        range.and_then(|range| self.bytes.get(range)).unwrap_or_default()
    }

    /// How many tokens there are: ids are below this.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a vocabulary is never empty: it is refused")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The token that a prompt has to begin with; `None` when the model wants none.
    #[must_use]
    pub const fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// The tokens that end an answer, rising.
    #[must_use]
    pub fn stops(&self) -> &[u32] {
        &self.stops
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tokenizer").field("tokens", &self.len()).field("stops", &self.stops).finish_non_exhaustive()
    }
}

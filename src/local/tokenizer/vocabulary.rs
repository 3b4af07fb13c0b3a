//! The vocabulary as a model file has it: texts, what each token is for, and the merges.

use std::collections::{HashMap, HashSet};

use tokenizers::models::bpe::{BPE, Vocab};

use super::super::gguf::Gguf;
use super::TokenizerError;
use super::alphabet::Alphabet;
use super::split::Style;

const KIND: &str = "tokenizer.ggml.model";
const STYLE: &str = "tokenizer.ggml.pre";
const TOKENS: &str = "tokenizer.ggml.tokens";
const PURPOSES: &str = "tokenizer.ggml.token_type";
const MERGES: &str = "tokenizer.ggml.merges";

/// Each is looked for in every text; the models that are read have some dozens.
const MAX_FIXED: usize = 4096;

/// Keys that name tokens which end an answer.
const STOP_KEYS: &[&str] =
    &["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];

/// Control tokens that end an answer or a turn in every model that has them (llama.cpp, 2026-11).
const STOP_TEXTS: &[&str] = &[
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|end_of_text|>",
    "<|return|>",
    "<|call|>",
    "<end_of_turn>",
    "<EOT>",
    "</s>",
];

/// What a token is for, by its number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A piece of text in the byte alphabet.
    Text,
    /// A text as it stands, one token wherever it is.
    Fixed,
    Control,
    /// Stands for nothing: the unknown token, and ids that fill up.
    Unused,
}

/// The vocabulary, borrowed from the file's metadata.
pub(super) struct Vocabulary<'g> {
    tokens: &'g [String],
    purposes: Vec<Purpose>,
    merges: &'g [String],
    text: HashMap<&'g str, u32>,
}

/// The family behind a kind of tokenizer, for a message.
pub(super) fn known_as(kind: &str) -> &'static str {
    match kind {
        "llama" => " (SentencePiece)",
        "gemma4" | "plamo2" | "t5" => " (SentencePiece Unigram)",
        "bert" => " (WordPiece)",
        "rwkv" => " (RWKV)",
        _ => "",
    }
}

/// How the file's tokenizer cuts text; other kinds of tokenizers are refused here.
pub(super) fn style(gguf: &Gguf) -> Result<Style, TokenizerError> {
    let kind = gguf.text(KIND).ok_or(TokenizerError::Missing { key: KIND })?;
    if kind != "gpt2" {
        return Err(TokenizerError::Kind { kind: shown(kind) });
    }
    let name = gguf.text(STYLE).ok_or(TokenizerError::Missing { key: STYLE })?;
    Style::by_name(name).ok_or_else(|| TokenizerError::Style { name: shown(name) })
}

fn shown(name: &str) -> String {
    crate::text::truncate(&crate::text::safe(name), 60).into_owned()
}

fn damaged<T>(fault: String) -> Result<T, TokenizerError> {
    Err(TokenizerError::Damaged { fault })
}

/// Written by people as `<|…|>`: a mark of a conversation's structure.
fn is_mark(text: &str) -> bool {
    text.len() > 4 && text.starts_with("<|") && text.ends_with("|>")
}

impl<'g> Vocabulary<'g> {
    pub(super) fn read(gguf: &'g Gguf) -> Result<Self, TokenizerError> {
        let tokens = gguf.texts(TOKENS).ok_or(TokenizerError::Missing { key: TOKENS })?;
        let merges = gguf.texts(MERGES).ok_or(TokenizerError::Missing { key: MERGES })?;
        if tokens.is_empty() {
            return damaged("it has no tokens".into());
        }
        let purposes = purposes(tokens, gguf)?;
        // of two equal texts the later is found, as in llama.cpp
        let text = (0..)
            .zip(tokens)
            .zip(&purposes)
            .filter(|(_, purpose)| matches!(purpose, Purpose::Text | Purpose::Fixed))
            .map(|((id, token), _)| (token.as_str(), id))
            .collect();
        Ok(Self { tokens, purposes, merges, text })
    }

    fn of(&self, wanted: Purpose) -> impl Iterator<Item = (&'g str, u32)> {
        let tokens = (0..).zip(self.tokens).zip(&self.purposes);
        tokens.filter(move |(_, purpose)| **purpose == wanted).map(|((id, text), _)| (text.as_str(), id))
    }

    /// Is this a token that text may become?
    pub(super) fn is_text(&self, text: &str) -> bool {
        self.text.contains_key(text)
    }

    pub(super) fn control(&self) -> HashMap<String, u32> {
        self.of(Purpose::Control).map(|(text, id)| (text.to_owned(), id)).collect()
    }

    /// Texts that are one token wherever they stand, the longest first.
    pub(super) fn fixed(&self) -> Result<Vec<(String, u32)>, TokenizerError> {
        let texts = self.of(Purpose::Fixed).filter(|(text, _)| !text.is_empty());
        let mut fixed: Vec<_> = texts.map(|(text, id)| (text.to_owned(), id)).collect();
        if fixed.len() > MAX_FIXED {
            return damaged(format!("{} tokens are user-defined, the limit is {MAX_FIXED}", fixed.len()));
        }
        fixed.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Ok(fixed)
    }

    /// The tokens that end an answer, rising.
    pub(super) fn stops(&self, gguf: &Gguf) -> Vec<u32> {
        let named = STOP_KEYS.iter().filter_map(|key| gguf.uint(key));
        let named = named.filter_map(|id| u32::try_from(id).ok()).filter(|id| (*id as usize) < self.tokens.len());
        let known = self.of(Purpose::Control).filter(|(text, _)| STOP_TEXTS.contains(text)).map(|(_, id)| id);
        let mut stops: Vec<u32> = named.chain(known).collect();
        stops.sort_unstable();
        stops.dedup();
        stops
    }

    /// The bytes of all tokens, and where each ends.
    pub(super) fn bytes(&self, alphabet: &Alphabet) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let ends = self.tokens.iter().zip(&self.purposes).map(|(token, purpose)| {
            match purpose {
                Purpose::Text => match alphabet.bytes(token) {
                    Some(spelt) => bytes.extend(spelt),
                    None => bytes.extend(token.as_bytes()),
                },
                Purpose::Fixed => bytes.extend(token.as_bytes()),
                Purpose::Control | Purpose::Unused => {}
            }
            bytes.len()
        });
        let ends = ends.collect();
        (bytes, ends)
    }

    /// The merging. Each merge is checked here: the builder of the crate counts on what it is given.
    pub(super) fn merging(&self, whole_words: bool) -> Result<BPE, TokenizerError> {
        let kept: HashSet<&str> = self.tokens.iter().map(String::as_str).collect();
        let mut seen = HashSet::new();
        let mut merges = Vec::with_capacity(self.merges.len());
        for (index, merge) in self.merges.iter().enumerate() {
            let Some((left, right)) = halves(merge) else {
                return damaged(format!("merge {index} does not name two tokens"));
            };
            let whole = format!("{left}{right}");
            if let Some(unknown) = [left, right, &whole].into_iter().find(|text| !kept.contains(text)) {
                return damaged(format!("merge {index} needs the token `{}`, which is not there", shown(unknown)));
            }
            // one that makes a control token or is made of one would let text become it; of two equal merges the
            // first counts
            if [left, right, &whole].into_iter().all(|text| self.is_text(text)) && seen.insert((left, right)) {
                merges.push((left.to_owned(), right.to_owned()));
            }
        }
        let tokens: Vocab = self.text.iter().map(|(text, id)| ((*text).to_owned(), *id)).collect();
        BPE::builder()
            .vocab_and_merges(tokens, merges)
            .ignore_merges(whole_words)
            .build()
            .map_err(|error| TokenizerError::Damaged { fault: error.to_string() })
    }
}

/// The two tokens of a merge: a blank that is not its first character parts them.
fn halves(merge: &str) -> Option<(&str, &str)> {
    let (at, _) = merge.char_indices().skip(1).find(|(_, letter)| *letter == ' ')?;
    let (left, right) = merge.split_at_checked(at)?;
    Some((left, right.strip_prefix(' ').filter(|right| !right.is_empty())?))
}

fn purposes(tokens: &[String], gguf: &Gguf) -> Result<Vec<Purpose>, TokenizerError> {
    let Some(numbers) = gguf.ints(PURPOSES) else {
        // a file that does not say: marks by their form
        let guessed = |token: &String| if is_mark(token) { Purpose::Control } else { Purpose::Text };
        return Ok(tokens.iter().map(guessed).collect());
    };
    if numbers.len() != tokens.len() {
        return damaged(format!("{} tokens have {} purposes", tokens.len(), numbers.len()));
    }
    tokens.iter().zip(numbers).map(|(token, number)| purpose(token, *number)).collect()
}

fn purpose(token: &str, number: i64) -> Result<Purpose, TokenizerError> {
    // known to end an answer: never text, whatever the file says of it
    if STOP_TEXTS.contains(&token) {
        return Ok(Purpose::Control);
    }
    match number {
        1 | 6 => Ok(Purpose::Text),
        4 if is_mark(token) => Ok(Purpose::Control),
        4 => Ok(Purpose::Fixed),
        3 => Ok(Purpose::Control),
        0 | 2 | 5 => Ok(Purpose::Unused),
        _ => damaged(format!("the token `{}` has the purpose {number}, which there is not", shown(token))),
    }
}

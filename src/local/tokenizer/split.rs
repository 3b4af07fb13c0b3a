//! Cuts a text into the words that byte-pair merging never crosses, the way each vocabulary was made with.
//!
//! The patterns are those of llama.cpp (llama-vocab.cpp and unicode.cpp, seen 2026-11). They are walked with a lazy
//! automaton, in time linear in the text; what has no place in one, `\s+(?!\S)`, is a last pattern of its own whose
//! match gives its last character back when a word follows.

use std::sync::Mutex;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{Anchored, Input, MatchKind};

/// Memory of one automaton's states; full, it starts over.
const CACHE: usize = 1 << 20;

/// Words of GPT-2.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+";
/// Words of Llama 3: numbers in threes, line ends stay with what they follow.
const LLAMA3: &str = r"'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+";
/// Words of Qwen 2: as those of Llama 3, with digits one by one.
const QWEN2: &str =
    r"'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+";
/// A first cut that leaves each digit alone: what is around it ends there as the text ends.
const DIGITS: &str = r"\p{N}|[^\p{N}]+";
const BLANKS: &str = r"\s+";

/// A way of cutting, as a model file names it in `tokenizer.ggml.pre`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    cuts: Cuts,
    /// A word that is a token as it stands is taken whole, however it would be merged.
    pub(super) whole_words: bool,
    /// Prompts begin with the token for it unless the file says otherwise.
    pub(super) begins: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cuts {
    Gpt2,
    DigitsThenGpt2,
    Llama3,
    Qwen2,
}

const fn style(cuts: Cuts) -> Style {
    Style { cuts, whole_words: false, begins: false }
}

const LLAMA3_STYLE: Style = Style { cuts: Cuts::Llama3, whole_words: true, begins: true };

/// The names and their ways. Others are refused: a wrong cut gives a model other tokens than it was trained with.
const STYLES: &[(&str, Style)] = &[
    ("smollm", style(Cuts::DigitsThenGpt2)),
    ("starcoder", style(Cuts::DigitsThenGpt2)),
    ("refact", style(Cuts::DigitsThenGpt2)),
    ("command-r", style(Cuts::DigitsThenGpt2)),
    ("codeshell", style(Cuts::DigitsThenGpt2)),
    ("exaone", style(Cuts::DigitsThenGpt2)),
    ("minerva-7b", style(Cuts::DigitsThenGpt2)),
    ("gpt-2", style(Cuts::Gpt2)),
    ("phi-2", style(Cuts::Gpt2)),
    ("mpt", style(Cuts::Gpt2)),
    ("olmo", style(Cuts::Gpt2)),
    ("jais", style(Cuts::Gpt2)),
    ("qwen2", style(Cuts::Qwen2)),
    ("deepseek-r1-qwen", style(Cuts::Qwen2)),
    ("stablelm2", style(Cuts::Qwen2)),
    ("llama-bpe", LLAMA3_STYLE),
    ("llama3", LLAMA3_STYLE),
    ("llama-v3", LLAMA3_STYLE),
    ("falcon3", LLAMA3_STYLE),
    ("smaug-bpe", style(Cuts::Llama3)),
    ("dbrx", style(Cuts::Llama3)),
];

impl Style {
    pub(super) fn by_name(name: &str) -> Option<Self> {
        STYLES.iter().find(|(known, _)| *known == name).map(|(_, style)| *style)
    }
}

/// The names that can be read, for a message.
pub(super) fn supported() -> String {
    STYLES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Cuts texts in one style.
pub(super) struct Splitter {
    passes: Vec<Pass>,
    /// Lent to one text at a time; a second one at the same time makes its own.
    caches: Mutex<Vec<Vec<Cache>>>,
}

/// One automaton over the text; each pass cuts what the one before it left.
struct Pass {
    dfa: DFA,
    blanks: bool,
}

/// The index of [`BLANKS`] among a pass's patterns.
const BLANKS_INDEX: usize = 1;

impl Splitter {
    pub(super) fn new(style: Style) -> Result<Self, String> {
        let passes = match style.cuts {
            Cuts::Gpt2 => vec![Pass::words(GPT2)?],
            Cuts::DigitsThenGpt2 => vec![Pass::new(&[DIGITS])?, Pass::words(GPT2)?],
            Cuts::Llama3 => vec![Pass::words(LLAMA3)?],
            Cuts::Qwen2 => vec![Pass::words(QWEN2)?],
        };
        Ok(Self { passes, caches: Mutex::new(Vec::new()) })
    }

    /// Gives the words in order; together they are the text.
    pub(super) fn words<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str)) {
        let lent = self.caches.lock().ok().and_then(|mut caches| caches.pop());
        let mut caches = lent.unwrap_or_else(|| self.passes.iter().map(|pass| pass.dfa.create_cache()).collect());
        cut(&self.passes, &mut caches, text, &mut each);
        if let Ok(mut place) = self.caches.lock() {
            place.push(caches);
        }
    }
}

fn cut<'t>(passes: &[Pass], caches: &mut [Cache], text: &'t str, each: &mut impl FnMut(&'t str)) {
    let (Some((pass, later)), Some((cache, later_caches))) = (passes.split_first(), caches.split_first_mut()) else {
        return each(text);
    };
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(pass.length(cache, rest));
        cut(later, later_caches, word, each);
        rest = after;
    }
}

impl Pass {
    fn words(pattern: &str) -> Result<Self, String> {
        Ok(Self { blanks: true, ..Self::new(&[pattern, BLANKS])? })
    }

    fn new(patterns: &[&str]) -> Result<Self, String> {
        let dfa = DFA::builder()
            .configure(DFA::config().cache_capacity(CACHE).match_kind(MatchKind::LeftmostFirst))
            .thompson(thompson::Config::new().which_captures(WhichCaptures::None))
            .build_many(patterns)
            .map_err(|error| error.to_string())?;
        Ok(Self { dfa, blanks: false })
    }

    /// The length of the word that the text begins with; the text is not empty.
    fn length(&self, cache: &mut Cache, text: &str) -> usize {
        let input = Input::new(text).anchored(Anchored::Yes);
        let found = self.dfa.try_search_fwd(cache, &input).ok().flatten();
        // every character has a pattern; were it not so, it would be a word of its own
        let first = text.chars().next().map_or(text.len(), char::len_utf8);
        let Some(found) = found.filter(|found| found.offset() >= first && text.is_char_boundary(found.offset())) else {
            return first;
        };
        let end = found.offset();
        if !self.blanks || found.pattern().as_usize() != BLANKS_INDEX || end == text.len() {
            return end;
        }
        let last = text.get(..end).and_then(|blanks| blanks.chars().next_back()).map_or(0, char::len_utf8);
        if end > last { end - last } else { end }
    }
}

#[cfg(test)]
mod tests;

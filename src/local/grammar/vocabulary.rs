//! The tokenizer as the grammar engine wants it: a trie of the tokens' bytes.

use std::sync::Arc;

use llguidance::toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};

use crate::local::tokenizer::Tokenizer;

/// What the grammar must know of a tokenizer.
pub trait Vocabulary: Send + Sync {
    /// Ids are below this.
    fn size(&self) -> usize;
    /// The bytes of a token; empty for control and unused tokens.
    fn bytes(&self, token: u32) -> &[u8];
    /// The usual tokens of a text.
    fn encode(&self, text: &str) -> Vec<u32>;
    /// The tokens that end an answer.
    fn stops(&self) -> &[u32];
}

impl Vocabulary for Tokenizer {
    fn size(&self) -> usize {
        self.len()
    }

    fn bytes(&self, token: u32) -> &[u8] {
        Tokenizer::bytes(self, token)
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        Tokenizer::encode(self, text)
    }

    fn stops(&self) -> &[u32] {
        Tokenizer::stops(self)
    }
}

/// The engine keeps this byte for its own marks; no JSON text holds it.
const MARK: u8 = TokTrie::SPECIAL_TOKEN_MARKER;

struct Env<V> {
    trie: TokTrie,
    vocabulary: Arc<V>,
}

/// The engine's view of a vocabulary; `None` when it has no tokens or no stop token to lean on.
pub(super) fn environment<V: Vocabulary + 'static>(vocabulary: &Arc<V>) -> Option<TokEnv> {
    let size = u32::try_from(vocabulary.size()).ok()?;
    let stops: Vec<u32> = vocabulary.stops().iter().copied().filter(|stop| *stop < size).collect();
    let mut words: Vec<Vec<u8>> = (0..size).map(|token| vocabulary.bytes(token).to_vec()).collect();
    let is_usable = |word: &[u8]| word.first() != Some(&MARK) && word.len() <= MAX_TOKEN_BYTES;
    for word in words.iter_mut().filter(|word| !is_usable(word)) {
        word.clear();
    }
    for stop in &stops {
        words.get_mut(*stop as usize)?.clear();
    }
    if words.iter().all(Vec::is_empty) {
        return None;
    }
    let info = TokRxInfo::new(size, *stops.first()?);
    let trie = TokTrie::from(&info, &words).with_eos_tokens(&stops);
    Some(Arc::new(Env { trie, vocabulary: Arc::clone(vocabulary) }))
}

/// Longer tokens are not offered: the trie counts lengths in 16 bits.
const MAX_TOKEN_BYTES: usize = 1024;

impl<V: Vocabulary> TokenizerEnv for Env<V> {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    /// The usual tokens as far as it is text; a character cut off at the end goes byte by byte.
    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        let (text, rest) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, &[][..]),
            Err(error) => {
                let (text, rest) = bytes.split_at(error.valid_up_to());
                (std::str::from_utf8(text).unwrap_or_default(), rest)
            }
        };
        let mut tokens = self.vocabulary.encode(text);
        if !rest.is_empty() {
            tokens.extend(self.trie.greedy_tokenize(rest));
        }
        tokens
    }
}

/// One token a byte: enough to compile a schema without any model.
pub(super) struct Bytes {
    bytes: Vec<u8>,
}

impl Bytes {
    const STOP: u32 = 256;

    pub(super) fn new() -> Self {
        Self { bytes: (0..=u8::MAX).collect() }
    }
}

impl Vocabulary for Bytes {
    fn size(&self) -> usize {
        257
    }

    fn bytes(&self, token: u32) -> &[u8] {
        let at = token as usize;
        self.bytes.get(at..=at).unwrap_or_default()
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    fn stops(&self) -> &[u32] {
        &[Self::STOP]
    }
}

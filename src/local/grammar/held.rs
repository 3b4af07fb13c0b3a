//! One answer in the making: the grammar's state, and the names its open objects already have.

use std::sync::Arc;

use llguidance::Matcher;
use llguidance::api::StopReason;

use super::Inner;
use super::keys::Keys;
use crate::local::constraint::{Constraint, ConstraintError, TokenSet};

pub(super) struct Held {
    matcher: Matcher,
    keys: Keys,
    inner: Arc<Inner>,
}

impl Held {
    pub(super) fn new(matcher: Matcher, inner: Arc<Inner>) -> Self {
        Self { matcher, keys: Keys::default(), inner }
    }

    /// The same grammar with caches of its own; this one must still be at its beginning.
    pub(super) fn fresh(&self) -> Self {
        Self::new(self.matcher.deep_clone(), Arc::clone(&self.inner))
    }

    fn bytes(&self, token: u32) -> &[u8] {
        self.inner.env.tok_trie().token(token)
    }

    /// Takes out what would write a name that the object has already. Was there such a token?
    fn remove_repeated(&self, out: &mut TokenSet) -> bool {
        let mut removed = false;
        if self.keys.may_repeat() {
            for token in &self.inner.quotes {
                if out.contains(*token) && self.keys.repeats(self.bytes(*token)) {
                    out.remove(*token);
                    removed = true;
                }
            }
        }
        removed
    }

    fn is_stop(&self, token: u32) -> bool {
        self.inner.env.tok_trie().eos_tokens().contains(&token)
    }

    fn error(&self) -> ConstraintError {
        match self.matcher.stop_reason() {
            StopReason::LexerTooComplex => limit("its lexer needs too many states"),
            StopReason::ParserTooComplex => limit("too many readings of the text are open"),
            _ => match self.matcher.get_error() {
                Some(words) if words.contains("too complex") || words.contains("lexer error") => {
                    limit("its lexer needs too many states")
                }
                Some(words) if words.contains("parser error") || words.contains("too many") => {
                    limit("too many readings of the text are open")
                }
                Some(_) | None => ConstraintError::Stuck,
            },
        }
    }
}

fn limit(what: &str) -> ConstraintError {
    ConstraintError::Limit(what.to_owned())
}

impl Constraint for Held {
    fn allowed(&mut self, out: &mut TokenSet) -> Result<(), ConstraintError> {
        if self.is_complete() {
            out.assign(&[]);
            return Ok(());
        }
        let Ok(mask) = self.matcher.compute_mask() else { return Err(self.error()) };
        out.assign(mask.as_slice());
        for stop in self.inner.env.tok_trie().eos_tokens() {
            out.remove(*stop);
        }
        let repeated = self.remove_repeated(out);
        match out.count() {
            0 if self.may_stop() => Ok(()),
            0 if repeated => Err(ConstraintError::NoName),
            0 => Err(ConstraintError::Stuck),
            _ => Ok(()),
        }
    }

    fn forced(&mut self) -> Vec<u32> {
        if self.is_complete() {
            return Vec::new();
        }
        let mut tokens = self.matcher.compute_ff_tokens();
        if self.keys.may_repeat() {
            let mut ahead = self.keys.clone();
            let repeated = tokens.iter().position(|token| {
                let bytes = self.bytes(*token);
                let repeats = ahead.repeats(bytes);
                ahead.push(bytes);
                repeats
            });
            tokens.truncate(repeated.unwrap_or(tokens.len()));
        }
        tokens
    }

    fn take(&mut self, token: u32) -> Result<(), ConstraintError> {
        if self.is_stop(token) {
            return if self.may_stop() { Ok(()) } else { Err(ConstraintError::NotAllowed) };
        }
        if !self.inner.texts.contains(token) {
            return Err(ConstraintError::NotAllowed);
        }
        match self.matcher.validate_tokens(&[token]) {
            Ok(1) => {}
            Ok(_) => return Err(ConstraintError::NotAllowed),
            Err(_) => return Err(self.error()),
        }
        if self.matcher.consume_token(token).is_err() {
            return Err(self.error());
        }
        let bytes = self.inner.env.tok_trie().token(token);
        self.keys.push(bytes);
        Ok(())
    }

    fn may_stop(&mut self) -> bool {
        self.is_complete() || self.matcher.is_accepting().unwrap_or(false)
    }

    fn is_complete(&mut self) -> bool {
        matches!(self.matcher.stop_reason(), StopReason::NoExtension | StopReason::EndOfSentence)
    }
}

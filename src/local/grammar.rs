//! From a schema to a grammar that holds an answer token by token, by llguidance.
//!
//! The compiler is asked in its strict mode only. What it does not hold, or is known to hold wrongly, is left out here
//! and listed, so that negotiation can say it (`plan::GrammarVerdict`). The local validation stays the judge.

mod held;
mod keys;
mod locate;
mod numbers;
mod outline;
mod tools;
mod verdict;
mod vocabulary;

use std::sync::Arc;

use llguidance::api::{ParserLimits, TopLevelGrammar};
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{InferenceCapabilities, TokEnv};
use llguidance::{Matcher, ParserFactory, TokenParser};
use serde_json::json;

use super::constraint::{Constraint, TokenSet};
use crate::json::Value;
use crate::schema::stack::with_known_stack;
use crate::schema::tree::Tree;

pub use tools::{CALL_END, CALL_START, Form};
pub use verdict::verdict;
pub use vocabulary::Vocabulary;

/// The version of the compiler; shown with its verdicts.
pub const COMPILER: &str = "llguidance 1.9.1";

/// There is no grammar. Says what kind of thing is wrong, never the schema's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrammarError {
    #[error("the grammar finds no value that the schema accepts")]
    Unsatisfiable,
    #[error("the grammar cannot tell the branches of a oneOf apart")]
    OneOf,
    #[error("patterns of property names overlap, and the grammar needs them apart")]
    Overlap,
    #[error("the grammar does not follow a reference that leads back to itself beside other keywords")]
    Circular,
    #[error("the grammar of this schema would be too large")]
    TooLarge,
    #[error("the grammar does not hold this schema")]
    NotHeld,
    #[error("a reference leads nowhere")]
    Dangling,
    #[error("the tool that must be called is not among the tools")]
    NoTool,
    #[error("the tokenizer has no tokens that a grammar could use")]
    Vocabulary,
}

/// Compiles schemas for one tokenizer. Cheap to share.
#[derive(Clone)]
pub struct Compiler {
    inner: Arc<Inner>,
}

struct Inner {
    factory: ParserFactory,
    /// Tokens with a quotation mark: only they can end a name.
    quotes: Vec<u32>,
    /// Tokens with a `>`: only they can end the mark of a tool call.
    angles: Vec<u32>,
    /// Tokens of text: all but control tokens.
    texts: TokenSet,
    env: TokEnv,
}

/// Time and memory are bounded by these, whatever the schema: about 20 ms for the first lexer, tens of megabytes.
fn limits() -> ParserLimits {
    ParserLimits {
        max_items_in_row: 2_000,
        initial_lexer_fuel: 1_000_000,
        step_lexer_fuel: 500_000,
        step_max_items: 100_000,
        max_lexer_states: 30_000,
        max_grammar_size: 200_000,
        precompute_large_lexemes: true,
        // Its texts hold the answer so far.
        verbose_errors: false,
    }
}

impl Compiler {
    /// A compiler for this tokenizer.
    ///
    /// # Errors
    /// [`GrammarError::Vocabulary`] when the tokenizer has no usable token or no stop token.
    pub fn new<V: Vocabulary + 'static>(vocabulary: &Arc<V>) -> Result<Self, GrammarError> {
        Self::with_slices(vocabulary, &SlicedBiasComputer::general_slices())
    }

    fn with_slices<V: Vocabulary + 'static>(vocabulary: &Arc<V>, slices: &[String]) -> Result<Self, GrammarError> {
        let env = vocabulary::environment(vocabulary).ok_or(GrammarError::Vocabulary)?;
        let capabilities = InferenceCapabilities { ff_tokens: true, ..InferenceCapabilities::default() };
        let mut factory = ParserFactory::new(&env, capabilities, slices).map_err(|_| GrammarError::Vocabulary)?;
        factory.quiet();
        *factory.limits_mut() = limits();
        let size = u32::try_from(vocabulary.size()).unwrap_or(0);
        let with = |byte: u8| (0..size).filter(|token| env.tok_trie().token(*token).contains(&byte)).collect();
        let (quotes, angles) = (with(b'"'), with(b'>'));
        let mut texts = TokenSet::new(vocabulary.size());
        (0..size).filter(|token| !env.tok_trie().token(*token).is_empty()).for_each(|token| texts.insert(token));
        Ok(Self { inner: Arc::new(Inner { factory, quotes, angles, texts, env }) })
    }

    /// The grammar of a schema, as it was negotiated: every text it allows is compact JSON and valid for the schema.
    ///
    /// # Errors
    /// [`GrammarError`] when the strict grammar does not hold the whole schema.
    pub fn schema(&self, schema: &Value) -> Result<Box<dyn Constraint>, GrammarError> {
        Ok(Box::new(self.held(|compiler| compiler.strict(schema))?))
    }

    /// The grammar of an answer that may be, or must be, a tool call; `None` when nothing holds the text.
    ///
    /// # Errors
    /// [`GrammarError`] when a strict part does not compile, or the tool that must be called is not there.
    pub fn answer(&self, form: &Form<'_>) -> Result<Option<Box<dyn Constraint>>, GrammarError> {
        tools::answer(self, form)
    }

    /// Compiles on a large stack and makes the constraint.
    fn held(
        &self,
        make: impl FnOnce(&Self) -> Result<TokenParser, GrammarError> + Send,
    ) -> Result<held::Held, GrammarError> {
        let parser = with_known_stack(|| make(self)).unwrap_or(Err(GrammarError::TooLarge))?;
        Ok(held::Held::new(Matcher::new(Ok(parser)), Arc::clone(&self.inner)))
    }

    fn strict(&self, schema: &Value) -> Result<TokenParser, GrammarError> {
        let tree = Tree::read(schema).map_err(|_| GrammarError::Dangling)?;
        let outline = outline::outline(&tree, &std::collections::HashMap::new()).map_err(|_| GrammarError::TooLarge)?;
        if !outline.dropped.is_empty() {
            return Err(GrammarError::NotHeld);
        }
        self.compile(outline.document())
    }

    /// Does the document compile, and is there a first token?
    fn has_a_start(&self, document: Value) -> bool {
        let Ok(parser) = self.compile(document) else { return true };
        Matcher::new(Ok(parser)).compute_mask().is_ok()
    }

    /// Compiles a document that [`outline`] wrote. Wants a large stack.
    fn compile(&self, document: Value) -> Result<TokenParser, GrammarError> {
        let mut document = match document {
            Value::Bool(true) => json!({}),
            Value::Bool(false) => return Err(GrammarError::Unsatisfiable),
            other => other,
        };
        let Some(members) = document.as_object_mut() else { return Err(GrammarError::NotHeld) };
        members.insert("x-guidance".to_owned(), options());
        let grammar = TopLevelGrammar::from_json_schema(document);
        self.inner.factory.create_parser(grammar).map_err(|error| kind(&format!("{error:#}")))
    }
}

/// Compact text, and one spelling for every string: without `\u` escapes a name cannot be written in disguise.
fn options() -> Value {
    json!({
        "whitespace_flexible": false,
        "item_separator": ",",
        "key_separator": ":",
        "json_allowed_escapes": "nrbtf\\\"",
        "coerce_one_of": false,
        "lenient": false,
    })
}

/// What kind of refusal the compiler's words are. The words themselves hold pieces of the schema and go no further.
fn kind(words: &str) -> GrammarError {
    const WORDS: [(&str, GrammarError); 10] = [
        ("oneOf constraints", GrammarError::OneOf),
        ("disjoint", GrammarError::Overlap),
        ("circular references", GrammarError::Circular),
        ("Unsatisfiable", GrammarError::Unsatisfiable),
        ("too big", GrammarError::TooLarge),
        ("too large", GrammarError::TooLarge),
        ("too many", GrammarError::TooLarge),
        ("fuel", GrammarError::TooLarge),
        ("level exceeded", GrammarError::TooLarge),
        ("too complex", GrammarError::TooLarge),
    ];
    WORDS.iter().find(|(part, _)| words.contains(part)).map_or(GrammarError::NotHeld, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests;

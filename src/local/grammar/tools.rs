//! Answers that may be tool calls: `<tool_call>\n{"name":…,"arguments":…}\n</tool_call>`, the arguments held to the
//! tool's parameters.
//!
//! The marks are written token by token as the tokenizer would write them alone; the JSON between them is a grammar of
//! its own, so nothing straddles the two.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;

use super::held::Held;
use super::{Compiler, GrammarError, Inner, outline, verdict};
use crate::dialect::{ToolChoice, ToolSpec};
use crate::json::{Map, Value};
use crate::local::constraint::{Constraint, ConstraintError, TokenSet};
use crate::plan::GrammarVerdict;
use crate::schema::tree::Tree;

/// Begins a tool call.
pub const CALL_START: &str = "<tool_call>";
/// Ends it.
pub const CALL_END: &str = "</tool_call>";

/// What an answer may be.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    /// A text must be JSON of this schema; without one, any text.
    pub schema: Option<&'a Value>,
    pub tools: &'a [ToolSpec],
    pub choice: &'a ToolChoice,
    /// May several tools be called?
    pub parallel: bool,
}

pub(super) fn answer(compiler: &Compiler, form: &Form<'_>) -> Result<Option<Box<dyn Constraint>>, GrammarError> {
    let offered: Vec<&ToolSpec> = match form.choice {
        ToolChoice::None => Vec::new(),
        ToolChoice::Unset | ToolChoice::Auto | ToolChoice::Required => form.tools.iter().collect(),
        ToolChoice::Named(name) => form.tools.iter().filter(|tool| tool.name == *name).collect(),
    };
    let must_call = matches!(form.choice, ToolChoice::Required | ToolChoice::Named(_));
    if offered.is_empty() {
        return match form.schema {
            _ if must_call => Err(GrammarError::NoTool),
            Some(schema) => compiler.schema(schema).map(Some),
            None => Ok(None),
        };
    }
    let call = compiler.held(|compiler| compiler.compile(calls(&offered)?))?;
    let phase = match form.schema {
        _ if must_call => Phase::Mark(compiler.mark(&start_mark())),
        Some(schema) => {
            let text = compiler.held(|compiler| compiler.strict(schema))?;
            Phase::Choice { text, mark: compiler.mark(&start_mark()) }
        }
        None => Phase::Text { tail: Vec::new() },
    };
    let inner = Arc::clone(&compiler.inner);
    Ok(Some(Box::new(Calls { phase, call, parallel: form.parallel, inner })))
}

fn start_mark() -> String {
    format!("{CALL_START}\n")
}

/// One call as a schema: one branch a tool.
fn calls(tools: &[&ToolSpec]) -> Result<Value, GrammarError> {
    let mut definitions = Map::new();
    let mut branches = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let (arguments, wanted) = arguments(tool, &format!("t{index}"))?;
        definitions.extend(wanted);
        branches.push(json!({
            "type": "object",
            "properties": { "name": { "const": tool.name }, "arguments": arguments },
            "required": ["name", "arguments"],
            "additionalProperties": false,
        }));
    }
    Ok(outline::with_definitions(json!({ "anyOf": branches }), definitions))
}

/// The parameters: of a strict tool as they are, else without what the grammar does not hold, else any object.
fn arguments(tool: &ToolSpec, prefix: &str) -> Result<(Value, Map<String, Value>), GrammarError> {
    let written = |schema: &Value| {
        let tree = Tree::read(schema).map_err(|_| GrammarError::Dangling)?;
        let outline = outline::prefixed(&tree, &HashMap::new(), prefix).map_err(|_| GrammarError::TooLarge)?;
        if outline.dropped.is_empty() { Ok(outline.parts()) } else { Err(GrammarError::NotHeld) }
    };
    if tool.strict {
        return written(&tool.parameters);
    }
    let any = || (json!({ "type": "object" }), Map::new());
    Ok(match verdict::judge(&tool.parameters) {
        GrammarVerdict::Strict => written(&tool.parameters).unwrap_or_else(|_| any()),
        GrammarVerdict::Lenient { schema, .. } => written(&schema).unwrap_or_else(|_| any()),
        GrammarVerdict::Refused(_) => any(),
    })
}

impl Compiler {
    fn mark(&self, text: &str) -> Mark {
        Mark { tokens: self.inner.env.tokenize(text), next: 0 }
    }
}

/// A fixed text, token by token.
struct Mark {
    tokens: Vec<u32>,
    next: usize,
}

impl Mark {
    fn token(&self) -> Option<u32> {
        self.tokens.get(self.next).copied()
    }

    fn rest(&self) -> Vec<u32> {
        self.tokens.get(self.next..).unwrap_or_default().to_vec()
    }
}

enum Phase {
    /// Free text so far; the last bytes, which may begin the mark of a call.
    Text {
        tail: Vec<u8>,
    },
    /// Nothing is written yet: JSON of the schema, or a call.
    Choice {
        text: Held,
        mark: Mark,
    },
    /// JSON of the schema.
    Answer(Held),
    /// The mark that begins a call.
    Mark(Mark),
    Call(Held),
    /// The mark that ends it.
    End(Mark),
    /// After a call: another one (its mark), or the end.
    Between(Mark),
    Done,
}

struct Calls {
    phase: Phase,
    /// The grammar of one call, fresh.
    call: Held,
    parallel: bool,
    inner: Arc<Inner>,
}

impl Calls {
    fn mark(&self, text: &str) -> Mark {
        Mark { tokens: self.inner.env.tokenize(text), next: 0 }
    }

    /// The mark is written: the call begins.
    fn after_mark(&self, mark: Mark) -> Phase {
        if mark.token().is_some() { Phase::Mark(mark) } else { Phase::Call(self.call.fresh()) }
    }

    fn after_end(&self, mark: Mark) -> Phase {
        if mark.token().is_some() {
            Phase::End(mark)
        } else if self.parallel {
            Phase::Between(self.mark(&format!("\n{CALL_START}\n")))
        } else {
            Phase::Done
        }
    }

    /// Free text goes on: the mark may be whole now.
    fn text(&self, mut tail: Vec<u8>, token: u32) -> Result<Phase, ConstraintError> {
        match mark_in(&tail, self.inner.env.tok_trie().token(token)) {
            MarkIn::Inside => Err(ConstraintError::NotAllowed),
            MarkIn::AtEnd => Ok(self.after_mark(self.mark("\n"))),
            MarkIn::None => {
                tail.extend_from_slice(self.inner.env.tok_trie().token(token));
                let surplus = tail.len().saturating_sub(CALL_START.len());
                tail.drain(..surplus);
                Ok(Phase::Text { tail })
            }
        }
    }
}

/// Where the mark of a call ends in a token.
#[derive(Debug, PartialEq, Eq)]
enum MarkIn {
    None,
    /// With something behind it, which would belong to the call.
    Inside,
    AtEnd,
}

fn mark_in(tail: &[u8], bytes: &[u8]) -> MarkIn {
    let whole: Vec<u8> = tail.iter().chain(bytes).copied().collect();
    let found = whole.windows(CALL_START.len()).position(|window| window == CALL_START.as_bytes());
    match found.map(|at| at + CALL_START.len()) {
        None => MarkIn::None,
        Some(end) if end == whole.len() => MarkIn::AtEnd,
        Some(_) => MarkIn::Inside,
    }
}

impl Constraint for Calls {
    fn allowed(&mut self, out: &mut TokenSet) -> Result<(), ConstraintError> {
        match &mut self.phase {
            Phase::Text { tail } => {
                *out = self.inner.texts.clone();
                for token in &self.inner.angles {
                    if mark_in(tail, self.inner.env.tok_trie().token(*token)) == MarkIn::Inside {
                        out.remove(*token);
                    }
                }
                Ok(())
            }
            Phase::Choice { text, mark } => {
                text.allowed(out)?;
                mark.token().into_iter().for_each(|token| out.insert(token));
                Ok(())
            }
            Phase::Answer(held) | Phase::Call(held) => held.allowed(out),
            Phase::Mark(mark) | Phase::End(mark) | Phase::Between(mark) => {
                out.assign(&[]);
                mark.token().into_iter().for_each(|token| out.insert(token));
                Ok(())
            }
            Phase::Done => {
                out.assign(&[]);
                Ok(())
            }
        }
    }

    fn forced(&mut self) -> Vec<u32> {
        match &mut self.phase {
            Phase::Text { .. } | Phase::Choice { .. } | Phase::Between(_) | Phase::Done => Vec::new(),
            Phase::Answer(held) | Phase::Call(held) => held.forced(),
            Phase::Mark(mark) | Phase::End(mark) => mark.rest(),
        }
    }

    fn take(&mut self, token: u32) -> Result<(), ConstraintError> {
        if self.inner.env.tok_trie().eos_tokens().contains(&token) {
            return if self.may_stop() { Ok(()) } else { Err(ConstraintError::NotAllowed) };
        }
        if !self.inner.texts.contains(token) {
            return Err(ConstraintError::NotAllowed);
        }
        let advance = |mut mark: Mark| {
            let fits = mark.token() == Some(token);
            mark.next += 1;
            if fits { Ok(mark) } else { Err(ConstraintError::NotAllowed) }
        };
        self.phase = match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Text { tail } => self.text(tail, token)?,
            Phase::Choice { text: _, mark } if mark.token() == Some(token) => self.after_mark(advance(mark)?),
            Phase::Choice { mut text, .. } | Phase::Answer(mut text) => {
                text.take(token)?;
                Phase::Answer(text)
            }
            Phase::Mark(mark) | Phase::Between(mark) => self.after_mark(advance(mark)?),
            Phase::Call(mut held) => {
                held.take(token)?;
                if held.is_complete() { Phase::End(self.mark(&format!("\n{CALL_END}"))) } else { Phase::Call(held) }
            }
            Phase::End(mark) => self.after_end(advance(mark)?),
            Phase::Done => return Err(ConstraintError::NotAllowed),
        };
        Ok(())
    }

    fn may_stop(&mut self) -> bool {
        match &mut self.phase {
            Phase::Text { .. } | Phase::Between(_) | Phase::Done => true,
            Phase::Choice { .. } | Phase::Mark(_) | Phase::Call(_) | Phase::End(_) => false,
            Phase::Answer(held) => held.may_stop(),
        }
    }

    fn is_complete(&mut self) -> bool {
        match &mut self.phase {
            Phase::Answer(held) => held.is_complete(),
            Phase::Done => true,
            Phase::Text { .. }
            | Phase::Choice { .. }
            | Phase::Mark(_)
            | Phase::Call(_)
            | Phase::End(_)
            | Phase::Between(_) => false,
        }
    }
}

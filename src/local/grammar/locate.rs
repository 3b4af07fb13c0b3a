//! Which keywords stand in the way when a whole schema does not compile: each suspect is compiled alone.

use std::collections::HashMap;

use serde_json::json;

use super::outline::{self, Reason};
use super::{Compiler, GrammarError};
use crate::json::{Map, Value};
use crate::schema::pattern::translate;
use crate::schema::profile::RuleName;
use crate::schema::tree::{Held, Id, Node, Tree};

/// At most so many suspects are tried; what is left then is refused as a whole.
const MAX_TRIALS: usize = 400;
/// Nodes looked at for patterns that cannot be written.
const MAX_NODES: usize = 2_000;
/// More patterns of names are not tried together.
const MAX_PATTERNS: usize = 60;

const PATTERN: Reason =
    Reason { rule: RuleName::PatternSyntax, why: "the grammar does not hold this pattern as it is written" };
const NO_TEXT: Reason = Reason {
    rule: RuleName::PatternSyntax,
    why: "the grammar finds no text that this pattern and the lengths beside it allow",
};
const STEP: Reason =
    Reason { rule: RuleName::NumberNotExact, why: "the grammar finds no multiple between the bounds beside it" };
const COUNTS: Reason = Reason {
    rule: RuleName::KeywordNotSupported,
    why: "the grammar counts properties only where all named ones are required",
};
const OVERLAP: Reason = Reason {
    rule: RuleName::PatternOverlap,
    why: "patterns of property names overlap or are not held, and the grammar needs them apart",
};
const BRANCHES: Reason = Reason {
    rule: RuleName::OneOfOverlaps,
    why: "the grammar cannot tell the branches apart; it would take any of them",
};
const CONTROL: Reason = Reason {
    rule: RuleName::PatternSyntax,
    why: "the grammar writes no control characters, and the pattern wants one",
};
const FORMAT: Reason =
    Reason { rule: RuleName::FormatNotSupported, why: "the format leaves the grammar no text beside the rest" };

type Found = HashMap<String, Reason>;

/// The keywords to leave out besides those in `without`; empty when none is to blame.
pub(super) fn locate(tree: &Tree, compiler: &Compiler, without: &Found, error: GrammarError) -> Found {
    let mut search = Search { tree, compiler, without, trials: 0, known: HashMap::new(), found: HashMap::new() };
    for id in tree.reachable(tree.root) {
        if search.trials > MAX_TRIALS {
            break;
        }
        let node = tree.node(id);
        search.string(node);
        search.number(node);
        search.object(node);
        search.branches(id, node);
    }
    if search.found.is_empty() && error == GrammarError::Unsatisfiable {
        for word in tree.nodes.iter().filter_map(|node| node.word("format")) {
            search.blame(word.origin.clone(), FORMAT);
        }
    }
    search.found
}

/// Patterns that only texts with control characters match: the grammar compiles them and then finds no first token.
pub(super) fn unwritable(tree: &Tree, compiler: &Compiler) -> Found {
    let mut found = Found::new();
    for id in tree.reachable(tree.root).into_iter().take(MAX_NODES) {
        let Some(word) = tree.node(id).word("pattern") else { continue };
        let source = tree.node(id).data("pattern").and_then(Value::as_str).unwrap_or_default();
        let suspect = ["\\c", "\\x", "\\u", "\\0", "\\v"].iter().any(|escape| source.contains(escape))
            || source.contains(|c: char| c.is_control());
        let Some(pattern) = translate(source).filter(|_| suspect && found.len() < MAX_TRIALS) else { continue };
        if !compiler.has_a_start(json!({ "type": "string", "pattern": pattern })) {
            found.insert(word.origin.clone(), CONTROL);
        }
    }
    found
}

struct Search<'a> {
    tree: &'a Tree,
    compiler: &'a Compiler,
    without: &'a Found,
    trials: usize,
    /// Verdicts on small schemas that were tried already.
    known: HashMap<String, Option<GrammarError>>,
    found: Found,
}

impl Search<'_> {
    fn fails(&mut self, document: Value) -> Option<GrammarError> {
        let key = document.to_string();
        if let Some(verdict) = self.known.get(&key) {
            return *verdict;
        }
        self.trials += 1;
        let verdict = self.compiler.compile(document).err();
        self.known.insert(key, verdict);
        verdict
    }

    fn blame(&mut self, origin: String, reason: Reason) {
        if !self.without.contains_key(&origin) {
            self.found.insert(origin, reason);
        }
    }

    fn is_left_out(&self, node: &Node, name: &str) -> bool {
        node.word(name).is_none_or(|word| self.without.contains_key(&word.origin))
    }

    fn string(&mut self, node: &Node) {
        if self.is_left_out(node, "pattern") {
            return;
        }
        let Some((pattern, source)) = node.word("pattern").zip(node.data("pattern")) else { return };
        let Some(value) = source.as_str().and_then(translate).map(Value::String) else { return };
        if self.fails(json!({ "type": "string", "pattern": value })).is_some() {
            self.blame(pattern.origin.clone(), PATTERN);
            return;
        }
        let mut members = Map::from_iter([("type".to_owned(), json!("string")), ("pattern".to_owned(), value.clone())]);
        copy(node, &["minLength", "maxLength"], &mut members);
        if members.len() > 2 && self.fails(Value::Object(members)).is_some() {
            self.blame(pattern.origin.clone(), NO_TEXT);
        }
    }

    fn number(&mut self, node: &Node) {
        if self.is_left_out(node, "multipleOf") {
            return;
        }
        let Some((step, value)) = node.word("multipleOf").zip(node.data("multipleOf")) else { return };
        let mut members = Map::new();
        let kind = node.data("type").filter(|kind| kind.is_string()).cloned().unwrap_or_else(|| json!("number"));
        members.insert("type".to_owned(), kind);
        copy(node, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], &mut members);
        let bounds = Value::Object(members.clone());
        members.insert("multipleOf".to_owned(), value.clone());
        if self.fails(Value::Object(members)).is_some() && self.fails(bounds).is_none() {
            self.blame(step.origin.clone(), STEP);
        }
    }

    fn object(&mut self, node: &Node) {
        let names = node.named("patternProperties").unwrap_or_default();
        if !self.is_left_out(node, "patternProperties") && names.len() <= MAX_PATTERNS {
            let mut open = Map::new();
            for (name, _) in names {
                open.insert(outline::name_pattern(name, &open), Value::Bool(true));
            }
            if self.fails(json!({ "type": "object", "patternProperties": open })).is_some() {
                for name in ["patternProperties", "additionalProperties"] {
                    if let Some(word) = node.word(name) {
                        self.blame(word.origin.clone(), OVERLAP);
                    }
                }
                return;
            }
        }
        let counted = ["minProperties", "maxProperties"].into_iter().filter(|name| !self.is_left_out(node, name));
        let counted: Vec<_> = counted.collect();
        if counted.is_empty() {
            return;
        }
        let mut members = Map::from_iter([("type".to_owned(), json!("object"))]);
        let open = |entries: &[(String, Id)]| {
            Value::Object(entries.iter().map(|(name, _)| (name.clone(), Value::Bool(true))).collect())
        };
        if let Some(entries) = node.named("properties") {
            members.insert("properties".to_owned(), open(entries));
        }
        if let Some(id) = node.one("additionalProperties") {
            let closed = self.tree.node(id).body == crate::schema::tree::Body::Never;
            members.insert("additionalProperties".to_owned(), Value::Bool(!closed));
        }
        copy(node, &["required"], &mut members);
        let bare = Value::Object(members.clone());
        copy(node, &["minProperties", "maxProperties"], &mut members);
        if self.fails(Value::Object(members)).is_some() && self.fails(bare).is_none() {
            for word in counted.into_iter().filter_map(|name| node.word(name)) {
                self.blame(word.origin.clone(), COUNTS);
            }
        }
    }

    fn branches(&mut self, id: Id, node: &Node) {
        if self.is_left_out(node, "oneOf") {
            return;
        }
        let Some(word) = node.word("oneOf").filter(|word| matches!(word.held, Held::List(_))) else { return };
        let Some(document) = outline::alone(self.tree, id, "oneOf", self.without) else { return };
        if self.fails(document) == Some(GrammarError::OneOf) {
            self.blame(word.origin.clone(), BRANCHES);
        }
    }
}

fn copy(node: &Node, names: &[&str], into: &mut Map<String, Value>) {
    for name in names {
        if let Some(value) = node.data(name) {
            into.insert((*name).to_owned(), value.clone());
        }
    }
}

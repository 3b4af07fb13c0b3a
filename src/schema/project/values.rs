//! Listed values and bounds in the words a provider takes: `const` as a list of one, `null` out of a list, exclusive bounds
//! of whole numbers as inclusive ones.

use super::Level;
use super::combine::listed_values;
use super::mend::Mender;
use crate::json::Value;
use crate::schema::profile::RuleName;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::merge::type_value;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Word};

impl Mender {
    /// `const` → a list of one value.
    pub(super) fn const_as_enum(&mut self, id: Id) {
        if self.profile.keyword("const").is_some() || self.profile.keyword("enum").is_none() {
            return;
        }
        let node = self.tree.node(id);
        let Some(word) = node.word("const") else { return };
        let (origin, Some(values)) = (word.origin.clone(), listed_values(node)) else { return };
        self.note(Level::Exact, &origin, "wrote const as a list of one value");
        let node = self.tree.node_mut(id);
        node.take("const");
        if values.is_empty() {
            node.body = Body::Never;
        } else {
            node.set("enum", &origin, Held::Data(Value::Array(values)));
        }
    }

    /// Values the provider takes in no list become types where they are all of their type.
    pub(super) fn plain_values(&mut self, id: Id) {
        let node = self.tree.node(id);
        if !self.profile.has(RuleName::ValueNotSupported) {
            return;
        }
        let (Some(values), types) = (listed_values(node), node.types()) else { return };
        let fits = |value: &Value| Types::of_value(value).within(self.profile.values);
        if values.iter().all(fits) {
            return;
        }
        let name = if node.word("enum").is_some() { "enum" } else { "const" };
        let origin = node.word(name).map(|word| word.origin.clone()).unwrap_or_default();
        let others =
            node.body.words().iter().any(|w| !is_annotation(&w.name) && !matches!(&*w.name, "enum" | "const" | "type"));
        if others {
            return;
        }
        let allowed: Vec<Value> = values.into_iter().filter(|value| Types::of_value(value).within(types)).collect();
        let (mut kept, rest): (Vec<Value>, Vec<Value>) = allowed.into_iter().partition(fits);
        let (whole, odd) = whole_types(&rest);
        let (mut whole, mut level) = (whole, Level::Exact);
        if !odd.is_empty() {
            if !kept.is_empty() || !whole.is_empty() {
                level = Level::Narrow;
            } else {
                level = Level::Relax;
                whole = odd.iter().map(Types::of_value).fold(whole, Types::or);
            }
        }
        if !self.may(level) {
            return;
        }
        let what = match level {
            Level::Exact => "wrote null or booleans of the list as types",
            Level::Narrow => "left out values the provider does not take",
            Level::Relax => "wrote the list as a type, checked locally only",
        };
        self.note(level, &origin, what);
        kept.dedup();
        self.write_values(id, &origin, kept, whole);
    }

    /// The node allows these values and everything of these types.
    fn write_values(&mut self, id: Id, origin: &str, kept: Vec<Value>, whole: Types) {
        let node = self.tree.node(id);
        let mut words: Vec<Word> = node.body.words().iter().filter(|word| is_annotation(&word.name)).cloned().collect();
        let word = |name: &str, held| Word { name: name.to_owned(), origin: origin.to_owned(), held };
        if kept.is_empty() && whole.is_empty() {
            self.tree.node_mut(id).body = Body::Never;
            return;
        }
        if kept.is_empty() {
            words.push(word("type", Held::Data(type_value(whole))));
        } else {
            let listed = word("enum", Held::Data(Value::Array(kept)));
            if whole.is_empty() {
                words.push(listed);
            } else {
                let mut branches = vec![self.tree.add(origin, Body::Words(vec![listed]))];
                branches.extend(whole.words().into_iter().map(|name| self.typed(name, origin)));
                words.push(word("anyOf", Held::List(branches)));
            }
        }
        self.tree.node_mut(id).body = Body::Words(words);
    }

    /// Exclusive bounds where only inclusive ones are held.
    pub(super) fn inclusive_bounds(&mut self, id: Id) {
        for (exclusive, inclusive, step) in
            [("exclusiveMinimum", "minimum", 1_i64), ("exclusiveMaximum", "maximum", -1)]
        {
            let node = self.tree.node(id);
            let Some(word) = node.word(exclusive).cloned() else { continue };
            let numbers = node.types().and(Types::NUMBER);
            if self.profile.keyword(exclusive).is_some()
                || !self.holds(inclusive, numbers)
                || node.word(inclusive).is_some()
            {
                continue;
            }
            let Held::Data(value) = &word.held else { continue };
            let whole = numbers == Types::INTEGER;
            let next = value.as_i64().and_then(|limit| limit.checked_add(step));
            if let (true, Some(next)) = (whole, next) {
                self.note(Level::Exact, &word.origin, format!("wrote {exclusive} as {inclusive}"));
                let node = self.tree.node_mut(id);
                node.take(exclusive);
                node.set(inclusive, &word.origin, Held::Data(Value::from(next)));
            } else if self.may(Level::Relax) && value.is_number() {
                let value = value.clone();
                self.leave_out(
                    id,
                    exclusive,
                    Level::Relax,
                    &format!(", {inclusive} stays, the rest checked locally only"),
                );
                self.tree.node_mut(id).set(inclusive, &word.origin, Held::Data(value));
            }
        }
    }
}

/// Types of which every value is listed, and the values of the other types.
fn whole_types(values: &[Value]) -> (Types, Vec<Value>) {
    let has = |value: &Value| values.contains(value);
    let mut whole = Types::NONE;
    if has(&Value::Null) {
        whole = whole.or(Types::NULL);
    }
    if has(&Value::Bool(true)) && has(&Value::Bool(false)) {
        whole = whole.or(Types::BOOLEAN);
    }
    let odd = values.iter().filter(|value| !Types::of_value(value).within(whole)).cloned().collect();
    (whole, odd)
}

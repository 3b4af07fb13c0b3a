//! Lists and texts: tuples, items, patterns, lengths, formats.

use super::Level;
use super::mend::Mender;
use super::render::fragment;
use crate::json::Value;
use crate::schema::profile::RuleName;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id};

/// llama.cpp refuses repetitions of 2000 and more in nested strings (reported 2026-08).
pub(super) const LONGEST: u64 = 1_999;

/// "Large" repeats are refused by some vendors; the number is not published, this one is cautious.
const LARGEST_REPEAT: u64 = 100;

impl Mender {
    pub(super) fn array(&mut self, id: Id) {
        let node = self.tree.node(id);
        let typed = node.data("type").is_some() && node.types().meets(Types::ARRAY);
        if !typed || node.word("anyOf").is_some() {
            return;
        }
        self.settle_unevaluated_items(id);
        self.tuple(id);
        let node = self.tree.node(id);
        let most = node.data("maxItems").and_then(Value::as_u64);
        if node.word("uniqueItems").is_some() && most.is_some_and(|most| most <= 1) {
            self.leave_out(id, "uniqueItems", Level::Exact, " (at most one item)");
        }
        self.few_items(id);
        let node = self.tree.node(id);
        if self.profile.has(RuleName::ItemsNeeded)
            && node.word("items").is_none()
            && node.word("prefixItems").is_none()
            && self.may(Level::Narrow)
        {
            let origin = node.origin.clone();
            let anything = self.tree.add(&origin, Body::Any);
            self.note(Level::Narrow, &origin, "only plain values as items");
            self.tree.node_mut(id).set("items", &origin, Held::One(anything));
        }
    }

    /// Where `minItems` may only be 0 or 1, a larger one is lowered.
    fn few_items(&mut self, id: Id) {
        let more = self.tree.node(id).data("minItems").and_then(Value::as_u64).is_some_and(|least| least > 1);
        if !more || !self.profile.has(RuleName::MinItemsOne) || !self.may(Level::Relax) {
            return;
        }
        let Some(word) = self.tree.node(id).word("minItems").cloned() else { return };
        self.note(Level::Relax, &word.origin, "lowered minItems to 1, the rest checked locally only");
        self.tell(id, &word);
        self.tree.node_mut(id).set("minItems", &word.origin, Held::Data(Value::from(1)));
    }

    fn settle_unevaluated_items(&mut self, id: Id) {
        let node = self.tree.node(id);
        let elsewhere = ["allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef", "contains", "not", "dependentSchemas"];
        if node.word("unevaluatedItems").is_none() || elsewhere.iter().any(|name| node.word(name).is_some()) {
            return;
        }
        if node.word("items").is_some() {
            self.leave_out(id, "unevaluatedItems", Level::Exact, " (items covers everything)");
        } else if let Some(word) = self.tree.node_mut(id).take("unevaluatedItems") {
            self.note(Level::Exact, &word.origin, "wrote unevaluatedItems as items");
            self.tree.node_mut(id).set("items", &word.origin, word.held);
        }
    }

    /// A tuple of equal places is a list; any other tuple is one only for `relax`.
    fn tuple(&mut self, id: Id) {
        if self.profile.keyword("prefixItems").is_some() {
            return;
        }
        let node = self.tree.node(id);
        let Some(word) = node.word("prefixItems").cloned() else { return };
        let Held::List(places) = &word.held else { return };
        let rest = node.one("items");
        let most = node.data("maxItems").and_then(Value::as_u64);
        let length = places.len() as u64;
        let shut = rest.is_some_and(|rest| self.tree.node(rest).body == Body::Never);
        let ends = shut || most.is_some_and(|most| most <= length);
        let equal = self.all_equal(places);
        if ends && equal && !places.is_empty() {
            self.note(Level::Exact, &word.origin, "wrote the tuple of equal places as a list");
            self.as_list(id, places[0], Some(most.map_or(length, |most| most.min(length))));
        } else if self.may(Level::Relax) && !places.is_empty() {
            self.note(
                Level::Relax,
                &word.origin,
                "wrote the tuple as a list of any of its places, order checked locally only",
            );
            let mut branches = places.clone();
            if !ends {
                let anything = self.tree.add(&word.origin, Body::Any);
                branches.push(rest.unwrap_or(anything));
            }
            let any = crate::schema::tree::Word {
                name: "anyOf".into(),
                origin: word.origin.clone(),
                held: Held::List(branches),
            };
            let item = if equal && ends { places[0] } else { self.tree.add(&word.origin, Body::Words(vec![any])) };
            self.as_list(id, item, ends.then(|| most.map_or(length, |most| most.min(length))));
        }
    }

    fn as_list(&mut self, id: Id, item: Id, most: Option<u64>) {
        let node = self.tree.node_mut(id);
        let origin = node.take("prefixItems").map(|word| word.origin).unwrap_or_default();
        node.take("items");
        node.set("items", &origin, Held::One(item));
        if let Some(most) = most {
            node.set("maxItems", &origin, Held::Data(Value::from(most)));
        }
    }

    fn all_equal(&self, places: &[Id]) -> bool {
        let mut rendered = places.iter().map(|place| {
            fragment(&self.tree, *place).map(|mut value| {
                if let Value::Object(members) = &mut value {
                    members.shift_remove("title");
                    members.shift_remove("description");
                }
                value
            })
        });
        let first = rendered.next().flatten();
        first.is_some() && rendered.all(|other| other == first)
    }

    pub(super) fn string(&mut self, id: Id) {
        self.pattern(id);
        self.length(id);
        let node = self.tree.node(id);
        let format = node.data("format").and_then(Value::as_str);
        let known = format.is_none_or(|format| self.profile.formats.contains(&format));
        let silent = node.data("type").is_some() && !node.types().meets(Types::STRING);
        if node.word("format").is_some() && silent && format.is_some() && !is_number_format(format) {
            self.leave_out(id, "format", Level::Exact, " (without effect here)");
        } else if !known && self.may(Level::Relax) {
            self.leave_out(id, "format", Level::Relax, ", checked locally only");
        }
    }

    fn pattern(&mut self, id: Id) {
        let Some(pattern) = self.tree.node(id).data("pattern").and_then(Value::as_str).map(str::to_owned) else {
            return;
        };
        let origin = self.tree.node(id).word("pattern").map(|word| word.origin.clone()).unwrap_or_default();
        if self.profile.has(RuleName::PatternLookAround) && has_look_around(&pattern) {
            if self.may(Level::Relax) {
                self.leave_out(id, "pattern", Level::Relax, ", checked locally only");
            }
            return;
        }
        if self.profile.has(RuleName::PatternPlain) && !is_plain_pattern(&pattern) {
            if self.may(Level::Relax) {
                self.leave_out(id, "pattern", Level::Relax, ", checked locally only");
            }
            return;
        }
        if !self.profile.has(RuleName::PatternAnchors) || is_anchored(&pattern) {
            return;
        }
        if let Some(anchored) = anchor(&pattern).filter(|_| self.may(Level::Narrow)) {
            self.note(Level::Narrow, &origin, "anchored the pattern at both ends");
            self.tree.node_mut(id).set("pattern", &origin, Held::Data(Value::String(anchored)));
        } else if self.may(Level::Relax) {
            self.leave_out(id, "pattern", Level::Relax, ", checked locally only");
        }
    }

    /// Lengths the server cannot turn into a grammar.
    fn length(&mut self, id: Id) {
        let node = self.tree.node(id);
        let beside = node.word("pattern").is_some() || node.word("format").is_some();
        if beside && self.profile.has(RuleName::LengthBesidePattern) && self.may(Level::Relax) {
            for name in ["minLength", "maxLength"] {
                self.leave_out(id, name, Level::Relax, " beside a pattern or format, checked locally only");
            }
        }
        if self.profile.keyword("maxLength").is_none() || !self.profile.has(RuleName::LengthTooLarge) {
            return;
        }
        let node = self.tree.node(id);
        let bound = |name: &str| node.data(name).and_then(Value::as_u64);
        if bound("maxLength").is_some_and(|most| most > LONGEST)
            && bound("minLength").is_none_or(|least| least <= LONGEST)
            && self.may(Level::Narrow)
        {
            let origin = node.word("maxLength").map(|word| word.origin.clone()).unwrap_or_default();
            self.note(Level::Narrow, &origin, "lowered maxLength");
            self.tree.node_mut(id).set("maxLength", &origin, Held::Data(Value::from(LONGEST)));
        }
        if bound_of(self.tree.node(id), "minLength").is_some_and(|least| least > LONGEST) && self.may(Level::Relax) {
            self.leave_out(id, "minLength", Level::Relax, ", checked locally only");
        }
    }
}

/// A pattern without back-references, word boundaries and large repeats.
pub(super) fn is_plain_pattern(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && characters.next().is_some_and(|c| c.is_ascii_digit() || matches!(c, 'b' | 'B' | 'k')) {
            return false;
        }
    }
    let plain = without_escapes(pattern);
    plain.split('{').skip(1).all(|rest| {
        let Some((bounds, _)) = rest.split_once('}') else { return true };
        bounds.split(',').filter_map(|bound| bound.trim().parse::<u64>().ok()).all(|bound| bound <= LARGEST_REPEAT)
    })
}

fn bound_of(node: &crate::schema::tree::Node, name: &str) -> Option<u64> {
    node.data(name).and_then(Value::as_u64)
}

/// Formats that speak about numbers in the wild (`int32`, `float`, …).
fn is_number_format(format: Option<&str>) -> bool {
    matches!(format, Some("int32" | "int64" | "uint32" | "uint64" | "float" | "double" | "int-or-string"))
}

/// Does a pattern look ahead or behind?
pub(super) fn has_look_around(pattern: &str) -> bool {
    let plain = without_escapes(pattern);
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|start| plain.contains(start))
}

/// The pattern with each escaped character replaced by a letter, so that its syntax can be searched.
pub(super) fn without_escapes(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
            plain.push('a');
        } else {
            plain.push(character);
        }
    }
    plain
}

/// `^…$` around the whole pattern.
pub(super) fn is_anchored(pattern: &str) -> bool {
    let plain = without_escapes(pattern);
    plain.starts_with('^') && plain.ends_with('$') && plain.len() > 1
}

/// A pattern that matches the whole text only; every such text also matches the given pattern.
fn anchor(pattern: &str) -> Option<String> {
    let plain = without_escapes(pattern);
    let body = plain.strip_prefix('^').unwrap_or(&plain);
    let body = body.strip_suffix('$').unwrap_or(body);
    if body.contains(['^', '$', '|']) || body.is_empty() {
        return None;
    }
    let start = if plain.starts_with('^') { "" } else { "^" };
    let end = if plain.ends_with('$') { "" } else { "$" };
    Some(format!("{start}{pattern}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_anchored_only_where_that_is_safe() {
        assert_eq!(anchor("[a-z]+").as_deref(), Some("^[a-z]+$"));
        assert_eq!(anchor("^a").as_deref(), Some("^a$"));
        assert_eq!(anchor("a\\$").as_deref(), Some("^a\\$$"));
        assert_eq!(anchor("^a|b$"), None);
        assert_eq!(anchor(""), None);
        assert!(is_anchored("^a$") && !is_anchored("^a\\$") && !is_anchored("a$"));
    }

    #[test]
    fn plain_patterns_hold_no_surprises() {
        for (pattern, plain) in [
            ("^[a-z]{2,4}$", true),
            ("^a{100}$", true),
            ("^a{101}$", false),
            ("^a{1,5000}$", false),
            ("(a)\\1", false),
            ("\\bword\\b", false),
            ("\\\\b", true),
            ("\\d+", true),
            ("\\{1000\\}", true),
        ] {
            assert_eq!(is_plain_pattern(pattern), plain, "{pattern}");
        }
    }

    #[test]
    fn look_around_is_told_from_its_escaped_look() {
        assert!(has_look_around("^(?!x)") && has_look_around("(?<=a)b"));
        assert!(!has_look_around("\\(?=") && !has_look_around("(?:a)"));
    }
}

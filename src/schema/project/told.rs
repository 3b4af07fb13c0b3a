//! What a dropped constraint says in words: the provider does not hold it, but the model may still read it.

use super::mend::Mender;
use crate::json::Value;
use crate::schema::tree::{Held, Id, Word};

/// Longer constraints are not written out.
const MAX_TEXT: usize = 200;

impl Mender {
    /// Adds a dropped constraint to the description, where descriptions reach the model.
    pub(super) fn tell(&mut self, id: Id, dropped: &Word) {
        let beside = self.tree.node(id).word("$ref").is_some();
        if self.profile.keyword("description").is_none() || beside && self.profile.reference_siblings.is_empty() {
            return;
        }
        let Some(said) = phrase(dropped) else { return };
        let node = self.tree.node_mut(id);
        let text = match node.data("description").and_then(Value::as_str) {
            Some(there) if there.contains(&said) => return,
            Some(there) if !there.trim().is_empty() => format!("{} ({said})", there.trim_end()),
            _ => said,
        };
        node.set("description", &dropped.origin, Held::Data(Value::String(text)));
    }
}

fn phrase(word: &Word) -> Option<String> {
    let Held::Data(value) = &word.held else { return None };
    let shown = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Bool(true) if word.name == "uniqueItems" => String::new(),
        _ => return None,
    };
    if shown.chars().count() > MAX_TEXT {
        return None;
    }
    let plural = |one: &str, many: &str| if shown == "1" { format!("1 {one}") } else { format!("{shown} {many}") };
    Some(match word.name.as_str() {
        "minLength" => format!("at least {}", plural("character", "characters")),
        "maxLength" => format!("at most {}", plural("character", "characters")),
        "minItems" => format!("at least {}", plural("item", "items")),
        "maxItems" => format!("at most {}", plural("item", "items")),
        "minProperties" => format!("at least {}", plural("property", "properties")),
        "maxProperties" => format!("at most {}", plural("property", "properties")),
        "minimum" => format!("at least {shown}"),
        "maximum" => format!("at most {shown}"),
        "exclusiveMinimum" => format!("more than {shown}"),
        "exclusiveMaximum" => format!("less than {shown}"),
        "multipleOf" => format!("a multiple of {shown}"),
        "pattern" => format!("matches {shown}"),
        "format" => format!("format {shown}"),
        "uniqueItems" => "no item twice".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{ParseLimits, parse};

    #[test]
    fn a_constraint_is_told_with_its_number_as_written() {
        for (name, value, want) in [
            ("maxLength", "80", Some("at most 80 characters")),
            ("minLength", "1", Some("at least 1 character")),
            ("minimum", "1.50", Some("at least 1.50")),
            ("pattern", "\"^a$\"", Some("matches ^a$")),
            ("uniqueItems", "true", Some("no item twice")),
            ("uniqueItems", "false", None),
            ("not", "1", None),
        ] {
            let held = Held::Data(parse(value, ParseLimits::default()).unwrap());
            let word = Word { name: name.to_owned(), origin: String::new(), held };
            assert_eq!(phrase(&word).as_deref(), want, "{name}");
        }
    }
}

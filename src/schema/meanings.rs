//! What each keyword means, in a line. Data only; written for this program from the drafts' texts (draft-04 to 2020-12).

use super::Dialect;
use super::keywords;

/// Keyword and meaning; a keyword that means something else in older drafts stands twice, the older meaning with the
/// last draft that has it.
const MEANINGS: &[(&str, &str)] = &[
    ("$schema", "the draft this schema is written in"),
    ("$id", "the URI of this schema; references below it start from it"),
    ("id", "the URI of this schema; references below it start from it"),
    ("$anchor", "a name for this schema: \"#name\" refers to it"),
    ("$dynamicAnchor", "a name that a $dynamicRef finds at run time, outermost first"),
    ("$recursiveAnchor", "true: a $recursiveRef may land here at run time"),
    ("$ref", "the value must also be valid for the schema referred to"),
    ("$dynamicRef", "as $ref; a $dynamicAnchor of that name further out wins"),
    ("$recursiveRef", "as $ref to the root; the outermost $recursiveAnchor wins"),
    ("$vocabulary", "which vocabularies a meta-schema uses"),
    ("$comment", "a note for people who read the schema; never checked"),
    ("$defs", "schemas to refer to, by name; they check nothing by themselves"),
    ("definitions", "schemas to refer to, by name; they check nothing by themselves"),
    ("allOf", "the value must be valid for every schema of the list"),
    ("anyOf", "the value must be valid for at least one schema of the list"),
    ("oneOf", "the value must be valid for exactly one schema of the list"),
    ("not", "the value must not be valid for this schema"),
    ("if", "chooses: valid here means then holds, else else holds"),
    ("then", "holds when the value is valid for if"),
    ("else", "holds when the value is not valid for if"),
    ("dependentSchemas", "when the member is there, the whole object must fit its schema"),
    ("dependentRequired", "when the member is there, these others must be there too"),
    ("dependencies", "when the member is there: others required, or a schema for the object"),
    ("extends", "draft-03; no supported draft checks it (use allOf)"),
    ("properties", "the schema of each member, by name; members may still be missing"),
    ("patternProperties", "the schema of every member whose name matches the pattern"),
    ("additionalProperties", "the schema of members named by no other keyword; false forbids them"),
    ("propertyNames", "the schema every member's name must fit"),
    ("items", "the schema of every item (behind those of prefixItems)"),
    ("additionalItems", "the schema of items behind a list of schemas in items"),
    ("prefixItems", "the schemas of the first items, by place"),
    ("contains", "at least one item must fit this schema"),
    ("unevaluatedProperties", "the schema of members nothing else has looked at; false forbids them"),
    ("unevaluatedItems", "the schema of items nothing else has looked at; false forbids them"),
    ("contentSchema", "the schema of the document inside the text; not checked"),
    ("type", "the JSON type, or a list of those allowed"),
    ("enum", "the values allowed, of any type"),
    ("const", "the only value allowed"),
    ("multipleOf", "the number must divide by this without rest"),
    ("maximum", "largest number, itself allowed"),
    ("minimum", "smallest number, itself allowed"),
    ("exclusiveMaximum", "the number must be below this"),
    ("exclusiveMinimum", "the number must be above this"),
    ("maxLength", "largest number of characters (code points)"),
    ("minLength", "smallest number of characters (code points)"),
    ("pattern", "a regular expression that must match somewhere in the text"),
    ("maxItems", "largest number of items"),
    ("minItems", "smallest number of items"),
    ("uniqueItems", "true: no two items may be equal"),
    ("maxContains", "largest number of items that fit contains"),
    ("minContains", "smallest number of items that fit contains (1 when absent)"),
    ("maxProperties", "largest number of members"),
    ("minProperties", "smallest number of members"),
    ("required", "names of members that must be there"),
    ("format", "what the text stands for (date, email, …); a note unless formats are checked"),
    ("contentEncoding", "how bytes are written as text (base64); not checked"),
    ("contentMediaType", "the media type of what the text holds; not checked"),
    ("title", "a short name for people and models; never checked"),
    ("description", "an explanation for people and models; never checked"),
    ("default", "what to assume when the value is missing; never checked"),
    ("examples", "example values; never checked"),
    ("deprecated", "true: better not used any more; never checked"),
    ("readOnly", "true: only the owner sets it; never checked"),
    ("writeOnly", "true: is sent but never read back; never checked"),
];

/// Meanings that were others once: keyword, the last draft with this meaning, the meaning.
const OLDER: &[(&str, Dialect, &str)] = &[
    ("exclusiveMaximum", Dialect::Draft4, "true: maximum itself is not allowed"),
    ("exclusiveMinimum", Dialect::Draft4, "true: minimum itself is not allowed"),
    ("items", Dialect::Draft201909, "the schema of every item, or a list of schemas by place"),
    ("$ref", Dialect::Draft7, "the schema referred to holds instead; everything beside is ignored"),
    ("$id", Dialect::Draft7, "the URI of this schema; \"#name\" is a name for it"),
    ("id", Dialect::Draft4, "the URI of this schema; \"#name\" is a name for it"),
    ("contains", Dialect::Draft7, "at least one item must fit this schema (minContains comes later)"),
];

/// What a keyword means in a draft, as one line without an end; `None` for no keyword of any draft.
#[must_use]
pub fn meaning(keyword: &str, dialect: Dialect) -> Option<&'static str> {
    let older = OLDER.iter().filter(|(name, last, _)| *name == keyword && dialect <= *last);
    let older = older.min_by_key(|(_, last, _)| *last).map(|(.., meaning)| *meaning);
    older.or_else(|| MEANINGS.iter().find(|(name, _)| *name == keyword).map(|(_, meaning)| *meaning))
}

/// Every keyword that has a meaning.
pub fn names() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().map(|(name, _)| *name)
}

/// Does the draft know the keyword?
#[must_use]
pub fn known(keyword: &str, dialect: Dialect) -> bool {
    keywords::find_in(keyword, dialect).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_has_a_meaning_that_fits_a_line_and_there_are_no_others() {
        for keyword in keywords::KEYWORDS {
            let meaning = meaning(keyword.name, Dialect::Draft202012).unwrap_or_else(|| panic!("{}", keyword.name));
            assert!(meaning.chars().count() <= 76 && !meaning.ends_with('.'), "{}", keyword.name);
        }
        for (name, _) in MEANINGS {
            assert!(keywords::find(name).is_some(), "{name}");
        }
        assert_eq!(meaning("minlength", Dialect::Draft7), None);
    }

    #[test]
    fn meanings_follow_the_draft() {
        assert!(meaning("exclusiveMinimum", Dialect::Draft4).unwrap().starts_with("true"));
        assert!(meaning("exclusiveMinimum", Dialect::Draft6).unwrap().contains("above"));
        assert!(meaning("$ref", Dialect::Draft7).unwrap().contains("instead"));
        assert!(meaning("items", Dialect::Draft201909).unwrap().contains("list"));
        assert!(!meaning("items", Dialect::Draft202012).unwrap().contains("list"));
    }
}

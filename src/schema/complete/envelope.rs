//! What wraps a schema: the envelope of this program, the request and the tool definition of others. Their own fields are
//! offered outside of the schema. Only shapes that are told by what stands there are known; the rest offers nothing.

use super::super::position::{NEAR, scalar};
use crate::json::walk::{Member, members};

/// A field, and what it is for.
type Field = (&'static str, &'static str);

/// This program's own.
const OWN: &[Field] = &[
    ("type", "json_schema: this is an envelope"),
    ("schema", "the JSON Schema itself"),
    ("name", "the answer's name: letters, digits, _ and -"),
    ("description", "what the answer is, for the model"),
    ("strict", "true: the provider is held to the schema"),
    ("fallback", "what to do where the native route is closed"),
    ("max_validation_retries", "repairs of an answer that breaks the schema: 0 or 1"),
];
/// The Chat Completions `response_format`.
const RESPONSE_FORMAT: &[Field] =
    &[("type", "json_schema: an answer by a schema"), ("json_schema", "name, schema and strictness")];
const NAMED: &[Field] = &[
    ("name", "the answer's name: letters, digits, _ and -"),
    ("description", "what the answer is, for the model"),
    ("schema", "the JSON Schema itself"),
    ("strict", "true: the provider is held to the schema"),
];
/// The Responses `text.format`.
const TEXT_FORMAT: &[Field] = &[
    ("type", "json_schema: an answer by a schema"),
    ("name", "the answer's name: letters, digits, _ and -"),
    ("description", "what the answer is, for the model"),
    ("schema", "the JSON Schema itself"),
    ("strict", "true: the provider is held to the schema"),
];
const FUNCTION: &[Field] = &[
    ("name", "the function's name"),
    ("description", "what it does, for the model"),
    ("parameters", "the JSON Schema of its arguments"),
    ("strict", "true: the provider is held to the schema"),
];
const TOOL: &[Field] = &[
    ("name", "the tool's name"),
    ("description", "what it does, for the model"),
    ("input_schema", "the JSON Schema of its input"),
];
const MCP_TOOL: &[Field] = &[
    ("name", "the tool's name"),
    ("title", "its name for people"),
    ("description", "what it does, for the model"),
    ("inputSchema", "the JSON Schema of its input"),
    ("outputSchema", "the JSON Schema of its output"),
    ("annotations", "hints on what it does"),
];

const SWITCH: &[Field] = &[("true", "yes"), ("false", "no")];
const FALLBACKS: &[Field] =
    &[("auto", "a tool call, then the prompt"), ("none", "natively or not at all"), ("prompt", "the prompt at once")];

/// What an object is that no schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrapper {
    pub(super) fields: &'static [Field],
    /// The name of its member `type`, where it has one.
    kind: Option<&'static str>,
}

const ENVELOPE: Wrapper = Wrapper { fields: OWN, kind: Some("json_schema") };

/// The wrapper whose object begins at a place; `path` leads there. `None`: a schema, or nothing that is known.
pub(super) fn wrapper(text: &str, path: &[String], there: &[Member]) -> Option<Wrapper> {
    let has = |name: &str| there.iter().any(|member| member.name == name);
    let of = |fields| Some(Wrapper { fields, kind: None });
    let formed = |fields| Some(Wrapper { fields, kind: Some("json_schema") });
    let declared = there.iter().find(|member| member.name == "type").and_then(|member| scalar(text, member));
    let declared = declared.as_deref() == Some("json_schema");
    let steps: Vec<&str> = path.iter().map(String::as_str).collect();
    match steps.as_slice() {
        [] if has("json_schema") => formed(RESPONSE_FORMAT),
        [] if declared => Some(ENVELOPE),
        [.., "response_format"] if !has("schema") => formed(RESPONSE_FORMAT),
        ["json_schema"] | [.., "response_format", "json_schema"] => of(NAMED),
        [.., "text" | "output_config", "format"] => formed(TEXT_FORMAT),
        ["function"] | [.., "tools", _, "function"] if has("parameters") || has("name") => of(FUNCTION),
        [] | [_] | [.., "tools", _] if has("input_schema") => of(TOOL),
        [] | [_] | [.., "tools", _] if has("inputSchema") => of(MCP_TOOL),
        [] if has("parameters") && has("name") => of(FUNCTION),
        _ => None,
    }
}

/// The values of a wrapper's field: as texts, or as literals.
pub(super) enum Values {
    Texts(Vec<Field>),
    Literals(&'static [Field]),
}

impl Wrapper {
    /// What a field can hold; nothing where that is the author's.
    pub(super) fn values(self, field: &str) -> Option<Values> {
        match field {
            "type" => self.kind.map(|kind| Values::Texts(vec![(kind, "an answer by a schema")])),
            "strict" => Some(Values::Literals(SWITCH)),
            "fallback" if self == ENVELOPE => Some(Values::Texts(FALLBACKS.to_vec())),
            "max_validation_retries" if self == ENVELOPE => {
                Some(Values::Literals(&[("0", "none"), ("1", "one repair")]))
            }
            _ => None,
        }
    }
}

/// The wrapper that holds a member, and the member's name.
pub(super) fn holding(text: &str, path: &[String], at: Option<usize>) -> Option<(Wrapper, String)> {
    let (field, holder) = path.split_last()?;
    let there = members(text, at?, NEAR);
    wrapper(text, holder, &there).map(|wrapper| (wrapper, field.clone()))
}

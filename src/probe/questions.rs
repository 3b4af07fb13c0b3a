//! The requests of a probe. Each pulls the model away from what the schema demands: what comes back as demanded all the
//! same was held to it.

use serde_json::json;

use super::Spec;
use super::judge::Judge;
use crate::capability::verdict::Feature;
use crate::dialect::{Call, Message, NativeFormat, ToolChoice, ToolSpec};
use crate::json::Value;

/// The one value the schema allows. No prompt names it, and nobody answers it by chance.
pub(super) const PINNED: &str = "kestrel-4417";
/// The only property of the pinned schema.
pub(super) const WORD: &str = "word";
/// The only property of the list's schema.
pub(super) const LIST: &str = "months";
/// The tool that must be called.
pub(super) const REPORT: &str = "report_word";
/// The tool that is only there.
const LOOKUP: &str = "lookup_word";

/// What is sent, and how the answer is judged.
pub(super) struct Question {
    pub(super) call: Call,
    pub(super) judge: Judge,
}

/// The request of one feature.
pub(super) fn question(feature: Feature, spec: &Spec, max_output: u64) -> Question {
    let plain = Call {
        model_id: spec.model.clone(),
        messages: vec![Message::user("Answer with one short sentence: what is a door?")],
        format: None,
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: Some(max_output),
        reasoning_effort: None,
    };
    let colour = || vec![Message::user("Which colour has a clear sky at noon? Answer in one plain word, not in JSON.")];
    let (call, judge) = match feature {
        Feature::Streaming => (plain, Judge::Streamed),
        Feature::Schema => (Call { messages: colour(), format: Some(format(pinned())), ..plain }, Judge::Pinned),
        Feature::ArrayBound => {
            let none = "Which months have forty days? None has: answer with an empty list.";
            (Call { messages: vec![Message::user(none)], format: Some(format(list())), ..plain }, Judge::List)
        }
        Feature::StrictTool => {
            let demand =
                if spec.endpoint.record(&spec.model).forced_tool { ToolChoice::Required } else { ToolChoice::Auto };
            let words = format!("Call the tool {REPORT} now and report the colour of a clear sky at noon.");
            let call = Call {
                messages: vec![Message::user(words)],
                tools: vec![tool(REPORT, "Reports one word.")],
                tool_choice: demand,
                parallel_tool_calls: Some(false),
                ..plain
            };
            (call, Judge::Tool)
        }
        Feature::WithTools => {
            let tools = vec![tool(LOOKUP, "Looks a word up in a dictionary. Not needed for what is well known.")];
            let call = Call {
                messages: colour(),
                format: Some(format(pinned())),
                tools,
                tool_choice: ToolChoice::Auto,
                ..plain
            };
            (call, Judge::Pinned)
        }
    };
    Question { call, judge }
}

fn format(schema: Value) -> NativeFormat {
    NativeFormat { name: "probe".to_owned(), description: None, strict: true, schema }
}

fn tool(name: &str, description: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters: pinned(), strict: true }
}

fn object(name: &str, property: &Value) -> Value {
    json!({ "type": "object", "properties": { name: property }, "required": [name], "additionalProperties": false })
}

fn pinned() -> Value {
    object(WORD, &json!({ "type": "string", "enum": [PINNED] }))
}

/// Some allow-lists do not name `minItems`: there the question is whether the endpoint takes it.
fn list() -> Value {
    object(LIST, &json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::preflight::check_text;
    use crate::schema::profile::{ProfileId, profile};
    use crate::schema::project::{Level, Place, Verdict, project};

    /// The pinned schema passes everywhere; the list's bound, wherever an allow-list names it.
    #[test]
    fn every_allow_list_takes_the_schemas_as_they_are() {
        let pinned_and_list = [(pinned(), None), (list(), Some("minItems"))];
        for id in ProfileId::ALL {
            for (schema, needs) in &pinned_and_list {
                let format = check_text(&schema.to_string()).unwrap().format;
                for place in [Place::Native, Place::Tool] {
                    let known = needs.is_none_or(|word| profile(id).verdict(word) == Verdict::Accepted);
                    let got = project(id, place, &format, Level::Exact);
                    assert_eq!(got.as_ref().is_ok_and(|made| made.schema == *schema), known, "{id:?} {got:?}");
                }
            }
        }
    }

    #[test]
    fn no_prompt_names_what_the_schema_demands() {
        let config = crate::config::Config::default();
        let (endpoint, model) = crate::catalog::Catalog::new(&config).find("llama_cpp/m").unwrap();
        let spec = Spec {
            endpoint,
            model,
            today: crate::capability::Day::of(2026, 12, 1),
            patience: std::time::Duration::from_secs(1),
        };
        for feature in Feature::ALL {
            let call = question(feature, &spec, 64).call;
            let text = format!("{:?}", call.messages);
            assert!(!text.contains(PINNED) && !text.contains("kestrel"), "{text}");
            assert_eq!(call.messages.len(), 1);
        }
    }
}

//! Recordings of the Messages API.

use formwork::capability::Dialect;
use formwork::event::{ErrorCode, Terminal};

use super::harness::{Form, Recording, Refused, Said, Want, Whole};

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, form, want| Recording { dialect: Dialect::Anthropic, file, form, want };
    vec![
        recording(
            "anthropic/ai__anthropic-json-output-format.1.chunks.txt",
            Form::NamedPayloads,
            Want {
                text: Said::Long(
                    1267,
                    r#"{"characters":[{"name":"Theron Ironheart","class":"warrior","#,
                    r#" a strict personal code about who deserves to be robbed."}]}"#,
                ),
                ..Want::ends(Terminal::Stop, "claude-sonnet-4-5-20250929", [Some(313), Some(305), None, Some(0)])
            },
        ),
        recording(
            "anthropic/ai__anthropic-json-tool.1.chunks.txt",
            Form::NamedPayloads,
            Want {
                calls: &[(
                    "toolu_01KFbKqPYSuAKujiL6mTfzYA",
                    "json",
                    r#"{"elements": [{"location": "San Francisco", "temperature": 58, "condition": "sunny"}]}"#,
                )],
                ..Want::ends(Terminal::ToolUse, "claude-haiku-4-5-20251001", [Some(849), Some(47), None, Some(0)])
            },
        ),
        recording(
            "anthropic/ai__anthropic-refusal.chunks.txt",
            Form::NamedPayloads,
            Want {
                refusal: Said::Exactly(
                    "This request triggered restrictions on violative cyber content and was blocked under Anthropic's Usage Policy.",
                ),
                ..Want::ends(Terminal::Refusal, "claude-fable-5", [Some(18), Some(5), None, Some(0)])
            },
        ),
        recording(
            "anthropic/ai__duplicate-message-start.chunks.txt",
            Form::NamedPayloads,
            Want {
                text: Said::Exactly("Hello, World!"),
                ..Want::ends(Terminal::Stop, "claude-3-haiku-20240307", [Some(17), Some(227), None, None])
            },
        ),
        // A refusal after signed thinking and the beginning of an answer.
        recording(
            "anthropic/apy__stream-a-refusal.sse",
            Form::Body,
            Want {
                text: Said::Exactly("Hi"),
                thinking: Said::Exactly(
                    "Simple educational question about what a solar eclipse is. This is benign general knowledge — definitions are fine. Also the user called me \"claudius\" — I'm Claude. Minor correction or just roll with it politely.",
                ),
                kept: 1,
                ..Want::ends(Terminal::Refusal, "claude-fable-5", [Some(28), Some(106), Some(67), Some(0)])
            },
        ),
        // A refusal after a complete call of the server's own tool: nothing of it is a call of ours.
        recording(
            "anthropic/apy__stream-a-toolrefusal.sse",
            Form::Body,
            Want {
                text: Said::Exactly("Here's a summary of this year's solar eclipses and how"),
                ..Want::ends(Terminal::Refusal, "claude-fable-5", [Some(28), Some(106), Some(67), Some(0)])
            },
        ),
        // The body ends inside the last event's line: an honest end without a terminal, though all else is there.
        recording(
            "anthropic/apy__tool_use_response.txt",
            Form::Body,
            Want {
                text: Said::Exactly("I'll check the current weather in Paris for you."),
                calls: &[("toolu_01NRLabsLyVHZPKxbKvkfSMn", "get_weather", r#"{"location": "Paris"}"#)],
                ..Want::ends(Terminal::Missing, "claude-sonnet-4-20250514", [Some(377), Some(65), None, Some(0)])
            },
        ),
        recording(
            "anthropic/rig__streaming_max_tokens_truncation.0.200.sse",
            Form::Body,
            Want {
                text: Said::Long(1887, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "494\n495\n496\n497\n498\n499"),
                thinking: Said::Exactly("The user wants me to list integers from 1 to 2000, one per line."),
                kept: 1,
                ..Want::ends(Terminal::Length, "claude-sonnet-4-6", [Some(61), Some(1025), Some(25), Some(0)])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    let whole = |file, want| Whole { dialect: Dialect::Anthropic, file, want };
    vec![
        whole(
            "anthropic/ai__anthropic-refusal-no-details.json",
            Want::ends(Terminal::Refusal, "claude-fable-5", [Some(18), Some(5), None, Some(0)]),
        ),
        whole(
            "anthropic/rig__max_tokens_truncation_preserves_stop_reason_and_partial_text.0.200.json",
            Want {
                text: Said::Long(
                    280,
                    "# The Last Light of Kettle Point\n\nEvery evening",
                    "rather than his mind.\n\nThe lamp",
                ),
                ..Want::ends(Terminal::Length, "claude-sonnet-4-6", [Some(29), Some(64), None, Some(0)])
            },
        ),
        whole(
            "anthropic/rig__structured_output_smoke.0.200.json",
            Want {
                text: Said::Exactly(
                    r#"{"title":"Seattle Rust Meetup","category":"Technology","summary":"A local gathering for Rust programming language enthusiasts in Seattle to network, share projects, and discuss the latest developments in the Rust ecosystem."}"#,
                ),
                ..Want::ends(Terminal::Stop, "claude-sonnet-4-6", [Some(244), Some(50), None, Some(0)])
            },
        ),
    ]
}

pub(crate) fn refusals() -> Vec<Refused> {
    let refused = |file, status, provider_code, says| Refused {
        dialect: Dialect::Anthropic,
        file,
        status,
        code: ErrorCode::Provider,
        provider_code: Some(provider_code),
        request_id: Some("req_REDACTED_1"),
        retryable: false,
        says,
    };
    vec![
        refused(
            "anthropic/rig__nonexistent_model_streaming_error_preserves_status_and_body.0.404.json",
            404,
            "not_found_error",
            "model: claude-nonexistent-rig-test",
        ),
        refused(
            "anthropic/rig__seventeen_union_parameters_are_rejected.0.400.json",
            400,
            "invalid_request_error",
            "(limit: 16 parameters with unions)",
        ),
        refused(
            "anthropic/rig__twenty_four_optional_parameters_in_one_schema_hit_internal_limit.0.400.json",
            400,
            "invalid_request_error",
            "Schema is too complex for compilation.",
        ),
    ]
}

//! The vendor's Responses.

use formwork::capability::Dialect;
use formwork::event::{ErrorCode, Terminal};

use super::harness::{Form, Recording, Refused, Said, Want, Whole, fault};

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, form, want| Recording { dialect: Dialect::OpenaiResponses, file, form, want };
    vec![
        // The `error` event is nested there, and `response.failed` follows it.
        recording(
            "openai_responses/ai__openai-error.1.chunks.txt",
            Form::NamedPayloads,
            Want::ends(
                fault(
                    ErrorCode::RateLimited,
                    "insufficient_quota",
                    false,
                    "the provider account has no quota or credit left",
                    "You exceeded your current quota, please check your plan and billing details. For more information \
                     on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
                ),
                "gpt-5-nano-2025-08-07",
                [None; 4],
            ),
        ),
        // Two messages: what the model says on its way is no part of the answer, and goes back with the next call. The
        // recording left most deltas out; the `done` events have all of the text.
        recording(
            "openai_responses/ai__openai-phase.1.chunks.txt",
            Form::NamedPayloads,
            Want {
                text: Said::Long(
                    1491,
                    "Here are a few **AI headlines for today ",
                    "tor-grade morning brief with timestamps.",
                ),
                thinking: Said::Long(
                    157,
                    "Got it — I’ll quickly check reliable, up",
                    "then summarize the key items with links.",
                ),
                kept: 1,
                ..Want::ends(Terminal::Stop, "gpt-5.3-codex", [Some(7112), Some(463), Some(64), Some(3072)])
            },
        ),
        recording(
            "openai_responses/rig__incomplete_mid_tool_call.0.200.sse",
            Form::Body,
            Want {
                calls: &[("call_REDACTED_1", "add", r#"{"x":48151"#)],
                ..Want::ends(Terminal::Length, "gpt-5.6-sol", [Some(83), Some(16), Some(0), Some(0)])
            },
        ),
        recording(
            "openai_responses/rig__responses_streaming_reasoning_budget_exhausted.0.200.sse",
            Form::Body,
            Want {
                kept: 1,
                ..Want::ends(Terminal::Length, "gpt-5-nano-2025-08-07", [Some(16), Some(0), Some(0), Some(0)])
            },
        ),
        // The response calls itself completed.
        recording(
            "openai_responses/rig__responses_streaming_refusal_delta_surfaces.0.200.sse",
            Form::Body,
            Want {
                refusal: Said::Exactly("I'm sorry, I can't assist with that."),
                ..Want::ends(Terminal::Refusal, "gpt-4o-2024-08-06", [Some(43), Some(11), Some(0), Some(0)])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    vec![Whole {
        dialect: Dialect::OpenaiResponses,
        file: "openai_responses/rig__strict_tools_opt_in_roundtrip.0.200.json",
        want: Want {
            calls: &[("call_REDACTED_1", "add", r#"{"x":7,"y":5}"#)],
            ..Want::ends(Terminal::ToolUse, "gpt-4o-2024-08-06", [Some(92), Some(18), Some(0), Some(0)])
        },
    }]
}

pub(crate) fn refusals() -> Vec<Refused> {
    vec![Refused {
        dialect: Dialect::OpenaiResponses,
        file: "openai_responses/ai__openai-error.1.json",
        status: 429,
        code: ErrorCode::RateLimited,
        provider_code: Some("insufficient_quota"),
        request_id: None,
        retryable: false,
        says: "You exceeded your current quota",
    }]
}

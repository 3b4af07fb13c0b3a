//! Bedrock: binary frames as they came, with their checksums.

use formwork::capability::Dialect;
use formwork::event::{ErrorCode, Terminal};

use super::harness::{Form, Recording, Refused, Said, Want, Whole};

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, want| Recording { dialect: Dialect::Bedrock, file, form: Form::Body, want };
    vec![
        recording(
            "bedrock/pai__test_bedrock_model_iter_stream.0.200.bin",
            Want {
                // This model writes its thoughts into the text.
                text: Said::Exactly(
                    "<thinking> To find the temperature of the capital of France, I need to first determine the \
                     capital of France and then get the current temperature in that city. The capital of France is \
                     Paris. I will use the \"get_temperature\" tool to find the current temperature in \
                     Paris.</thinking>\n",
                ),
                calls: &[("tooluse_lAG_zP8QRHmSYOwZzzaCqA", "get_temperature", r#"{"city":"Paris"}"#)],
                ..Want::ends(Terminal::ToolUse, "", [Some(471), Some(91), None, None])
            },
        ),
        recording(
            "bedrock/pai__test_bedrock_model_iter_stream.1.200.bin",
            Want {
                text: Said::Exactly("The current temperature in Paris, the capital of France, is 30°C."),
                ..Want::ends(Terminal::Stop, "", [Some(577), Some(18), None, None])
            },
        ),
        // Two blocks of redacted reasoning, which nobody can read and which must go back.
        recording(
            "bedrock/pai__test_bedrock_model_thinking_part_redacted_stream.0.200.bin",
            Want {
                text: Said::Long(
                    388,
                    "I notice you've sent what appears to be some",
                    " What would you like to talk about today?",
                ),
                kept: 2,
                ..Want::ends(Terminal::Stop, "", [Some(92), Some(253), None, None])
            },
        ),
        recording(
            "bedrock/pai__test_bedrock_native_output_stream.0.200.bin",
            Want {
                text: Said::Exactly(r#"{"city":"Paris","country":"France","population":2161000}"#),
                ..Want::ends(Terminal::Stop, "", [Some(210), Some(18), None, None])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    let whole = |file, want| Whole { dialect: Dialect::Bedrock, file, want };
    vec![
        whole(
            "bedrock/pai__test_bedrock_model_max_tokens.0.200.json",
            Want {
                text: Said::Exactly("The capital of France is"),
                ..Want::ends(Terminal::Length, "", [Some(13), Some(5), None, None])
            },
        ),
        whole(
            "bedrock/pai__test_bedrock_native_output_numerical_constraints.0.200.json",
            Want {
                text: Said::Exactly(r#"{"score": 85.5, "rating": 15, "priority": "high"}"#),
                ..Want::ends(Terminal::Stop, "", [Some(308), Some(23), None, Some(0)])
            },
        ),
        whole(
            "bedrock/rig__guardrail_trace_survives_into_raw_completion.0.200.json",
            Want {
                text: Said::Exactly("Blocked by guardrail."),
                ..Want::ends(Terminal::ContentFilter, "", [Some(0), Some(0), None, None])
            },
        ),
    ]
}

pub(crate) fn refusals() -> Vec<Refused> {
    vec![Refused {
        dialect: Dialect::Bedrock,
        file: "bedrock/pai__test_bedrock_streaming_error.0.400.json",
        status: 400,
        code: ErrorCode::Provider,
        provider_code: None,
        request_id: None,
        retryable: false,
        says: "The provided model identifier is invalid.",
    }]
}

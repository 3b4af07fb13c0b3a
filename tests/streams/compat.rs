//! Servers that copy `OpenAI`'s chat dialect.

use formwork::capability::Dialect;
use formwork::event::{ErrorCode, Terminal};

use super::harness::{Form, Recording, Refused, Said, Want, Whole};

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, form, want| Recording { dialect: Dialect::OpenaiChat, file, form, want };
    vec![
        recording(
            "compat_deepseek/rig__streaming_budget_24_truncated_arguments_keep_the_turn.0.200.sse",
            Form::Body,
            Want {
                calls: &[("call_REDACTED_1", "file_report", r#"{"summary": "#)],
                ..Want::ends(Terminal::Length, "deepseek-v4-flash", [Some(372), Some(24), None, Some(256)])
            },
        ),
        recording(
            "compat_llamacpp/rig__streaming_tool_call_cut_mid_arguments.0.200.sse",
            Form::Body,
            Want {
                calls: &[("call_REDACTED_1", "record", r#"{"note": "The"#)],
                ..Want::ends(
                    Terminal::Length,
                    "/REDACTED_PATH/Qwen3-8B-Q4_K_M.gguf",
                    [Some(165), Some(20), None, Some(164)],
                )
            },
        ),
        recording(
            "compat_llamacpp/rig__streaming_truncated_turn.0.200.sse",
            Form::Body,
            Want {
                text: Said::Long(98, "Maple trees are known for their vibrant ", "des of red, orange, and yellow"),
                ..Want::ends(
                    Terminal::Length,
                    "/REDACTED_PATH/Qwen3-8B-Q4_K_M.gguf",
                    [Some(35), Some(24), None, Some(34)],
                )
            },
        ),
        recording(
            "compat_openrouter/rig__streaming_azure_routed_refusal.0.200.sse",
            Form::Body,
            Want {
                refusal: Said::Exactly("I'm very sorry, but I can't assist with this request."),
                ..Want::ends(Terminal::Refusal, "openai/gpt-4o", [Some(49), Some(14), Some(0), Some(0)])
            },
        ),
        recording(
            "compat_openrouter/rig__streaming_raw_model_surfaces_refusal.0.200.sse",
            Form::Body,
            Want {
                refusal: Said::Exactly("I'm sorry, I can't assist with that request."),
                ..Want::ends(Terminal::Refusal, "openai/gpt-4o", [Some(49), Some(11), Some(0), Some(0)])
            },
        ),
        // 1 visible token and 290 of reasoning: the server counts them apart (12 + 1 + 290 = 303), we together.
        recording(
            "compat_xai/ai__xai-text.chunks.txt",
            Form::ChatPayloads,
            Want {
                text: Said::Exactly("Hello"),
                thinking: Said::Exactly("First, the user said"),
                ..Want::ends(Terminal::Stop, "grok-3-mini", [Some(12), Some(291), Some(290), Some(11)])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    let whole = |file, want| Whole { dialect: Dialect::OpenaiChat, file, want };
    vec![
        whole(
            "compat_groq/rig__json_schema_structured_output_roundtrip.0.200.json",
            Want {
                text: Said::Exactly(r#"{"lane":"canary","checks":{"compile":true,"replay":true},"risk":"low"}"#),
                thinking: Said::Long(
                    279,
                    "We need to produce a JSON object that satisfies schema. ",
                    "Ensure valid compact JSON.",
                ),
                ..Want::ends(Terminal::Stop, "openai/gpt-oss-20b", [Some(260), Some(100), Some(70), None])
            },
        ),
        whole(
            "compat_groq/pai__test_tool_use_failed_error.1.200.json",
            Want {
                thinking: Said::Exactly(
                    "We need to call with correct param: name field. Use some name, e.g., \"test\".",
                ),
                calls: &[("fc_311ba17b-89f9-48d3-8fd9-7e74a1264855", "get_something_by_name", r#"{"name":"test"}"#)],
                ..Want::ends(Terminal::ToolUse, "openai/gpt-oss-120b", [Some(301), Some(52), Some(22), None])
            },
        ),
        whole(
            "compat_groq/pai__test_tool_use_failed_error.2.200.json",
            Want {
                text: Said::Exactly(
                    "The first call failed due to missing and extra parameters, as expected. The second call succeeded and returned: \"Something with name: test\".",
                ),
                thinking: Said::Long(
                    275,
                    "We need to respond to user request.",
                    "acknowledging the result. Use regular quotes.",
                ),
                ..Want::ends(Terminal::Stop, "openai/gpt-oss-120b", [Some(336), Some(96), Some(59), Some(256)])
            },
        ),
        whole(
            "compat_mistral/rig__json_schema_structured_output_roundtrip.0.200.json",
            Want {
                text: Said::Exactly(
                    r#"{"lane": "canary", "checks": {"compile": true, "replay": true}, "risk": "low"}"#,
                ),
                ..Want::ends(Terminal::Stop, "mistral-small-latest", [Some(32), Some(29), None, Some(0)])
            },
        ),
        whole(
            "compat_ollama/pai__test_ollama_local_native_output_uses_json_schema.0.200.json",
            Want {
                text: Said::Exactly(r#"{ "city": "Paris", "country": "France" }"#),
                thinking: Said::Long(
                    508,
                    "Okay, the user is asking for the capital of France.",
                    "I'm confident the answer is Paris.\n",
                ),
                ..Want::ends(Terminal::Stop, "qwen3:0.6b", [Some(136), Some(15), None, None])
            },
        ),
        // Ollama's own API, another dialect: nothing of it is taken for a chat answer.
        whole(
            "compat_ollama/rig__structured_output_smoke.0.200.json",
            Want::ends(Terminal::Missing, "qwen3:4b", [None; 4]),
        ),
    ]
}

pub(crate) fn refusals() -> Vec<Refused> {
    let refused = |file, status, code, provider_code, says| Refused {
        dialect: Dialect::OpenaiChat,
        file,
        status,
        code,
        provider_code,
        request_id: None,
        retryable: false,
        says,
    };
    vec![
        refused(
            "compat_groq/pai__test_tool_use_failed_error.0.400.json",
            400,
            ErrorCode::Provider,
            Some("tool_use_failed"),
            "\"foo\": \"bar\"",
        ),
        refused(
            "compat_llamacpp/rig__context_overflow_streaming.0.400.json",
            400,
            ErrorCode::Incomplete,
            Some("exceed_context_size_error"),
            "request (2009 tokens) exceeds the available context size (512 tokens)",
        ),
        refused(
            "compat_llamacpp/rig__missing_api_key_is_401.0.401.json",
            401,
            ErrorCode::Auth,
            Some("authentication_error"),
            "Invalid API Key",
        ),
        refused(
            "compat_openrouter/rig__routed_failure_error_shape.0.400.json",
            400,
            ErrorCode::Provider,
            None,
            "openai/gpt-nonexistent-routed-model is not a valid model ID",
        ),
    ]
}

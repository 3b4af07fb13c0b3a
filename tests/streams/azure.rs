//! Responses on Azure.

use formwork::capability::Dialect;
use formwork::event::Terminal;

use super::harness::{Form, Recording, Said, Want, Whole};

const FOUR: &str = "azure_responses/ai__azure-reasoning-encrypted-content.1.chunks.txt";

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, form, want| Recording { dialect: Dialect::AzureOpenaiResponses, file, form, want };
    let codex = |usage| Want::ends(Terminal::ToolUse, "gpt-5.1-codex-max", usage);
    vec![
        // Filters looked at prompt and answer and blocked neither.
        recording(
            "azure_responses/ai__azure-tool-call.1.chunks.txt",
            Form::NamedPayloads,
            Want {
                calls: &[("call_H5DxLSFnsGhiROnUiDHmgyc8", "weather", r#"{"location":"San Francisco"}"#)],
                ..Want::ends(Terminal::ToolUse, "gpt-5.1", [Some(45), Some(24), Some(0), Some(0)])
            },
        ),
        // Four responses, one after the other: reasoning and three calls, then the answer.
        recording(
            FOUR,
            Form::Response(0),
            Want {
                thinking: Said::Long(
                    457,
                    "**Calculating in steps**\n\nI need to carry out mult",
                    "e addition, then proceed with the multiplications.",
                ),
                calls: &[("call_UdvUeOElp5zdU0DKr6IoyhjE", "calculator", r#"{"a":12,"b":7,"op":"add"}"#)],
                kept: 1,
                ..codex([Some(137), Some(28), Some(0), Some(0)])
            },
        ),
        recording(
            FOUR,
            Form::Response(1),
            Want {
                calls: &[("call_Qm7RkNSRinyfYLyTUPXLrgH5", "calculator", r#"{"a":19,"b":3,"op":"multiply"}"#)],
                ..codex([Some(237), Some(26), Some(0), Some(0)])
            },
        ),
        recording(
            FOUR,
            Form::Response(2),
            Want {
                calls: &[("call_axaLIcwBQwyb49kT8613pJxW", "calculator", r#"{"a":57,"b":10,"op":"multiply"}"#)],
                ..codex([Some(276), Some(26), Some(0), Some(0)])
            },
        ),
        recording(
            FOUR,
            Form::Response(3),
            Want {
                text: Said::Exactly("The final result is **570**."),
                ..Want::ends(Terminal::Stop, "gpt-5.1-codex-max", [Some(315), Some(12), Some(0), Some(0)])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    vec![Whole {
        dialect: Dialect::AzureOpenaiResponses,
        file: "azure_responses/pai__test_azure_responses_reasoning_context_default_wire_contract[gpt-5.5].0.200.json",
        want: Want {
            text: Said::Exactly("Paris"),
            kept: 1,
            ..Want::ends(Terminal::Stop, "gpt-5.5", [Some(18), Some(16), Some(9), Some(0)])
        },
    }]
}

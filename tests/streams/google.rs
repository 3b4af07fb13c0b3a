//! Recordings of generateContent.

use formwork::capability::Dialect;
use formwork::event::{ErrorCode, Terminal};

use super::harness::{Form, Recording, Refused, Said, Want, Whole};

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, form, want| Recording { dialect: Dialect::Google, file, form, want };
    vec![
        // The signature comes alone, in an empty text part at the end.
        recording(
            "google/ai__google-reasoning-gemini3.chunks.txt",
            Form::DataPayloads,
            Want {
                text: Said::Exactly("There are **3** \"r\"s in strawberry.\n\nSt**r**awbe**rr**y"),
                kept: 1,
                ..Want::ends(Terminal::Stop, "gemini-3-pro-preview", [Some(9), Some(325), Some(302), None])
            },
        ),
        // Arguments in pieces (Vertex only); the first call alone is signed.
        recording(
            "google/ai__google-stream-tool-call-arguments.chunks.txt",
            Form::DataPayloads,
            Want {
                calls: &[
                    ("", "getWeather", r#"{"location":"Boston"}"#),
                    ("", "getWeather", r#"{"location":"San Francisco"}"#),
                ],
                kept: 1,
                ..Want::ends(Terminal::Stop, "gemini-3.1-pro-preview", [Some(26), Some(155), Some(132), None])
            },
        ),
        // The Interactions API, another dialect: nothing of it is taken for an answer.
        recording(
            "google/ai__tool-call-step1.chunks.txt",
            Form::DataPayloads,
            Want::ends(Terminal::Missing, "", [None; 4]),
        ),
        recording(
            "google/rig__max_tokens_truncation.0.200.sse",
            Form::Body,
            Want {
                text: Said::Exactly(
                    "Thomas, the lighthouse keeper, stood by the lantern, the rhythmic flash cutting through the encroaching dusk. The smell of",
                ),
                ..Want::ends(Terminal::Length, "gemini-2.5-flash", [Some(15), Some(24), None, None])
            },
        ),
        recording(
            "google/rig__streaming_structured_output_without_max_tokens.0.200.sse",
            Form::Body,
            Want {
                text: Said::Exactly(
                    r#"{"title":"Seattle Rust Users Group","category":"Technology","summary":"A monthly meetup for Rust enthusiasts in the Seattle area to share knowledge, showcase projects, and discuss systems programming."}"#,
                ),
                kept: 1,
                ..Want::ends(Terminal::Stop, "gemini-3-flash-preview", [Some(14), Some(435), Some(398), None])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    let whole = |file, want| Whole { dialect: Dialect::Google, file, want };
    vec![
        whole(
            "google/pai__test_google_model_max_tokens_thinking_model_empty_response.0.200.json",
            Want::ends(Terminal::Length, "gemini-2.5-pro", [Some(15), Some(2), Some(2), None]),
        ),
        whole(
            "google/pai__test_google_model_safety_settings.0.200.json",
            Want::ends(Terminal::ContentFilter, "gemini-1.5-flash", [Some(14), None, None, None]),
        ),
        whole(
            "google/rig__text_response_with_structured_output.0.200.json",
            Want {
                text: Said::Exactly(r#"{"city": "Paris", "country": "France"}"#),
                thinking: Said::Long(
                    538,
                    "**JSONifying the Eiffel Tower's Location**",
                    "perfectly to the specified structure. Excellent.\n",
                ),
                ..Want::ends(Terminal::Stop, "gemini-2.5-flash", [Some(11), Some(101), Some(89), None])
            },
        ),
    ]
}

pub(crate) fn refusals() -> Vec<Refused> {
    vec![Refused {
        dialect: Dialect::Google,
        file: "google/rig__nonexistent_model_streaming_error_preserves_status_and_body.0.404.sse",
        status: 404,
        code: ErrorCode::Provider,
        provider_code: Some("NOT_FOUND"),
        request_id: None,
        retryable: false,
        says: "models/gemini-nonexistent-rig-test is not found",
    }]
}

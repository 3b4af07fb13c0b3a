//! `OpenAI`'s own chat recordings.

use formwork::capability::Dialect;
use formwork::event::Terminal;

use super::harness::{Form, Recording, Said, Want, Whole};

pub(crate) fn recordings() -> Vec<Recording> {
    let recording = |file, form, want| Recording { dialect: Dialect::OpenaiChat, file, form, want };
    vec![
        recording(
            "openai_chat/ai__openai-text.chunks.txt",
            Form::ChatPayloads,
            Want {
                text: Said::Long(1730, "**Holiday Name:** Harmony Day\n\n**Date:**", "xperiences and mutual respect."),
                ..Want::ends(Terminal::Stop, "gpt-4.1-nano-2025-04-14", [Some(16), Some(300), Some(0), Some(0)])
            },
        ),
        recording(
            "openai_chat/rig__chat_control_non_refusing_stream_is_unchanged.0.200.sse",
            Form::Body,
            Want {
                text: Said::Long(405, "{\"answer\":\"One common tree species is th", "dscaping, and reforestation.\"}"),
                ..Want::ends(Terminal::Stop, "gpt-4o-2024-08-06", [Some(46), Some(111), Some(0), Some(0)])
            },
        ),
        recording(
            "openai_chat/rig__chat_streaming_partial_text_truncation.0.200.sse",
            Form::Body,
            Want {
                text: Said::Exactly("### The Splendor of Maple Trees\n\nMaple trees, belonging to the genus"),
                ..Want::ends(Terminal::Length, "gpt-4o-mini-2024-07-18", [Some(17), Some(16), Some(0), Some(0)])
            },
        ),
        recording(
            "openai_chat/rig__chat_streaming_raw_model_surfaces_refusal.0.200.sse",
            Form::Body,
            Want {
                refusal: Said::Exactly("I'm very sorry, but I can't assist with that."),
                ..Want::ends(Terminal::Refusal, "gpt-4o-2024-08-06", [Some(49), Some(12), Some(0), Some(0)])
            },
        ),
    ]
}

pub(crate) fn wholes() -> Vec<Whole> {
    const SORRY: Said = Said::Exactly("I'm sorry, but I can't assist with that request.");
    let whole = |file, want| Whole { dialect: Dialect::OpenaiChat, file, want };
    vec![
        whole(
            "openai_chat/rig__chat_blocking_refusal_finishes_with_stop.0.200.json",
            Want {
                refusal: SORRY,
                ..Want::ends(Terminal::Refusal, "gpt-4o-2024-08-06", [Some(49), Some(12), Some(0), Some(0)])
            },
        ),
        // Without a schema the same refusal is an answer: nothing on the wire says otherwise.
        whole(
            "openai_chat/rig__chat_control_plain_refusal_is_content_not_refusal.0.200.json",
            Want {
                text: SORRY,
                ..Want::ends(Terminal::Stop, "gpt-4o-2024-08-06", [Some(21), Some(11), Some(0), Some(0)])
            },
        ),
    ]
}

//! Ollama's own API. No stream of it is among the recordings: the whole answer has the shape of a stream's last line,
//! and is read as a stream of one line as well.

use formwork::capability::Dialect;
use formwork::event::Terminal;

use super::harness::{Form, Recording, Said, Want, Whole};

const WHOLE: &str = "compat_ollama/rig__structured_output_smoke.0.200.json";

fn want() -> Want {
    Want {
        text: Said::Long(
            4975,
            "{\n  \"title\": \"Seattle Rust Meetup\",\n  \"category\": \"Tech\",\n",
            "We look forward to seeing you there!\"\n}\n",
        ),
        ..Want::ends(Terminal::Stop, "qwen3:4b", [Some(23), Some(994), None, None])
    }
}

pub(crate) fn recordings() -> Vec<Recording> {
    vec![Recording { dialect: Dialect::Ollama, file: WHOLE, form: Form::Body, want: want() }]
}

pub(crate) fn wholes() -> Vec<Whole> {
    vec![Whole { dialect: Dialect::Ollama, file: WHOLE, want: want() }]
}

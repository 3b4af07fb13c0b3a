//! A schema that the provider's profile refuses, and what the keys that open it make of the run: on a real socket.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/screen.rs"]
mod screen;
#[path = "support/server.rs"]
mod server;

use std::path::Path;

use formwork::capability::{Native, ProfileId};
use formwork::config::Declared;
use lab::says;
use screen::Screen;
use server::{Fake, response};

/// A screen with a server that enforces schemas as `OpenAI` does.
async fn at(fake: &Fake, dir: &Path, size: (u16, u16)) -> Screen {
    let declared = Declared {
        native: Some(Native::Supported),
        strict_tool: false,
        with_tools: false,
        schema_profile: Some(ProfileId::OpenaiStrict),
    };
    lab::at(fake, dir, size, Some(declared)).await
}

/// The key; its level; a schema that only this level opens; what the provider is sent of it; the answers: those to
/// `relax` break the user's own schema first.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

#[tokio::test]
async fn a_refused_schema_runs_on_as_the_key_lets_it_be_changed() {
    const OPEN: &str = r#"{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}"#;
    const LONG: &str = r#"{"type":"object","properties":{"title":{"type":"string","minLength":3}},"required":["title"],"additionalProperties":false}"#;
    const DUNE: &str = r#"{"title":"Dune"}"#;
    let cases: [Case; 2] = [
        ("alt-n", "narrow", OPEN, "\"additionalProperties\":false", &[DUNE]),
        ("alt-x", "relax", LONG, "json_schema", &[r#"{"title":"D"}"#, DUNE]),
    ];
    for size in [(120, 36), (60, 20)] {
        for (key, level, schema, sent, answers) in cases {
            let dir = tempfile::tempdir().unwrap();
            // The first request asks which models there are.
            let none = response(404, "content-type: application/json\r\n", "{}");
            let replies = std::iter::once(none).chain(answers.iter().map(|answer| says(answer)));
            let fake = Fake::start(replies.collect()).await;
            let mut s = at(&fake, dir.path(), size).await;
            fs_err::write(dir.path().join("s.json"), schema).unwrap();
            s.steps(&["type:/schema load s.json", "enter", "type:A book", "enter", "alt-3"]).await;
            s.has("unsupported");
            s.has("Alt-N narrow");
            assert_eq!(fake.count(), 1, "a refused schema is not sent");
            s.steps(&[key]).await;
            s.lacks("unsupported");
            s.has(&format!("projection {level}"));
            // The run goes on with the last prompt.
            s.steps(&["ctrl-r"]).await;
            assert_eq!(fake.count(), 1 + answers.len(), "{}", s.text());
            let body = fake.request(1).body;
            assert!(body.contains("A book") && body.contains(sent) && !body.contains("minLength"), "{body}");
            s.keys(&["alt-4"]);
            s.has("✓ valid");
            s.has("Dune");
            let attempt = s.app.state.result.attempt;
            assert_eq!(
                (usize::try_from(attempt).unwrap(), s.app.state.result.mode.as_str()),
                match level {
                    "narrow" => (1, "native, narrowed"),
                    _ => (2, "native, relaxed"),
                }
            );
            assert_eq!(s.app.state.schema.editor.text(), schema, "the user's own schema is as it was");
            s.keys(&["alt-w"]);
            s.has("copy of the schema is changed");
            s.has(&format!("({level})"));
        }
    }
}

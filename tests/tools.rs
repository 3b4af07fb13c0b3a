//! Ordinary tools in a run: what the built-in ones show and refuse, several rounds, failing and huge results, and the
//! bounds of the loop. Offline.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    reason = "a test stops at the first surprise and tells what it measured"
)]

use std::path::Path;
use std::sync::Arc;

use formwork::capability::{Native, ProfileId};
use formwork::catalog::{Catalog, Endpoint};
use formwork::config::{Config, Declared, Provider};
use formwork::dialect::ToolCall;
use formwork::event::{ErrorCode, RunEvent};
use formwork::feed::Item;
use formwork::json::{ParseLimits, Value, parse};
use formwork::machine::Budget;
use formwork::runtime::{RunHandle, RunSpec, start};
use formwork::schema::preflight;
use formwork::tool::{MAX_RESULT, Tool, Toolbox};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

#[path = "tools/built_in.rs"]
mod built_in;
#[path = "tools/rounds.rs"]
mod rounds;
#[path = "support/server.rs"]
mod server;

use server::{Fake, finish, stream, text};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;

/// A folder with these files; names may hold folders.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }
    dir
}

fn all_below(folder: &Path) -> Toolbox {
    Toolbox::below(folder, Tool::ALL.to_vec()).unwrap()
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// What a run said, and what came back from its tools.
struct Told {
    events: Vec<RunEvent>,
}

impl Told {
    /// `name:ok` or `name:failed`, in the order of the results.
    fn results(&self) -> Vec<String> {
        let word = |event: &RunEvent| match event {
            RunEvent::ToolResult { name, is_error, .. } => {
                Some(format!("{name}:{}", if *is_error { "failed" } else { "ok" }))
            }
            _ => None,
        };
        self.events.iter().filter_map(word).collect()
    }

    fn message(&self) -> &str {
        match self.events.last() {
            Some(RunEvent::Done { message, .. }) => message,
            other => panic!("not done: {other:?}"),
        }
    }

    fn code(&self) -> ErrorCode {
        match self.events.last() {
            Some(RunEvent::Error(error)) => error.code,
            other => panic!("no error: {other:?}"),
        }
    }
}

async fn rest(mut handle: RunHandle) -> Told {
    let mut events = Vec::new();
    while let Some(items) = handle.feed.next().await {
        events.extend(items.into_iter().filter_map(|item| match item {
            Item::Event(event) => Some(event),
            Item::Inspect(_) => None,
        }));
    }
    Told { events }
}

fn spec(endpoint: Arc<Endpoint>, model_id: &str, toolbox: Toolbox) -> RunSpec {
    RunSpec {
        format: Some(preflight::check_text(SCHEMA).unwrap().format),
        budget: Budget { max_retries: 6, max_iterations: 3 },
        toolbox,
        ..RunSpec::new(endpoint, model_id.to_owned(), "count".to_owned())
    }
}

/// A run of the scripted provider; the script is written beside the folder, not into it.
async fn scripted(script: &str, toolbox: Toolbox) -> Told {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script.jsonl");
    fs_err::write(&file, script).unwrap();
    let (endpoint, model_id) =
        Catalog::new(&Config::default()).find(&format!("sim/script:{}", file.display())).unwrap();
    rest(start(spec(endpoint, &model_id, toolbox))).await
}

/// A server `lab/m` that takes schemas natively, beside tools or not, or as a strict tool.
fn lab(fake: &Fake, native: Native) -> Arc<Endpoint> {
    let declared = Declared {
        native: Some(native),
        strict_tool: true,
        with_tools: native == Native::Supported,
        schema_profile: Some(ProfileId::None),
    };
    let provider = Provider {
        dialect: Some("openai_chat".to_owned()),
        base_url: Some(fake.base_url.clone()),
        structured_output: Some(declared),
        models: vec!["m".to_owned()],
        ..Provider::default()
    };
    let mut config = Config::default();
    config.providers.insert("lab".to_owned(), provider);
    Catalog::new(&config).find("lab/m").unwrap().0
}

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A chunk of a chat stream that calls these tools.
fn calls(list: &[(&str, &str)]) -> Vec<u8> {
    let calls: Vec<String> = list
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            let arguments = Value::from(*arguments);
            format!(
                "{{\"index\":{at},\"id\":\"c{at}\",\"type\":\"function\",\"function\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}"
            )
        })
        .collect();
    let calls = calls.join(",");
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{calls}]}},\"finish_reason\":null}}]}}\n\n")
        .into_bytes()
}

/// A whole answer that calls these tools.
fn calling(list: &[(&str, &str)]) -> Vec<server::Part> {
    stream(&[&calls(list), &finish("tool_calls")])
}

/// A whole answer in text.
fn saying(answer: &str) -> Vec<server::Part> {
    stream(&[&text(answer), &finish("stop")])
}

/// The results that a request sends back, in order.
fn sent_back(fake: &Fake, at: usize) -> Vec<String> {
    let body = value(&fake.request(at).body);
    let messages = body["messages"].as_array().unwrap();
    let of_tools = messages.iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

fn stop() -> CancellationToken {
    CancellationToken::new()
}

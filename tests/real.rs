//! A real llama.cpp server with a real small model answers through `openai_chat`, in native and in tool mode.
//!
//! Opt-in, since it installs Python wheels (about 190 MB): `FORMWORK_REAL=1 cargo test --test real`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise; it alone reads the opt-in variable"
)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use formwork::json::{ParseLimits, Value, parse};

const SCHEMA: &str = r#"{"type":"object","properties":{"city":{"type":"string","maxLength":20},"country":{"enum":["France","Spain","Italy"]},"capital":{"type":"boolean"}},"required":["city","country","capital"],"additionalProperties":false}"#;

struct Server {
    child: Child,
    base: String,
}

impl Server {
    fn start(template: Option<&str>) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let dir = root.join("target/real");
        let installed = Command::new(root.join("tests/real/install.sh")).arg(&dir).output().unwrap();
        assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
        let model = String::from_utf8(installed.stdout).unwrap();
        let mut child = Command::new(dir.join("venv/bin/python"))
            .args([root.join("tests/real/serve.py").as_os_str(), model.trim().as_ref()])
            .args(template.map(|name| root.join("tests/real").join(name)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.map_while(Result::ok).find(|l| l.starts_with("ready ")).unwrap();
        Self { child, base: format!("{}/v1", ready.trim_start_matches("ready ")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn config(dir: &Path, native: &Server, tool: &Server) -> PathBuf {
    let file = dir.join("config.toml");
    let text = format!(
        "[providers.native]\ndialect = \"openai_chat\"\nbase_url = \"{0}\"\nstructured_output = {{ native = \"supported\", schema_profile = \"llama_cpp\" }}\n\
         [providers.tool]\ndialect = \"openai_chat\"\nbase_url = \"{1}\"\nstructured_output = {{ native = \"unsupported\", strict_tool = true, schema_profile = \"llama_cpp\" }}\n",
        native.base, tool.base
    );
    fs_err::write(&file, text).unwrap();
    file
}

fn ask(config: &Path, provider: &str, extra: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["--config", config.to_str().unwrap(), "-m", &format!("{provider}/smollm2")])
        .args(["--json-schema-inline", SCHEMA, "-p", "Paris is the capital of which country?"])
        .args(extra)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn event<'a>(events: &'a [Value], name: &str) -> &'a Value {
    events.iter().find(|e| e["type"] == name).unwrap_or_else(|| panic!("no {name} in {events:?}"))
}

#[test]
fn a_real_model_answers_in_native_and_in_tool_mode() {
    if std::env::var_os("FORMWORK_REAL").is_none() {
        println!("skipped: set FORMWORK_REAL=1 to install and start a real model");
        return;
    }
    let native = Server::start(None);
    // The model's own template knows no tools, and the server then drops them silently.
    let tool = Server::start(Some("tools.jinja"));
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path(), &native, &tool);

    let plain = ask(&config, "native", &[]);
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let text = String::from_utf8(plain.stdout).unwrap();
    let value = parse(text.trim_end(), ParseLimits::default()).unwrap();
    assert!(["France", "Spain", "Italy"].iter().any(|c| value["country"] == **c), "{text}");

    for mode in ["native", "tool"] {
        let output = ask(&config, mode, &["--events"]);
        let lines = String::from_utf8(output.stdout).unwrap();
        let events: Vec<Value> = lines.lines().map(|l| parse(l, ParseLimits::default()).unwrap()).collect();
        println!("{mode}:\n{lines}");
        assert!(output.status.success(), "{mode}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(event(&events, "run_start")["mode"], mode);
        let end = event(&events, "structured_output_end");
        assert!(end["value"]["city"].is_string(), "{lines}");
    }
}

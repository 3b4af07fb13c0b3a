//! Checking and judging never open a socket or a file: proved in a child process under a system call filter that kills
//! it on the first attempt, with controls that show the filter does kill.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use formwork::json::ParseLimits;
use formwork::schema::validate::{JudgeOptions, judge};
use formwork::schema::{Reason, preflight};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// socket, connect, openat, openat2, and on `x86_64` the older open and creat.
#[cfg(target_arch = "x86_64")]
const TRAPPED: [(&[i64], TargetArch); 1] = [(&[41, 42, 257, 437, 2, 85], TargetArch::x86_64)];
#[cfg(target_arch = "aarch64")]
const TRAPPED: [(&[i64], TargetArch); 1] = [(&[198, 203, 56, 437], TargetArch::aarch64)];

/// The signal of a trapped call.
const SIGSYS: i32 = 31;

fn close_the_trap() {
    // the allocator looks at the machine when the first threads start; that is not ours
    (0..4).for_each(|_| std::thread::spawn(|| drop(vec![0_u8; 1 << 20])).join().unwrap());
    let [(calls, arch)] = TRAPPED;
    let rules: BTreeMap<i64, Vec<_>> = calls.iter().map(|c| (*c, Vec::new())).collect();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::KillProcess, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

/// What a validator could be tempted to fetch; all refused.
const REMOTE: &[&str] = &[
    r#"{"$ref":"http://localhost:1/schema.json"}"#,
    r#"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#,
    r#"{"$ref":"http://json-schema.org/draft-07/schema#"}"#,
    r#"{"$ref":"file:///etc/passwd"}"#,
    r#"{"$ref":"/etc/passwd"}"#,
    r#"{"$ref":"schema.json"}"#,
    r#"{"$ref":"./schema.json#/a"}"#,
    r#"{"$ref":"//localhost/schema.json"}"#,
    r#"{"$ref":"?x"}"#,
    r#"{"$ref":"urn:example:x"}"#,
    r#"{"$id":"file:///etc/","$ref":"passwd"}"#,
    r#"{"$id":"http://localhost:1/root","items":{"$ref":"other"}}"#,
    r#"{"$dynamicRef":"http://localhost:1/x#y"}"#,
    r#"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"http://localhost:1/x"}"#,
    r#"{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://localhost:1/a","items":{"$ref":"b#"}}"#,
    r#"{"contentSchema":{"$ref":"http://localhost:1/x"}}"#,
    r#"{"$schema":"http://localhost:1/meta"}"#,
    r#"{"$schema":"file:///etc/passwd"}"#,
    r#"{"$schema":"http://json-schema.org/draft-03/schema#"}"#,
    r#"{"type":"json_schema","schema":{"$ref":"http://localhost:1/x"}}"#,
];

/// Looks remote and is not; all accepted.
const LOCAL: &[&str] = &[
    r#"{"const":{"$ref":"http://localhost:1/x"}}"#,
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}"#,
    r#"{"$id":"http://localhost:1/root","$defs":{"a":{"$id":"a","type":"string"}},"items":{"$ref":"a"},"not":{"$ref":"http://localhost:1/root#/$defs/a"}}"#,
    r#"{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object"}"#,
    r#"{"$schema":"http://json-schema.org/draft-04/schema","pattern":"^a","format":"uri"}"#,
    r#"{"$schema":"http://json-schema.org/draft-06/schema#","format":"idn-hostname","type":"string"}"#,
];

fn work() {
    for schema in REMOTE {
        let errors = preflight::check_text(schema).unwrap_err();
        let reason = errors[0].reason;
        assert!(matches!(reason, Reason::RemoteReference | Reason::UnknownDialect), "{schema}: {errors:?}");
    }
    for schema in LOCAL {
        let checked = preflight::check_text(schema).unwrap();
        let judge =
            judge(&checked.format, JudgeOptions { limits: ParseLimits::default(), assert_format: true }).unwrap();
        for candidate in ["1", "\"http://localhost:1/x\"", "[\"a\"]", "{\"$ref\":\"http://localhost:1/x\"}"] {
            let _ = judge.judge(candidate);
        }
    }
}

/// Runs in the child: reads from standard input what to do.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let mut task = String::new();
    std::io::stdin().read_line(&mut task).unwrap();
    close_the_trap();
    match task.trim() {
        "work" => work(),
        "open" => drop(std::fs::File::open("/etc/hostname")),
        "socket" => drop(std::net::UdpSocket::bind("127.0.0.1:0")),
        "connect" => drop(std::net::TcpStream::connect("127.0.0.1:1")),
        other => panic!("unknown task {other}"),
    }
}

fn run(task: &str) -> ExitStatus {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child", "--nocapture", "--test-threads=1"])
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{task}").unwrap();
    child.wait().unwrap()
}

#[test]
fn nothing_is_fetched_or_opened() {
    let status = run("work");
    assert!(status.success(), "{status}");
}

#[test]
fn the_trap_kills() {
    for task in ["open", "socket", "connect"] {
        assert_eq!(run(task).signal(), Some(SIGSYS), "{task}");
    }
}

//! The line mode, through a pipe and in a terminal: the same commands, plain lines, nothing that moves.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::term::Term;

/// A number and a text that must be there: `sim/repair` spoils both at first.
const PAIR: &str = r#"{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"}},"required":["b","a"],"additionalProperties":false}"#;

/// Gives these lines through a pipe; tells the exit code and the lines that came.
fn piped(folder: &Path, args: &[&str], lines: &str) -> (Option<i32>, Vec<String>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
    command.arg("--plain").args(args).current_dir(folder).env_clear().env("HOME", folder);
    command.env("FORMWORK_CONFIG", folder.join("config.toml")).env("FORMWORK_DATA_DIR", folder.join("data"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    fs_err::write(folder.join("config.toml"), "").unwrap();
    fs_err::write(folder.join("pair.json"), PAIR).unwrap();
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "something drives a terminal: {text:?}");
    assert!(text.ends_with('\n') && output.stderr.is_empty(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text.lines().map(str::to_owned).collect())
}

/// The lines hold these, in this order.
#[track_caller]
fn in_order(lines: &[String], wanted: &[&str]) {
    let mut rest = lines.iter();
    for want in wanted {
        assert!(rest.any(|line| line.contains(want)), "no {want:?} in its place:\n{}", lines.join("\n"));
    }
}

#[test]
fn a_script_of_lines_runs_one_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        "/schema load pair.json\nTwo values\n/attempt 1\n/attempt.next\n/attempt diff\n/export out.json\n/quit\n";
    let (code, lines) = piped(dir.path(), &["-m", "sim/repair"], script);
    assert_eq!(code, Some(0));
    in_order(
        &lines,
        &[
            "line mode. sim/repair answers",
            "schema pair.json: legal; sim/repair takes it by native",
            "run 1: sim/repair, simulated",
            "attempt 1: rejected: validation_failed",
            "issue 1 at",
            "attempt 2: accepted",
            "run done",
            "result of attempt 2, valid (native), simulated:",
            "{",
            "\"b\": ",
            "}",
            "attempt 1: rejected",
            "attempt 2: accepted",
            "+++ attempt 2",
            "wrote",
        ],
    );
    let written: serde_json::Value = fs_err::read_to_string(dir.path().join("out.json")).unwrap().parse().unwrap();
    assert!(written["b"].is_number() && written["a"].is_string(), "{written}");
}

#[test]
fn lists_are_answered_by_number_and_left_by_an_empty_line() {
    let dir = tempfile::tempdir().unwrap();
    let script = "/model\nsim/samp\n1\n/schema load pair.json\n/schema board\n\n/fallback\n2\n7\n/export\n";
    let (code, lines) = piped(dir.path(), &["-m", "sim/repair"], script);
    assert_eq!(code, Some(0), "the end of the input ends it");
    in_order(
        &lines,
        &[
            "Model: ",
            "a number takes a row",
            "1: sim/sample",
            "sim/sample answers from now on",
            "schema pair.json: legal; sim/sample",
            "Portability of pair.json",
            "1: openai; native accepted",
            "left",
            "Fallback: 3 rows",
            "2: none",
            "fallback none",
            "nothing is listed that 7 could choose",
            "Export the result: no validated value yet",
        ],
    );
    assert!(lines.iter().all(|line| !line.starts_with("run ")), "no call was made: {lines:?}");
}

#[test]
fn mistakes_are_told_and_the_next_line_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let bad = r#"{"type":"objekt"}"#;
    fs_err::write(dir.path().join("bad.json"), bad).unwrap();
    let script =
        "/nonsense\n/run.cancle\n/view.zoom\n/run\n/schema load bad.json\nrun it\n/help minimum\n/help\n/quit now\n";
    let (code, lines) = piped(dir.path(), &[], script);
    assert_eq!(code, Some(0));
    in_order(
        &lines,
        &[
            "/nonsense is no command; /help lists them",
            "did you mean /run.cancel?",
            "Zoom needs the screen",
            "Run: write a prompt first",
            "schema bad.json: 1 problem",
            "problem at line 1",
            "the schema has problems",
            "smallest number, itself allowed",
            "A line that begins with / is a command",
            "/schema load PATH",
            "/quit takes nothing after it",
        ],
    );
}

#[test]
fn a_prompt_goes_on_in_the_next_line_and_hostile_text_stays_text() {
    let dir = tempfile::tempdir().unwrap();
    let (_, lines) = piped(dir.path(), &["-m", "sim/sample"], "first \\\nsecond \u{1b}[31m\u{202e}\n/turns\n\n");
    in_order(&lines, &["run 1: sim/sample", "answer, simulated:", "1 turn", "first  second ␛[31m⟨U+202E⟩"]);
}

#[test]
fn unsaved_text_outlives_the_end_of_the_input() {
    let dir = tempfile::tempdir().unwrap();
    let (code, lines) = piped(dir.path(), &[], "/schema short name, age int\n");
    assert_eq!(code, Some(0));
    in_order(&lines, &["legal", "the schema is not saved; its text is kept"]);
    let (_, lines) = piped(dir.path(), &[], "restore\n1\n/schema save kept.json\n");
    in_order(&lines, &["Unsaved work", "1: restore", "saved kept.json"]);
    assert!(fs_err::read_to_string(dir.path().join("kept.json")).unwrap().contains("age"));
}

#[test]
fn in_a_terminal_it_writes_lines_only_and_ctrl_c_cancels() {
    let mut t = Term::start_with(&["--plain", "-m", "sim/slow"], "line mode. sim/slow answers");
    t.keys("/schema load schemas/invoice.json\r");
    t.until("schema invoice.json: legal");
    t.keys("An invoice please\r");
    t.until("attempt 1: under way");
    t.keys("\u{3}");
    t.until("error[cancelled]");
    t.keys("again\r");
    t.until("run 2: sim/slow");
    t.keys("/run.cancel\r");
    t.wait("cancelled twice", |screen| screen.matches("error[cancelled]").count() == 2);
    t.keys("/quit\r");
    assert_eq!(t.end(), 0);
    assert!(!t.raw.contains(&0x1b), "an escape: {:?}", String::from_utf8_lossy(&t.raw));
}

#[test]
fn ctrl_c_without_a_run_ends_the_line_mode() {
    let mut t = Term::start_with(&["--plain"], "line mode");
    t.keys("\u{3}");
    assert_eq!(t.end(), 130);
}

//! One-shot runs against a server, and against the built-in provider.

use serde_json::json;

use crate::PAIR;
use crate::place::{KEY, Place};
use crate::server::{self, Answer, Server, choice, ended, pieces, submit, text};
use formwork::json::{ParseLimits, Value, parse};

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A structured run of `lab/m` with these further arguments.
fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["--print", "two numbers", "--json-schema", "pair.json", "-m", "lab/m"], more].concat()
}

fn lab(answers: Vec<Answer>) -> (Server, Place) {
    let server = Server::start(answers);
    let place = Place::with_lab(&server);
    place.write("pair.json", PAIR);
    (server, place)
}

#[test]
fn native_success_is_canonical_json_and_nothing_else() {
    let (server, place) = lab(vec![text("{\"b\":1,\"a\":9007199254740993.10}")]);
    let ended = place.run(&arguments(&[]));
    ended.is(0, "{\"a\":9007199254740993.10,\"b\":1}\n");
    assert_eq!(ended.stderr, "");
    let request = server.request();
    assert!(request.head.contains(&format!("Bearer {KEY}")), "{}", request.head);
    let body = value(&request.body);
    assert_eq!(body.pointer("/response_format/type"), Some(&json!("json_schema")));
    assert_eq!(body.pointer("/response_format/json_schema/schema"), Some(&value(PAIR)));
    assert_eq!(server.rest(), 0);
}

#[test]
fn tool_mode_sends_the_hidden_tool_and_takes_its_arguments() {
    let server = Server::start(vec![submit("{\"b\":1,\"a\":2}")]);
    let place = Place::with_declared(&server, "structured_output = { native = \"unsupported\", strict_tool = true }");
    place.write("pair.json", PAIR);
    place.run(&arguments(&[])).is(0, "{\"a\":2,\"b\":1}\n");
    let body = value(&server.request().body);
    assert_eq!(body.pointer("/tools/0/function/name"), Some(&json!("__formwork_submit_json")));
    assert_eq!(body.pointer("/response_format"), None);
}

#[test]
fn prompt_mode_only_when_asked() {
    let server = Server::start(vec![text("{\"b\":1,\"a\":2}")]);
    let place = Place::with_declared(&server, "");
    place.write("pair.json", PAIR);
    let refused = place.run(&arguments(&[]));
    refused.fails(3, "unsupported");
    refused.says("lab");
    assert_eq!(server.rest(), 0, "a call was made");
    place.run(&arguments(&["--fallback", "prompt"])).is(0, "{\"a\":2,\"b\":1}\n");
}

#[test]
fn a_repair_is_noted_and_succeeds() {
    let (server, place) = lab(vec![text("{\"b\":\"secretword\",\"a\":2}"), text("{\"b\":1,\"a\":2}")]);
    let ended = place.run(&arguments(&[]));
    ended.is(0, "{\"a\":2,\"b\":1}\n");
    ended.says("note: attempt 1 was rejected (validation_failed, 1 issue), attempt 2 follows\n");
    ended.keeps_silent_about("secretword");
    assert_eq!(server.rest(), 2);
}

#[test]
fn invalid_twice_is_status_four_with_paths_and_no_candidate() {
    let (server, place) = lab(vec![text("{\"b\":\"secretword\",\"a\":2}"), text("{\"b\":\"secretword\"}")]);
    let ended = place.run(&arguments(&[]));
    ended.fails(4, "validation_failed");
    ended.says("  provider: lab\n");
    ended.says("  attempts: 2\n");
    ended.says("issue: \"/b\"");
    ended.keeps_silent_about("secretword");
    assert_eq!(server.rest(), 2);
}

#[test]
fn no_repair_when_none_is_allowed() {
    for flag in [["--max-validation-retries", "0"], ["--max-retries", "1"]] {
        let (server, place) = lab(vec![text("{}"), text("{\"b\":1,\"a\":2}")]);
        let ended = place.run(&arguments(&flag));
        ended.fails(4, "validation_failed");
        assert_eq!(server.rest(), 1, "{flag:?}");
    }
}

#[test]
fn text_that_is_no_json_tells_place_and_hint() {
    let (_server, place) = lab(vec![text("```json\n{}\n```")]);
    let ended = place.run(&arguments(&["--max-validation-retries", "0"]));
    ended.fails(4, "invalid_json");
    ended.says("  at: line 1, column 1\n");
    ended.says("  hint: fence\n");
}

#[test]
fn refusals_cuts_and_missing_ends_are_status_four_and_not_repaired() {
    let table = [
        (server::refusal("no way, secretword"), "refusal"),
        (ended("{\"b\":1", "length"), "incomplete"),
        (ended("{\"b\":1", "content_filter"), "refusal"),
        (Answer::Frames(pieces("{\"b\":1,\"a\":2}")), "incomplete"),
    ];
    for (answer, code) in table {
        let (server, place) = lab(vec![answer, text("{\"b\":1,\"a\":2}")]);
        let ended = place.run(&arguments(&["--max-retries", "1"]));
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(4), ""), "{code}: {}", ended.stderr);
        assert!(ended.stderr.contains("error["), "{}", ended.stderr);
        ended.keeps_silent_about("secretword");
        assert_eq!(server.rest(), 1, "{code}");
    }
}

#[test]
fn a_refused_key_is_status_one_without_body_or_key() {
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key {KEY}\",\"code\":\"invalid_api_key\"}}}}");
    let (server, place) = lab(vec![Answer::Status(401, body)]);
    let ended = place.run(&arguments(&[]));
    ended.fails(1, "auth");
    ended.says("401");
    ended.keeps_silent_about("Incorrect");
    assert_eq!(server.rest(), 1, "an authentication failure was tried again");
}

#[test]
fn provider_and_transport_failures_are_status_one() {
    let (_server, place) = lab(vec![Answer::Status(500, "secretbody".to_owned())]);
    let ended = place.run(&arguments(&["--max-retries", "1"]));
    ended.fails(1, "provider");
    ended.keeps_silent_about("secretbody");

    let place = Place::new();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    place.write(
        "config.toml",
        format!("[providers.lab]\ndialect = \"openai_chat\"\nbase_url = \"http://{closed}/v1\"\n"),
    );
    place.run(&["-p", "x", "-m", "lab/m", "--max-retries", "1"]).fails(1, "transport");
}

#[test]
fn the_deadline_is_status_124() {
    let (server, place) = lab(vec![Answer::Hang(pieces("{\"b\""))]);
    let ended = place.run(&arguments(&["--timeout", "0.4"]));
    ended.fails(124, "timeout");
    assert_eq!(server.rest(), 1);
}

#[test]
fn plain_text_streams_as_it_came_with_one_line_feed_at_the_end() {
    for (answer, wanted) in [("\n\nHello\u{1b}[31m.", "\n\nHello\u{1b}[31m.\n"), ("done\n", "done\n")] {
        let server = Server::start(vec![text(answer)]);
        let ended = Place::with_lab(&server).run(&["-p", "say hello", "-m", "lab/m"]);
        ended.is(0, wanted);
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn the_prompt_comes_from_argument_or_standard_input_with_system_and_files() {
    let (server, place) = lab(vec![text("ok"), text("ok"), text("ok")]);
    place.write("notes.md", "- a\r\n- b\r\n");
    place.write("sys.txt", "Be brief.");
    place.run_with(&["--print", "-m", "lab/m"], "from stdin\r\n").is(0, "ok\n");
    let body = value(&server.request().body);
    assert_eq!(body.pointer("/messages/0/content"), Some(&json!("from stdin\r\n")));
    let all = ["-p", "look", "--attach", "notes.md", "--system", "@sys.txt", "-m", "lab/m"];
    place.run(&all).is(0, "ok\n");
    let body = value(&server.request().body);
    assert_eq!(body.pointer("/messages/0/content"), Some(&json!("Be brief.")));
    let wanted = "look\n\nFile \"notes.md\":\n```\n- a\r\n- b\r\n```";
    assert_eq!(body.pointer("/messages/1/content"), Some(&json!(wanted)));
    place.run_with(&["-p", "-", "-m", "lab/m", "--no-tools"], "dash").is(0, "ok\n");
}

#[test]
fn an_attached_image_goes_along_as_it_is() {
    let (server, place) = lab(vec![text("ok")]);
    place.write("dot.png", b"\x89PNG\r\n\x1a\n\0\0");
    place.write("notes.md", "a\n");
    place.run(&["-p", "look", "--attach", "dot.png", "--attach", "notes.md", "-m", "lab/m"]).is(0, "ok\n");
    let body = value(&server.request().body);
    let wanted = json!([
        {"type": "text", "text": "look\n\nFile \"notes.md\":\n```\na\n```"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAA=="}},
    ]);
    assert_eq!(body.pointer("/messages/0/content"), Some(&wanted));
}

#[test]
fn inputs_that_cannot_be_used_are_status_two_before_any_call() {
    let (server, place) = lab(vec![]);
    place.write("latin.json", b"{\"title\":\"caf\xe9\"}");
    place.write("scan.pdf", b"%PDF-1.7\n");
    place.write("sound.wav", b"RIFF\x24\0\0\0WAVEfmt ");
    place.write("broken.json", "{\n  \"type\": \"object\",\n}");
    let table: [(&[&str], &str); 9] = [
        (&["-p", "x", "--json-schema", "latin.json"], "not UTF-8"),
        (&["-p", "x", "--json-schema", "broken.json"], "broken.json:2:19"),
        (&["-p", "x", "--json-schema", "missing.json"], "missing.json"),
        (&["-p", "x", "--json-schema", "."], "it is a folder"),
        (&["-p", "x", "--attach", "scan.pdf"], "cannot attach scan.pdf: it is a PDF document; lab takes none"),
        (&["-p", "x", "--attach", "sound.wav"], "cannot attach sound.wav: it is audio/wav"),
        (&["-p", "x", "--system", "@missing.txt"], "missing.txt"),
        (&["-p", " "], "the prompt is empty"),
        (&["-p", "x", "-m", "nowhere/m"], "there is no provider \"nowhere\""),
    ];
    for (args, words) in table {
        let args = if args.contains(&"-m") { args.to_vec() } else { [args, &["-m", "lab/m"]].concat() };
        let ended = place.run(&args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{args:?}: {}", ended.stderr);
        ended.says("error[");
        ended.says(words);
        ended.keeps_silent_about("caf");
    }
    assert_eq!(server.rest(), 0);
}

#[test]
fn no_model_is_told_with_advice_and_never_simulated() {
    let place = Place::new();
    let ended = place.run(&["-p", "x"]);
    ended.fails(2, "config");
    ended.says("sim/sample");
    ended.says("OPENAI_API_KEY");
}

#[test]
fn the_configured_model_is_used_without_a_flag() {
    let server = Server::start(vec![text("hi")]);
    let place = Place::with_lab(&server);
    let config = fs_err::read_to_string(place.path("config.toml")).unwrap();
    place.write("config.toml", format!("model = \"lab/m\"\n{config}"));
    place.run(&["-p", "x"]).is(0, "hi\n");
}

#[test]
fn events_are_lines_in_order_and_end_with_one_verdict() {
    let (_server, place) = lab(vec![text("{}"), text("{\"b\":1,\"a\":2}")]);
    let ended = place.run(&arguments(&["--events"]));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let events: Vec<Value> = ended.stdout.lines().map(value).collect();
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(types.len(), events.len());
    assert_eq!(types.first(), Some(&"run_start"));
    assert_eq!(types.last(), Some(&"done"));
    for wanted in ["text_start", "text_delta", "text_end", "structured_output_retry", "structured_output_end"] {
        assert!(types.contains(&wanted), "{wanted} is missing in {types:?}");
    }
    assert_eq!(events.last().unwrap()["message"], json!("{\"a\":2,\"b\":1}"));
    assert_eq!(types.iter().filter(|t| ["done", "error"].contains(t)).count(), 1);
}

#[test]
fn a_failed_run_with_events_ends_with_the_error_on_both_outputs() {
    let (_server, place) = lab(vec![Answer::Status(401, "{}".to_owned())]);
    let ended = place.run(&arguments(&["--events"]));
    assert_eq!(ended.code, Some(1));
    let last = value(ended.stdout.lines().last().unwrap());
    assert_eq!((&last["type"], &last["code"]), (&json!("error"), &json!("auth")));
    ended.says("error[auth]: ");
}

#[test]
fn a_dry_run_sends_nothing_and_hides_the_key() {
    let (server, place) = lab(vec![]);
    let ended = place.run(&arguments(&["--dry-run"]));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let object = value(&ended.stdout);
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["mode", "model", "schema_hash", "provider_schema", "request"]);
    assert_eq!(object["mode"], json!("native"));
    assert_eq!(object["model"], json!("lab/m"));
    assert_eq!(object["schema_hash"].as_str().unwrap().len(), 64);
    assert_eq!(object["provider_schema"], value(PAIR));
    let request = object["request"].as_object().unwrap();
    assert_eq!(request.keys().collect::<Vec<_>>(), ["method", "url", "headers", "body"]);
    assert_eq!(request["url"], json!(format!("{}/chat/completions", server.base_url)));
    assert_eq!(request["body"]["model"], json!("m"));
    assert_eq!(server.rest(), 0);
}

#[test]
fn a_dry_run_that_cannot_go_is_the_error_of_the_run() {
    let server = Server::start(vec![]);
    let place = Place::with_declared(&server, "");
    place.write("pair.json", PAIR);
    place.run(&arguments(&["--dry-run"])).fails(3, "unsupported");
}

#[test]
fn projection_is_asked_for_and_told() {
    let server = Server::start(vec![text("{\"a\":\"x\"}")]);
    let declared = "structured_output = { native = \"supported\", schema_profile = \"openai_strict\" }";
    let place = Place::with_declared(&server, declared);
    place.write("s.json", r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#);
    let args = ["-p", "x", "--json-schema", "s.json", "-m", "lab/m"];
    let refused = place.run(&args);
    refused.fails(3, "unsupported");
    refused.says("--project narrow");
    let ended = place.run(&[&args[..], &["--project", "narrow"]].concat());
    ended.is(0, "{\"a\":\"x\"}\n");
    ended.says("note: the provider gets a narrowed schema");
}

#[test]
fn the_simulated_provider_says_so() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    let args = ["-p", "x", "--json-schema", "pair.json", "-m", "sim/repair"];
    let ended = place.run(&args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(value(&ended.stdout)["a"].is_number());
    ended.says("note: simulated by sim/repair\n");
    ended.says("attempt 1 was rejected");
    assert_eq!(place.run(&args).stdout, ended.stdout, "the drill is not the same twice");
}

#[test]
fn the_drills_end_with_their_status() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    for (model, code, error) in
        [("sim/twice-bad", 4, "validation_failed"), ("sim/refusal", 4, "refusal"), ("sim/truncated", 4, "incomplete")]
    {
        place.run(&["-p", "x", "--json-schema", "pair.json", "-m", model]).fails(code, error);
    }
}

#[test]
fn an_answer_of_many_frames_arrives_whole() {
    let long = "0123456789".repeat(3_000);
    let frames = pieces(&long).into_iter().chain([choice(&json!({}), Some("stop")), "[DONE]".to_owned()]);
    let server = Server::start(vec![Answer::Frames(frames.collect())]);
    Place::with_lab(&server).run(&["-p", "x", "-m", "lab/m"]).is(0, &format!("{long}\n"));
}

/// `--print` at the front and the prompt at the end, as people write it.
#[test]
fn a_prompt_that_stands_last_is_the_prompt() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    let usual = place.run(&["-p", "two words", "-m", "sim/sample", "--json-schema", "pair.json"]);
    assert_eq!(usual.code, Some(0), "{}", usual.stderr);
    for print in ["-p", "--print"] {
        let last = place.run(&[print, "-m", "sim/sample", "--json-schema", "pair.json", "two words"]);
        last.is(0, &usual.stdout);
    }
    // the schema may still come from standard input
    let piped = place.run_with(&["-p", "-m", "sim/sample", "--json-schema", "-", "two words"], PAIR);
    piped.is(0, &usual.stdout);
    // two prompts, a command, or no --print: no guess is made
    for (args, words) in [
        (&["-p", "one", "-m", "sim/sample", "SECRET words"][..], "next: give a prompt after --print"),
        (&["-p", "-", "-m", "sim/sample", "SECRET words"], "next: give a prompt after --print"),
        (&["-m", "sim/sample", "SECRET words"], "next: give a prompt after --print"),
        (&["-p", "-m", "sim/sample", "check"], "next: formwork --help"),
        (&["-m", "sim/sample", "chekc"], "next: formwork --help"),
    ] {
        let ended = place.run(args);
        ended.fails(2, "config");
        ended.says(words);
        ended.keeps_silent_about("SECRET");
    }
}

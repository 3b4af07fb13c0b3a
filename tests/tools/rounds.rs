//! Ordinary tools over several rounds, and then the validated answer.

use formwork::capability::Native;
use formwork::event::ErrorCode;
use formwork::runtime::start;
use formwork::tool::Toolbox;

use crate::{Fake, MAX_RESULT, all_below, calling, folder, lab, rest, saying, scripted, sent_back, spec, value};

const SUBMIT: &str = "__formwork_submit_json";

#[tokio::test]
async fn native_mode_goes_on_with_the_results_until_the_answer() {
    let dir = folder(&[("a.txt", b"forty-two"), ("sub/b.txt", b"deep")]);
    let fake = Fake::start(vec![
        calling(&[("list_dir", r#"{"path":"."}"#)]),
        calling(&[("read_file", r#"{"path":"a.txt"}"#), ("read_file", r#"{"path":"no.txt"}"#)]),
        saying(r#"{"n":42}"#),
    ])
    .await;
    let told = rest(start(spec(lab(&fake, Native::Supported), "m", all_below(dir.path())))).await;
    assert_eq!(told.message(), r#"{"n":42}"#);
    let mut results = told.results();
    results[1..].sort();
    assert_eq!(results, ["list_dir:ok", "read_file:failed", "read_file:ok"]);
    let first = value(&fake.request(0).body);
    let names: Vec<&str> =
        first["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read_file", "list_dir", "search_text"]);
    assert!(first["response_format"].is_object(), "the schema goes along with the tools: {first}");
    // In the order of the calls, whichever ended first.
    let back = sent_back(&fake, 2);
    assert_eq!((back[0].as_str(), back[1].as_str()), ("a.txt  9 bytes\nsub/\n", "forty-two"));
    assert!(back[2].starts_with("there is no such file"), "{}", back[2]);
}

#[tokio::test]
async fn tool_mode_submits_after_ordinary_calls() {
    let dir = folder(&[("a.txt", b"seven")]);
    let fake =
        Fake::start(vec![calling(&[("read_file", r#"{"path":"a.txt"}"#)]), calling(&[(SUBMIT, r#"{"n":7}"#)])]).await;
    let told = rest(start(spec(lab(&fake, Native::Unsupported), "m", all_below(dir.path())))).await;
    assert_eq!((told.message(), told.results()), (r#"{"n":7}"#, vec!["read_file:ok".to_owned()]));
    assert_eq!(sent_back(&fake, 1), ["seven"]);
    for at in [0, 1] {
        let body = value(&fake.request(at).body);
        assert_eq!(body["tools"][3]["function"]["name"], SUBMIT, "{body}");
        assert_eq!(body["parallel_tool_calls"], false);
    }
}

#[tokio::test]
async fn a_submission_beside_a_call_or_twice_executes_nothing() {
    let dir = folder(&[("a.txt", b"seven")]);
    let beside = [("read_file", r#"{"path":"a.txt"}"#), (SUBMIT, r#"{"n":7}"#)];
    let twice = [(SUBMIT, r#"{"n":7}"#), (SUBMIT, r#"{"n":7}"#)];
    for mixed in [beside, twice] {
        let fake = Fake::start(vec![calling(&mixed), calling(&[(SUBMIT, r#"{"n":8}"#)])]).await;
        let told = rest(start(spec(lab(&fake, Native::Unsupported), "m", all_below(dir.path())))).await;
        assert_eq!((told.message(), told.results()), (r#"{"n":8}"#, vec![]), "{mixed:?}");
        assert!(sent_back(&fake, 1).iter().all(|said| said.starts_with("Not accepted and not executed")));
        let fake = Fake::start(vec![calling(&mixed), calling(&mixed)]).await;
        let told = rest(start(spec(lab(&fake, Native::Unsupported), "m", all_below(dir.path())))).await;
        assert_eq!((told.code(), told.results()), (ErrorCode::MixedSubmission, vec![]), "{mixed:?}");
    }
}

#[tokio::test]
async fn the_loop_is_bounded_and_the_last_calls_are_not_executed() {
    let dir = folder(&[("a.txt", b"a")]);
    let again = "[{\"tool\":{\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\":\\\"a.txt\\\"}\"}},{\"terminal\":\"tool_use\"}]\n";
    let told = scripted(&again.repeat(9), all_below(dir.path())).await;
    // `max_iterations` is 3: three continuations, and the fourth message's calls lead nowhere.
    assert_eq!(told.results(), ["read_file:ok"; 3]);
    assert_eq!(told.code(), ErrorCode::Incomplete);
}

#[tokio::test]
async fn a_huge_result_is_cut_and_an_unknown_tool_is_a_result() {
    let dir = folder(&[("wide.txt", &vec![b'x'; MAX_RESULT * 2])]);
    let fake = Fake::start(vec![
        calling(&[("read_file", r#"{"path":"wide.txt"}"#), ("rm", r#"{"path":"/"}"#), ("read_file", "{")]),
        saying(r#"{"n":1}"#),
    ])
    .await;
    let told = rest(start(spec(lab(&fake, Native::Supported), "m", all_below(dir.path())))).await;
    assert_eq!(told.message(), r#"{"n":1}"#);
    let back = sent_back(&fake, 1);
    assert!(back[0].len() <= MAX_RESULT && back[0].contains("is cut: "), "{}", back[0].len());
    assert_eq!(back[1], "there is no such tool");
    assert!(back[2].starts_with("the arguments are no JSON"), "{}", back[2]);
}

#[tokio::test]
async fn without_a_toolbox_nothing_is_offered_or_run() {
    let fake = Fake::start(vec![calling(&[("read_file", r#"{"path":"Cargo.toml"}"#)]), saying(r#"{"n":1}"#)]).await;
    let told = rest(start(spec(lab(&fake, Native::Supported), "m", Toolbox::default()))).await;
    assert_eq!(told.results(), ["read_file:failed"]);
    assert!(value(&fake.request(0).body)["tools"].is_null());
    assert_eq!(sent_back(&fake, 1), ["the user does not allow this tool"]);
}

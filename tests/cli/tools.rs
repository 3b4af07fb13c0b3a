//! `--allow-tool`: nobody is there to ask, so only what was named is offered.

use crate::PAIR;
use crate::place::Place;

const RUN: [&str; 6] = ["--print", "two numbers", "--json-schema", "pair.json", "-m", "sim/tools"];

#[test]
fn allowed_tools_are_called_in_turn_and_the_events_show_it() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    let args = [&RUN[..], &["--events", "--allow-tool", "list_dir", "--allow-tool", "search_text"]].concat();
    let ended = place.run(&args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let results: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("\"tool_result\"")).collect();
    assert_eq!(results.len(), 3, "{}", ended.stdout);
    for (line, name) in results.iter().zip(["lookup", "list_dir", "search_text"]) {
        assert!(line.contains(&format!("\"name\":\"{name}\",\"is_error\":false")), "{line}");
    }
    assert_eq!(ended.stdout.lines().filter(|line| line.contains("\"tool_call_end\"")).count(), 3);
    assert!(!ended.stdout.contains("pair.json"), "a result's text stands in no event:\n{}", ended.stdout);
}

#[test]
fn nothing_is_offered_unasked_and_an_unknown_name_is_refused() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    let ended = place.run(&[&RUN[..], &["--events"]].concat());
    assert!(ended.stdout.contains("\"lookup\"") && !ended.stdout.contains("list_dir"), "{}", ended.stdout);
    let ended = place.run(&[&RUN[..], &["--allow-tool", "read_fiel"]].concat());
    ended.fails(2, "config");
    ended.says("read_fiel");
    ended.says("  known: read_file, list_dir, search_text\n");
}

//! Saved functions: what they are called by, what is said of broken ones, and those of the examples.

use formwork::json::{ParseLimits, Value, parse};
use serde_json::json;

use crate::place::Place;
use crate::server::{Server, text};

const GREET: &str = "+++\ndescription = \"greets\"\nmodel = \"sim/sample\"\n\n[vars.who]\ndescription = \"whom\"\n\n[vars.tags]\ntype = \"list\"\ndefault = []\n+++\n\n# System\n\nBe {{ who }}.\n\n# Prompt\n\nHello {{ who }}{% for tag in tags %} #{{ tag }}{% endfor %}\n\n# Schema\n\n```yaml\ntype: object\nproperties:\n  a: {type: integer}\nrequired: [a]\nadditionalProperties: false\n```\n";

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn with_functions(place: Place, files: &[(&str, &str)]) -> Place {
    fs_err::create_dir_all(place.path("formwork/functions")).unwrap();
    for (name, text) in files {
        place.write(&format!("formwork/functions/{name}"), text);
    }
    place
}

#[test]
fn a_function_runs_with_its_own_model_and_schema() {
    let place = with_functions(Place::new(), &[("greet.md", GREET)]);
    let ended = place.run(&["call", "greet", "--var", "who=Ada"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(value(&ended.stdout).get("a").is_some_and(Value::is_i64), "{}", ended.stdout);
    // From a folder below as well: the project is looked for upwards, to the root of its repository.
    fs_err::create_dir_all(place.path("deep/er")).unwrap();
    fs_err::create_dir(place.path(".git")).unwrap();
    let mut command = place.command(&["call", "greet", "--var", "who=Ada"]);
    command.current_dir(place.path("deep/er")).env("HOME", place.path("elsewhere"));
    assert!(command.output().unwrap().status.success());
}

#[test]
fn what_is_sent_is_the_filled_template() {
    let server = Server::start(vec![text("{\"a\":1}")]);
    let place = with_functions(Place::with_lab(&server), &[("greet.md", GREET)]);
    place.write("who.txt", "Ada\n{{ not filled }}");
    let args = ["call", "greet", "--var", "who=@who.txt", "--var", "tags=[\"x\",2]", "-m", "lab/m"];
    place.run(&args).is(0, "{\"a\":1}\n");
    let body = value(&server.request().body);
    assert_eq!(body.pointer("/messages/0/content"), Some(&json!("Be Ada\n{{ not filled }}.")));
    assert_eq!(body.pointer("/messages/1/content"), Some(&json!("Hello Ada\n{{ not filled }} #x #2")));
    assert_eq!(body.pointer("/response_format/json_schema/schema/required"), Some(&json!(["a"])));
}

#[test]
fn slips_are_told_before_anything_runs() {
    let place = with_functions(Place::new(), &[("greet.md", GREET), ("bad.md", "+++\n+++\n\nHi {{ you }}\n")]);
    for (args, words) in [
        (&["call", "gret"][..], "did you mean greet?"),
        (&["call", "../greet"], "cannot name a function"),
        (&["call", "greet"], "not given: who"),
        (&["call", "greet", "--var", "who"], "no `=`"),
        (&["call", "greet", "--var", "who=a", "--var", "who=b"], "twice"),
        (&["call", "greet", "--var", "who=a", "--var", "tags=x"], "JSON list"),
        (&["call", "greet", "--var", "who=@none.txt"], "none.txt"),
        (&["call", "bad"], "bad.md:4:7"),
        (&["functions", "show", "none"], "functions list"),
    ] {
        let ended = place.run(args);
        ended.fails(2, "config");
        ended.says(words);
    }
}

#[test]
fn the_functions_are_listed_shown_and_checked() {
    let place = with_functions(Place::new(), &[("greet.md", GREET), ("bad.md", "+++\nmodel = 1\n+++\nx\n")]);
    let list = place.run(&["functions", "list"]);
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    assert!(list.stdout.contains("greet  (who, [tags])  sim/sample  greets"), "{}", list.stdout);
    assert!(list.stdout.contains("bad    broken: ") && list.stdout.contains("bad.md:2:9"), "{}", list.stdout);
    place.run(&["functions", "show", "greet"]).is(0, GREET);
    let shown = value(&place.run(&["functions", "show", "greet", "--json"]).stdout);
    assert_eq!(
        shown.pointer("/vars/0"),
        Some(&json!({ "name": "who", "type": "text", "description": "whom", "default": null, "required": true }))
    );
    let check = place.run(&["functions", "check"]);
    assert_eq!((check.code, check.stdout.as_str()), (Some(2), "greet: ok\n"));
    check.says("bad.md:2:9");
    let rows = value(&place.run(&["functions", "check", "--format", "json"]).stdout);
    assert_eq!(rows.pointer("/0/line"), Some(&json!(2)));
    place.run(&["functions", "check", "greet"]).is(0, "greet: ok\n");
    let empty = Place::new().run(&["functions", "list"]);
    empty.is(0, "");
    empty.says("/function save");
}

#[test]
fn the_examples_run_on_the_simulated_provider() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/functions");
    let mut seen = 0;
    for entry in fs_err::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let file = path.to_str().unwrap();
        let place = Place::new();
        let shown = value(&place.run(&["functions", "show", file, "--json"]).stdout);
        let vars = shown.pointer("/vars").and_then(Value::as_array).unwrap().clone();
        let required = vars.iter().filter(|var| var.get("required") == Some(&json!(true)));
        let given: Vec<String> = required.map(|var| format!("{}=some text", var["name"].as_str().unwrap())).collect();
        let mut args = vec!["call", file, "-m", "sim/repair"];
        args.extend(given.iter().flat_map(|var| ["--var", var.as_str()]));
        let ended = place.run(&args);
        assert_eq!(ended.code, Some(0), "{file}: {}", ended.stderr);
        assert!(value(&ended.stdout).is_object());
        seen += 1;
    }
    assert!(seen >= 3, "the examples were not found");
}

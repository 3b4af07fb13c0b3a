//! Schemas in other forms than JSON, files that are no schemas, and schemas made from values and short forms.

use crate::place::Place;
use formwork::json::{ParseLimits, Value, canonical, parse};

fn value(text: &str) -> Value {
    parse(text, ParseLimits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn with(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        place.write(name, text);
    }
    place
}

const YAML: &str = "# a person\ntype: object\nproperties:\n  name: {type: string}\n  age:\n    type: integer\nrequired: [name, age]\nadditionalProperties: false\n";
const TOML: &str = "type = \"object\"\nrequired = [\"name\", \"age\"]\nadditionalProperties = false\n[properties.name]\ntype = \"string\"\n[properties.age]\ntype = \"integer\"\n";
const JSONC: &str = "{ // a person\n  \"type\": \"object\",\n  \"properties\": {\"name\": {\"type\": \"string\"}, \"age\": {\"type\": \"integer\"},},\n  \"required\": [\"name\", \"age\"],\n  \"additionalProperties\": false,\n}\n";

#[test]
fn every_form_is_the_same_schema() {
    let json = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}"#;
    let place = with(&[("p.yaml", YAML), ("p.toml", TOML), ("p.jsonc", JSONC), ("p.json", json)]);
    let hash = |args: &[&str], input: &str| {
        let ended = place.run_with(&[&["check"], args, &["--format", "json"]].concat(), input);
        assert_eq!(ended.code, Some(0), "{args:?} {}", ended.stderr);
        value(&ended.stdout)["schema_hash"].as_str().unwrap().to_owned()
    };
    let wanted = hash(&["p.json"], "");
    for (args, input) in [
        (&["p.yaml"][..], ""),
        (&["p.toml"], ""),
        (&["p.jsonc"], ""),
        (&["-"], YAML),
        (&["-"], TOML),
        (&["-", "--form", "jsonc"], JSONC),
    ] {
        assert_eq!(hash(args, input), wanted, "{args:?}");
    }
    place.run(&["validate", "p.yaml", "-"]).fails(4, "invalid_json");
    assert_eq!(place.run_with(&["validate", "p.toml", "-"], r#"{"name":"Ada","age":36}"#).code, Some(0));
    assert_eq!(place.run(&["sample", "p.yaml"]).stdout, place.run(&["sample", "p.json"]).stdout);
    let ran = place.run(&["-p", "hi", "--json-schema", "p.yaml", "-m", "sim/sample"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(place.run_with(&["validate", "p.json", "-"], ran.stdout).code, Some(0));
}

#[test]
fn problems_point_into_the_text_of_the_user() {
    let place = with(&[
        ("bad.yaml", "type: object\nproperties:\n  # remark\n  age:\n    type: objekt\n"),
        ("bad.toml", "type = \"object\"\n\n[properties.age]\ntype = \"objekt\"\n"),
        ("bad.jsonc", "{\n  // remark\n  \"type\": \"objekt\"\n}"),
        ("twice.yml", "type: object\ntype: object\n"),
    ]);
    for (file, at) in [("bad.yaml", "bad.yaml:5:5"), ("bad.toml", "bad.toml:4:1"), ("bad.jsonc", "bad.jsonc:3:3")] {
        let ended = place.run(&["check", file]);
        ended.fails(2, "invalid_schema");
        ended.says(at);
        ended.keeps_silent_about("objekt");
        let sarif = place.run(&["check", file, "--format", "sarif"]);
        let report = value(&sarif.stdout);
        let region = &report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        let place = format!("{file}:{}:{}", region["startLine"], region["startColumn"]);
        assert_eq!(place, at);
    }
    let twice = place.run(&["check", "twice.yml"]);
    twice.fails(2, "invalid_schema");
    twice.says("twice.yml:2:1");
    twice.says("(repeated_key)");
}

#[test]
fn comments_in_json_are_said_to_be_what_they_are() {
    let place = with(&[("p.json", JSONC), ("p.json5", "{a: 1}")]);
    let ended = place.run(&["check", "p.json"]);
    ended.fails(2, "invalid_schema");
    ended.says("p.json:1:3");
    ended.says("next: this is JSON with comments: name the file .jsonc, or give --form jsonc");
    assert_eq!(place.run(&["check", "p.json", "--form", "jsonc"]).code, Some(0));
    let json5 = place.run(&["check", "p.json5"]);
    json5.fails(2, "invalid_schema");
    json5.says("JSON5 is not read");
}

#[test]
fn fix_prints_json_and_writes_into_no_yaml() {
    let open = "type: object\nproperties:\n  a: {type: string}\n";
    let place = with(&[("open.yaml", open)]);
    let shown = place.run(&["check", "open.yaml", "--fix", "openai"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.starts_with("{\n  \"type\": \"object\""), "{}", shown.stdout);
    let refused = place.run(&["check", "open.yaml", "--fix", "openai", "--write"]);
    refused.fails(2, "config");
    refused.says("--write does not change open.yaml: it is YAML, which is not edited in place");
    assert_eq!(fs_err::read_to_string(place.path("open.yaml")).unwrap(), open);
}

const PETS: &str = "openapi: 3.0.3\npaths:\n  /pets:\n    get:\n      responses:\n        200:\n          content:\n            application/json:\n              schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}\ncomponents:\n  schemas:\n    Pet:\n      type: object\n      properties:\n        secretname: {type: strin, nullable: true}\n    Good: {type: object, properties: {a: {type: string, nullable: true}}}\n";

#[test]
fn a_wrong_file_is_told_and_its_part_can_be_taken() {
    let place = with(&[("api.yaml", PETS), ("models.py", "class A(BaseModel):\n    x: int\n")]);
    let ended = place.run(&["check", "api.yaml"]);
    ended.fails(2, "invalid_schema");
    for words in [
        "this is: an OpenAPI document",
        "part: --pick /components/schemas/Pet",
        "part: --pick /paths/~1pets/get/responses/200/content/application~1json/schema",
        "next: take one part: add --pick and its pointer or last name",
    ] {
        // A shell would take the tilde in the middle of a word as it is; it is quoted all the same.
        let said = ended.stderr.replace('\'', "");
        assert!(said.contains(words), "wanted {words:?} in:\n{said}");
    }
    ended.keeps_silent_about("secretname");
    let good = place.run(&["check", "api.yaml", "--pick", "Good"]);
    assert_eq!((good.code, good.stderr.as_str()), (Some(0), ""));
    let bad = place.run(&["check", "api.yaml", "--pick", "Pet"]);
    bad.fails(2, "invalid_schema");
    bad.says("api.yaml:15:22");
    let fixed = place.run(&["check", "api.yaml", "--pick", "/components/schemas/Good", "--fix", "openai", "--write"]);
    fixed.fails(2, "config");
    fixed.says("it is YAML, which is not edited in place");
    let none = place.run(&["sample", "api.yaml", "--pick", "Nobody"]);
    none.fails(2, "invalid_schema");
    none.says("has no such part");
    none.says("--pick /components/schemas/Good");

    let source = place.run(&["check", "models.py"]);
    source.fails(2, "invalid_schema");
    source.says("this is: Python source with a Pydantic model");
    source.says("model_json_schema()");
    let sample = place.run(&["sample", "models.py", "--pick", "A"]);
    assert_eq!(sample.code, Some(0), "{}", sample.stderr);
    assert!(value(&sample.stdout)["x"].is_number());

    let inline = place.run_with(&["check", "-"], r#"{"name":"n","input_schema":{"type":"object","properties":{}}}"#);
    inline.says("this is: a tool definition");
    inline.says("--pick /input_schema");
}

#[test]
fn form_and_pick_belong_to_runs_and_commands() {
    let place = with(&[("s.json", "{\"type\":\"object\"}")]);
    let ended = place.run(&["--json-schema", "s.json", "--pick", "/a"]);
    ended.fails(2, "config");
}

#[test]
fn infer_makes_a_schema_that_takes_its_samples() {
    let place = with(&[
        ("rows.jsonl", "{\"name\":\"Ada\",\"age\":36}\n{\"name\":\"Bo\",\"age\":null,\"mail\":\"bo@example.org\"}\n"),
        ("one.yaml", "name: Cy\nage: 3\n"),
        ("broken.json", "{\"a\":\n}"),
    ]);
    let schema = r#"{"additionalProperties":false,"properties":{"age":{"type":["integer","null"]},"mail":{"format":"email","type":"string"},"name":{"type":"string"}},"required":["name","age"],"type":"object"}"#;
    let ended = place.run(&["infer", "rows.jsonl", "one.yaml"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(canonical(&value(&ended.stdout)), schema);
    assert!(
        ended.stdout.starts_with("{\n  \"type\": \"object\",\n  \"properties\": {\n    \"name\""),
        "{}",
        ended.stdout
    );
    place.write("inferred.json", &ended.stdout);
    for row in fs_err::read_to_string(place.path("rows.jsonl")).unwrap().lines() {
        assert_eq!(place.run_with(&["validate", "inferred.json", "-"], row).code, Some(0), "{row}");
    }
    let stdin = place.run_with(&["infer", "-"], "[1, 2.5]");
    assert_eq!(canonical(&value(&stdin.stdout)), r#"{"items":{"type":"number"},"type":"array"}"#);
    let broken = place.run(&["infer", "broken.json"]);
    broken.fails(2, "invalid_json");
    broken.says("sample: broken.json:2:1");
    place.run(&["infer"]).fails(2, "config");
    place.run(&["infer", "missing.json"]).says("cannot read missing.json");
}

#[test]
fn a_short_form_is_a_schema() {
    let place = Place::new();
    let ended = place.run(&["infer", "--short", "name, age int: in years, tags [str]"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        canonical(&value(&ended.stdout)),
        r#"{"additionalProperties":false,"properties":{"age":{"description":"in years","type":"integer"},"name":{"type":"string"},"tags":{"items":{"type":"string"},"type":"array"}},"required":["name","age","tags"],"type":"object"}"#
    );
    let wrong = place.run(&["infer", "--short", "name, secret itn"]);
    wrong.fails(2, "config");
    wrong.says("at: --short:1:14");
    wrong.keeps_silent_about("secret");
}

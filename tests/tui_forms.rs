//! The terminal program with schemas in other forms, files that are no schemas, and schemas made from values and fields.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::command::Id;
use screen::Screen;

const YAML: &str = "# a person\ntype: object\nproperties:\n  name: {type: string}\n  age:\n    type: integer\n";
const TOOLS: &str = r#"{"tools": [
  {"name": "find", "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}}},
  {"name": "save", "input_schema": {"type": "object", "properties": {"title": {"type": "string"}}}}
]}"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("person.yaml", YAML),
        ("bad.toml", "type = \"object\"\n\n[properties.age]\ntype = \"objekt\"\n"),
        ("tools.json", TOOLS),
        ("rows.jsonl", "{\"name\":\"Ada\",\"age\":36}\n{\"name\":\"Bo\"}\n"),
        ("model.py", "class A(BaseModel):\n    x: Thing\n"),
    ] {
        fs_err::write(dir.path().join(name), text).unwrap();
    }
    dir
}

async fn opened(dir: &std::path::Path, file: &str) -> Screen {
    let mut s = Screen::new(120, 36, dir);
    s.settle().await;
    s.command(Id::SchemaLoad, file);
    s.settle().await;
    s
}

#[tokio::test(start_paused = true)]
async fn yaml_is_checked_edited_and_saved_as_it_was_written() {
    let dir = folder();
    let mut s = opened(dir.path(), "person.yaml").await;
    s.has("✓ legal · YAML · draft 2020-12");
    s.has("# a person");
    s.keys(&["f2"]);
    s.app.state.schema.editor.jump(5, 10);
    s.steps(&["type:x"]).await;
    s.has("1 problem");
    let problems = s.app.state.schema.problems();
    assert_eq!((problems[0].line, problems[0].column), (6, 5));
    s.steps(&["f8"]).await;
    assert_eq!(s.app.state.schema.editor.caret(), (5, 4));
    s.command(Id::Undo, "");
    s.steps(&["ctrl-s"]).await;
    assert_eq!(fs_err::read_to_string(dir.path().join("person.yaml")).unwrap(), YAML);
}

#[tokio::test(start_paused = true)]
async fn a_keyword_is_found_in_every_form() {
    let dir = folder();
    let s = opened(dir.path(), "person.yaml").await;
    let (start, end) = s.app.state.schema.keyword("/properties/age/type").unwrap();
    assert_eq!(s.app.state.schema.editor.text().get(start..end), Some("type"));
    assert_eq!(s.app.state.schema.editor.place(start), (5, 4));
    let s = opened(dir.path(), "bad.toml").await;
    s.has("4:1");
    let (start, _) = s.app.state.schema.keyword("/properties/age/type").unwrap();
    assert_eq!(s.app.state.schema.editor.place(start), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn conversion_to_json_lets_go_of_the_file_and_is_one_undo() {
    let dir = folder();
    let mut s = opened(dir.path(), "person.yaml").await;
    s.steps(&["alt-2", "type:/schema json", "enter"]).await;
    s.has("✓ legal · draft 2020-12");
    assert!(s.app.state.schema.editor.text().starts_with("{\n  \"type\": \"object\""));
    assert_eq!(s.app.state.schema.path, None);
    assert!(s.app.state.schema.dirty());
    s.steps(&["f2", "alt-u"]).await;
    assert_eq!(s.app.state.schema.editor.text(), YAML);
    s.has("✓ legal · YAML");
    s.command(Id::SchemaNew, "");
    s.command(Id::SchemaNew, "");
    s.settle().await;
    s.command(Id::SchemaJson, "");
    s.settle().await;
    s.has("the schema is JSON already");
}

#[tokio::test(start_paused = true)]
async fn the_parts_of_a_wrong_file_are_offered_and_taken() {
    let dir = folder();
    let mut s = opened(dir.path(), "tools.json").await;
    s.has("This is a tool definition: take a part");
    s.has("/tools/1/input_schema");
    s.steps(&["type:save", "enter"]).await;
    s.has("✓ legal");
    let text = s.app.state.schema.editor.text();
    assert!(text.contains("title") && !text.contains("query"), "{text}");
    s.steps(&["ctrl-s"]).await;
    s.has("Save the schema as");
    s.steps(&["esc"]).await;
    assert_eq!(fs_err::read_to_string(dir.path().join("tools.json")).unwrap(), TOOLS);
    s.steps(&["f2", "alt-u"]).await;
    s.command(Id::SchemaPick, "find");
    s.settle().await;
    assert!(s.app.state.schema.editor.text().contains("query"));
    let s = opened(dir.path(), "model.py").await;
    s.has("this is Python source with a Pydantic model");
    assert!(s.app.state.popups.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_made_from_values_and_unsaved_text_is_asked_about() {
    let dir = folder();
    let mut s = opened(dir.path(), "person.yaml").await;
    s.app.state.schema.editor.insert("# more\n");
    s.steps(&["alt-2", "type:/schema infer rows.jsonl", "enter"]).await;
    s.has("the schema is not saved");
    assert!(s.app.state.schema.editor.text().contains("# more"));
    s.steps(&["enter"]).await;
    s.has("a schema from 2 samples");
    s.has("✓ legal");
    let text = s.app.state.schema.editor.text();
    assert!(text.contains("\"required\": [\n    \"name\"\n  ]"), "{text}");
    assert_eq!(s.app.state.schema.path, None);
    s.command(Id::SchemaInfer, "missing.json");
    s.command(Id::SchemaInfer, "missing.json");
    s.settle().await;
    s.has("missing.json: ");
    assert_eq!(s.app.state.schema.editor.text(), text);
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_made_from_a_short_form() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["alt-2", "type:/schema short name, age itn", "enter"]).await;
    s.has("field text, column 11: this is no type");
    assert!(s.app.state.schema.editor.is_blank());
    s.steps(&["ctrl-u", "type:/schema short name, age int: in years", "enter"]).await;
    s.has("✓ legal");
    assert!(s.app.state.schema.editor.text().contains("\"description\": \"in years\""));
    s.command(Id::SchemaShort, "");
    s.settle().await;
    assert_eq!(s.app.state.prompt.editor.text(), "/schema short ");
}

#[tokio::test(start_paused = true)]
async fn the_finder_lists_every_form() {
    let dir = folder();
    let mut s = Screen::new(120, 36, dir.path());
    s.settle().await;
    s.steps(&["ctrl-o"]).await;
    for file in ["person.yaml", "bad.toml", "tools.json"] {
        s.has(file);
    }
    s.lacks("rows.jsonl");
}

/// The warning says "load again": sending the line again has to do it.
#[tokio::test(start_paused = true)]
async fn loading_again_by_the_prompt_drops_unsaved_text() {
    let dir = folder();
    let mut s = opened(dir.path(), "person.yaml").await;
    s.app.state.schema.editor.insert("# more\n");
    s.steps(&["alt-2", "type:/schema load person.yaml", "enter"]).await;
    s.has("load again to drop it");
    s.steps(&["enter"]).await;
    assert_eq!(s.app.state.schema.editor.text(), YAML);
}

//! The schema workbench: the portability board with its edits, the fields with their forms.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use screen::Screen;

const PERSON: &str = r#"{
  "type": "object",
  "properties": {
    "name": { "type": "string", "minLength": 1 },
    "age": { "type": "integer" }
  },
  "required": ["name"]
}"#;

async fn loaded(width: u16, height: u16, schema: &str) -> (Screen, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    fs_err::write(dir.path().join("person.json"), schema).unwrap();
    let mut s = Screen::new(width, height, dir.path());
    s.settle().await;
    s.steps(&["type:/schema load person.json", "enter"]).await;
    s.has("✓ legal");
    (s, dir)
}

#[tokio::test(start_paused = true)]
async fn the_board_shows_every_provider_and_offers_edits() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.has("! openai 3");
    s.steps(&["alt-b"]).await;
    s.has("Portability of person.json");
    s.has("3 places in the way; level relax opens it");
    s.has("/properties/name/minLength");
    s.steps(&["enter"]).await;
    s.has("all 4 edits");
    s.has("edit (root)  additionalProperties: false");
    s.has("narrows");
    s.steps(&["enter"]).await;
    s.has("Edit the schema for openai?");
    s.has("openai: relax → accepted");
    s.has("+  \"additionalProperties\": false");
    let before = s.app.state.schema.editor.text();
    s.steps(&["enter"]).await;
    s.has("takes the schema as it is");
    assert_ne!(s.app.state.schema.editor.text(), before);
    s.steps(&["esc", "alt-1", "alt-u"]).await;
    assert_eq!(s.app.state.schema.editor.text(), before, "one undo takes all of it back");
}

#[tokio::test(start_paused = true)]
async fn a_place_of_the_board_jumps_to_its_line() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.steps(&["alt-b", "enter", "type:/properties/name/min", "enter"]).await;
    let (row, _) = s.app.state.schema.editor.caret();
    assert!(s.app.state.schema.editor.lines()[row].contains("minLength"));
    assert!(s.app.state.popups.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_a_text_that_changed_meanwhile_is_not_made() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.steps(&["alt-b", "enter", "enter"]).await;
    s.has("Edit the schema for openai?");
    s.app.state.schema.editor.insert(" ");
    let typed = s.app.state.schema.editor.text();
    s.steps(&["enter"]).await;
    s.has("the schema changed meanwhile");
    assert_eq!(s.app.state.schema.editor.text(), typed);
}

#[tokio::test(start_paused = true)]
async fn a_broken_schema_has_no_board_and_says_so() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.steps(&["alt-b"]).await;
    s.has("Portability of person.json");
    s.app.state.schema.editor.insert("]");
    s.steps(&["down"]).await;
    s.has("the schema has problems");
    s.steps(&["enter", "esc", "alt-b"]).await;
    s.has("mend them first");
}

#[tokio::test(start_paused = true)]
async fn fields_are_edited_by_forms_and_the_text_follows() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.steps(&["alt-f"]).await;
    s.has("the answer");
    s.has("integer · optional");
    s.steps(&["type:age", "enter"]).await;
    s.has("age: integer");
    s.steps(&["enter"]).await;
    s.has("required: yes");
    assert!(s.app.state.schema.editor.text().contains(r#"["name", "age"]"#));
    s.steps(&["type:maximum", "enter", "type:150", "enter"]).await;
    assert!(s.app.state.schema.editor.text().contains(r#""maximum": 150"#));
    s.has("maximum is now 150");
    s.steps(&["esc", "esc", "alt-1", "alt-u", "alt-u"]).await;
    assert_eq!(s.app.state.schema.editor.text(), PERSON, "each wish is one undo");
}

#[tokio::test(start_paused = true)]
async fn a_form_says_what_a_keyword_takes_and_changes_nothing_else() {
    let (mut s, _dir) = loaded(100, 30, PERSON).await;
    s.steps(&["alt-f", "type:name", "enter", "type:maxLength", "enter", "type:many", "enter"]).await;
    s.has("maxLength takes a whole number from 0");
    assert_eq!(s.app.state.schema.editor.text(), PERSON);
}

#[tokio::test(start_paused = true)]
async fn enter_on_a_value_that_was_only_looked_at_changes_nothing() {
    let schema = r#"{"type": "object", "properties": {"a": {"enum": ["x, y", "z"], "const": "5"}}}"#;
    let (mut s, _dir) = loaded(120, 40, schema).await;
    for keyword in ["enum", "const"] {
        s.steps(&["alt-f", "type:a", "down", "enter"]).await;
        s.steps(&[&format!("type:{keyword}"), "enter", "enter"]).await;
        assert_eq!(s.app.state.schema.editor.text(), schema, "{keyword}");
        s.steps(&["esc", "esc", "esc"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn properties_are_added_renamed_and_removed() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.steps(&["alt-f", "enter", "type:add a property", "enter", "type:email", "enter"]).await;
    assert!(s.app.state.schema.editor.text().contains(r#""email""#));
    s.steps(&["esc"]).await;
    s.has("email");
    s.steps(&["type:email", "enter", "type:rename", "enter", "type:mail", "enter"]).await;
    s.has("is called mail now");
    assert!(s.app.state.schema.editor.text().contains(r#"["name", "mail"]"#));
    s.steps(&["ctrl-u", "type:remove", "enter"]).await;
    s.has("mail: is gone");
    let text = s.app.state.schema.editor.text();
    assert!(!text.contains("mail"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn fields_of_a_broken_text_are_not_shown() {
    let (mut s, _dir) = loaded(100, 30, PERSON).await;
    s.app.state.schema.editor.insert("]");
    s.steps(&["alt-f"]).await;
    s.has("no fields can be shown");
    assert!(s.app.state.popups.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_schema_in_yaml_has_fields_and_asks_to_become_json_before_an_edit() {
    let dir = tempfile::tempdir().unwrap();
    fs_err::write(dir.path().join("person.yaml"), "type: object\nproperties:\n  age: {type: integer}\n").unwrap();
    let mut s = Screen::new(120, 40, dir.path());
    s.settle().await;
    s.steps(&["type:/schema load person.yaml", "enter", "alt-f"]).await;
    s.has("integer · optional");
    s.steps(&["type:age", "enter"]).await;
    s.has("age: integer");
    s.steps(&["enter"]).await;
    s.has("edits are made in JSON, this is YAML");
    s.steps(&["esc", "esc"]).await;
    s.keys(&["type:/schema json", "enter"]);
    s.settle().await;
    s.steps(&["alt-f", "type:age", "enter", "enter"]).await;
    s.has("required: yes");
}

/// Undo once brought the text of one file under the name of the next, and saving wrote it there.
#[tokio::test(start_paused = true)]
async fn undo_stops_at_the_load_of_a_file() {
    let (mut s, dir) = loaded(120, 40, PERSON).await;
    fs_err::write(dir.path().join("other.json"), r#"{"type": "string"}"#).unwrap();
    s.steps(&["alt-2", "type:/schema load other.json", "enter", "alt-1", "alt-u"]).await;
    s.has("nothing to undo");
    assert_eq!(s.app.state.schema.editor.text(), r#"{"type": "string"}"#);
}

#[tokio::test(start_paused = true)]
async fn a_refused_value_stays_in_its_line() {
    let (mut s, _dir) = loaded(120, 40, PERSON).await;
    s.steps(&["alt-f", "type:age", "enter", "type:type", "enter", "ctrl-u", "type:bogus", "enter"]).await;
    s.has("type takes type words");
    s.has("bogus");
    s.steps(&["ctrl-u", "type:string", "enter"]).await;
    assert!(s.app.state.schema.editor.text().contains(r#""age": { "type": "string" }"#));
}

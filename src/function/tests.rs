use std::path::Path;

use serde_json::json;

use super::*;

const FILE: &str = "f.md";
const GREET: &str = "+++\nmodel = \"sim/sample\"\n\n[vars.who]\n[vars.n]\ntype = \"number\"\ndefault = 2\n+++\n\nHello {{ who }}, {{ n }} times.\n";

fn function(text: &str) -> Function {
    read("f", Path::new(FILE), text).unwrap_or_else(|fault| panic!("{fault}"))
}

fn fault(text: &str) -> Fault {
    read("f", Path::new(FILE), text).expect_err("it was taken")
}

fn given(pairs: &[(&str, Value)]) -> Given {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn a_template_is_filled_with_what_is_given_and_with_defaults() {
    let function = function(GREET);
    let filled = function.fill(&given(&[("who", json!("Ada"))])).unwrap();
    assert_eq!((filled.prompt.as_str(), filled.system), ("Hello Ada, 2 times.", None));
    let exact: Value = "9007199254740993.10".parse().unwrap();
    let filled = function.fill(&given(&[("who", json!("{{ n }}")), ("n", exact)])).unwrap();
    assert_eq!(
        filled.prompt, "Hello {{ n }}, 9007199254740993.10 times.",
        "a value is no template, a number keeps its digits"
    );
}

#[test]
fn what_is_missing_unknown_or_of_another_kind_is_named() {
    let function = function(GREET);
    let told = |pairs: &[(&str, Value)]| function.fill(&given(pairs)).unwrap_err();
    assert!(told(&[]).message.contains("not given: who"));
    let unknown = told(&[("who", json!("a")), ("whom", json!("b"))]);
    assert!(unknown.message.contains("\"whom\"") && unknown.advice.unwrap().contains("who"));
    assert!(told(&[("who", json!(1))]).message.contains("who must be a text"));
    assert!(told(&[("who", json!("a")), ("n", json!("2"))]).message.contains("n must be a number"));
    assert_eq!(function.value("n", "0.50".to_owned()).unwrap().to_string(), "0.50");
    assert!(function.value("n", "two".to_owned()).is_err());
}

/// `(file, line, column, words of the message)`: every kind of break, told at its place.
const BROKEN: [(&str, usize, usize, &str); 21] = [
    ("Hello", 1, 1, "does not begin with +++"),
    ("---\nmodel: x\n---\n", 1, 1, "settings are TOML"),
    ("+++\nmodel = 1", 1, 1, "have no end"),
    ("+++\nmodel = \n+++\nx", 2, 9, "TOML"),
    ("+++\na = 1\nmodle = \"x\"\n+++\nx", 2, 1, "no setting `a`"),
    ("+++\nmodel = \"\"\n+++\nx", 2, 9, "`model` must be"),
    ("+++\nfallback = \"maybe\"\n+++\nx", 2, 12, "one of auto, none, prompt"),
    ("+++\nmax_validation_retries = 2\n+++\nx", 2, 26, "from 0 to 1"),
    ("+++\n[vars.\"a b\"]\n+++\nx", 2, 7, "cannot name a variable"),
    ("+++\n[vars.a]\nkind = 1\n+++\nx", 3, 1, "no setting `vars.a.kind`"),
    ("+++\n[vars.a]\ntype = \"number\"\ndefault = \"1\"\n+++\nx", 4, 11, "must be a number"),
    ("+++\n+++\n\n", 4, 1, "the prompt is empty"),
    ("+++\n+++\na\nHi {{ who }}\n", 4, 7, "`who`, which is not declared"),
    ("+++\n+++\nHi {{ who\n", 3, 7, "the template is wrong"),
    ("+++\n[vars.a]\n+++\nx {{ a|frob }}", 4, 8, "unknown filter"),
    ("+++\n+++\nstray\n# Prompt\nx", 3, 1, "stands in no section"),
    ("+++\n+++\n# Prompt\nx\n# Prompt\ny", 5, 1, "stands twice"),
    ("+++\n+++\n# System\nx", 3, 1, "no `# Prompt`"),
    ("+++\n+++\n# Prompt\nx\n# Schema\n{}", 6, 1, "must stand in a code block"),
    ("+++\n+++\n# Prompt\nx\n# Schema\n```json\n{\"type\":\n \"objekt\"}\n```", 7, 2, "not legal"),
    ("+++\nschema = \"none.json\"\n+++\nx", 2, 10, "there is no such file"),
];

#[test]
fn a_broken_one_is_told_with_line_and_column() {
    for (text, line, column, words) in BROKEN {
        let fault = fault(text);
        let at = fault.at.map(|at| (at.line, at.column));
        assert!(fault.message.contains(words), "{text:?}: {fault}");
        assert_eq!(at, Some((line, column)), "{text:?}: {fault}");
    }
}

#[test]
fn undefined_is_refused_when_it_is_filled_too() {
    let function = function("+++\n[vars.a]\ntype = \"object\"\n+++\n\nx\n {{ a.b }}");
    let fault = function.fill(&given(&[("a", json!({ "c": "secret" }))])).unwrap_err();
    assert_eq!(fault.at.map(|at| (at.line, at.column)), Some((7, 5)), "{fault}");
    assert!(fault.message.contains("`a.b`") && !fault.to_string().contains("secret"), "{fault}");
}

#[test]
fn a_template_that_never_ends_is_stopped_and_reads_no_file() {
    let long = "+++\n+++\n{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}x";
    assert!(function(long).fill(&Given::new()).unwrap_err().message.contains("too long"));
    let wide = "+++\n+++\n{% for a in range(90000) %}{{ 'x' * 1000 }}{% endfor %}";
    assert!(function(wide).fill(&Given::new()).unwrap_err().message.contains("longer than"));
    assert!(read("f", Path::new(FILE), "+++\n+++\n{% include '/etc/passwd' %}").is_err());
}

#[test]
fn headings_are_cut_and_escaped_ones_are_text() {
    let text = "+++\n+++\n# System\nbe brief\n# Prompt\n\\# Prompt\n```\n# x\n# Schema\n````yaml\n# Prompt\ntype: string\n```\n````\n";
    let fault = fault(text);
    assert_eq!(fault.at.map(|at| at.line), Some(13), "{fault}");
    let function = function(&text.replace("```\n````", "````"));
    let filled = function.fill(&Given::new()).unwrap();
    assert_eq!((filled.system.as_deref(), filled.prompt.as_str()), (Some("be brief"), "# Prompt\n```\n# x"));
    assert_eq!(function.format().unwrap().schema, json!({ "type": "string" }));
}

#[test]
fn what_is_saved_reads_back_as_it_was() {
    let schema = "{\n  \"type\": \"string\", \"description\": \"```\"\n}";
    let prompts = [
        "Hi {{ who }} and {{ where }}",
        "a\n# Prompt\n\\# System\n```\nopen",
        "broken {{ x and {% y",
        "{# no comment",
        "π {",
    ];
    for prompt in prompts {
        let draft = Draft {
            about: Some("a \"quoted\" \\ line".to_owned()),
            model: Some("sim/repair".to_owned()),
            settings: Settings { level: Some(Level::Narrow), max_retries: Some(3), ..Settings::default() },
            system: Some("# Schema\nbe exact".to_owned()),
            prompt: prompt.to_owned(),
            schema: Some((schema.to_owned(), Form::Json)),
        };
        let (text, vars) = draft.text();
        let back = function(&text);
        assert_eq!(back.about, draft.about);
        assert_eq!((back.model.clone(), back.settings), (draft.model.clone(), draft.settings));
        assert_eq!(back.schema.as_ref().unwrap().text.trim_end(), schema, "{text}");
        assert_eq!(back.vars.iter().map(|var| var.name.clone()).collect::<Vec<_>>(), vars);
        let values: Given = vars.iter().map(|name| (name.clone(), json!(format!("<{name}>")))).collect();
        let filled = back.fill(&values).unwrap();
        let wanted = prompt.replace("{{ who }}", "<who>").replace("{{ where }}", "<where>");
        assert_eq!(filled.prompt, wanted);
        assert_eq!(filled.system.as_deref(), Some("# Schema\nbe exact"));
    }
}

#[test]
fn the_projects_function_hides_the_users_and_slips_name_the_nearest() {
    let (project, user) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shelf = Shelf::new(&crate::config::Paths {
        functions: project.path().to_owned(),
        user_functions: user.path().to_owned(),
        ..crate::config::Paths::default()
    });
    let put = |dir: &tempfile::TempDir, name: &str, prompt: &str| {
        fs_err::write(dir.path().join(name), format!("+++\n+++\n{prompt}")).unwrap();
    };
    put(&project, "one.md", "project");
    put(&user, "one.md", "user");
    put(&user, "two.md", "user");
    put(&user, "README.md", "none");
    put(&user, "3.md", "none");
    fs_err::write(user.path().join("bad.md"), "x").unwrap();
    let prompt = |name: &str| shelf.find(name).unwrap().fill(&Given::new()).unwrap().prompt;
    assert_eq!((prompt("one"), prompt("two")), ("project".to_owned(), "user".to_owned()));
    let names: Vec<String> = shelf.list().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["bad", "one", "two"]);
    assert!(matches!(shelf.find("bad"), Err(Missing::Broken(_))));
    assert!(shelf.find("on").unwrap_err().to_string().contains("one"));
    for name in ["../one", "", "a/b", "one.md"] {
        assert!(matches!(shelf.find(name), Err(Missing::NoName(_))), "{name}");
    }
}

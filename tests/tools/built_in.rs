//! The built-in tools: everything below the folder, nothing else, in bounded pieces.

use crate::{MAX_RESULT, Tool, Toolbox, all_below, call, folder, stop};

fn run(toolbox: &Toolbox, name: &str, arguments: &str) -> Result<String, String> {
    toolbox.run(&call(name, arguments), &stop())
}

#[test]
fn a_file_is_read_and_a_folder_listed() {
    let dir = folder(&[("a.txt", b"one\ntwo\nthree\n"), ("sub/b.txt", b"deep"), ("empty.txt", b"")]);
    let toolbox = all_below(dir.path());
    let read = |arguments: &str| run(&toolbox, "read_file", arguments);
    assert_eq!(read(r#"{"path":"a.txt"}"#).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(read(r#"{"path":"./sub/../sub/b.txt"}"#).unwrap(), "deep");
    assert_eq!(read(r#"{"path":"a.txt","first_line":3}"#).unwrap(), "three\n");
    assert_eq!(read(r#"{"path":"a.txt","first_line":4}"#).unwrap_err(), "the file has 3 lines");
    assert_eq!(read(r#"{"path":"empty.txt"}"#).unwrap(), "");
    let listed = run(&toolbox, "list_dir", r#"{"path":"."}"#).unwrap();
    assert_eq!(listed, "a.txt  14 bytes\nempty.txt  0 bytes\nsub/\n");
}

#[test]
fn nothing_outside_or_hidden_is_seen_and_the_answer_is_the_same_for_all_of_it() {
    let outside = folder(&[("secret.txt", b"SECRET")]);
    let dir = folder(&[("a.txt", b"a"), (".env", b"SECRET"), (".git/config", b"SECRET"), ("sub/.key", b"SECRET")]);
    let toolbox = all_below(dir.path());
    let absolute = outside.path().join("secret.txt");
    let mut names: Vec<String> =
        [".env", ".git/config", "sub/.key", "no/such", "/etc/passwd", "..", "sub/../..", "a.txt/x", "\u{0}", ""]
            .map(str::to_owned)
            .into();
    names.push(absolute.display().to_string());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, dir.path().join("link.txt")).unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("away")).unwrap();
        std::os::unix::fs::symlink(dir.path().join(".env"), dir.path().join("plain.txt")).unwrap();
        names.extend(["link.txt", "away/secret.txt", "plain.txt"].map(str::to_owned));
    }
    for name in names {
        let arguments = serde_json::json!({ "path": name }).to_string();
        let said = run(&toolbox, "read_file", &arguments);
        // The folder itself may be named in more than one way; it is no file.
        let no_file = name.is_empty() && said.as_ref().is_err_and(|why| why.starts_with("this is no file"));
        let nowhere = said.as_ref().is_err_and(|why| why.starts_with("there is no such file or folder"));
        assert!(nowhere || no_file, "{name:?}: {said:?}");
    }
    let listed = run(&toolbox, "list_dir", r#"{"path":"."}"#).unwrap();
    assert!(!listed.contains(".env") && !listed.contains(".git"), "{listed}");
    let found = run(&toolbox, "search_text", r#"{"text":"SECRET"}"#).unwrap();
    assert!(found.starts_with("[0 lines"), "{found}");
}

#[test]
fn binary_and_huge_files_are_told_and_long_ones_come_in_parts() {
    let long: Vec<u8> = (0..60_000).flat_map(|line| format!("line {line}\n").into_bytes()).collect();
    let wide = vec![b'x'; MAX_RESULT * 2];
    let huge = vec![b'x'; 8 * 1024 * 1024 + 1];
    let dir = folder(&[
        ("zero.bin", b"a\0b"),
        ("latin.txt", b"caf\xe9"),
        ("long.txt", &long),
        ("wide.txt", &wide),
        ("huge.txt", &huge),
    ]);
    let toolbox = all_below(dir.path());
    let read = |arguments: &str| run(&toolbox, "read_file", arguments);
    assert_eq!(read(r#"{"path":"zero.bin"}"#).unwrap_err(), "the file is binary (3 bytes)");
    assert_eq!(read(r#"{"path":"latin.txt"}"#).unwrap_err(), "the file is binary (4 bytes)");
    assert!(read(r#"{"path":"huge.txt"}"#).unwrap_err().starts_with("the file has 8388609 bytes"));
    let wide = read(r#"{"path":"wide.txt"}"#).unwrap();
    assert!(wide.len() <= MAX_RESULT && wide.contains("[line 1 of 1 is cut: "), "{}", wide.len());
    // The parts together are the file.
    let (mut whole, mut first) = (String::new(), 1);
    loop {
        let part = read(&format!(r#"{{"path":"long.txt","first_line":{first}}}"#)).unwrap();
        assert!(part.len() <= MAX_RESULT);
        let Some((text, note)) = part.split_once("[cut after line ") else {
            whole.push_str(&part);
            break;
        };
        whole.push_str(text);
        let next = note.split("first_line ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        first = next.parse().unwrap();
    }
    assert_eq!(whole.as_bytes(), long);
}

#[test]
fn a_search_tells_file_and_line_follows_no_link_and_ends() {
    let lines: String = (0..300).map(|_| "needle in hay\n").collect();
    let dir = folder(&[
        ("a.txt", b"hay\na needle here\n"),
        ("sub/b.txt", b"needle\n"),
        ("c.bin", b"needle\0"),
        ("many/m.txt", lines.as_bytes()),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(dir.path(), dir.path().join("sub/loop")).unwrap();
    let toolbox = all_below(dir.path());
    let found = run(&toolbox, "search_text", r#"{"text":"needle","path":"sub"}"#).unwrap();
    assert!(found.starts_with("sub/b.txt:1: needle\n[1 lines in 1 text files"), "{found}");
    let found = run(&toolbox, "search_text", r#"{"text":"a needle"}"#).unwrap();
    assert!(found.starts_with("a.txt:2: a needle here\n[1 lines in 3 text files; "), "{found}");
    let found = run(&toolbox, "search_text", r#"{"text":"needle"}"#).unwrap();
    assert!(found.ends_with("; cut: there may be more]") && found.matches('\n').count() == 200, "{found}");
    let stopped = stop();
    stopped.cancel();
    let found = toolbox.run(&call("search_text", r#"{"text":"needle"}"#), &stopped).unwrap();
    assert!(found.starts_with("[0 lines") && found.contains("cut"), "{found}");
}

#[test]
fn arguments_that_are_not_as_described_are_refused_in_fixed_words() {
    let dir = folder(&[("a.txt", b"a")]);
    let toolbox = all_below(dir.path());
    for arguments in
        ["", "{", "[]", "{}", r#"{"path":1}"#, r#"{"path":"a.txt","more":1}"#, r#"{"path":"a.txt","first_line":-1}"#]
    {
        let said = run(&toolbox, "read_file", arguments).unwrap_err();
        assert!(said.starts_with("the arguments are"), "{arguments}: {said}");
    }
    assert!(run(&toolbox, "read_file", &format!("[{}]", "1,".repeat(70_000))).is_err());
    assert!(run(&toolbox, "search_text", r#"{"text":""}"#).is_err());
}

#[test]
fn only_what_was_allowed_is_offered_and_run() {
    let dir = folder(&[("a.txt", b"a")]);
    let toolbox = Toolbox::below(dir.path(), vec![Tool::ListDir]).unwrap();
    let names: Vec<String> = toolbox.specs().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["list_dir"]);
    assert!(run(&toolbox, "read_file", r#"{"path":"a.txt"}"#).is_err());
    assert!(run(&toolbox, "rm", "{}").is_err());
    assert!(Toolbox::default().specs().is_empty());
    assert!(Toolbox::below(&dir.path().join("no"), vec![]).is_err());
}

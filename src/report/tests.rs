use super::*;
use crate::dialect::Message;
use crate::issue::Issues;
use crate::json::{ParseLimits, parse};

/// Ends a fence, a block, an attribute and a table row, begins a tag, a script and a link, turns the reading direction,
/// clears the screen, hides.
const HOSTILE: &str = "```\n</pre></style><script>document.title='owned'</script><img src=x onerror=alert(1)>\n\
    ~~~~ ````` | a | \"'> &lt;b&gt; ]]> --> [x](javascript:alert) http://evil.example \u{202e}gnp\u{2066}\u{1b}[2J\u{9b}31m\0\u{7f}\u{200b}\u{2028}\u{feff}é漢\u{1f468}\u{200d}\u{1f469}";

fn record(attempt: u32, text: &str, outcome: Outcome) -> AttemptRecord {
    AttemptRecord {
        attempt,
        mode: Some(Mode::Native),
        call: attempt,
        text: text.to_owned(),
        thinking: HOSTILE.to_owned(),
        calls: Vec::new(),
        refusal: String::new(),
        terminal: None,
        outcome,
        usage: Usage { input_tokens: Some(10), output_tokens: Some(5), ..Usage::default() },
        repair: vec![Message::user(HOSTILE)],
    }
}

fn issue(path: &str, message: &str) -> Issue {
    Issue {
        code: "schema_violation",
        path: path.to_owned(),
        schema_path: format!("/properties{path}/minimum"),
        message: message.to_owned(),
        keyword: "minimum".to_owned(),
    }
}

fn hostile() -> Report {
    let attached = Attached { name: HOSTILE.to_owned(), media_type: "image/png".to_owned(), bytes: 7 };
    let mut asked =
        Asked::new(format!("lab/{HOSTILE}"), Some(HOSTILE), HOSTILE, &[]).with_schema("abc", HOSTILE.into());
    asked.attachments.push(attached);
    let mut report = Report::new(asked, "2026-12-03 10:00".to_owned());
    report.changes.push(Changed { path: format!("/{HOSTILE}"), what: HOSTILE.to_owned() });
    let candidate = format!("{{\"a\": -1, \"b\": {}}}", crate::json::canonical(&Value::from(HOSTILE)));
    let list = vec![issue("/a", HOSTILE), issue("/b", "too long"), issue(&format!("/{HOSTILE}"), "missing")];
    report.attempt(&record(1, &candidate, Outcome::Invalid(Issues { list, omitted: 3 })), Some(1_234), None);
    let broken = parse("{\"a\": \u{202e}", ParseLimits::default()).unwrap_err();
    report.attempt(&record(2, "{\"a\": \u{202e}", Outcome::NotJson(broken)), None, None);
    let failure = CallFailure {
        code: ErrorCode::Provider,
        status: Some(500),
        provider_code: Some("overloaded".to_owned()),
        request_id: None,
        retryable: true,
        retry_after_ms: None,
        message: "the provider failed".to_owned(),
        detail: Some("planted-provider-body".to_owned()),
    };
    report.attempt(&record(3, "", Outcome::Failed { code: ErrorCode::Provider, failure: Some(failure) }), None, None);
    report.attempt(&record(4, HOSTILE, Outcome::Accepted), None, None);
    report.end = End::Value { value: Arc::new(Value::from(HOSTILE)) };
    report
}

/// What no reader's program may get as it is.
fn assert_harmless(document: &str) {
    for c in document.chars() {
        assert!(c == '\n' || !c.is_control(), "{c:?} is left");
        assert!(!"\u{202e}\u{2066}\u{2028}\u{200b}\u{feff}".contains(c), "{c:?} is left");
    }
    assert!(!document.contains("planted-provider-body"));
}

/// Reads a document as strictly as no browser does: every tag is one of ours, with attributes of ours, closed in order.
fn tags_of(html: &str) -> Vec<String> {
    const TAGS: &[&str] = &[
        "html", "head", "title", "style", "body", "header", "main", "section", "article", "h1", "h2", "h3", "dl", "dt",
        "dd", "span", "p", "ul", "li", "bdi", "code", "table", "caption", "thead", "tbody", "tr", "th", "td", "a",
        "pre", "mark", "details", "summary",
    ];
    const ATTRIBUTES: &[&str] = &[
        "lang",
        "id",
        "class",
        "aria-labelledby",
        "aria-label",
        "aria-hidden",
        "scope",
        "href",
        "tabindex",
        "role",
        "dir",
        "charset",
        "http-equiv",
        "content",
        "name",
    ];
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("a tag is not closed: {piece:?}"));
        assert!(!text.contains('>'), "a bare > in {text:?}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        if tag.starts_with("!DOCTYPE") {
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut rest = attributes;
        while let Some((attribute, value)) = rest.split_once("=\"") {
            assert!(ATTRIBUTES.contains(&attribute.trim()), "{attribute:?} in {tag:?}");
            let (value, after) = value.split_once('"').unwrap();
            assert!(attribute.trim() != "href" || value.starts_with('#'), "an address in {tag:?}");
            rest = after;
        }
        assert_eq!(rest, "", "{tag:?}");
        if name != "meta" {
            assert!(TAGS.contains(&name), "{name:?} is no tag of ours");
            open.push(name.to_owned());
        }
        all.push(name.to_owned());
    }
    assert_eq!(open, Vec::<String>::new());
    all
}

#[test]
fn html_shows_what_people_and_models_wrote_and_obeys_none_of_it() {
    let html = hostile().render(Format::Html);
    assert_harmless(&html);
    let tags = tags_of(&html);
    assert!(tags.iter().filter(|tag| *tag == "article").count() == 4 && tags.contains(&"mark".to_owned()));
    assert!(html.contains("&lt;script&gt;") && html.contains("⟨U+202E⟩") && html.contains("é漢"));
    assert!(html.contains("default-src 'none'") && html.contains("prefers-color-scheme: dark"));
    // Every issue with a place leads there.
    for target in html.split("href=\"#").skip(1).map(|rest| rest.split_once('"').unwrap().0) {
        assert_eq!(html.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
    }
}

#[test]
fn ids_are_given_once_and_what_is_labelled_is_there() {
    let html = hostile().render(Format::Html);
    let ids: Vec<&str> = html.split(" id=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "{ids:?}");
    for label in html.split("aria-labelledby=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0) {
        assert!(ids.contains(&label), "{label}");
    }
}

#[test]
fn markdown_keeps_texts_in_fences_and_lines_without_markup() {
    let markdown = hostile().render(Format::Markdown);
    assert_harmless(&markdown);
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => {
                assert!(!line.contains("<script") && !line.contains("<img"), "{line:?}");
                assert!(!line.replace("\\]", "").contains("](") && !line.contains("http://"), "{line:?}");
            }
            Some(open) if line.trim_end() == open => fence = None,
            Some(open) => assert!(ticks.len() < open.len(), "{line:?} ends the fence"),
        }
    }
    assert_eq!(fence, None);
    assert!(markdown.contains("## Attempts") && markdown.contains("and 3 more"));
}

#[test]
fn json_keeps_every_letter_and_shows_none_that_misleads() {
    let report = hostile();
    let text = report.render(Format::Json);
    assert_harmless(&text);
    let value = parse(&text, ParseLimits::default()).unwrap();
    assert_eq!(value["asked"]["prompt"], HOSTILE);
    assert_eq!(value["end"]["value"], HOSTILE);
    assert_eq!(value["attempts"][3]["candidate"], HOSTILE);
    assert_eq!(value["attempts"][0]["issues"][1]["path"], "/b");
    assert_eq!(value["formwork_report"].to_string(), "1");
    assert!(text.contains("\\u202e"));
}

#[test]
fn numbers_are_exact() {
    let mut report = Report::new(Asked::new("sim/x".to_owned(), None, "p", &[]), String::new());
    let exact = parse(r#"{"n":12345678901234567890.100}"#, ParseLimits::default()).unwrap();
    report.end = End::Value { value: Arc::new(exact) };
    for format in [Format::Markdown, Format::Json, Format::Html] {
        assert!(report.render(format).contains("12345678901234567890.100"), "{format:?}");
    }
}

#[test]
fn issues_are_marked_in_the_candidate() {
    let text = "{\n  \"a\": -1,\n  \"list\": [\n    1\n  ]\n}";
    let list = vec![issue("/a", "m"), issue("/list", "m"), issue("/none/at/all", "m"), issue("/a", "again")];
    let mut report = Report::new(Asked::new("sim/x".to_owned(), None, "p", &[]), String::new());
    report.attempt(&record(1, text, Outcome::Invalid(Issues { list, omitted: 0 })), None, None);
    let marked: Vec<(&str, Option<usize>)> =
        marks::of(&report.attempts[0], text).iter().map(|m| (text.get(m.range.clone()).unwrap(), m.issue)).collect();
    assert_eq!(marked, [("{", Some(2)), ("-1", Some(0)), ("[", Some(1))]);
}

#[test]
fn a_long_text_is_cut_where_people_read_and_whole_where_programs_do() {
    let long = "é".repeat(MAX_SHOWN);
    let report = Report::new(Asked::new("sim/x".to_owned(), None, &long, &[]), String::new());
    for format in [Format::Markdown, Format::Html] {
        let text = report.render(format);
        assert!(text.len() < MAX_SHOWN + 10_000 && text.contains("2.0 MB more are left out"), "{format:?}");
    }
    assert!(report.render(Format::Json).contains(&long));
}

#[test]
fn the_name_says_the_form() {
    let of = |name: &str| Format::of(Path::new(name));
    assert_eq!((of("a.md"), of("b/c.JSON"), of("d.htm")), (Ok(Format::Markdown), Ok(Format::Json), Ok(Format::Html)));
    for name in ["a", "a.txt", ".html", "html", ""] {
        assert_eq!(of(name), Err(UnknownFormat), "{name}");
    }
}

use super::*;
use crate::catalog::known::KNOWN;

#[test]
fn the_built_in_catalogue_is_whole_and_sorted() {
    let snapshot = read(BUILT_IN).unwrap();
    assert_eq!(snapshot.providers.keys().map(String::as_str).collect::<Vec<_>>(), PROVIDERS);
    assert_eq!((snapshot.count(), snapshot.date.unwrap().to_string().as_str()), (709, "2026-05-20"));
    for (provider, models) in &snapshot.providers {
        assert!(models.windows(2).all(|pair| pair[0].id < pair[1].id), "{provider}");
        assert!(models.iter().any(Model::is_for_text), "{provider}");
    }
    assert!(BUILT_IN.len() < 120 * 1024, "{}", BUILT_IN.len());
    assert!(include_str!("../snapshot/LICENSE.models-dev").starts_with("MIT License"));
}

#[test]
fn flags_limits_and_prices_are_those_of_models_dev() {
    let snapshot = Snapshot::built_in();
    let five = snapshot.find("openai", "gpt-5").unwrap();
    assert_eq!((five.structured_output, five.tools, five.reasoning), (ModelFlag::Yes, Some(true), Some(true)));
    assert_eq!((five.context, five.input, five.output), (Some(400_000), Some(272_000), Some(128_000)));
    assert_eq!(
        (five.cost_in.as_ref().unwrap().to_string(), five.cost_out.as_ref().unwrap().to_string()),
        ("1.25".into(), "10".into())
    );
    // PROVIDERS §9: all rows of one vendor lack the flag, and absent is not false.
    let anthropic = &snapshot.providers["anthropic"];
    assert_eq!(anthropic.len(), 23);
    assert!(anthropic.iter().all(|model| model.structured_output == ModelFlag::Absent));
    assert_eq!(snapshot.find("openai", "gpt-5.2-pro").unwrap().structured_output, ModelFlag::No);
    assert_eq!(snapshot.find("openai", "gpt-99"), None);
}

#[test]
fn every_listed_provider_is_known() {
    for provider in PROVIDERS {
        assert!(KNOWN.iter().any(|known| known.listed_as == Some(provider)), "{provider}");
    }
    for known in KNOWN {
        assert!(known.listed_as.is_none_or(|name| PROVIDERS.contains(&name)), "{}", known.name);
    }
}

const PUBLISHED: &str = r#"{"openai":{"id":"openai","models":{
  "b":{"id":"b","name":"B","structured_output":true,"tool_call":true,"last_updated":"2026-11-20","limit":{"context":10},"cost":{"input":0.049999999999999996,"output":1e-1},"modalities":{"input":["text"],"output":["text"]}},
  "a":{"id":"a","structured_output":"maybe","last_updated":"2026-10-01","status":"deprecated"},
  "x":{"name":"no id"}}},
  "somebody":{"models":{"c":{"id":"c"}}}}"#;

#[test]
fn a_newer_catalogue_is_taken_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let taken = take(PUBLISHED.as_bytes(), "a test", folder.path()).unwrap();
    assert_eq!((taken.snapshot.count(), taken.snapshot.date.unwrap().to_string().as_str()), (2, "2026-11-20"));
    let listing = Listing::new(folder.path());
    assert_eq!((listing.get(), listing.note()), (&taken.snapshot, None));
    let b = listing.get().find("openai", "b").unwrap();
    assert_eq!((b.structured_output, b.tools, b.reasoning, b.context), (ModelFlag::Yes, Some(true), None, Some(10)));
    assert_eq!(b.cost_in.as_ref().unwrap().to_string(), "0.05", "the tail of a float sum");
    let a = listing.get().find("openai", "a").unwrap();
    assert_eq!((a.structured_output, a.is_for_text()), (ModelFlag::Absent, false));
    // What was kept can be given to another machine.
    let other = tempfile::tempdir().unwrap();
    let bytes = bounded(&file(folder.path())).unwrap();
    assert_eq!(take(&bytes, "ignored", other.path()).unwrap().snapshot, taken.snapshot);
}

#[test]
fn an_older_or_broken_file_does_not_hide_the_built_in_catalogue() {
    let folder = tempfile::tempdir().unwrap();
    take(PUBLISHED.replace("2026-", "2020-").as_bytes(), "old", folder.path()).unwrap();
    assert_eq!(Listing::new(folder.path()).get(), &Snapshot::built_in());
    for broken in ["", "{", "[]", r#"{"version":2}"#, r#"{"version":1,"fields":[],"providers":{}}"#] {
        fs_err::write(file(folder.path()), broken).unwrap();
        let listing = Listing::new(folder.path());
        assert_eq!(listing.get().count(), 709, "{broken}");
        assert!(listing.note().unwrap().contains("passed over"), "{broken}");
    }
}

#[test]
fn what_is_no_catalogue_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    take(PUBLISHED.as_bytes(), "good", folder.path()).unwrap();
    let before = fs_err::read(file(folder.path())).unwrap();
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let cases: [&[u8]; 9] = [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        br#"{"openai":{"models":{}}}"#,
        br#"{"openai":{"models":{"a":{"name":"x"}}}}"#,
        br#"{"version":9,"fields":[]}"#,
        b"\x1f\x8bnot really",
        deep.as_bytes(),
    ];
    for bytes in cases {
        assert!(take(bytes, "bad", folder.path()).is_err());
        assert_eq!(fs_err::read(file(folder.path())).unwrap(), before);
    }
}

#[test]
fn a_bomb_is_not_unpacked() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b' '; 1024 * 1024];
    for _ in 0..20 {
        std::io::Write::write_all(&mut packer, &zeros).unwrap();
    }
    assert_eq!(read(&packer.finish().unwrap()), Err(ListingError::TooLarge));
}

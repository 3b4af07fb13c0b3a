//! The loaded file changes on disk: the real program in a terminal, real files, real events of the system.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/term.rs"]
mod term;

use term::Term;

const LOADED: &str = "schemas/invoice.json";

#[test]
fn a_file_that_changes_on_disk_is_reloaded_asked_about_and_missed() {
    let mut t = Term::start();
    let file = t.folder().join(LOADED);
    t.keys("/schema load schemas/invoice.json\r");
    t.until("loaded invoice.json");
    // The way editors save: a new file in the old one's place.
    let beside = t.folder().join("schemas/invoice.json~");
    fs_err::write(&beside, r#"{"title": "of theirs"}"#).unwrap();
    fs_err::rename(&beside, &file).unwrap();
    t.until("reloaded invoice.json: it changed on disk");
    t.until("of theirs");

    t.keys("\u{1b}1 ");
    t.until("invoice.json (changed)");
    fs_err::write(&file, r#"{"title": "again"}"#).unwrap();
    t.until("Take theirs");
    t.keys("theirs\r");
    t.until("is as the file has it");
    t.until("again");

    // The caret stayed where it was; that the file is gone is said, and the text outlives it.
    t.keys("\u{1b}1 \u{13}");
    t.until("saved schemas/invoice.json");
    assert_eq!(fs_err::read_to_string(&file).unwrap(), r#"{ "title": "again"}"#);
    fs_err::remove_file(&file).unwrap();
    t.until("invoice.json is gone from disk");
    t.until("invoice.json (changed)");
    t.keys("\u{13}");
    t.until("saved schemas/invoice.json");
    assert!(file.exists());
    t.keys("\u{11}");
    assert_eq!(t.end(), 0);
}

#[test]
fn a_link_is_followed_and_a_folder_that_comes_back_is_watched_again() {
    let mut t = Term::start();
    let (far, near) = (t.folder().join("far"), t.folder().join("near"));
    fs_err::create_dir(&far).unwrap();
    fs_err::create_dir(&near).unwrap();
    fs_err::write(far.join("real.json"), r#"{"title": "one"}"#).unwrap();
    std::os::unix::fs::symlink("../far/real.json", near.join("link.json")).unwrap();
    t.keys("/schema load near/link.json\r");
    t.until("loaded link.json");
    fs_err::write(far.join("real.json"), r#"{"title": "two"}"#).unwrap();
    t.until("reloaded link.json");
    t.until("two");

    fs_err::remove_dir_all(&near).unwrap();
    t.until("link.json is gone from disk");
    fs_err::create_dir(&near).unwrap();
    t.keys("\u{13}");
    t.until("saved near/link.json");
    fs_err::write(near.join("link.json"), r#"{"title": "three"}"#).unwrap();
    t.until("reloaded link.json");
    t.until("three");
    t.keys("\u{11}");
    assert_eq!(t.end(), 0);
}

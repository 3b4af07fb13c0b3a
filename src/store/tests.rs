use std::path::Path;

use super::keeper::{Began, Keeper};
use super::lineage::Identity;
use super::open::open_as;
use super::*;
use crate::schema::preflight::check_text;

fn fresh() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let (store, notes) = open(dir.path(), 0).unwrap();
    assert!(notes.is_empty());
    (dir, store)
}

fn new_use(hash: &str, run: &str, at: i64) -> NewUse {
    let identity = Identity { source: Some("/p/a.json".to_owned()), title: None, shape: vec!["a".to_owned()] };
    let (canonical, written) = (format!("{{\"c\":\"{hash}\"}}"), format!("{{ \"w\": \"{hash}\" }}"));
    NewUse { hash: hash.to_owned(), canonical, written, identity, run: run.to_owned(), model: "sim/x".to_owned(), at }
}

fn candidate(schema: &str, run: &str, attempt: u32, text: &str) -> Candidate {
    let (run, schema) = (run.to_owned(), schema.to_owned());
    Candidate { run, attempt, schema, wrapped: false, verdict: ACCEPTED.to_owned(), text: text.to_owned(), at: 5 }
}

#[test]
fn what_is_kept_is_found_again_in_its_project_only() {
    let (dir, mut store) = fresh();
    store.keep_use("/p", &new_use("aa11", "r1", 10)).unwrap();
    store.keep_use("/p", &new_use("bb22", "r2", 20)).unwrap();
    store.keep_use("/p", &new_use("aa11", "r3", 30)).unwrap();
    store.keep_use("/q", &new_use("cc33", "r4", 40)).unwrap();
    store.end_use("r1", ACCEPTED).unwrap();
    store.end_use("r3", "validation_failed").unwrap();
    store.keep_candidate("/p", &candidate("aa11", "r1", 1, "{\"a\":1}\0é")).unwrap();
    drop(store);
    let (store, _) = open(dir.path(), 1).unwrap();
    let told = |scope| -> Vec<_> {
        let versions = store.versions(scope).unwrap();
        versions.iter().map(|v| (v.hash.clone(), v.runs, v.passes, v.first, v.last)).collect()
    };
    assert_eq!(told(Scope::Project("/p")), [("bb22".to_owned(), 1, 0, 20, 20), ("aa11".to_owned(), 2, 1, 10, 30)]);
    assert_eq!(told(Scope::Project("/none")), []);
    assert_eq!(told(Scope::All).len(), 3);
    assert_eq!(store.written("aa11").unwrap().unwrap(), "{ \"w\": \"aa11\" }");
    assert_eq!(store.canonical("aa11").unwrap().unwrap(), "{\"c\":\"aa11\"}");
    let ids = store.candidate_ids("/p").unwrap();
    let found = store.candidate("/p", ids[0]).unwrap().unwrap();
    assert_eq!((found.candidate.text.as_str(), found.model.as_str()), ("{\"a\":1}\0é", "sim/x"));
    assert!(found.candidate.accepted());
    assert_eq!(store.candidate("/q", ids[0]).unwrap(), None);
}

#[test]
fn names_and_beginnings_of_hashes_lead_to_a_version() {
    let (_dir, mut store) = fresh();
    for (hash, run) in [("abcd1", "r1"), ("abcd2", "r2"), ("ffff3", "r3")] {
        store.keep_use("/p", &new_use(hash, run, 1)).unwrap();
    }
    assert_eq!(store.which("ffff").unwrap(), Ok("ffff3".to_owned()));
    assert_eq!(store.which("FFFF3").unwrap(), Ok("ffff3".to_owned()));
    assert_eq!(store.which("abcd").unwrap(), Err(WhichError::Many(2)));
    for word in ["", "fff", "zzzz", "abcd9", "%fff", "____"] {
        assert_eq!(store.which(word).unwrap(), Err(WhichError::None), "{word}");
    }
    assert_eq!(store.rename("abcd1", "good").unwrap(), None);
    assert_eq!(store.which("good").unwrap(), Ok("abcd1".to_owned()));
    assert_eq!(store.rename("abcd2", "good").unwrap(), Some("abcd1".to_owned()));
    assert_eq!(store.which("good").unwrap(), Ok("abcd2".to_owned()));
    assert_eq!(store.rename("abcd2", "").unwrap(), None);
    assert_eq!(store.which("good").unwrap(), Err(WhichError::None));
}

#[test]
fn removing_a_version_takes_its_runs_and_candidates_along() {
    let (dir, mut store) = fresh();
    store.keep_use("/p", &new_use("aa11", "r1", 1)).unwrap();
    store.keep_use("/p", &new_use("bb22", "r2", 1)).unwrap();
    store.keep_candidate("/p", &candidate("aa11", "r1", 1, "planted-7f3a9")).unwrap();
    store.keep_candidate("/p", &candidate("bb22", "r2", 1, "x")).unwrap();
    assert_eq!(store.remove("aa11").unwrap(), 1);
    assert_eq!(store.written("aa11").unwrap(), None);
    assert_eq!(store.candidate_ids("/p").unwrap().len(), 1);
    // A candidate that comes after its schema went is not kept.
    store.keep_candidate("/p", &candidate("aa11", "r1", 2, "late")).unwrap();
    assert_eq!(store.candidate_ids("/p").unwrap().len(), 1);
    drop(store);
    for entry in fs_err::read_dir(dir.path()).unwrap() {
        let bytes = fs_err::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(13).any(|w| w == b"planted-7f3a9"), "what was removed is still in a file");
    }
}

#[test]
fn the_oldest_go_where_there_are_too_many() {
    let (_dir, mut store) = fresh();
    store.keep_use("/p", &new_use("aa11", "r0", 1)).unwrap();
    let large = "x".repeat(MAX_CANDIDATE);
    store.keep_candidate("/p", &candidate("aa11", "r0", 1, &format!("{large}x"))).unwrap();
    assert!(store.candidate_ids("/p").unwrap().is_empty(), "a candidate past the judging limit was kept");
    for attempt in 1..=9 {
        store.keep_candidate("/p", &candidate("aa11", "r0", attempt, &large)).unwrap();
    }
    let mut attempts = Vec::new();
    store
        .candidates("/p", 0, |found| {
            attempts.push(found.candidate.attempt);
            true
        })
        .unwrap();
    assert_eq!(attempts, [2, 3, 4, 5, 6, 7, 8, 9], "64 MiB hold eight of 8 MiB");
    // A single newest one always stays.
    let fill = store.connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10005)
         INSERT INTO candidates (project, schema, run, attempt, wrapped, verdict, bytes, at, text)
         SELECT '/q', 'aa11', 'many' || i, 1, 0, 'accepted', 1, 1, '1' FROM n",
        [],
    );
    fill.unwrap();
    store.keep_candidate("/q", &candidate("aa11", "r1", 1, "newest")).unwrap();
    let ids = store.candidate_ids("/q").unwrap();
    assert_eq!(ids.len(), MAX_CANDIDATES as usize);
    let last = store.candidate("/q", *ids.last().unwrap()).unwrap().unwrap();
    assert_eq!(last.candidate.text, "newest");
}

#[test]
fn versions_unused_for_longest_go_and_named_ones_stay() {
    let (_dir, mut store) = fresh();
    store.keep_use("/p", &new_use("named", "r-n", 1)).unwrap();
    store.rename("named", "kept").unwrap();
    for i in 0..=MAX_VERSIONS {
        store.keep_use("/p", &new_use(&format!("h{i:05}"), &format!("r{i}"), i64::from(i) + 2)).unwrap();
    }
    let versions = store.versions(Scope::Project("/p")).unwrap();
    assert_eq!(versions.len(), MAX_VERSIONS as usize + 1);
    assert_eq!(versions.last().unwrap().name.as_deref(), Some("kept"));
    assert_eq!(store.written("h00000").unwrap(), None);
}

#[test]
fn a_version_outlives_its_forgotten_runs() {
    let (_dir, mut store) = fresh();
    store.keep_use("/p", &new_use("named", "r-n", 1)).unwrap();
    store.rename("named", "kept").unwrap();
    store.keep_use("/p", &new_use("plain", "r-p", 2)).unwrap();
    store.keep_use("/p", &new_use("named", "r-n2", 3)).unwrap();
    store.keep_candidate("/p", &candidate("plain", "r-p", 1, "1")).unwrap();
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO uses (schema, project, source, run, at, model) SELECT 'named', '/q', NULL, 'q' || i, 9, 'm' FROM n";
    store.connection.execute(fill, [MAX_USES]).unwrap();
    store.connection.execute("INSERT INTO schemas VALUES ('busy', '{}', '{}', NULL, '', 1, NULL)", []).unwrap();
    let busy = fill.replace("'named', '/q'", "'busy', '/p'").replace("'q' ||", "'p' ||");
    store.connection.execute(&busy, [MAX_USES]).unwrap();
    store.keep_use("/p", &new_use("busy", "last", 10)).unwrap();
    let versions = store.versions(Scope::Project("/p")).unwrap();
    let told: Vec<_> = versions.iter().map(|v| (v.hash.as_str(), v.name.as_deref(), v.runs)).collect();
    assert_eq!(told, [("busy", None, u64::from(MAX_USES)), ("named", Some("kept"), 1), ("plain", None, 1)]);
    assert_eq!(store.candidate_ids("/p").unwrap().len(), 1);
    let found = store.candidate("/p", store.candidate_ids("/p").unwrap()[0]).unwrap().unwrap();
    assert_eq!(found.model, "sim/x", "the run that an answer belongs to is still known");
    assert_eq!(store.versions(Scope::Project("/q")).unwrap()[0].runs, u64::from(MAX_USES), "another project's stay");
}

#[test]
fn versions_that_another_project_had_first_count_here_too() {
    let (_dir, mut store) = fresh();
    for (project, letter) in [("/q", "q"), ("/p", "p")] {
        for i in 0..=MAX_VERSIONS {
            store.keep_use(project, &new_use(&format!("h{i:05}"), &format!("{letter}{i}"), i64::from(i))).unwrap();
        }
        assert_eq!(store.versions(Scope::Project(project)).unwrap().len(), MAX_VERSIONS as usize, "{project}");
    }
}

#[test]
fn a_name_waits_for_another_writer() {
    let (dir, mut store) = fresh();
    store.keep_use("/p", &new_use("aa11", "r1", 1)).unwrap();
    let (begun, wait) = std::sync::mpsc::channel();
    let folder = dir.path().to_owned();
    // The other one writes while this one has begun: a change that had only read so far would be refused at once.
    let other = std::thread::spawn(move || {
        let (mut store, _) = open(&folder, 0).unwrap();
        let change = store.change().unwrap();
        change.execute("UPDATE schemas SET name = 'theirs'", []).unwrap();
        begun.send(()).unwrap();
        std::thread::park_timeout(std::time::Duration::from_millis(100));
        change.commit().unwrap();
    });
    wait.recv().unwrap();
    assert_eq!(store.rename("aa11", "mine").unwrap(), None);
    other.join().unwrap();
    assert_eq!(store.which("mine").unwrap(), Ok("aa11".to_owned()));
    assert_eq!(store.which("theirs").unwrap(), Err(WhichError::None));
}

#[cfg(unix)]
#[test]
fn the_files_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("new/data");
    let (mut store, _) = open(&data, 0).unwrap();
    store.keep_use("/p", &new_use("aa11", "r1", 1)).unwrap();
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for name in [FILE, "formwork.db-wal", "formwork.db-shm"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
    drop(store);
    fs_err::set_permissions(data.join(FILE), std::fs::Permissions::from_mode(0o644)).unwrap();
    open(&data, 0).unwrap();
    assert_eq!(mode(&data.join(FILE)), 0o600);
}

#[test]
fn a_damaged_file_is_kept_aside_and_a_new_one_begun() {
    for (what, damage) in [("no database", Damage::Text), ("a torn one", Damage::Hole)] {
        let (dir, mut store) = fresh();
        for i in 0..200 {
            store.keep_use("/p", &new_use(&format!("hash{i}"), &format!("run{i}"), i)).unwrap();
        }
        drop(store);
        let file = dir.path().join(FILE);
        let mut bytes = fs_err::read(&file).unwrap();
        match damage {
            Damage::Text => bytes = b"this is a text, longer than the header of a database: ".repeat(20),
            Damage::Hole => bytes.iter_mut().skip(4096).step_by(2).for_each(|b| *b = 0xff),
        }
        fs_err::write(&file, &bytes).unwrap();
        let (mut store, notes) = open(dir.path(), 7_000).unwrap();
        let [Note::KeptAside(aside)] = notes.as_slice() else { panic!("{what}: {notes:?}") };
        assert_eq!(fs_err::read(aside).unwrap(), bytes, "{what}");
        assert!(store.versions(Scope::All).unwrap().is_empty());
        store.keep_use("/p", &new_use("aa11", "r1", 1)).unwrap();
        drop(store);
        // The new one is sound.
        assert!(open(dir.path(), 8_000).unwrap().1.is_empty(), "{what}");
    }
}

enum Damage {
    Text,
    Hole,
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let (dir, store) = fresh();
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let before = fs_err::read(dir.path().join(FILE)).unwrap();
    assert!(matches!(open(dir.path(), 0), Err(StoreError::Newer { found: 99, .. })));
    assert_eq!(fs_err::read(dir.path().join(FILE)).unwrap(), before);
}

const OLD: &str = "CREATE TABLE t (a INTEGER) STRICT;";

#[test]
fn a_change_of_shape_leaves_a_copy_and_happens_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open_as(dir.path(), 0, &[OLD]).unwrap();
    store.connection.execute("INSERT INTO t VALUES (7)", []).unwrap();
    drop(store);
    let broken = [OLD, "ALTER TABLE t ADD COLUMN b INTEGER; CREATE TABLE t (again INTEGER);"];
    assert!(open_as(dir.path(), 0, &broken).is_err());
    let (store, _) = open_as(dir.path(), 0, &[OLD]).unwrap();
    assert!(store.connection.prepare("SELECT b FROM t").is_err(), "half of a failed step was kept");
    drop(store);
    let (store, _) = open_as(dir.path(), 0, &[OLD, "ALTER TABLE t ADD COLUMN b INTEGER;"]).unwrap();
    assert!(store.connection.prepare("SELECT b FROM t").is_ok());
    let copy = rusqlite::Connection::open(dir.path().join("formwork.db.before-2")).unwrap();
    assert_eq!(copy.query_row("SELECT a FROM t", [], |row| row.get(0)), Ok(7));
    assert!(copy.prepare("SELECT b FROM t").is_err());
}

#[test]
fn several_write_at_once_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let threads: Vec<_> = (0..4)
        .map(|t| {
            let folder = dir.path().to_owned();
            std::thread::spawn(move || {
                let (mut store, notes) = open(&folder, 0).unwrap();
                assert!(notes.is_empty());
                for i in 0..25 {
                    store.keep_use("/p", &new_use("aa11", &format!("r{t}-{i}"), 1)).unwrap();
                    store.keep_candidate("/p", &candidate("aa11", &format!("r{t}-{i}"), 1, "1")).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let (store, _) = open(dir.path(), 0).unwrap();
    assert_eq!(store.versions(Scope::All).unwrap()[0].runs, 100);
    assert_eq!(store.candidate_ids("/p").unwrap().len(), 100);
}

fn began(run: &str) -> Began {
    let text = r#"{"title":"Invoice","type":"object","properties":{"total":{"type":"number"}}}"#;
    let format = Box::new(check_text(text).unwrap().format);
    Began { run: run.to_owned(), model: "sim/x".to_owned(), format, written: text.into(), source: None, at: 3 }
}

#[test]
fn the_keeper_writes_what_a_run_brings() {
    let dir = tempfile::tempdir().unwrap();
    let keeper = Keeper::start(dir.path(), "/p".to_owned(), |what| panic!("{what}")).unwrap();
    let first = began("r1");
    let hash = first.format.schema_hash.clone();
    keeper.began(first);
    keeper.candidate(candidate(&hash, "r1", 1, "{\"total\":1}"));
    keeper.ended("r1".to_owned(), ACCEPTED);
    assert!(keeper.close(std::time::Duration::from_secs(20)));
    assert!(!dir.path().join("formwork.db-wal").exists(), "the file was not closed");
    let (store, _) = open(dir.path(), 0).unwrap();
    let versions = store.versions(Scope::Project("/p")).unwrap();
    assert_eq!((versions[0].title.as_deref(), versions[0].passes), (Some("Invoice"), 1));
    assert_eq!(store.candidate_ids("/p").unwrap().len(), 1);
}

#[test]
fn a_later_trouble_of_another_kind_is_told_too() {
    let dir = tempfile::tempdir().unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    let keeper = Keeper::start(dir.path(), "/p".to_owned(), move |what| sender.send(what).unwrap()).unwrap();
    fs_err::write(dir.path().join(FILE), vec![b'x'; 5000]).unwrap();
    let first = began("r1");
    let hash = first.format.schema_hash.clone();
    keeper.began(first);
    assert!(keeper.flush(std::time::Duration::from_secs(20)));
    // The damaged file was put aside; then somebody breaks the new one's shape.
    let (store, _) = open(dir.path(), 0).unwrap();
    store.connection.execute_batch("DROP TABLE candidates; DROP TABLE uses").unwrap();
    for run in ["r1", "r2"] {
        keeper.candidate(candidate(&hash, run, 1, "1"));
        keeper.began(began(run));
        keeper.ended(run.to_owned(), ACCEPTED);
    }
    assert!(keeper.flush(std::time::Duration::from_secs(20)));
    let told: Vec<String> = told.try_iter().collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains("damaged") && told[1].starts_with("an answer") && told[2].starts_with("nothing"));
}

#[test]
fn a_store_that_cannot_be_used_is_told_once_and_stops_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a file");
    fs_err::write(&file, "in the way of the data folder").unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    let keeper = Keeper::start(&file, "/p".to_owned(), move |what| sender.send(what).unwrap()).unwrap();
    for run in ["r1", "r2"] {
        let first = began(run);
        let hash = first.format.schema_hash.clone();
        keeper.began(first);
        keeper.candidate(candidate(&hash, run, 1, "secret-answer"));
        keeper.ended(run.to_owned(), ACCEPTED);
    }
    assert!(keeper.flush(std::time::Duration::from_secs(20)));
    let told: Vec<String> = told.try_iter().collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("nothing of this run is kept") && told[0].contains("keep = false"), "{told:?}");
    assert!(!told[0].contains("secret-answer") && !told[0].contains("Invoice"));
}

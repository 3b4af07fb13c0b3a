//! The store and its parts, without any network.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::transport::download::{About, Sink as _};

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    fs_err::create_dir_all(store.dir()).unwrap();
    (dir, store)
}

fn names(store: &Store) -> Vec<String> {
    store.installed().into_iter().map(|model| model.name).collect()
}

fn tagged(total: u64) -> About {
    About { total: Some(total), tag: Some("\"v1\"".to_owned()), sha256: None }
}

#[test]
fn only_whole_files_with_the_ending_are_models() {
    let (_dir, store) = store();
    for name in ["b.gguf", "A.GGUF", "x.gguf.part", "x.gguf.part.json", "x.json", ".hidden.gguf", "gguf", "readme"] {
        fs_err::write(store.dir().join(name), "x").unwrap();
    }
    fs_err::create_dir(store.dir().join("folder.gguf")).unwrap();
    assert_eq!(names(&store), ["A", "b"]);
    for (asked, found) in [("b", Some("b")), ("local/B.gguf", Some("b")), ("a", Some("A")), ("x", None), ("", None)] {
        assert_eq!(store.find(asked).ok().map(|model| model.name).as_deref(), found, "{asked}");
    }
    assert!(names(&Store::new(Path::new("/nowhere/at/all"))).is_empty());
}

#[test]
fn removing_reaches_nothing_outside_of_the_store() {
    let (dir, store) = store();
    let outside = dir.path().join("x.gguf.part");
    fs_err::write(&outside, "x").unwrap();
    for name in ["../x", "..", "", "/etc/x", "local/../x"] {
        assert!(matches!(store.remove(name), Err(WeightsError::NotInstalled { .. })), "{name}");
    }
    assert!(outside.exists());
    fs_err::write(store.dir().join("y.gguf.part"), "123").unwrap();
    assert_eq!(store.remove("y").unwrap(), ("y".to_owned(), 3));
}

#[test]
fn a_part_goes_on_only_with_the_same_source() {
    let (_dir, store) = store();
    let target = store.place("m");
    let mut part = Part::new(&target, "hub a", false);
    part.begin(&tagged(9), 0).unwrap();
    part.write(b"1234").unwrap();
    assert!(part.leave());
    assert_eq!(Part::new(&target, "hub b", false).kept().bytes, 0);
    let mut part = Part::new(&target, "hub a", false);
    assert_eq!((part.kept().bytes, part.kept().about), (4, tagged(9)));
    part.begin(&tagged(9), 4).unwrap();
    part.write(b"56789").unwrap();
    let expected = Expected { bytes: Some(9), sha256: None };
    let hash = part.finish("m", &expected, |_| Ok(())).unwrap();
    assert_eq!(hash, hex(&Sha256::digest(b"123456789")));
    assert_eq!((fs_err::read(&target).unwrap(), names(&store)), (b"123456789".to_vec(), vec!["m".to_owned()]));
    assert_eq!(fs_err::read_dir(store.dir()).unwrap().count(), 1);
}

#[test]
fn what_nobody_can_check_is_not_kept() {
    let (_dir, store) = store();
    let mut part = Part::new(&store.place("m"), "hub a", false);
    part.begin(&About::default(), 0).unwrap();
    part.write(b"1234").unwrap();
    assert!(!part.leave());
    assert_eq!(fs_err::read_dir(store.dir()).unwrap().count(), 0);
}

#[test]
fn no_room_is_told_before_the_first_byte() {
    let (_dir, store) = store();
    let mut part = Part::new(&store.place("m"), "hub a", false).with_free(|_| Some(20_000_000));
    part.make_room(1_000_000).unwrap();
    let error = part.make_room(10_000_000).unwrap_err();
    assert!(error.to_string().ends_with("10 MB are needed, 20 MB are free"), "{error}");
    let error = part.begin(&tagged(10_000_000), 0).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}

#[test]
fn a_failed_check_leaves_nothing() {
    let (_dir, store) = store();
    let wrong = [
        Expected { bytes: Some(3), sha256: None },
        Expected { bytes: None, sha256: Some("0".repeat(64)) },
        Expected::default(),
    ];
    for expected in wrong {
        let mut part = Part::new(&store.place("m"), "hub a", false);
        part.begin(&tagged(4), 0).unwrap();
        part.write(b"1234").unwrap();
        assert!(part.finish("m", &expected, check).is_err(), "{expected:?}");
        assert_eq!(fs_err::read_dir(store.dir()).unwrap().count(), 0);
    }
}

#[test]
fn a_lock_is_held_by_one_and_goes_with_its_holder() {
    let (_dir, store) = store();
    let Locked::Held(lock) = try_lock(store.dir(), "m").unwrap() else { panic!("not held") };
    let Locked::ByOther(holder) = try_lock(store.dir(), "m").unwrap() else { panic!("held twice") };
    assert!(!cfg!(unix) || holder == Some(std::process::id()));
    assert!(matches!(try_lock(store.dir(), "other").unwrap(), Locked::Held(_)));
    drop(lock);
    assert!(matches!(try_lock(store.dir(), "m").unwrap(), Locked::Held(_)));
}

#[tokio::test]
async fn a_second_pull_waits_and_can_be_cancelled() {
    let (_dir, store) = store();
    let Locked::Held(_lock) = try_lock(store.dir(), "m").unwrap() else { panic!("not held") };
    let hub = Hub {
        endpoint: "http://127.0.0.1:9".to_owned(),
        token: None,
        offline: true,
        idle: Duration::from_secs(9),
        pause: Duration::ZERO,
    };
    let request = Request { what: Some("o/r/m.gguf".to_owned()), sha256: None };
    let (sender, mut progress) = tokio::sync::watch::channel(Progress::default());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let (store, hub) = (Arc::new(store), Arc::new(hub));
    let pulling = tokio::spawn(async move { pull(&store, &hub, &request, sender, cancel).await });
    let waiting = progress.wait_for(|progress| matches!(progress.phase, Phase::Waiting { .. })).await;
    assert!(waiting.is_ok());
    stop.cancel();
    assert!(matches!(pulling.await.unwrap(), Err(WeightsError::Cancelled { kept: false })));
}

#[test]
fn every_pinned_hash_is_one() {
    for known in KNOWN {
        assert!(known.sha256.len() == 64 && known.sha256.bytes().all(|b| b.is_ascii_hexdigit()), "{}", known.name);
        assert!(!known.sources.is_empty() && known.name == known.name.to_ascii_lowercase());
    }
}

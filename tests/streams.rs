//! Every recorded response of a provider decodes to an outcome written by hand, under every chunking and interruption.
//! Offline; passes with a word when the recordings are absent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::format_push_string,
    reason = "a test stops at the first surprise and tells what it measured"
)]

#[path = "streams/all.rs"]
mod all;

use all::harness::{check, check_cuts, check_damage, check_end, check_refused, check_whole, shared};
use all::{recordings, refusals, wholes};
use proptest::prelude::*;

#[test]
fn every_recording_is_in_a_table() {
    let Some(root) = shared() else { return };
    let mut found: Vec<String> = Vec::new();
    for folder in fs_err::read_dir(root.join("streams")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !folder.is_dir() || name == "LICENCES" {
            continue;
        }
        for file in fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()) {
            let file = file.to_string_lossy().into_owned();
            if !file.ends_with(".request.json") {
                found.push(format!("{name}/{file}"));
            }
        }
    }
    found.sort();
    let mut told: Vec<&str> = recordings().iter().map(|r| r.file).collect();
    told.extend(wholes().iter().map(|w| w.file));
    told.extend(refusals().iter().map(|r| r.file));
    told.sort_unstable();
    // One file may hold several responses, or be read in two ways.
    told.dedup();
    assert_eq!(found, told);
}

#[test]
fn streams() {
    recordings().iter().for_each(check);
}

#[test]
fn no_damaged_byte_comes_through() {
    recordings().iter().for_each(check_damage);
}

#[test]
fn whole_bodies() {
    wholes().iter().for_each(check_whole);
}

#[test]
fn refusals_of_service() {
    refusals().iter().for_each(check_refused);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn cuts_of_the_reads_change_nothing(which in any::<usize>(), cuts in prop::collection::vec(any::<usize>(), 0..40)) {
        let all = recordings();
        check_cuts(&all[which % all.len()], &cuts);
    }

    #[test]
    fn no_byte_cut_makes_a_success(which in any::<usize>(), at in any::<usize>()) {
        let all = recordings();
        check_end(&all[which % all.len()], at);
    }
}

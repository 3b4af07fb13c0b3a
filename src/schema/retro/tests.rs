use proptest::prelude::*;

use super::*;
use crate::schema::preflight::check_text;
use crate::schema::validate::{JudgeOptions, Judgement};

fn judge_of(schema: &str) -> Judge {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    crate::schema::judge(&check_text(schema).unwrap().format, options).unwrap()
}

fn recorded(id: i64, valid: bool, text: &str) -> Recorded {
    Recorded { id, version: 0, valid, wrapped: false, text: text.to_owned() }
}

fn shelf(texts: &[Recorded]) -> Shelf {
    let mut shelf = Shelf::default();
    for text in texts {
        shelf.add(text.clone());
    }
    shelf
}

const ALL: &(dyn Fn(u32) -> bool + Sync) = &|_| true;

#[test]
fn the_line_of_the_issue() {
    let texts: Vec<Recorded> = (0..17)
        .map(|i| recorded(i, true, &format!(r#"{{"price":{i}}}"#)))
        .chain((17..20).map(|i| recorded(i, true, r#"{"price":-1}"#)))
        .chain((20..22).map(|i| recorded(i, false, r#"{"price":1,"extra":0}"#)))
        .chain([recorded(22, false, "no json")])
        .collect();
    let judge = judge_of(r#"{"type":"object","properties":{"price":{"type":"number","minimum":0}}}"#);
    let retro = shelf(&texts).judge(&judge, ALL, || Go::On).unwrap();
    assert_eq!((retro.pass, retro.now_fail, retro.newly_pass, retro.fail), (17, 3, 2, 1));
    assert_eq!(retro.places, [("/price".to_owned(), 3)]);
    assert_eq!(retro.changed.iter().map(|c| c.id).collect::<Vec<_>>(), [21, 20, 19, 18, 17]);
    assert_eq!(retro.changed[4].fails.as_ref().unwrap().keyword, "minimum");
    assert_eq!(retro.changed[0].fails, None);
}

#[test]
fn places_in_lists_are_one_place() {
    let texts = [
        recorded(1, true, r#"{"lines":[{"n":1},{"n":-1}]}"#),
        recorded(2, true, r#"{"lines":[{"n":-1}]}"#),
        recorded(3, true, r#"{"lines":5}"#),
    ];
    let judge = judge_of(
        r#"{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number","minimum":0}}}}}}"#,
    );
    let retro = shelf(&texts).judge(&judge, ALL, || Go::On).unwrap();
    assert_eq!(retro.places, [("/lines/*/n".to_owned(), 2), ("/lines".to_owned(), 1)]);
}

#[test]
fn equal_texts_are_judged_once_and_told_each() {
    let texts: Vec<Recorded> = (0..50).map(|i| recorded(i, true, "[1,2]")).collect();
    let mut asked = 0;
    let shelf = shelf(&texts);
    let go = || {
        asked += 1;
        Go::On
    };
    let retro = shelf.judge(&judge_of(r#"{"type":"array"}"#), ALL, go).unwrap();
    assert_eq!((retro.pass, shelf.len()), (50, 50));
    assert_eq!(asked, 1, "the same text was judged more than once");
}

#[test]
fn what_was_wrapped_is_judged_without_its_wrapping() {
    let wrapped = |id, text: &str| Recorded { wrapped: true, ..recorded(id, true, text) };
    let texts = [
        wrapped(1, r#"{"value":[1]}"#),
        wrapped(2, r#"{"value":[1],"more":2}"#),
        wrapped(3, "[1]"),
        recorded(4, true, r#"{"value":[1]}"#),
    ];
    let retro = shelf(&texts).judge(&judge_of(r#"{"type":"array"}"#), ALL, || Go::On).unwrap();
    assert_eq!((retro.pass, retro.now_fail), (1, 3));
}

#[test]
fn only_the_wanted_versions_count() {
    let texts: Vec<Recorded> =
        (0..6).map(|i| Recorded { version: i % 3, ..recorded(i64::from(i), true, &format!("[{i}]")) }).collect();
    let retro = shelf(&texts).judge(&judge_of(r#"{"type":"array"}"#), &|version| version == 1, || Go::On).unwrap();
    assert_eq!(retro.pass, 2);
}

#[test]
fn a_newer_edit_cancels_and_time_leaves_out() {
    let texts: Vec<Recorded> = (0..10).map(|i| recorded(i, true, &format!("[{i}]"))).collect();
    let shelf = shelf(&texts);
    let judge = judge_of(r#"{"type":"array"}"#);
    let after = |n: usize, then: Go| {
        let mut left = n;
        move || {
            let now = if left == 0 { then } else { Go::On };
            left = left.saturating_sub(1);
            now
        }
    };
    assert_eq!(shelf.judge(&judge, ALL, after(4, Go::Cancelled)), None);
    let some = shelf.judge(&judge, ALL, after(4, Go::Enough)).unwrap();
    assert_eq!((some.pass, some.left_out), (4, 6));
}

/// Schemas of an edit script, each a step from the one before.
const STEPS: [&str; 6] = [
    r#"{"type":"object"}"#,
    r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"integer","minimum":3}},"required":["a"]}"#,
    r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"array","maxItems":2}},"required":["a"]}"#,
    r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
    r#"{"type":["object","array"],"minProperties":2}"#,
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..6i32).prop_map(|a| format!(r#"{{"a":{a}}}"#)),
        (0..6i32, 0..4usize).prop_map(|(a, n)| format!(r#"{{"a":{a},"b":[{}]}}"#, vec!["0"; n].join(","))),
        Just(r#"{"a":"x"}"#.to_owned()),
        Just("[]".to_owned()),
        Just("{\"a\":1".to_owned()),
        Just(r#"{"c":null,"a":"x"}"#.to_owned()),
    ]
}

/// What a straight validation of every text says.
fn straight(texts: &[Recorded], judge: &Judge) -> (usize, usize, usize, usize, Vec<i64>) {
    let (mut pass, mut fail, mut newly, mut now_fail, mut changed) = (0, 0, 0, 0, Vec::new());
    for text in texts {
        let valid = matches!(judge.judge(&text.text), Judgement::Valid { .. });
        match (text.valid, valid) {
            (true, true) => pass += 1,
            (false, false) => fail += 1,
            (false, true) => newly += 1,
            (true, false) => now_fail += 1,
        }
        if text.valid != valid {
            changed.push(text.id);
        }
    }
    changed.reverse();
    (pass, fail, newly, now_fail, changed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Whatever is recorded, added and taken away between edits: the shelf says what a straight validation says.
    #[test]
    fn an_edit_script_agrees_with_a_straight_validation(
        texts in prop::collection::vec((any_text(), 0..STEPS.len()), 1..200),
        gone in prop::collection::vec(any::<bool>(), 200),
    ) {
        let mut all = Vec::new();
        let mut shelf = Shelf::default();
        let judges: Vec<Judge> = STEPS.iter().map(|schema| judge_of(schema)).collect();
        for (i, (text, under)) in texts.into_iter().enumerate() {
            let valid = matches!(judges[under].judge(&text), Judgement::Valid { .. });
            all.push(recorded(i64::try_from(i).unwrap(), valid, &text));
        }
        for (round, judge) in judges.iter().enumerate() {
            let half = all.len() / 2;
            if round == 0 {
                all[..half].iter().for_each(|text| shelf.add(text.clone()));
            } else if round == 1 {
                all[half..].iter().for_each(|text| shelf.add(text.clone()));
            } else if round == 3 {
                all.retain(|text| !gone[usize::try_from(text.id).unwrap()]);
                let kept: Vec<i64> = all.iter().map(|text| text.id).collect();
                shelf.retain(&kept);
            }
            let there = if round == 0 { &all[..half] } else { &all[..] };
            let retro = shelf.judge(judge, ALL, || Go::On).unwrap();
            let changed: Vec<i64> = retro.changed.iter().map(|change| change.id).collect();
            prop_assert_eq!((retro.pass, retro.fail, retro.newly_pass, retro.now_fail, changed), straight(there, judge));
            prop_assert_eq!(retro.places.iter().map(|p| p.1).sum::<usize>(), retro.now_fail);
        }
    }
}

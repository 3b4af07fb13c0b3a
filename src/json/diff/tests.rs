use proptest::prelude::*;

use super::*;
use crate::json::{ParseLimits, canonical, parse};

const LIMITS: ParseLimits = ParseLimits { max_bytes: 1 << 24, max_depth: 100_000 };

fn value(text: &str) -> Value {
    parse(text, LIMITS).unwrap()
}

/// `added /new`, `removed /old`, `changed /old → /new old→new`.
fn told(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (value(old), value(new));
    let diff = diff(&old, &new, DiffLimits::default());
    assert!(!diff.cut && !diff.rough);
    let line = |change: &Change<'_>| match change.edit {
        Edit::Added(value) => format!("added {} {}", change.pointer(), canonical(value)),
        Edit::Removed(value) => format!("removed {} {}", change.pointer(), canonical(value)),
        Edit::Changed { old, new } => format!("changed {} {}→{}", change.pointer(), canonical(old), canonical(new)),
    };
    diff.changes.iter().map(line).collect()
}

#[test]
fn members_are_told_by_name() {
    assert_eq!(
        told(r#"{"a":1,"b":{"x":[1]},"c":null}"#, r#"{"d":0,"c":null,"b":{"x":[1],"y/~":2},"a":1.0}"#),
        ["changed /a 1→1.0", "added /b/y~1~0 2", "added /d 0"]
    );
    assert_eq!(told(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#), [""; 0]);
    assert_eq!(told("[]", "{}"), ["changed  []→{}"]);
    assert_eq!(told(r#"{"a":null}"#, "{}"), ["removed /a null"]);
}

#[test]
fn an_element_that_came_in_front_moves_the_others_and_changes_none() {
    assert_eq!(told("[1,2,3]", "[0,1,2,3]"), ["added /0 0"]);
    assert_eq!(told("[1,2,3,4]", "[1,3,4]"), ["removed /1 2"]);
    assert_eq!(told("[1,2,3]", "[1,5,3]"), ["changed /1 2→5"]);
    assert_eq!(told(r#"["a","a","b","a"]"#, r#"["a","b","a","a"]"#).len(), 2);
}

#[test]
fn elements_with_a_name_are_compared_with_their_own_kind() {
    let old = r#"[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"}]"#;
    let new = r#"[{"id":2,"n":"b"},{"id":3,"n":"x"},{"id":9,"n":"z"}]"#;
    let want = [r#"removed /0 {"id":1,"n":"a"}"#, r#"changed /1/n "c"→"x""#, r#"added /2 {"id":9,"n":"z"}"#];
    assert_eq!(told(old, new), want);
}

#[test]
fn elements_without_a_name_are_compared_with_what_is_like_them() {
    let old = r#"[{"text":"one","qty":1,"price":"5"},{"text":"two","qty":2,"price":"7"}]"#;
    let new =
        r#"[{"text":"nil","qty":0,"price":"0"},{"text":"one","qty":4,"price":"5"},{"text":"two","qty":2,"price":"7"}]"#;
    let want = [r#"added /0 {"price":"0","qty":0,"text":"nil"}"#, "changed /1/qty 1→4"];
    assert_eq!(told(old, new), want);
}

#[test]
fn limits_hold_and_say_so() {
    let old = value(&format!("[{}]", vec!["1"; 500].join(",")));
    let new = value(&format!("[{}]", vec!["2"; 500].join(",")));
    let few = diff(&old, &new, DiffLimits { max_changes: 10, ..DiffLimits::default() });
    assert!(few.cut && few.changes.len() == 10);
    let exact = diff(&old, &new, DiffLimits { max_changes: 500, ..DiffLimits::default() });
    assert!(!exact.cut && exact.counts().changed == 500);
    let rough = diff(&old, &new, DiffLimits { max_nodes: 400, ..DiffLimits::default() });
    assert!(rough.rough && rough.changes.len() == 1);
    let long = "k".repeat(1000);
    let old = value(&format!("{{\"{long}\":{}}}", canonical(&old)));
    let new = value(&format!("{{\"{long}\":{}}}", canonical(&new)));
    let short = diff(&old, &new, DiffLimits { max_pointer_bytes: 20_000, ..DiffLimits::default() });
    assert!(short.cut && short.changes.len() < 20, "{}", short.changes.len());
}

#[test]
fn depth_and_length_are_no_danger() {
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(50_000), "]".repeat(50_000));
    let (old, new) = (value(&deep("1")), value(&deep("2")));
    let found = diff(&old, &new, DiffLimits::default());
    assert_eq!(found.counts(), Counts { changed: 1, ..Counts::default() });
    drop(found);
    crate::json::discard(old);
    crate::json::discard(new);
    let list = |from: usize| {
        let items: Vec<String> = (0..100_000).map(|i| ((i + from) % 977).to_string()).collect();
        value(&format!("[{}]", items.join(",")))
    };
    let (old, new) = (list(0), list(1));
    assert!(!diff(&old, &new, DiffLimits::default()).is_empty());
}

/// Applies a JSON Patch, strictly.
fn applied(mut value: Value, patch: &Value) -> Value {
    for step in patch.as_array().unwrap() {
        let pointer = step["path"].as_str().unwrap();
        let Some((parent, last)) = pointer.rsplit_once('/') else {
            value = step["value"].clone();
            continue;
        };
        let last = last.replace("~1", "/").replace("~0", "~");
        let new = step.get("value").cloned();
        match (value.pointer_mut(parent).unwrap(), step["op"].as_str().unwrap()) {
            (Value::Object(members), "add") => assert!(members.insert(last, new.unwrap()).is_none()),
            (Value::Object(members), "replace") => assert!(members.insert(last, new.unwrap()).is_some()),
            (Value::Object(members), "remove") => assert!(members.shift_remove(&last).is_some()),
            (Value::Array(items), "add") => items.insert(last.parse().unwrap(), new.unwrap()),
            (Value::Array(items), "replace") => items[last.parse::<usize>().unwrap()] = new.unwrap(),
            (Value::Array(items), "remove") => drop(items.remove(last.parse().unwrap())),
            (other, op) => panic!("{op} in {other}"),
        }
    }
    value
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..4_i64).prop_map(|n| Value::Number(n.into())),
        "[ab~/ä]{0,2}".prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let key = prop_oneof![Just("id".to_owned()), Just("name".to_owned()), "[a-c~/]{0,2}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((key, inner), 0..5).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_patch_makes_the_new_value(old in any_value(), new in any_value()) {
        let found = diff(&old, &new, DiffLimits::default());
        prop_assert_eq!(canonical(&applied(old.clone(), &found.patch())), canonical(&new));
        prop_assert_eq!(found.is_empty(), canonical(&old) == canonical(&new));
    }

    #[test]
    fn every_pointer_names_what_the_change_holds(old in any_value(), new in any_value()) {
        for change in diff(&old, &new, DiffLimits::default()).changes {
            let at = |value, pointer: &Option<String>| pointer.as_ref().map(|p| crate::json::resolve(value, p).cloned());
            let (was, is) = (at(&old, &change.old_pointer), at(&new, &change.new_pointer));
            match change.edit {
                Edit::Added(value) => prop_assert!(was.is_none() && is == Some(Some(value.clone()))),
                Edit::Removed(value) => prop_assert!(is.is_none() && was == Some(Some(value.clone()))),
                Edit::Changed { old, new } => prop_assert!(was == Some(Some(old.clone())) && is == Some(Some(new.clone()))),
            }
        }
    }

    #[test]
    fn one_edit_of_a_list_is_one_change(items in prop::collection::vec(0..1000_i64, 1..40), at in 0usize..40) {
        let at = at % items.len();
        let list = |items: &[i64]| Value::Array(items.iter().map(|n| Value::Number((*n).into())).collect());
        let mut less = items.clone();
        less.remove(at);
        let mut other = items.clone();
        other[at] = -1;
        for (old, new) in [(&items, &less), (&less, &items), (&items, &other)] {
            let (old, new) = (list(old), list(new));
            prop_assert_eq!(diff(&old, &new, DiffLimits::default()).changes.len(), 1);
        }
    }
}

//! A law: on random schemas and values our verdict is the one of the `jsonschema` crate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may panic and tell what it measured"
)]

#[path = "support/random_schema.rs"]
mod random_schema;

use formwork::json::{ParseLimits, canonical};
use formwork::schema::validate::{JudgeOptions, judge};
use formwork::schema::{Dialect, preflight};
use jsonschema::Draft;
use random_schema::{Dice, value, with_definitions};

#[test]
fn verdicts_are_those_of_the_reference_validator() {
    let drafts = [
        (Draft::Draft4, Dialect::Draft4),
        (Draft::Draft6, Dialect::Draft6),
        (Draft::Draft7, Dialect::Draft7),
        (Draft::Draft201909, Dialect::Draft201909),
        (Draft::Draft202012, Dialect::Draft202012),
    ];
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let (mut judged, mut valid, mut wrong) = (0, 0, Vec::new());
    for seed in 1..2_500_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (draft, dialect) = drafts[dice.roll(drafts.len())];
        let mut root = with_definitions(&mut dice, dialect);
        root["$schema"] = dialect.uri().into();
        let Ok(checked) = preflight::check(&root) else { continue };
        let ours = judge(&checked.format, options).unwrap();
        let theirs = jsonschema::options().with_draft(draft).should_validate_formats(false).build(&root).unwrap();
        for _ in 0..12 {
            let candidate = value(&mut dice, 3);
            let issues = ours.validate(&candidate);
            judged += 1;
            valid += usize::from(issues.list.is_empty());
            if issues.list.is_empty() != theirs.is_valid(&candidate) {
                wrong.push(format!("seed {seed}: {} on {}: {issues:?}", canonical(&root), canonical(&candidate)));
            }
            for issue in &issues.list {
                assert!(
                    root.pointer(&issue.schema_path).is_some() && candidate.pointer(&issue.path).is_some(),
                    "{issue:?}"
                );
            }
        }
    }
    println!("{judged} judged, {valid} valid");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(judged > 8_000 && valid > judged / 20 && valid < judged * 19 / 20, "{judged} {valid}");
}

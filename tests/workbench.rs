//! Every real schema goes through the workbench: board, offers, outline, wishes of a form, sample. Nothing panics, and
//! what is claimed holds.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and tells what it counted"
)]

#[path = "support/cases.rs"]
mod cases;

use formwork::json::edit::{Edit, apply, between};
use formwork::json::{ParseLimits, Value, parse, pretty, resolve};
use formwork::plan::board::{Board, PROVIDERS, offers};
use formwork::schema::Checked;
use formwork::schema::outline::edit::{Wish, edits, keywords};
use formwork::schema::outline::{MAX_FIELDS, Part, outline};
use formwork::schema::preflight::check_text;
use formwork::schema::profile::ProfileId;
use formwork::schema::sample::sample;
use formwork::schema::validate::{Judge, JudgeOptions, Judgement, judge};

/// Fields of one schema whose wishes are tried.
const WISHES: usize = 6;

fn judge_of(checked: &Checked) -> Option<Judge> {
    judge(&checked.format, JudgeOptions { limits: ParseLimits::default(), assert_format: false }).ok()
}

/// Every real schema that is legal: its name, its text.
fn legal() -> Vec<(String, String, Checked)> {
    let Some(root) = cases::shared().map(|root| root.join("corpora")) else { return Vec::new() };
    let files = cases::rows("corpora/MANIFEST.jsonl").into_iter().filter_map(|row| {
        let path = row["path"].as_str()?.to_owned();
        let text = fs_err::read_to_string(root.join(&path)).ok()?;
        Some((path, text))
    });
    let models = ["baml", "instructor", "openai-python", "outlines"].into_iter().flat_map(|source| {
        let rows = cases::rows(&format!("corpora/pydantic-models/{source}.jsonl"));
        rows.into_iter().enumerate().map(move |(at, row)| (format!("{source} {at}"), pretty(&row["schema"])))
    });
    let all = files.chain(models);
    all.filter_map(|(name, text)| check_text(&text).ok().map(|checked| (name, text, checked))).collect()
}

#[test]
fn every_real_schema_goes_through_the_workbench() {
    let (mut fields, mut offered, mut samples) = (0, 0, 0);
    let schemas = legal();
    for (name, text, checked) in &schemas {
        let board = Board::of(&checked.format, |_, _| None);
        assert_eq!(board.rows.len(), PROVIDERS.len(), "{name}");
        fields += walk(name, text, checked);
        offered += usize::from(bring_to_openai(name, text, checked));
        if let Ok(value) = sample(&checked.format, 7) {
            samples += 1;
            if let Some(judge) = judge_of(checked) {
                let judged = judge.judge(&pretty(&value));
                assert!(
                    !matches!(judged, Judgement::Invalid(_) | Judgement::NotJson(_)),
                    "{name}: a sample that is not valid"
                );
            }
        }
    }
    println!("{} schemas, {fields} fields, {offered} brought to OpenAI, {samples} samples", schemas.len());
    if !schemas.is_empty() {
        assert!(fields > 5_000 && offered > 300 && samples > 600, "{fields} {offered} {samples}");
    }
}

/// Outlines a schema and tries what a form offers; gives how many fields there are.
fn walk(name: &str, text: &str, checked: &Checked) -> usize {
    let schema = &checked.format.schema;
    let fields = outline(schema);
    assert!(!fields.is_empty() && fields.len() <= MAX_FIELDS, "{name}: {}", fields.len());
    for field in &fields {
        assert!(resolve(schema, &field.target).is_some(), "{name}: no schema at {}", field.target);
        assert!(keywords(schema, field).len() >= 6, "{name}: {}", field.place);
    }
    let below = if checked.envelope { "/schema" } else { "" };
    let properties = fields.iter().filter(|field| field.part == Part::Property).take(WISHES);
    for field in properties {
        let wish = Wish::Required(field.required != Some(true));
        let edits = edits(schema, field, &wish).unwrap();
        assert!(!edits.is_empty(), "{name}: {}", field.place);
        let edits: Vec<Edit> = edits.into_iter().map(|edit| edit.below(below)).collect();
        let edited = check_text(&apply(text, &edits).unwrap());
        let edited = edited.unwrap_or_else(|errors| panic!("{name}: {}: {errors:?}", field.place));
        let again = outline(&edited.format.schema);
        let same = again.iter().find(|other| other.place == field.place).unwrap();
        assert_ne!(same.required, field.required, "{name}: {}", field.place);
    }
    fields.len()
}

/// Applies what `OpenAI` needs: then the board has nothing against it. False when no edit helps or none is needed.
fn bring_to_openai(name: &str, text: &str, checked: &Checked) -> bool {
    let Some(offers) = offers(ProfileId::OpenaiStrict, None, &checked.format) else { return false };
    let below = if checked.envelope { "/schema" } else { "" };
    let edits: Vec<Edit> = offers.each.iter().map(|offer| offer.edit.clone().below(below)).collect();
    let edited = check_text(&apply(text, &edits).unwrap()).unwrap();
    assert_eq!(edited.format.schema, offers.schema, "{name}");
    assert_eq!(left_to_offer(&edited), None, "{name}: edited, and still something to edit");
    true
}

fn left_to_offer(checked: &Checked) -> Option<usize> {
    offers(ProfileId::OpenaiStrict, None, &checked.format).map(|offers| offers.each.len())
}

#[test]
fn edits_between_real_schemas_lead_from_one_to_the_other() {
    let schemas: Vec<Value> = legal().into_iter().map(|(_, _, checked)| checked.format.schema).collect();
    for pair in schemas.windows(2).step_by(3) {
        let [old, new] = pair else { continue };
        if pretty(old).len() > 60_000 {
            continue;
        }
        let edited = apply(&pretty(old), &between(old, new)).unwrap();
        assert_eq!(parse(&edited, ParseLimits::default()).unwrap(), *new);
    }
}

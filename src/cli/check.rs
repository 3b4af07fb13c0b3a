//! `formwork check`: is the schema legal, and which providers take it. No key, no call, no network.

pub(super) mod fix;
mod human;

use serde::Serialize;
use serde_json::json;

use super::args::{CheckFormat, PlaceArgs, ReadArgs};
use super::failure::{Exit, Failure, Outcome};
use super::input::Source;
use super::schema_file;
use super::{output, sarif};
use crate::capability::ProfileId;
use crate::catalog::known::canonical;
use crate::config;
use crate::json::{Map, Value};
use crate::plan::board::PROVIDERS;
use crate::plan::portability::{Objection, Support, Use, portability};
use crate::runtime::grammar::verdict;
use crate::schema::SchemaError;
use crate::schema::project::{Change, Refusal, Source as Projectable};
use crate::schema::{Checked, profile};

/// One provider's line of the report.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) provider: String,
    profile: Option<&'static str>,
    profile_date: Option<&'static str>,
    pub(super) native: Support,
    pub(super) tool: Support,
    prompt: Support,
    pub(super) refusals: Vec<Objection>,
    /// Places that pass, although reports say they sometimes fail.
    pub(super) warnings: Vec<Refusal>,
    /// Each limit of the profile with its use.
    pub(super) counts: Value,
    /// What would bring the schema there, natively, at the lowest level.
    pub(super) edits: Vec<Value>,
    /// Does the exit status answer for this provider?
    #[serde(skip)]
    asked: bool,
    #[serde(skip)]
    uses: Vec<Use>,
    #[serde(skip)]
    changes: Vec<Change>,
}

/// The whole report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    schema_hash: Option<String>,
    pub(super) preflight: Preflight,
    pub(super) providers: Vec<Row>,
    /// Where the schema stands in the document: below `/schema` in an envelope.
    #[serde(skip)]
    pub(super) below: &'static str,
}

/// What preflight says.
#[derive(Debug, Serialize)]
pub(super) struct Preflight {
    ok: bool,
    pub(super) issues: Vec<SchemaError>,
    pub(super) warnings: Vec<SchemaError>,
}

/// Checks one schema and reports in the asked format.
pub(super) fn run(
    source: &Source,
    read: &ReadArgs,
    targets: &[String],
    format: CheckFormat,
    places: &PlaceArgs,
) -> Outcome {
    let targets = Targets::new(targets, places)?;
    let loaded = schema_file::load(source, read)?;
    let verdict = loaded.verdict();
    if let (CheckFormat::Human, Err(errors)) = (format, &verdict) {
        return Err(loaded.refused(errors).into());
    }
    let report = report(&verdict, &targets);
    let exit = report.exit();
    match format {
        CheckFormat::Human => output::result(human::report(&loaded, &verdict, &report).as_bytes())?,
        CheckFormat::Json => output::line(&text(&report)?)?,
        CheckFormat::Sarif => output::line(&text(&sarif::log(&loaded, &report))?)?,
    }
    Ok(exit)
}

fn text(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map_err(|error| Failure::config(format!("the report cannot be written: {error}")))
}

/// Which providers are reported, and which of them the exit status answers for.
struct Targets {
    rows: Vec<Target>,
}

type Target = (String, Option<ProfileId>, Asked);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Only reported.
    No,
    /// By `all`: a provider without a profile is passed over.
    ByAll,
    /// By its own name: no verdict is no acceptance.
    ByName,
}

impl Targets {
    fn new(targets: &[String], places: &PlaceArgs) -> Result<Self, Failure> {
        let every = |asked| PROVIDERS.iter().map(|known| (known.name.to_owned(), known.profile, asked)).collect();
        if targets.is_empty() {
            return Ok(Self { rows: every(Asked::No) });
        }
        let mut rows: Vec<Target> = Vec::new();
        if targets.iter().any(|target| target == "all") {
            rows = every(Asked::ByAll);
        }
        for target in targets.iter().filter(|target| *target != "all") {
            let (name, profile) = profile_of(target, places)?;
            rows.retain(|(other, _, _)| other != name);
            rows.push((name.to_owned(), profile, Asked::ByName));
        }
        Ok(Self { rows })
    }
}

/// A provider's name in the report and its profile: from the table, from the user's own declaration, by another
/// spelling of a known name.
fn profile_of<'a>(name: &'a str, places: &PlaceArgs) -> Result<(&'a str, Option<ProfileId>), Failure> {
    let listed = |name: &str| PROVIDERS.iter().find(|known| known.name == name);
    if let Some(known) = listed(name) {
        return Ok((name, known.profile));
    }
    let config = config::load(&places.overrides()).map_err(super::config_failure)?;
    if let Some(provider) = config.providers.get(name) {
        return Ok((name, provider.structured_output.as_ref().and_then(|declared| declared.schema_profile)));
    }
    if let Some(known) = listed(canonical(name)) {
        return Ok((known.name, known.profile));
    }
    let known: Vec<_> = PROVIDERS.iter().map(|known| known.name).chain(["all"]).collect();
    Err(Failure::config(format!("there is no provider {name:?} to check for"))
        .fact("known", known.join(", "))
        .fact("next", "name one of these, or a provider of the configuration"))
}

fn report(verdict: &Result<Checked, Vec<SchemaError>>, targets: &Targets) -> Report {
    match verdict {
        Ok(checked) => Report {
            schema_hash: Some(checked.format.schema_hash.clone()),
            preflight: Preflight { ok: true, issues: Vec::new(), warnings: checked.warnings.clone() },
            providers: rows(targets, checked),
            below: if checked.envelope { "/schema" } else { "" },
        },
        Err(errors) => Report {
            schema_hash: None,
            preflight: Preflight { ok: false, issues: errors.clone(), warnings: Vec::new() },
            providers: Vec::new(),
            below: "",
        },
    }
}

/// The schema is read once for all of them.
fn rows(targets: &Targets, checked: &Checked) -> Vec<Row> {
    let source = Projectable::read(&checked.format.schema);
    targets.rows.iter().map(|row| provider(row, checked, &source)).collect()
}

fn provider((name, profile, asked): &Target, checked: &Checked, source: &Projectable<'_>) -> Row {
    let mut row = Row {
        provider: name.clone(),
        profile: None,
        profile_date: None,
        native: Support::Unknown,
        tool: Support::Unknown,
        prompt: Support::Accepted,
        refusals: Vec::new(),
        warnings: Vec::new(),
        counts: Value::Object(Map::new()),
        edits: Vec::new(),
        asked: *asked == Asked::ByName || (*asked == Asked::ByAll && profile.is_some()),
        uses: Vec::new(),
        changes: Vec::new(),
    };
    let Some(id) = *profile else { return row };
    let grammar = verdict(id, &checked.format.schema);
    let found = portability(id, grammar.as_ref(), source, &checked.format);
    row.profile = Some(profile::profile(id).name);
    row.profile_date = Some(profile::profile(id).date);
    row.counts = counts(&found.uses);
    row.edits = found.edits.iter().map(edit).collect();
    (row.native, row.tool, row.refusals) = (found.native, found.tool, found.objections);
    (row.warnings, row.uses, row.changes) = (found.warnings, found.uses, found.edits);
    row
}

/// One offered edit: where, what, and whether it keeps, narrows or widens the meaning.
fn edit(change: &Change) -> Value {
    json!({ "path": change.path, "effect": change.effect(), "what": change.what })
}

/// `{depth: {limit, use}, …}`; without a reading of the schema the use is not known.
fn counts(uses: &[Use]) -> Value {
    let rows = uses.iter().map(|row| {
        let name = serde_json::to_value(row.what).unwrap_or_default();
        (name.as_str().unwrap_or_default().to_owned(), json!({ "limit": row.limit, "use": row.used }))
    });
    Value::Object(rows.collect())
}

impl Report {
    fn exit(&self) -> Exit {
        if !self.preflight.ok {
            return Exit::Usage;
        }
        let refused = self.providers.iter().any(|row| row.asked && row.native != Support::Accepted);
        if refused { Exit::Unsupported } else { Exit::Done }
    }
}

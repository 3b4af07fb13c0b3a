//! `formwork check`: is the schema legal, and which providers take it. No key, no call, no network.

use std::fmt::Write;

use serde::Serialize;
use serde_json::json;

use super::args::{CheckFormat, PlaceArgs};
use super::failure::{self, Exit, Failure, Outcome};
use super::input::Source;
use super::schema_file::{self, Loaded};
use super::{output, sarif};
use crate::capability::ProfileId;
use crate::catalog::known::canonical;
use crate::config;
use crate::json::{Map, Value};
use crate::plan::GrammarVerdict;
use crate::runtime::grammar::verdict;
use crate::schema::SchemaError;
use crate::schema::profile::StrictTools;
use crate::schema::project::{Level, Place, Projected, Refusal, project};
use crate::schema::{Checked, ResponseFormat, profile};

/// Every provider the report names, and the profile this version has for it.
const PROVIDERS: [(&str, Option<ProfileId>); 15] = [
    ("openai", Some(ProfileId::OpenaiStrict)),
    ("azure", Some(ProfileId::Azure)),
    ("anthropic", Some(ProfileId::Anthropic)),
    ("google", Some(ProfileId::Google)),
    ("bedrock", Some(ProfileId::Bedrock)),
    ("ollama", Some(ProfileId::Ollama)),
    ("llama_cpp", Some(ProfileId::LlamaCpp)),
    ("vllm", Some(ProfileId::Vllm)),
    ("lmstudio", Some(ProfileId::LlamaCpp)),
    ("groq", Some(ProfileId::Groq)),
    ("mistral", Some(ProfileId::Mistral)),
    ("deepseek", None),
    ("xai", Some(ProfileId::Xai)),
    ("openrouter", None),
    ("local", Some(ProfileId::Llguidance)),
];

/// The lowest projection level at which a route takes the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Support {
    Accepted,
    Narrow,
    Relax,
    Refused,
    /// This version has no profile of the provider.
    Unknown,
}

/// One provider's line of the report.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) provider: String,
    profile: Option<&'static str>,
    profile_date: Option<&'static str>,
    native: Support,
    tool: Support,
    prompt: Support,
    pub(super) refusals: Vec<Refusal>,
    /// Places that pass, although reports say they sometimes fail.
    warnings: Vec<Refusal>,
    /// Each limit of the profile with its use.
    counts: Value,
    /// Does the exit status answer for this provider?
    #[serde(skip)]
    asked: bool,
}

/// The whole report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    schema_hash: Option<String>,
    pub(super) preflight: Preflight,
    pub(super) providers: Vec<Row>,
}

/// What preflight says.
#[derive(Debug, Serialize)]
pub(super) struct Preflight {
    ok: bool,
    pub(super) issues: Vec<SchemaError>,
    pub(super) warnings: Vec<SchemaError>,
}

/// Checks one schema and reports in the asked format.
pub(super) fn run(source: &Source, targets: &[String], format: CheckFormat, places: &PlaceArgs) -> Outcome {
    let targets = Targets::new(targets, places)?;
    let loaded = schema_file::load(source)?;
    let verdict = loaded.verdict();
    if let (CheckFormat::Human, Err(errors)) = (format, &verdict) {
        return Err(failure::of_schema(&loaded.name, errors).into());
    }
    let report = report(&verdict, &targets);
    let exit = report.exit();
    match format {
        CheckFormat::Human => output::result(human(&loaded, &verdict, &report).as_bytes())?,
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
    rows: Vec<(String, Option<ProfileId>, Asked)>,
}

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
        let every = |asked| PROVIDERS.iter().map(|(name, profile)| ((*name).to_owned(), *profile, asked)).collect();
        if targets.is_empty() {
            return Ok(Self { rows: every(Asked::No) });
        }
        let mut rows: Vec<(String, Option<ProfileId>, Asked)> = Vec::new();
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
    let listed = |name: &str| PROVIDERS.iter().find(|(known, _)| *known == name);
    if let Some((_, profile)) = listed(name) {
        return Ok((name, *profile));
    }
    let config = config::load(&places.overrides()).map_err(super::config_failure)?;
    if let Some(provider) = config.providers.get(name) {
        return Ok((name, provider.structured_output.as_ref().and_then(|declared| declared.schema_profile)));
    }
    if let Some((known, profile)) = listed(canonical(name)) {
        return Ok((known, *profile));
    }
    let known: Vec<_> = PROVIDERS.iter().map(|(known, _)| *known).chain(["all"]).collect();
    Err(Failure::config(format!("there is no provider {name:?} to check for"))
        .fact("known", known.join(", "))
        .fact("next", "name one of these, or a provider of the configuration"))
}

fn report(verdict: &Result<Checked, Vec<SchemaError>>, targets: &Targets) -> Report {
    match verdict {
        Ok(checked) => Report {
            schema_hash: Some(checked.format.schema_hash.clone()),
            preflight: Preflight { ok: true, issues: Vec::new(), warnings: checked.warnings.clone() },
            providers: targets.rows.iter().map(|row| provider(row, checked)).collect(),
        },
        Err(errors) => Report {
            schema_hash: None,
            preflight: Preflight { ok: false, issues: errors.clone(), warnings: Vec::new() },
            providers: Vec::new(),
        },
    }
}

fn provider((name, profile, asked): &(String, Option<ProfileId>, Asked), checked: &Checked) -> Row {
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
        asked: *asked == Asked::ByName || (*asked == Asked::ByAll && profile.is_some()),
    };
    let Some(id) = *profile else { return row };
    let verdict = verdict(id, &checked.format.schema);
    let native = route(id, verdict.as_ref(), Place::Native, &checked.format);
    let tool = route(id, verdict.as_ref(), Place::Tool, &checked.format);
    row.profile = Some(profile::profile(id).name);
    row.profile_date = Some(profile::profile(id).date);
    row.counts = counts(id, native.projected.as_ref());
    row.warnings = native.projected.map(|projected| projected.warnings).unwrap_or_default();
    (row.native, row.tool, row.refusals) = (native.support, tool.support, native.refusals);
    let held = match profile::profile(id).strict_tools {
        StrictTools::Held => tool.refusals,
        StrictTools::Unproven => {
            row.tool = Support::Unknown;
            Vec::new()
        }
        StrictTools::Missing => {
            row.tool = Support::Refused;
            let message = "the provider does not hold tools to their schema".to_owned();
            let rule = profile::RuleName::NoStrictTools.name().to_owned();
            vec![Refusal { path: String::new(), rule, message, mends_at: None }]
        }
    };
    for refusal in held {
        if !row.refusals.contains(&refusal) {
            row.refusals.push(refusal);
        }
    }
    row
}

/// What one route makes of the schema.
struct Route {
    /// The lowest level that works.
    support: Support,
    /// What stands in the way of the exact one.
    refusals: Vec<Refusal>,
    projected: Option<Projected>,
}

fn route(id: ProfileId, verdict: Option<&GrammarVerdict>, place: Place, format: &ResponseFormat) -> Route {
    let projection = |level| match verdict {
        Some(verdict) => verdict.project(place, format, level),
        None => project(id, place, format, level),
    };
    let mut refusals = Vec::new();
    for (level, support) in
        [(Level::Exact, Support::Accepted), (Level::Narrow, Support::Narrow), (Level::Relax, Support::Relax)]
    {
        match projection(level) {
            Ok(projected) => return Route { support, refusals, projected: Some(projected) },
            Err(found) if level == Level::Exact => refusals = found,
            Err(_) => {}
        }
    }
    Route { support: Support::Refused, refusals, projected: None }
}

/// `{depth: {limit, use}, …}`; without a projection the use is not known.
fn counts(id: ProfileId, projected: Option<&Projected>) -> Value {
    let limits = profile::profile(id).limits.iter().map(|limit| {
        let used = projected.and_then(|p| p.counts.iter().find(|count| count.what == limit.what)).map(|c| c.used);
        let name = serde_json::to_value(limit.what).unwrap_or_default();
        (name.as_str().unwrap_or_default().to_owned(), json!({ "limit": limit.most, "use": used }))
    });
    Value::Object(limits.collect())
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

impl Support {
    fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Narrow => "narrow",
            Self::Relax => "relax",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }
}

fn human(loaded: &Loaded, verdict: &Result<Checked, Vec<SchemaError>>, report: &Report) -> String {
    let mut text = String::new();
    if let Ok(checked) = verdict {
        let counts = checked.counts;
        let _ = writeln!(text, "{}: legal", crate::text::safe(&loaded.name));
        let _ = writeln!(
            text,
            "  {} bytes canonical, {} containers, depth {}, hash {}",
            counts.canonical_bytes, counts.containers, counts.depth, checked.format.schema_hash
        );
    }
    for warning in &report.preflight.warnings {
        let _ = writeln!(text, "  warning: {:?} {}", warning.path, warning.message);
    }
    let _ = writeln!(text, "\n{:<12}{:<10}{:<10}prompt", "provider", "native", "tool");
    for row in &report.providers {
        let (native, tool, prompt) = (row.native.word(), row.tool.word(), row.prompt.word());
        let _ = writeln!(text, "{:<12}{native:<10}{tool:<10}{prompt}", row.provider);
    }
    for row in report.providers.iter().filter(|row| !row.refusals.is_empty()) {
        let _ = writeln!(text, "\n{} refuses as it is:", row.provider);
        for refusal in &row.refusals {
            text.push_str(&crate::text::safe(&refusal_line(refusal)));
            text.push('\n');
        }
    }
    text
}

fn refusal_line(refusal: &Refusal) -> String {
    let mend = match refusal.mends_at {
        Some(Level::Exact) | None => "",
        Some(Level::Narrow) => " (mends with --project narrow)",
        Some(Level::Relax) => " (mends with --project relax)",
    };
    format!("  {:?} {}: {}{mend}", refusal.path, refusal.rule, refusal.message)
}

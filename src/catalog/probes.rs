//! What probes found, kept in the data folder: one versioned JSON file, bounded, written whole or not at all.
//!
//! Holds addresses without secrets, model names, dates, verdicts and fixed words; never text of a user or a provider.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::capability::verdict::{Feature, Findings, Found, Verdict};
use crate::capability::{Day, Dialect};
use crate::config::safe_url;
use crate::files::replace;
use crate::json::{Map, ParseLimits, Value, parse_bytes};

const FILE: &str = "probes.json";
const VERSION: u64 = 1;
/// Beyond this many the oldest is forgotten.
const MAX_PROBES: usize = 1_000;
const LIMITS: ParseLimits = ParseLimits { max_bytes: 4 * 1024 * 1024, max_depth: 16 };

/// What was found for one model at one endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub provider: String,
    /// The address as it may be shown.
    pub endpoint: String,
    pub dialect: Dialect,
    pub model: String,
    /// What was sent besides: the limit of output tokens of each request.
    pub max_output_tokens: u64,
    pub findings: Findings,
}

/// Why the file cannot be used or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", file.display())]
pub struct ProbesError {
    pub file: PathBuf,
    pub what: String,
}

/// Where the findings are kept.
#[must_use]
pub fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// All findings that are kept; none when there is no file.
///
/// # Errors
/// [`ProbesError`] when the file is there and cannot be used.
pub fn load(data_dir: &Path) -> Result<Vec<Probe>, ProbesError> {
    let file = file(data_dir);
    let error = |what: String| ProbesError { file: file.clone(), what };
    let opened = match fs_err::File::open(&file) {
        Ok(opened) => opened,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(error(format!("cannot be read: {}", e.kind()))),
    };
    let mut bytes = Vec::new();
    let limit = u64::try_from(LIMITS.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    opened.take(limit).read_to_end(&mut bytes).map_err(|e| error(format!("cannot be read: {}", e.kind())))?;
    let document = parse_bytes(&bytes, LIMITS).map_err(|e| error(e.to_string()))?;
    match document.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(other) => return Err(error(format!("is of version {other}, which this program does not know"))),
        None => return Err(error("is no file of probes: it has no version".to_owned())),
    }
    let list = document.get("probes").and_then(Value::as_array);
    let list = list.ok_or_else(|| error("is no file of probes: it has no list".to_owned()))?;
    Ok(list.iter().take(MAX_PROBES).filter_map(read).collect())
}

/// The findings at one address, by model.
#[must_use]
pub fn at(probes: &[Probe], base_url: &str, dialect: Dialect) -> BTreeMap<String, Findings> {
    let address = shown(base_url);
    let mine = probes.iter().filter(|probe| probe.dialect == dialect && probe.endpoint == address);
    mine.map(|probe| (probe.model.clone(), probe.findings.clone())).collect()
}

/// The address as it is kept.
#[must_use]
pub fn shown(base_url: &str) -> String {
    safe_url(base_url).trim_end_matches('/').to_owned()
}

/// Keeps what was found. A feature of which nothing was learned keeps its earlier finding.
///
/// # Errors
/// [`ProbesError`]; the file stays as it was.
pub fn keep(data_dir: &Path, new: Probe) -> Result<PathBuf, ProbesError> {
    let file = file(data_dir);
    let error =
        |e: &std::io::Error| ProbesError { file: file.clone(), what: format!("cannot be written: {}", e.kind()) };
    fs_err::create_dir_all(data_dir).map_err(|e| error(&e))?;
    // Two probes may end at the same time; the lock goes with the handle.
    let lock = fs_err::File::create(data_dir.join("probes.lock")).map_err(|e| error(&e))?;
    lock.file().lock().map_err(|e| error(&e))?;
    let mut probes = load(data_dir)?;
    merge(&mut probes, new);
    let text = json!({ "version": VERSION, "probes": probes.iter().map(written).collect::<Vec<_>>() }).to_string();
    replace(&file, text.as_bytes()).map_err(|e| error(&e))?;
    Ok(file)
}

fn merge(probes: &mut Vec<Probe>, new: Probe) {
    let same =
        |probe: &Probe| probe.endpoint == new.endpoint && probe.dialect == new.dialect && probe.model == new.model;
    let mut merged = new.clone();
    merged.findings = probes.iter().find(|probe| same(probe)).map(|probe| probe.findings.clone()).unwrap_or_default();
    probes.retain(|probe| !same(probe));
    merged.findings.extend(new.findings.into_iter().filter(|(_, found)| found.verdict.is_known()));
    // The newest stands last; the oldest go first.
    if !merged.findings.is_empty() {
        probes.push(merged);
    }
    let surplus = probes.len().saturating_sub(MAX_PROBES);
    probes.drain(..surplus);
}

fn written(probe: &Probe) -> Value {
    let features: Map<String, Value> = probe
        .findings
        .iter()
        .map(|(feature, found)| {
            let found = json!({ "verdict": found.verdict.name(), "date": found.date, "evidence": found.evidence });
            (feature.name().to_owned(), found)
        })
        .collect();
    json!({
        "provider": probe.provider,
        "endpoint": probe.endpoint,
        "dialect": probe.dialect.name(),
        "model": probe.model,
        "options": { "max_output_tokens": probe.max_output_tokens },
        "features": features,
    })
}

fn read(probe: &Value) -> Option<Probe> {
    let text = |name: &str| probe.get(name).and_then(Value::as_str).map(str::to_owned);
    let features = probe.get("features")?.as_object()?;
    Some(Probe {
        provider: text("provider")?,
        endpoint: text("endpoint")?,
        dialect: Dialect::named(&text("dialect")?)?,
        model: text("model")?,
        max_output_tokens: probe.get("options")?.get("max_output_tokens")?.as_u64()?,
        findings: features.iter().filter_map(|(name, found)| Some((feature(name)?, finding(found)?))).collect(),
    })
}

fn feature(name: &str) -> Option<Feature> {
    Feature::ALL.into_iter().find(|feature| feature.name() == name)
}

fn finding(found: &Value) -> Option<Found> {
    let text = |name: &str| found.get(name).and_then(Value::as_str);
    let verdict = Verdict::ALL.into_iter().find(|verdict| Some(verdict.name()) == text("verdict"))?;
    let evidence = text("evidence").unwrap_or_default().chars().take(200).collect();
    Some(Found { verdict, evidence, date: text("date")?.parse::<Day>().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(model: &str, feature: Feature, verdict: Verdict, day: &str) -> Probe {
        let found = Found { verdict, evidence: "x".to_owned(), date: day.parse().unwrap() };
        Probe {
            provider: "lab".to_owned(),
            endpoint: shown("http://127.0.0.1:8080/v1/"),
            dialect: Dialect::OpenaiChat,
            model: model.to_owned(),
            max_output_tokens: 512,
            findings: BTreeMap::from([(feature, found)]),
        }
    }

    #[test]
    fn findings_are_kept_by_endpoint_dialect_and_model() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(load(folder.path()), Ok(Vec::new()));
        keep(folder.path(), probe("a", Feature::Schema, Verdict::Enforced, "2026-12-01")).unwrap();
        keep(folder.path(), probe("a", Feature::StrictTool, Verdict::Refused, "2026-12-02")).unwrap();
        keep(folder.path(), probe("b", Feature::Schema, Verdict::Ignored, "2026-12-02")).unwrap();
        let all = load(folder.path()).unwrap();
        assert_eq!(all.iter().map(|p| (p.model.as_str(), p.findings.len())).collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
        let here = at(&all, "http://127.0.0.1:8080/v1", Dialect::OpenaiChat);
        assert_eq!(here["b"][&Feature::Schema].verdict, Verdict::Ignored);
        assert!(at(&all, "http://127.0.0.1:8081/v1", Dialect::OpenaiChat).is_empty());
        assert!(at(&all, "http://127.0.0.1:8080/v1", Dialect::OpenaiResponses).is_empty());
    }

    #[test]
    fn nothing_learned_keeps_the_earlier_verdict() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), probe("a", Feature::Schema, Verdict::Enforced, "2026-12-01")).unwrap();
        keep(folder.path(), probe("a", Feature::Schema, Verdict::Unreachable, "2026-12-02")).unwrap();
        let kept = &load(folder.path()).unwrap()[0].findings[&Feature::Schema];
        assert_eq!((kept.verdict, kept.date.to_string().as_str()), (Verdict::Enforced, "2026-12-01"));
        keep(folder.path(), probe("new", Feature::Schema, Verdict::Unreachable, "2026-12-02")).unwrap();
        assert_eq!(load(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn the_file_is_bounded_and_the_oldest_goes() {
        let mut probes = Vec::new();
        for n in 0..=MAX_PROBES {
            merge(&mut probes, probe(&format!("m{n}"), Feature::Schema, Verdict::Enforced, "2026-12-01"));
        }
        assert_eq!((probes.len(), probes[0].model.as_str()), (MAX_PROBES, "m1"));
    }

    #[test]
    fn a_foreign_file_is_named_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        for foreign in ["", "[]", r#"{"version":2,"probes":[]}"#, r#"{"version":1}"#, "\u{0}"] {
            fs_err::write(file(folder.path()), foreign).unwrap();
            let error = load(folder.path()).unwrap_err();
            assert!(error.to_string().contains(FILE), "{error}");
            assert!(keep(folder.path(), probe("a", Feature::Schema, Verdict::Enforced, "2026-12-01")).is_err());
            assert_eq!(fs_err::read_to_string(file(folder.path())).unwrap(), foreign);
        }
    }

    #[test]
    fn no_key_in_an_address_is_kept() {
        assert_eq!(shown("https://gate.example/v1?key=SECRET"), "https://gate.example/v1?key=hidden");
    }
}

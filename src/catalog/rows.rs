//! The list of models for people: which route each would take and why, with what the catalogue knows besides.

use crate::capability::{Dialect, Evidence, ModelFlag, Native};
use crate::json::Number;

use super::{Catalog, Endpoint};

/// One line of `formwork models` and of the model picker.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct ModelRow {
    /// `PROVIDER/MODEL`, as `-m` takes it.
    pub name: String,
    /// `native`, `tool`, `prompt` or `unknown`: the route a plain closed object schema would take.
    pub route: String,
    /// Why: one sentence.
    pub reason: String,
    /// Can it be called now (key present, or none needed)?
    pub ready: bool,
    pub simulated: bool,
    /// The model's own flag, as the lists have it.
    pub structured_output: ModelFlag,
    /// Ordinary tools, reasoning, files; absent where nobody knows.
    pub tools: Option<bool>,
    pub reasoning: Option<bool>,
    pub attachments: Option<bool>,
    /// Tokens.
    pub context: Option<u64>,
    pub max_output: Option<u64>,
    /// US dollars for a million tokens.
    pub price_in: Option<Number>,
    pub price_out: Option<Number>,
    /// `alpha`, `beta`, `deprecated`.
    pub status: Option<String>,
}

/// Which rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Short lists: of the table and the config.
    Listed,
    /// Besides, the catalogue's models that answer in text, of the providers that can be called now.
    Ready,
    /// The same of every provider.
    Everywhere,
    /// Also those that are deprecated or answer in other ways than text.
    Everything,
}

impl Catalog {
    /// The models of the table and the config, ready ones first. Does not open the catalogue of models for those
    /// that are not there.
    #[must_use]
    pub fn rows(&self) -> Vec<ModelRow> {
        self.list(Wanted::Listed)
    }

    /// The models that are wanted, ready ones first.
    #[must_use]
    pub fn list(&self, wanted: Wanted) -> Vec<ModelRow> {
        let mut rows: Vec<ModelRow> =
            self.endpoints.values().flat_map(|endpoint| endpoint_rows(endpoint, wanted)).collect();
        rows.sort_by(|a, b| (!a.ready, a.simulated, &a.name).cmp(&(!b.ready, b.simulated, &b.name)));
        rows
    }
}

fn endpoint_rows(endpoint: &Endpoint, wanted: Wanted) -> Vec<ModelRow> {
    #[cfg(feature = "local")]
    if endpoint.dialect == Dialect::Local {
        return super::local::rows(endpoint);
    }
    let mut models: Vec<&str> = endpoint.models.keys().map(String::as_str).collect();
    models.extend(endpoint.facts.probes.keys().map(String::as_str));
    let open = match wanted {
        Wanted::Listed => false,
        Wanted::Ready => endpoint.is_ready(),
        Wanted::Everywhere | Wanted::Everything => true,
    };
    if open && let Some(listed_as) = endpoint.facts.listed_as.filter(|_| endpoint.facts.vendor.is_some()) {
        let listed = endpoint.facts.listing.get().providers.get(listed_as).map(Vec::as_slice).unwrap_or_default();
        let fits = listed.iter().filter(|model| wanted == Wanted::Everything || model.is_for_text());
        models.extend(fits.map(|model| model.id.as_str()));
    }
    models.sort_unstable();
    models.dedup();
    models.into_iter().map(|model| endpoint.row(model, open)).collect()
}

impl Endpoint {
    /// The row of one model; `open` allows a look into the catalogue.
    fn row(&self, model: &str, open: bool) -> ModelRow {
        let (route, mut reason) = self.route(model);
        if let Some(variable) = self.missing() {
            reason = format!("set {variable}; {reason}");
        }
        let row = ModelRow {
            name: format!("{}/{model}", self.provider),
            route: route.to_owned(),
            reason,
            ready: self.is_ready(),
            simulated: self.dialect == Dialect::Sim,
            structured_output: self.flag(model),
            ..ModelRow::default()
        };
        let Some(known) = open.then(|| self.details(model)).flatten() else { return row };
        ModelRow {
            tools: known.tools,
            reasoning: known.reasoning,
            attachments: known.attachment,
            context: known.context,
            max_output: known.output,
            price_in: known.cost_in.clone(),
            price_out: known.cost_out.clone(),
            status: known.status.clone(),
            ..row
        }
    }

    /// A row for a model that a server itself offers.
    #[must_use]
    pub fn offered(&self, model: &str, base_url: &str) -> ModelRow {
        let mut row = self.row(model, true);
        if row.route == "unknown" {
            row.reason = format!("offered by the server at {base_url}; formwork probe {} finds out", row.name);
        }
        row
    }

    /// The route a plain closed object schema would take, and why.
    #[must_use]
    pub fn route(&self, model: &str) -> (&'static str, String) {
        let (record, flag) = (self.record(model), self.flag(model));
        let dated = |words: &str| match record.since {
            Some(day) => format!("{words} {day}"),
            None => words.to_owned(),
        };
        let who = match record.evidence {
            Evidence::Official => dated("by the vendor's documentation of"),
            Evidence::Declared => "as the config declares".to_owned(),
            Evidence::Probed => dated("probed"),
            Evidence::BuiltIn => "built in".to_owned(),
            Evidence::Nobody => "nobody vouches for it".to_owned(),
        };
        let opted_in = record.native_model_opt_in && flag == ModelFlag::Yes;
        let native = record.native == Native::Supported || opted_in;
        if native && record.streaming && flag != ModelFlag::No {
            let by = if opted_in { "and the model's flag" } else { "" };
            return ("native", format!("schema parameter, {who} {by}").trim_end().to_owned());
        }
        if record.strict_tool {
            let why = if flag == ModelFlag::No { "this model has no schema parameter; " } else { "" };
            return ("tool", format!("{why}strict tool, {who}"));
        }
        let stale = self.last_probe(model).filter(|_| record.evidence != Evidence::Probed);
        let stale = stale.map(|(day, verdict)| format!("the probe of {day} ({}) is too old; ", verdict.name()));
        let stale = stale.unwrap_or_default();
        match record.native {
            Native::Unknown => {
                let next = format!("formwork probe {}/{model} finds out, or declare structured_output", self.provider);
                ("unknown", format!("{stale}{next}"))
            }
            Native::Supported | Native::Unsupported => {
                ("prompt", format!("{stale}no schema parameter, no strict tool, {who}"))
            }
        }
    }
}

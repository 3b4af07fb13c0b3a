//! What is known about one endpoint and its models, from whom: the vendor's record, the catalogue, the user, a probe.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Endpoint;
use super::listing::{Listing, Model};
use crate::capability::official::FACTS;
use crate::capability::verdict::{Feature, Findings, Verdict};
use crate::capability::{Capability, Day, Dialect, Evidence, ModelFlag, Native, Vendor};
use crate::dialect;

/// The sources of an endpoint's records.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Whose own endpoint this is.
    pub vendor: Option<Vendor>,
    /// The vendor's name in the catalogue of models.
    pub listed_as: Option<&'static str>,
    pub listing: Arc<Listing>,
    /// What probes found at this very address, by model.
    pub probes: BTreeMap<String, Findings>,
    /// The user said in the config what the schema parameter does: no probe talks them out of it.
    pub declared_native: bool,
    /// The variable that would name the address, where there is none.
    pub address_env: Option<&'static str>,
    /// Today, for the age of probes.
    pub today: Option<Day>,
}

impl Endpoint {
    /// The record for one model: what the user declares, else what a probe found lately, else the vendor's; never more
    /// than a request to this server can carry.
    #[must_use]
    pub fn record(&self, model: &str) -> Capability {
        let base = match self.facts.vendor {
            Some(vendor) if self.capability.evidence == Evidence::Official => {
                Capability::official(vendor, self.dialect, model)
            }
            _ => self.capability.clone(),
        };
        let told = match (self.facts.probes.get(model), self.facts.today) {
            (Some(findings), Some(today)) if !self.facts.declared_native => base.probed(findings, today),
            _ => base,
        };
        self.within_bounds(&told)
    }

    /// The record, less what the server cannot do. Where that takes something away, what remains is known from the
    /// vendor's documentation.
    fn within_bounds(&self, told: &Capability) -> Capability {
        let bounds = dialect::bounds(self.dialect, &self.target());
        let held = Capability {
            native: if bounds.schema { told.native } else { Native::Unsupported },
            native_model_opt_in: told.native_model_opt_in && bounds.schema,
            with_tools: told.with_tools && bounds.schema_with_tools,
            strict_tool: told.strict_tool && bounds.strict_tools,
            ..told.clone()
        };
        let lost = (told.native == Native::Supported && !bounds.schema)
            || told.with_tools != held.with_tools
            || told.strict_tool != held.strict_tool;
        if lost { Capability { evidence: Evidence::Official, since: Some(FACTS), ..held } } else { held }
    }

    /// What the user's declaration says and the server cannot do, in a sentence.
    pub(super) fn overruled(&self) -> Option<String> {
        let (told, held) = (&self.capability, self.within_bounds(&self.capability));
        let lost = [
            (told.native == Native::Supported && told.native != held.native, "native"),
            (told.strict_tool != held.strict_tool, "strict_tool"),
            (told.with_tools != held.with_tools, "with_tools"),
        ];
        let lost: Vec<&str> = lost.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
        (told.evidence == Evidence::Declared && !lost.is_empty()).then(|| {
            let (name, lost) = (&self.provider, lost.join(" and "));
            format!("providers.{name}: the server does not do what structured_output declares as {lost} ({FACTS}); it is passed over")
        })
    }

    /// What the model's own flag says. A probe that saw the schema enforced knows better than any list.
    #[must_use]
    pub fn flag(&self, model: &str) -> ModelFlag {
        let listed = self.listed_flag(model);
        let probed = || {
            let record = self.record(model);
            record.evidence == Evidence::Probed && record.native == Native::Supported
        };
        if listed == ModelFlag::No && probed() { ModelFlag::Yes } else { listed }
    }

    /// From the config's or the table's list, the vendor's documentation, the catalogue; the first that knows.
    fn listed_flag(&self, model: &str) -> ModelFlag {
        let own = self.models.get(model).copied().unwrap_or_default();
        if own != ModelFlag::Absent {
            return own;
        }
        if self.is_ollama_cloud(model) {
            return ModelFlag::No;
        }
        let Some(vendor) = self.facts.vendor else { return ModelFlag::Absent };
        match vendor.flag(model) {
            ModelFlag::Absent if vendor.heeds_catalogue() => {
                self.details(model).map(|m| m.structured_output).unwrap_or_default()
            }
            flag => flag,
        }
    }

    /// Models that a local Ollama only passes on: the service behind does not heed schemas.
    fn is_ollama_cloud(&self, model: &str) -> bool {
        self.dialect == Dialect::Ollama && (model.ends_with("-cloud") || model.ends_with(":cloud"))
    }

    /// What the catalogue knows of the model; only at the vendor's own address.
    #[must_use]
    pub fn details(&self, model: &str) -> Option<&Model> {
        let listed_as = self.facts.listed_as.filter(|_| self.facts.vendor.is_some())?;
        self.facts.listing.get().find(listed_as, model)
    }

    /// The day of an earlier probe of this model, and its verdict of the schema parameter, also when it counts no more.
    #[must_use]
    pub fn last_probe(&self, model: &str) -> Option<(Day, Verdict)> {
        let found = self.facts.probes.get(model)?.get(&Feature::Schema)?;
        Some((found.date, found.verdict))
    }

    /// The variable that must be set before a call can be made.
    #[must_use]
    pub fn missing(&self) -> Option<&str> {
        if self.base_url.is_empty() && self.dialect.is_wire() {
            return Some(self.facts.address_env.unwrap_or("base_url"));
        }
        let keyless = self.needs_key && self.api_key.is_none();
        keyless.then(|| self.api_key_env.as_deref().unwrap_or("api_key_env"))
    }

    /// Can a call be made now?
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.missing().is_none()
    }
}

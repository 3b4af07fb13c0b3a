//! Which endpoints and models there are: built in, official, and from the config; with their capability and flags.
//!
//! Asks no server. An endpoint keeps its verified record only at the vendor's own address; anything else is unknown
//! until the user declares it or a probe proves it.

mod address;
mod facts;
pub mod known;
pub mod listing;
#[cfg(feature = "local")]
mod local;
pub mod probes;
mod rows;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use secrecy::SecretString;

pub use self::address::ollama_address;
pub use self::facts::Facts;
use self::known::{KNOWN, Known, known};
use self::listing::Listing;
use self::probes::Probe;
pub use self::rows::{ModelRow, Wanted};
use crate::capability::{Capability, Day, Declaration, Dialect, ModelFlag, ProfileId, Vendor};
use crate::config::nearest::by_nearness;
use crate::config::{AwsAccount, Config, Declared, Provider};
use crate::dialect::Target;
use crate::sim;

/// One endpoint, ready to call.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The provider's name: the part of `PROVIDER/MODEL` before the first `/`.
    pub provider: String,
    pub dialect: Dialect,
    pub base_url: String,
    pub api_key: Option<SecretString>,
    /// The environment variable the key comes from, to name it in errors.
    pub api_key_env: Option<String>,
    /// A call without a key is pointless there.
    pub needs_key: bool,
    /// The own endpoint of the vendor who defined the dialect.
    pub official: bool,
    /// Whose requests they are, where requests are signed.
    pub aws: AwsAccount,
    /// The record for a model of which nothing else is known; [`Endpoint::record`] knows more.
    pub capability: Capability,
    /// Known models of the endpoint with their flags; others are allowed too.
    pub models: BTreeMap<String, ModelFlag>,
    /// The files of the models that run inside the program, by model; empty at every other endpoint.
    pub weights: BTreeMap<String, PathBuf>,
    /// Where the records come from.
    pub facts: Facts,
}

/// All endpoints, by provider name.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    pub endpoints: BTreeMap<String, Arc<Endpoint>>,
    /// The catalogue of models, shared by all endpoints.
    pub listing: Arc<Listing>,
    /// What could not be used, in whole sentences.
    pub notes: Vec<String>,
}

/// The day it is.
#[must_use]
pub fn today() -> Day {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Day::of_unix(since_epoch.as_secs())
}

/// Why a model name leads nowhere. Known names stand nearest first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    #[error("{0:?} is no model name: write PROVIDER/MODEL, for example sim/repair")]
    NotAName(String),
    #[error("there is no provider {name:?}: known are {}", known.join(", "))]
    UnknownProvider { name: String, known: Vec<String> },
    #[error("{provider:?} has no model {model:?}: it has {}", known.join(", "))]
    UnknownModel { provider: String, model: String, known: Vec<String> },
    #[error("the weights of {model:?} are not on this machine{}", here(installed))]
    NoWeights { model: String, installed: Vec<String>, next: String },
    #[error("this program was built without the local model: the cargo feature `local` is off")]
    NotBuilt,
}

impl CatalogError {
    /// What to do next.
    #[must_use]
    pub fn next(&self) -> &str {
        match self {
            Self::NoWeights { next, .. } => next,
            Self::NotAName(_) | Self::UnknownProvider { .. } | Self::UnknownModel { .. } | Self::NotBuilt => {
                "see what there is with: formwork models"
            }
        }
    }
}

fn here(installed: &[String]) -> String {
    if installed.is_empty() { String::new() } else { format!(": here are {}", installed.join(", ")) }
}

impl Catalog {
    /// Builds the catalogue from the config, and from what probes left in its data folder.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self::on(config, today())
    }

    /// As [`Catalog::new`], on a given day.
    #[must_use]
    pub fn on(config: &Config, today: Day) -> Self {
        let mut notes = Vec::new();
        let data_dir = &config.paths.data_dir;
        let probes = if data_dir.as_os_str().is_empty() { Ok(Vec::new()) } else { probes::load(data_dir) };
        let probes = probes.unwrap_or_else(|error| {
            notes.push(format!("what probes found is passed over: {error}"));
            Vec::new()
        });
        let shared = Shared { config, probes, listing: Arc::new(Listing::new(data_dir)), today };
        let mut endpoints = BTreeMap::from([(sim::PROVIDER.to_owned(), Arc::new(built_in()))]);
        #[cfg(feature = "local")]
        {
            let local = Arc::new(local::endpoint(&config.paths.data_dir));
            endpoints.insert(local.provider.clone(), local);
        }
        for entry in KNOWN {
            let own = config.providers.get(entry.name).cloned().unwrap_or_default();
            endpoints.insert(entry.name.to_owned(), Arc::new(endpoint(&shared, entry.name, Some(entry), &own)));
        }
        for (name, own) in &config.providers {
            if known(name).is_none() && !is_built_in(name) {
                endpoints.insert(name.clone(), Arc::new(endpoint(&shared, name, None, own)));
            }
        }
        notes.extend(endpoints.values().filter_map(|endpoint| endpoint.overruled()));
        Self { endpoints, listing: shared.listing, notes }
    }

    /// Finds `PROVIDER/MODEL`; the model part may hold further slashes.
    ///
    /// # Errors
    /// [`CatalogError`], naming what there is.
    pub fn find(&self, name: &str) -> Result<(Arc<Endpoint>, String), CatalogError> {
        let (provider, model) = name
            .split_once('/')
            .filter(|(provider, model)| !provider.is_empty() && !model.is_empty())
            .ok_or_else(|| CatalogError::NotAName(name.to_owned()))?;
        let endpoint = self.endpoints.get(provider).or_else(|| self.endpoints.get(known::canonical(provider)));
        let endpoint = endpoint.ok_or_else(|| {
            if is_built_in(provider) {
                return CatalogError::NotBuilt;
            }
            let known = owned(by_nearness(provider, self.endpoints.keys().map(String::as_str)));
            CatalogError::UnknownProvider { name: provider.to_owned(), known }
        })?;
        #[cfg(feature = "local")]
        if endpoint.dialect == Dialect::Local {
            local::check(endpoint, model)?;
        }
        // Real servers get new models every week; the built-in one never does.
        let closed = endpoint.dialect == Dialect::Sim;
        if closed && !endpoint.models.contains_key(model) && sim::script_path(model).is_none() {
            return Err(CatalogError::UnknownModel {
                provider: provider.to_owned(),
                model: model.to_owned(),
                known: owned(by_nearness(model, endpoint.models.keys().map(String::as_str))),
            });
        }
        Ok((Arc::clone(endpoint), model.to_owned()))
    }
}

/// The model that runs inside the program. Built without it, there is nothing to find, add or prefer.
impl Catalog {
    /// Puts a file of weights into the endpoint `local`; the name to ask for it comes back.
    pub fn add_weights(&mut self, path: PathBuf) -> String {
        let provider = Dialect::Local.name();
        let stem = path.file_stem().map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned());
        if let Some(endpoint) = self.endpoints.get_mut(provider) {
            let endpoint = Arc::make_mut(endpoint);
            endpoint.models.insert(stem.clone(), ModelFlag::Yes);
            endpoint.weights.insert(stem.clone(), path);
        }
        format!("{provider}/{stem}")
    }

    /// Looks again what is in the store: a model was pulled or removed. Files that were added are forgotten.
    #[cfg(feature = "local")]
    pub fn refresh_weights(&mut self, data_dir: &std::path::Path) {
        self.endpoints.insert(Dialect::Local.name().to_owned(), Arc::new(local::endpoint(data_dir)));
    }

    /// The models whose answers are not to be relied on, under whatever name the file was put here.
    #[must_use]
    pub fn demos(&self) -> Vec<String> {
        let provider = Dialect::Local.name();
        let weights = self.endpoints.get(provider).map(|endpoint| &endpoint.weights);
        let demos = weights.into_iter().flatten().filter(|(name, path)| is_demo(name) || is_demo_file(path));
        demos.map(|(name, _)| format!("{provider}/{name}")).collect()
    }

    /// The model that answers when nobody has chosen one: weights are there, and no key is. The demo model comes last.
    #[must_use]
    pub fn local_default(&self) -> Option<String> {
        if self.endpoints.values().any(|endpoint| endpoint.api_key.is_some()) {
            return None;
        }
        let weights = &self.endpoints.get(Dialect::Local.name())?.weights;
        let name = weights.keys().find(|name| !is_demo(name)).or_else(|| weights.keys().next())?;
        Some(format!("{}/{name}", Dialect::Local.name()))
    }
}

#[cfg(feature = "local")]
fn is_demo(model: &str) -> bool {
    model == crate::local::weights::known::DEMO
}

#[cfg(not(feature = "local"))]
fn is_demo(_: &str) -> bool {
    false
}

/// The size to the byte tells the file well enough for a mark on the screen; its hash would cost a second.
#[cfg(feature = "local")]
fn is_demo_file(path: &std::path::Path) -> bool {
    use crate::local::weights::known::{DEMO, known};
    let bytes = fs_err::metadata(path).ok().map(|about| about.len());
    bytes.is_some() && bytes == known(DEMO).map(|known| known.bytes)
}

#[cfg(not(feature = "local"))]
fn is_demo_file(_: &std::path::Path) -> bool {
    false
}

impl Endpoint {
    /// A server on this machine that needs no key.
    #[must_use]
    pub fn is_local(&self) -> bool {
        known(&self.provider).is_some_and(|k| k.local)
    }

    /// Where the endpoint is, as far as a dialect must know.
    #[must_use]
    pub fn target(&self) -> Target {
        Target { base_url: self.base_url.clone(), provider: self.provider.clone(), official: self.official }
    }

    /// The endpoint's host and port: what may be shown of an address anywhere.
    #[must_use]
    pub fn host(&self) -> String {
        let Ok(url) = url::Url::parse(&self.base_url) else { return String::new() };
        let host = url.host_str().unwrap_or_default();
        url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// The built-in scripted provider.
fn built_in() -> Endpoint {
    Endpoint {
        provider: sim::PROVIDER.to_owned(),
        dialect: Dialect::Sim,
        base_url: String::new(),
        api_key: None,
        api_key_env: None,
        needs_key: false,
        official: false,
        aws: AwsAccount::default(),
        capability: Capability::sim(),
        models: sim::MODELS.iter().map(|m| (m.name.to_owned(), ModelFlag::Yes)).collect(),
        weights: BTreeMap::new(),
        facts: Facts::default(),
    }
}

/// Names of providers that are built in: no configuration can set them.
#[must_use]
pub fn is_built_in(provider: &str) -> bool {
    [Dialect::Sim, Dialect::Local].iter().any(|dialect| dialect.name() == provider)
}

/// What all endpoints are made from.
struct Shared<'a> {
    config: &'a Config,
    probes: Vec<Probe>,
    listing: Arc<Listing>,
    today: Day,
}

/// An endpoint from the table, the config and the environment, the later winning.
fn endpoint(shared: &Shared<'_>, name: &str, entry: Option<&Known>, own: &Provider) -> Endpoint {
    let config = shared.config;
    let base_url = address::base_url(config, entry, own);
    let dialect = address::dialect(entry, own, &base_url);
    let vendor = address::vendor(&base_url, dialect);
    let (api_key_env, api_key) = key(config, entry, own);
    // A vendor's key variable that is simply not set must not stop a compatible server at another address.
    let at_vendor = vendor.is_some() || entry.is_some_and(|k| address::same_address(k.base_url, &base_url));
    let asks_for_key = own.api_key_env.is_some() || (at_vendor && api_key_env.is_some());
    let needs_key = asks_for_key && !(dialect == Dialect::Bedrock && has_aws_keys(config));
    let listed = entry.map_or(&[][..], |k| k.models).iter().map(|(id, flag)| ((*id).to_owned(), *flag));
    let models = if vendor.is_some() { listed.collect() } else { BTreeMap::new() };
    let profile = vendor.map(Vendor::profile).or(entry.map(|k| k.profile)).unwrap_or_default();
    let mut endpoint = Endpoint {
        provider: name.to_owned(),
        dialect,
        official: vendor.is_some_and(|vendor| defines(vendor, dialect)),
        capability: capability(vendor, dialect, profile, own.structured_output.as_ref()),
        facts: Facts {
            vendor,
            listed_as: entry.and_then(|k| k.listed_as),
            listing: Arc::clone(&shared.listing),
            probes: probes::at(&shared.probes, &base_url, dialect),
            declared_native: own.structured_output.as_ref().is_some_and(|declared| declared.native.is_some()),
            address_env: entry.and_then(address::address_variable),
            today: Some(shared.today),
        },
        base_url,
        api_key,
        api_key_env,
        needs_key,
        aws: config.aws.clone(),
        models,
        weights: BTreeMap::new(),
    };
    for model in &own.models {
        endpoint.models.entry(model.clone()).or_default();
    }
    endpoint
}

/// The key and its variable: the config's, else the first of the vendor's usual ones that is set.
fn key(config: &Config, entry: Option<&Known>, own: &Provider) -> (Option<String>, Option<SecretString>) {
    // Blanks are no key: they would be sent as an empty one.
    let value = |var: &str| config.env.get(var).filter(|key| !key.trim().is_empty()).map(SecretString::from);
    let usual = entry.map_or(&[][..], |k| k.keys);
    let variable = own.api_key_env.clone().or_else(|| {
        let set = usual.iter().find(|var| value(var).is_some());
        set.or(usual.first()).map(|var| (*var).to_owned())
    });
    let key = variable.as_deref().and_then(value);
    (variable, key)
}

/// Requests can be signed with the account's own keys.
fn has_aws_keys(config: &Config) -> bool {
    let in_env = || ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].iter().all(|var| config.env.get(var).is_some());
    config.aws.keys.is_some() || in_env()
}

/// Is the dialect the vendor's own? Others only speak it too, each with its deviations.
fn defines(vendor: Vendor, dialect: Dialect) -> bool {
    match vendor {
        Vendor::Openai | Vendor::Azure | Vendor::Anthropic | Vendor::Google | Vendor::Bedrock => dialect.is_wire(),
        Vendor::Openrouter | Vendor::Groq | Vendor::Mistral | Vendor::Deepseek | Vendor::DeepseekBeta | Vendor::Xai => {
            false
        }
    }
}

/// The record: the user's own declaration, else the vendor's verified one, else nobody knows.
fn capability(vendor: Option<Vendor>, dialect: Dialect, profile: ProfileId, declared: Option<&Declared>) -> Capability {
    match (declared, vendor) {
        (Some(own), _) => Capability::declared(
            dialect,
            Declaration {
                native: own.native,
                strict_tool: Some(own.strict_tool),
                with_tools: Some(own.with_tools),
                schema_profile: own.schema_profile.or(Some(profile)),
            },
        ),
        (None, Some(vendor)) => Capability::official(vendor, dialect, ""),
        (None, None) => Capability { schema_profile: profile, ..Capability::undeclared(dialect) },
    }
}

#[cfg(test)]
mod tests;

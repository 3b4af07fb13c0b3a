//! Which endpoints and models there are: built in, official, and from the config; with their capability and flags.
//!
//! Asks no server. An endpoint keeps its verified record only at the vendor's own address; anything else is unknown
//! until the user declares it.

pub mod known;
#[cfg(feature = "local")]
mod local;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;

use self::known::{KNOWN, Known, known};
use crate::capability::{Capability, Declaration, Dialect, Evidence, ModelFlag, Native, is_official_openai};
use crate::config::nearest::by_nearness;
use crate::config::{AwsAccount, Config, Declared, Provider};
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
    pub official: bool,
    /// Whose requests they are, where requests are signed.
    pub aws: AwsAccount,
    pub capability: Capability,
    /// Known models of the endpoint with their flags; others are allowed too.
    pub models: BTreeMap<String, ModelFlag>,
    /// The files of the models that run inside the program, by model; empty at every other endpoint.
    pub weights: BTreeMap<String, PathBuf>,
}

/// All endpoints, by provider name.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    pub endpoints: BTreeMap<String, Arc<Endpoint>>,
}

/// One line of `formwork models` and of the model picker.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
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
    /// Builds the catalogue from the config.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let mut endpoints = BTreeMap::from([(sim::PROVIDER.to_owned(), Arc::new(built_in()))]);
        #[cfg(feature = "local")]
        {
            let local = Arc::new(local::endpoint(&config.paths.data_dir));
            endpoints.insert(local.provider.clone(), local);
        }
        for entry in KNOWN {
            let own = config.providers.get(entry.name).cloned().unwrap_or_default();
            endpoints.insert(entry.name.to_owned(), Arc::new(endpoint(config, entry.name, Some(entry), &own)));
        }
        for (name, own) in &config.providers {
            if known(name).is_none() && !is_built_in(name) {
                endpoints.insert(name.clone(), Arc::new(endpoint(config, name, None, own)));
            }
        }
        Self { endpoints }
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
        let endpoint = endpoint.ok_or_else(|| match is_built_in(provider) {
            true => CatalogError::NotBuilt,
            false => CatalogError::UnknownProvider {
                name: provider.to_owned(),
                known: owned(by_nearness(provider, self.endpoints.keys().map(String::as_str))),
            },
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

    /// All known models, ready ones first.
    #[must_use]
    pub fn rows(&self) -> Vec<ModelRow> {
        let mut rows: Vec<ModelRow> = self.endpoints.values().flat_map(|e| endpoint_rows(e)).collect();
        rows.sort_by(|a, b| (!a.ready, a.simulated, &a.name).cmp(&(!b.ready, b.simulated, &b.name)));
        rows
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

impl Endpoint {
    /// What the model's own flag says; a model that is not listed has none.
    #[must_use]
    pub fn flag(&self, model: &str) -> ModelFlag {
        self.models.get(model).copied().unwrap_or_default()
    }

    /// Can a call be made now?
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.needs_key || self.api_key.is_some()
    }

    /// A server on this machine that needs no key.
    #[must_use]
    pub fn is_local(&self) -> bool {
        known(&self.provider).is_some_and(|k| k.local)
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
    }
}

/// Names of providers that are built in: no configuration can set them.
#[must_use]
pub fn is_built_in(provider: &str) -> bool {
    [Dialect::Sim, Dialect::Local].iter().any(|dialect| dialect.name() == provider)
}

/// An endpoint from the table, the config and the environment, the later winning.
fn endpoint(config: &Config, name: &str, entry: Option<&Known>, own: &Provider) -> Endpoint {
    let base_url = base_url(config, entry, own);
    let official = entry.is_some_and(|k| k.official) && is_official_openai(&base_url);
    let api_key_env = own.api_key_env.clone().or_else(|| entry.and_then(|k| k.key).map(str::to_owned));
    let api_key = api_key_env.as_deref().and_then(|var| config.env.get(var));
    // Blanks are no key: they would be sent as an empty one.
    let api_key = api_key.filter(|key| !key.trim().is_empty()).map(SecretString::from);
    // A vendor's key variable that is simply not set must not stop a compatible server at another address.
    let at_vendor = entry.is_some_and(|k| same_address(k.base_url, &base_url));
    let needs_key = own.api_key_env.is_some() || (at_vendor && api_key_env.is_some());
    let listed = entry.map_or(&[][..], |k| k.models).iter().map(|(id, flag)| ((*id).to_owned(), *flag));
    let models = if official { listed.collect() } else { BTreeMap::new() };
    let mut endpoint = Endpoint {
        provider: name.to_owned(),
        dialect: Dialect::OpenaiChat,
        base_url,
        api_key,
        api_key_env,
        needs_key,
        official,
        aws: config.aws.clone(),
        capability: capability(official, own.structured_output.as_ref()),
        models,
        weights: BTreeMap::new(),
    };
    for model in &own.models {
        endpoint.models.entry(model.clone()).or_default();
    }
    endpoint
}

/// The config's address, else the vendor's usual variable, else the table's. Without a trailing slash.
fn base_url(config: &Config, entry: Option<&Known>, own: &Provider) -> String {
    let from_env = entry.and_then(|k| k.base_url_var).and_then(|var| {
        let value = config.env.get(var)?;
        Some(if var == "OLLAMA_HOST" { ollama_address(value) } else { value.to_owned() })
    });
    let url = own.base_url.clone().or(from_env).or_else(|| entry.map(|k| k.base_url.to_owned()));
    url.unwrap_or_default().trim().trim_end_matches('/').to_owned()
}

/// `OLLAMA_HOST` is `host`, `host:port` or a URL, and may be the address to listen on.
#[must_use]
pub fn ollama_address(value: &str) -> String {
    let value = value.trim().trim_end_matches('/');
    let with_scheme = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let Ok(mut url) = url::Url::parse(&with_scheme) else { return with_scheme };
    if url.host_str() == Some("0.0.0.0") {
        let _ = url.set_host(Some("127.0.0.1"));
    }
    if url.port().is_none() && !value.contains("://") {
        let _ = url.set_port(Some(11_434));
    }
    if matches!(url.path(), "" | "/") {
        url.set_path("/v1");
    }
    url.to_string()
}

/// The same endpoint? Letter case of scheme and host, the default port and a trailing slash do not matter.
fn same_address(a: &str, b: &str) -> bool {
    let parts = |text: &str| {
        let url = url::Url::parse(text.trim()).ok()?;
        let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        let path = url.path().trim_end_matches('/').to_ascii_lowercase();
        bare.then(|| (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default(), path))
    };
    parts(a).is_some_and(|a| Some(a) == parts(b))
}

/// The record: the user's own declaration, else the vendor's verified one, else nobody knows.
fn capability(official: bool, declared: Option<&Declared>) -> Capability {
    match declared {
        Some(own) => Capability::declared(
            Dialect::OpenaiChat,
            Declaration {
                native: own.native,
                strict_tool: Some(own.strict_tool),
                with_tools: Some(own.with_tools),
                schema_profile: own.schema_profile,
            },
        ),
        None if official => Capability::official_openai(),
        None => Capability::undeclared(Dialect::OpenaiChat),
    }
}

fn endpoint_rows(endpoint: &Endpoint) -> Vec<ModelRow> {
    #[cfg(feature = "local")]
    if endpoint.dialect == Dialect::Local {
        return local::rows(endpoint);
    }
    let row = |(model, flag): (&String, &ModelFlag)| {
        let (route, mut reason) = route(endpoint, *flag);
        if let Some(variable) = endpoint.api_key_env.as_deref().filter(|_| !endpoint.is_ready()) {
            reason = format!("set {variable}; {reason}");
        }
        ModelRow {
            name: format!("{}/{model}", endpoint.provider),
            route: route.to_owned(),
            reason,
            ready: endpoint.is_ready(),
            simulated: endpoint.dialect == Dialect::Sim,
        }
    };
    endpoint.models.iter().map(row).collect()
}

/// The route a plain closed object schema would take, and why.
fn route(endpoint: &Endpoint, flag: ModelFlag) -> (&'static str, String) {
    let record = &endpoint.capability;
    let who = match record.evidence {
        Evidence::Official => "by the vendor's documentation",
        Evidence::Declared => "as the config declares",
        Evidence::BuiltIn => "built in",
        Evidence::Nobody => "nobody vouches for it",
    };
    let opted_in = record.native_model_opt_in && flag == ModelFlag::Yes;
    let native = record.native == Native::Supported || opted_in;
    if native && record.streaming && flag != ModelFlag::No {
        return ("native", format!("schema parameter, {who}"));
    }
    if record.strict_tool {
        let why = if flag == ModelFlag::No { "this model has no schema parameter; " } else { "" };
        return ("tool", format!("{why}strict tool, {who}"));
    }
    match record.native {
        Native::Unknown => ("unknown", "declare structured_output in the config, or use fallback prompt".to_owned()),
        Native::Supported | Native::Unsupported => ("prompt", format!("no schema parameter, no strict tool, {who}")),
    }
}

#[cfg(test)]
mod tests;

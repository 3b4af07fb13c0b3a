//! Which endpoints and models there are: built in, official, and from the config; with their capability and flags.

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::SecretString;

use crate::capability::{Capability, Dialect, ModelFlag};
use crate::config::Config;

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
    pub capability: Capability,
    /// Known models of the endpoint with their flags; others are allowed too.
    pub models: BTreeMap<String, ModelFlag>,
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

/// Why a model name leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    #[error("{0:?} is no model name: write PROVIDER/MODEL, for example sim/repair")]
    NotAName(String),
    #[error("there is no provider {name:?}: known are {}", known.join(", "))]
    UnknownProvider { name: String, known: Vec<String> },
    #[error("{provider:?} has no model {model:?}: it has {}", known.join(", "))]
    UnknownModel { provider: String, model: String, known: Vec<String> },
}

impl Catalog {
    /// Builds the catalogue from the config.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let _ = config;
        todo!()
    }

    /// Finds `PROVIDER/MODEL`; the model part may hold further slashes.
    ///
    /// # Errors
    /// [`CatalogError`], naming what there is.
    pub fn find(&self, name: &str) -> Result<(Arc<Endpoint>, String), CatalogError> {
        let _ = name;
        todo!()
    }

    /// All known models, ready ones first.
    #[must_use]
    pub fn rows(&self) -> Vec<ModelRow> {
        todo!()
    }
}

//! The endpoint `local`: models whose weights are on this machine, and the demo model that can be pulled.

use std::path::Path;

use super::{CatalogError, Endpoint, Facts, ModelRow, owned};
use crate::capability::{Capability, Dialect, ModelFlag};
use crate::config::AwsAccount;
use crate::config::nearest::by_nearness;
use crate::local::PROVIDER;
use crate::local::weights::known::{DEMO, known};
use crate::local::weights::{self, Store};

/// The endpoint with what is in the store: names and sizes, no file is opened.
pub(super) fn endpoint(data_dir: &Path) -> Endpoint {
    // No data folder is known: nothing is read from the folder the user stands in.
    let known_place = !data_dir.as_os_str().is_empty();
    let installed = if known_place { Store::new(data_dir).installed() } else { Vec::new() };
    let weights = installed.into_iter().map(|model| (model.name, model.path)).collect();
    let mut endpoint = Endpoint {
        provider: PROVIDER.to_owned(),
        dialect: Dialect::Local,
        base_url: String::new(),
        api_key: None,
        api_key_env: None,
        needs_key: false,
        official: false,
        capability: Capability::local(),
        models: [(DEMO.to_owned(), ModelFlag::Yes)].into(),
        weights,
        aws: AwsAccount::default(),
        facts: Facts::default(),
    };
    let names: Vec<String> = endpoint.weights.keys().cloned().collect();
    endpoint.models.extend(names.into_iter().map(|name| (name, ModelFlag::Yes)));
    endpoint
}

/// Is the model there? What is not says how to get it.
pub(super) fn check(endpoint: &Endpoint, model: &str) -> Result<(), CatalogError> {
    if endpoint.weights.contains_key(model) {
        return Ok(());
    }
    let installed = owned(by_nearness(model, endpoint.weights.keys().map(String::as_str)));
    let next = match known(model) {
        Some(known) => format!("formwork model pull {}", known.name),
        None => "formwork model pull takes the demo model, formwork model list shows more".to_owned(),
    };
    Err(CatalogError::NoWeights { model: model.to_owned(), installed, next })
}

/// The lines of the list.
pub(super) fn rows(endpoint: &Endpoint) -> Vec<ModelRow> {
    let row = |model: &String| {
        let path = endpoint.weights.get(model);
        let note = match path.and_then(|path| fs_err::metadata(path).ok()) {
            Some(about) => weights::note(model, about.len()),
            None => known(model).map_or_else(String::new, |known| weights::note(model, known.bytes)),
        };
        let reason = match path {
            Some(_) => format!("held to the schema token by token, built in; {note}"),
            None => format!("not pulled yet: formwork model pull; {note}"),
        };
        ModelRow {
            name: format!("{PROVIDER}/{model}"),
            route: "native".to_owned(),
            reason,
            ready: path.is_some(),
            structured_output: ModelFlag::Yes,
            ..ModelRow::default()
        }
    };
    endpoint.models.keys().map(row).collect()
}

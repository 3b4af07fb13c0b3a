//! Downloads a model away from the loop; what it tells comes as replies.

use std::path::Path;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::config::Config;
use crate::local::weights::known::{KNOWN, Known};
use crate::local::weights::pull::{Progress, Request, pull};
use crate::local::weights::{self, Store};
use crate::tui::effect::Reply;
use crate::tui::state::pull::{Offer, Phase};

/// What can be pulled, the smallest first.
pub(in crate::tui) fn offers(data_dir: &Path) -> Vec<Offer> {
    let here = Store::new(data_dir).installed();
    let offer = |known: &Known| Offer {
        name: known.name.to_owned(),
        bytes: known.bytes,
        licence: known.licence.to_owned(),
        note: known.note.to_owned(),
        installed: here.iter().any(|model| model.name == known.name),
    };
    KNOWN.iter().map(offer).collect()
}

/// Pulls a model, telling how far it is, until it ends or is cancelled.
pub(super) async fn run(config: &Config, name: String, replies: &UnboundedSender<Reply>, cancel: CancellationToken) {
    let store = Store::new(&config.paths.data_dir);
    let request = Request { what: Some(name.clone()), sha256: None };
    let (sender, mut seen) = watch::channel(Progress::default());
    let hub = config.hub();
    let work = pull(&store, &hub, &request, sender, cancel);
    tokio::pin!(work);
    let outcome = loop {
        tokio::select! {
            outcome = &mut work => break outcome,
            Ok(()) = seen.changed() => {
                let _ = replies.send(told(&seen.borrow_and_update()));
            }
        }
    };
    let outcome = match outcome {
        Ok(_) => {
            let config = config.clone();
            // Reads the data folder.
            let made = tokio::task::spawn_blocking(move || Box::new(Catalog::new(&config))).await;
            made.map_err(|_| "the model is here; start again to see it".to_owned())
        }
        Err(error) => Err(format!("{error}; {}", error.next())),
    };
    let _ = replies.send(Reply::Pulled { name, outcome });
}

fn told(progress: &Progress) -> Reply {
    let (phase, done, total) = match progress.phase {
        weights::pull::Phase::Bytes { done, total } => (Phase::Loading, done, total),
        weights::pull::Phase::Unpacking { done, total } => (Phase::Checking, done, Some(total)),
        weights::pull::Phase::Waiting { .. } => (Phase::Waiting, 0, None),
        weights::pull::Phase::Pausing { .. } => (Phase::Pausing, 0, None),
        weights::pull::Phase::Asking | weights::pull::Phase::Pip { .. } => (Phase::Starting, 0, None),
    };
    Reply::Pulling { phase, done, total }
}

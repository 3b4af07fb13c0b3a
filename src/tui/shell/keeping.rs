//! The store of the terminal program: its writer, and what a run is given of it.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::files::full;
use super::{Places, Shell};
use crate::runtime::RunSpec;
use crate::store::keeper::Keeper;
use crate::store::real_name;
use crate::tui::effect::Reply;

/// How long the end of the program waits for what is being written.
const PATIENCE: Duration = Duration::from_millis(500);

/// Starts the writer, unless nothing is to be kept; what goes wrong is told once.
pub(super) fn start(replies: &UnboundedSender<Reply>, places: &Places) -> Option<Keeper> {
    if places.config.keep_nothing {
        return None;
    }
    let teller = replies.clone();
    let tell = move |what| drop(teller.send(Reply::Told(what)));
    match Keeper::start(&places.data_dir, real_name(&places.folder), tell) {
        Ok(keeper) => Some(keeper),
        Err(error) => {
            let _ = replies.send(Reply::Told(format!("nothing is kept: {error}")));
            None
        }
    }
}

impl Shell {
    /// Lets a run leave what it brings.
    pub fn keep(&self, spec: &mut RunSpec) {
        spec.keeper.clone_from(&self.keeper);
        if let Some(source) = spec.written.as_mut().and_then(|written| written.source.as_mut()) {
            *source = full(&self.places.folder, source);
        }
    }

    /// What is being kept is written.
    pub fn finish(&self) {
        if let Some(keeper) = &self.keeper {
            // What takes longer is left: the terminal is the user's again.
            let _ = keeper.close(PATIENCE);
        }
    }
}

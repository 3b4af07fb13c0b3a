//! Keeping of one-shot runs: begins it unless it is turned off, waits for it at the end, says once what went wrong.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::output;
use crate::config::Config;
use crate::runtime::RunSpec;
use crate::store::keeper::Keeper;
use crate::store::real_name;

/// How long the end of a run waits for what is being written.
const PATIENCE: Duration = Duration::from_secs(2);
/// After a signal the program ends.
const HASTE: Duration = Duration::from_millis(10);

/// The keeping of one run.
pub(super) struct Keeping {
    keeper: Keeper,
    told: Arc<Mutex<Vec<String>>>,
}

/// How much time there is at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Usual,
    Signalled,
}

impl Keeping {
    /// Begins to keep what runs in the current folder bring. Without a thread nothing is kept, and that is said.
    pub(super) fn start(config: &Config) -> Option<Self> {
        let told = Arc::new(Mutex::new(Vec::new()));
        let folder = std::env::current_dir().unwrap_or_default();
        let heard = Arc::clone(&told);
        let tell = move |what| heard.lock().unwrap_or_else(PoisonError::into_inner).push(what);
        match Keeper::start(&config.paths.data_dir, real_name(&folder), tell) {
            Ok(keeper) => Some(Self { keeper, told }),
            Err(error) => {
                output::say(&format!("note: nothing of this run is kept: {error}\n"));
                None
            }
        }
    }

    /// Lets a run leave what it brings.
    pub(super) fn attach(&self, spec: &mut RunSpec) {
        spec.keeper = Some(self.keeper.clone());
    }

    /// The run is over: what it brought is written, and what could not be is said.
    pub(super) fn finish(self, end: End) {
        let patience = match end {
            End::Usual => PATIENCE,
            End::Signalled => HASTE,
        };
        let written = self.keeper.close(patience);
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        for what in &told {
            output::say(&format!("note: {what}\n"));
        }
        if !written && told.is_empty() && end == End::Usual {
            output::say("note: the store is busy: this run may not be kept\n");
        }
    }
}

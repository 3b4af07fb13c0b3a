//! Executes ordinary tools beside the loop: several at once, each under a time limit. What fails, is slow or says too
//! much becomes a tool result; the run goes on.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{RunSpec, Tools};
use crate::capability::Dialect;
use crate::dialect::{ToolCall, ToolSpec};
use crate::machine::Input;
use crate::sim;
use crate::tool::{Toolbox, bounded};

/// A tool that reads files has long ended by then, unless the disk hangs.
const LIMIT: Duration = Duration::from_secs(30);
/// Tools that run at one time: a model may ask for hundreds in one message.
const AT_ONCE: usize = 4;

/// The tools that are offered to this run's model.
pub(super) fn offered(spec: &RunSpec) -> Vec<ToolSpec> {
    match spec.tools {
        Tools::Withheld => Vec::new(),
        Tools::Offered => {
            let own = if spec.endpoint.dialect == Dialect::Sim { sim::tools(&spec.model_id) } else { Vec::new() };
            own.into_iter().chain(spec.toolbox.specs()).collect()
        }
    }
}

/// The tools at work. Dropping it lets them go: nobody waits for a result then.
pub(super) struct Working {
    tasks: JoinSet<Input>,
    places: Arc<Semaphore>,
    stop: CancellationToken,
    _guard: DropGuard,
}

impl Working {
    pub(super) fn new() -> Self {
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        Self { tasks: JoinSet::new(), places: Arc::new(Semaphore::new(AT_ONCE)), stop, _guard: guard }
    }

    /// Starts a call. A tool that was not offered is not executed.
    pub(super) fn start(&mut self, spec: &RunSpec, call: ToolCall) {
        let toolbox = match spec.tools {
            Tools::Offered => spec.toolbox.clone(),
            Tools::Withheld => Toolbox::default(),
        };
        let own = spec.endpoint.dialect == Dialect::Sim && call.name == sim::LOOKUP;
        let (places, stop) = (Arc::clone(&self.places), self.stop.child_token());
        self.tasks.spawn(async move {
            let result = if own { sim::run_tool(&call) } else { execute(toolbox, call.clone(), &places, stop).await };
            let is_error = result.is_err();
            Input::ToolDone { call_id: call.id, content: bounded(result.unwrap_or_else(|error| error)), is_error }
        });
    }

    /// The next result. Cancel-safe.
    pub(super) async fn next(&mut self) -> Input {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(input)) => return input,
                // A task ends with its result, whatever its tool did; only dropping stops it.
                Some(Err(_)) => {}
                None => return std::future::pending().await,
            }
        }
    }
}

/// Off the loop; the limit counts from when the tool begins.
async fn execute(
    toolbox: Toolbox,
    call: ToolCall,
    places: &Semaphore,
    stop: CancellationToken,
) -> Result<String, String> {
    let _place = places.acquire().await.map_err(|_| "the run is over")?;
    let over = stop.clone().drop_guard();
    let work = tokio::task::spawn_blocking(move || toolbox.run(&call, &stop));
    let result = match tokio::time::timeout(LIMIT, work).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err("the tool broke".to_owned()),
        Err(_) => Err(format!("the tool was stopped after {} s", LIMIT.as_secs())),
    };
    drop(over);
    result
}

//! `--allow-tool`: the tools that the model of a one-shot run may use. Nobody is there to ask, so nothing else is offered.

use super::failure::Failure;
use crate::tool::{Tool, Toolbox};

/// The tools that were allowed by name, below the working folder.
pub(super) fn toolbox(names: &[String]) -> Result<Toolbox, Failure> {
    if names.is_empty() {
        return Ok(Toolbox::default());
    }
    let allowed = names.iter().map(|name| Tool::named(name).ok_or_else(|| unknown(name))).collect::<Result<_, _>>()?;
    let folder = std::env::current_dir();
    folder.and_then(|folder| Toolbox::below(&folder, allowed)).map_err(|error| {
        Failure::config(format!("the working folder cannot be resolved: {}", error.kind()))
            .fact("next", "go to a folder that is there")
    })
}

fn unknown(name: &str) -> Failure {
    let known: Vec<&str> = Tool::ALL.into_iter().map(Tool::name).collect();
    Failure::config(format!("--allow-tool: there is no tool {name:?}")).fact("known", known.join(", "))
}

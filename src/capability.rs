//! What an endpoint is known to do, as a record; who vouches for it; and the model's own tri-state flag.

use serde::{Deserialize, Serialize};

/// Which request builder and decoder speaks to the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    OpenaiChat,
    /// The built-in scripted provider: no wire at all.
    Sim,
}

/// Is the provider's own schema parameter known to hold?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Native {
    Supported,
    Unsupported,
    #[default]
    Unknown,
}

/// Which allow-list of schema keywords applies (`schema::profile`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ProfileId {
    OpenaiStrict,
    LlamaCpp,
    /// Accepts every schema as it is.
    #[default]
    None,
}

/// Who vouches for the record; shown to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The vendor's own endpoint, verified from its documentation.
    Official,
    /// The user's `structured_output = {…}` in the config.
    Declared,
    /// The built-in provider.
    BuiltIn,
    /// Nobody.
    Nobody,
}

/// The capability record of one endpoint (ENGINE §4). A run negotiates and dispatches on one snapshot of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capability {
    pub native: Native,
    pub dialect: Dialect,
    pub streaming: bool,
    /// Native schema together with ordinary tools.
    pub with_tools: bool,
    /// Arguments of strict tools are held to their schema.
    pub strict_tool: bool,
    pub schema_profile: ProfileId,
    /// Native only when the model's own flag is true.
    pub native_model_opt_in: bool,
    pub evidence: Evidence,
}

/// The model's `structured_output` flag in the catalogue or config. Absent is not `No`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ModelFlag {
    Yes,
    No,
    #[default]
    Absent,
}

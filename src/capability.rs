//! What an endpoint is known to do, as a record; who vouches for it; and the model's own tri-state flag.
//!
//! The vendors' own records are in [`official`], what a probe found in [`verdict`].

mod day;
pub mod official;
pub mod verdict;

use serde::{Deserialize, Serialize};

pub use self::day::Day;
pub use self::official::{OPENAI_BASE_URL, Vendor, is_official_openai};
pub use crate::schema::profile::ProfileId;

/// Which request builder and decoder speaks to the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    OpenaiChat,
    OpenaiResponses,
    AzureOpenaiResponses,
    Anthropic,
    Google,
    Bedrock,
    Ollama,
    /// The built-in scripted provider: no wire at all.
    Sim,
    /// The model that runs inside the program: no wire either.
    Local,
}

impl Dialect {
    /// The names of the dialects that go over a wire, as the config takes them.
    pub const NAMES: &'static [&'static str] =
        &["openai_chat", "openai_responses", "azure_openai_responses", "anthropic", "google", "bedrock", "ollama"];

    /// The wire dialect of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::OpenaiChat,
            Self::OpenaiResponses,
            Self::AzureOpenaiResponses,
            Self::Anthropic,
            Self::Google,
            Self::Bedrock,
            Self::Ollama,
        ];
        all.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The name used in the config and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai_chat",
            Self::OpenaiResponses => "openai_responses",
            Self::AzureOpenaiResponses => "azure_openai_responses",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::Bedrock => "bedrock",
            Self::Ollama => "ollama",
            Self::Sim => "sim",
            Self::Local => "local",
        }
    }

    /// Does a call go over a wire? The two built-in providers have none.
    #[must_use]
    pub const fn is_wire(self) -> bool {
        !matches!(self, Self::Sim | Self::Local)
    }
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

/// Who vouches for the record; shown to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The vendor's own endpoint, verified from its documentation.
    Official,
    /// The user's `structured_output = {…}` in the config.
    Declared,
    /// `formwork probe` tried it at this very endpoint.
    Probed,
    /// The built-in provider.
    BuiltIn,
    /// Nobody.
    Nobody,
}

/// The capability record of one endpoint (ENGINE §4). A run negotiates and dispatches on one snapshot of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is one independent fact of the record (ENGINE §4)")]
pub struct Capability {
    pub native: Native,
    pub dialect: Dialect,
    pub streaming: bool,
    /// Native schema together with ordinary tools.
    pub with_tools: bool,
    /// Arguments of strict tools are held to their schema.
    pub strict_tool: bool,
    /// A call may demand that a tool is called; some models refuse that.
    pub forced_tool: bool,
    pub schema_profile: ProfileId,
    /// Native only when the model's own flag is true.
    pub native_model_opt_in: bool,
    pub evidence: Evidence,
    /// The day of the evidence, where it has one.
    pub since: Option<Day>,
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

/// What a user may vouch for in the config (`structured_output = {…}`); what is left out stays unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Declaration {
    pub native: Option<Native>,
    pub strict_tool: Option<bool>,
    pub with_tools: Option<bool>,
    pub schema_profile: Option<ProfileId>,
}

impl Capability {
    /// `OpenAI`'s own chat endpoint, from its documentation.
    #[must_use]
    pub fn official_openai() -> Self {
        Self::official(Vendor::Openai, Dialect::OpenaiChat, "")
    }

    /// An endpoint nobody vouches for: another base URL, a compatible server.
    #[must_use]
    pub const fn undeclared(dialect: Dialect) -> Self {
        Self {
            native: Native::Unknown,
            dialect,
            streaming: true,
            with_tools: false,
            strict_tool: false,
            forced_tool: true,
            schema_profile: ProfileId::None,
            native_model_opt_in: false,
            evidence: Evidence::Nobody,
            since: None,
        }
    }

    /// An endpoint as its user declares it; an empty declaration vouches for nothing.
    #[must_use]
    pub fn declared(dialect: Dialect, declaration: Declaration) -> Self {
        let unknown = Self::undeclared(dialect);
        if declaration == Declaration::default() {
            return unknown;
        }
        Self {
            native: declaration.native.unwrap_or_default(),
            with_tools: declaration.with_tools.unwrap_or(false),
            strict_tool: declaration.strict_tool.unwrap_or(false),
            schema_profile: declaration.schema_profile.unwrap_or_default(),
            evidence: Evidence::Declared,
            ..unknown
        }
    }

    /// The model that runs inside the program: a grammar holds its answers and its tool calls, as far as the grammar
    /// compiler takes the schema.
    #[must_use]
    pub const fn local() -> Self {
        Self { dialect: Dialect::Local, schema_profile: ProfileId::Llguidance, ..Self::sim() }
    }

    /// The built-in scripted provider: takes every schema as it is.
    #[must_use]
    pub const fn sim() -> Self {
        Self {
            native: Native::Supported,
            dialect: Dialect::Sim,
            streaming: true,
            with_tools: true,
            strict_tool: true,
            forced_tool: true,
            schema_profile: ProfileId::None,
            native_model_opt_in: false,
            evidence: Evidence::BuiltIn,
            since: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_dialect_has_a_name_the_config_takes() {
        for name in Dialect::NAMES {
            assert_eq!(Dialect::named(name).map(Dialect::name), Some(*name));
        }
        assert_eq!(Dialect::named("sim"), None);
    }

    #[test]
    fn an_empty_declaration_vouches_for_nothing() {
        let record = Capability::declared(Dialect::OpenaiChat, Declaration::default());
        assert_eq!(record, Capability::undeclared(Dialect::OpenaiChat));
    }

    #[test]
    fn a_declaration_says_only_what_it_says() {
        let declaration = Declaration { strict_tool: Some(true), ..Declaration::default() };
        let record = Capability::declared(Dialect::OpenaiChat, declaration);
        assert_eq!((record.native, record.strict_tool, record.evidence), (Native::Unknown, true, Evidence::Declared));
        assert!(!record.with_tools && record.schema_profile == ProfileId::None);
    }
}

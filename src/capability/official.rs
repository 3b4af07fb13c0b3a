//! The records of the vendors' own endpoints, per model where the vendor's documentation tells models apart
//! (PROVIDERS §1-8, facts of 2026-11-30). Where two sources disagree the stricter one is taken; a probe may know better.

use super::{Capability, Day, Dialect, Evidence, ModelFlag, Native, ProfileId};

/// The day the vendors' facts were collected.
pub const FACTS: Day = Day::of(2026, 11, 30);

/// A vendor whose own endpoint has a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vendor {
    Openai,
    Azure,
    Anthropic,
    Google,
    Bedrock,
    Openrouter,
    Groq,
    Mistral,
    Deepseek,
    /// `DeepSeek`'s other address, where strict tools are held.
    DeepseekBeta,
    Xai,
}

impl Vendor {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Openai,
        Self::Azure,
        Self::Anthropic,
        Self::Google,
        Self::Bedrock,
        Self::Openrouter,
        Self::Groq,
        Self::Mistral,
        Self::Deepseek,
        Self::DeepseekBeta,
        Self::Xai,
    ];

    /// The allow-list that fits the vendor, also where only a probe opens a route.
    #[must_use]
    pub const fn profile(self) -> ProfileId {
        match self {
            // OpenRouter and DeepSeek publish no list of their own; both name OpenAI's strict mode as the form to write,
            // and it is the narrowest that the hosts behind OpenRouter have in common.
            Self::Openai | Self::Openrouter | Self::Deepseek | Self::DeepseekBeta => ProfileId::OpenaiStrict,
            Self::Azure => ProfileId::Azure,
            Self::Anthropic => ProfileId::Anthropic,
            Self::Google => ProfileId::Google,
            Self::Bedrock => ProfileId::Bedrock,
            Self::Groq => ProfileId::Groq,
            Self::Mistral => ProfileId::Mistral,
            Self::Xai => ProfileId::Xai,
        }
    }

    /// What the vendor's documentation says of this model's schema parameter.
    #[must_use]
    pub fn flag(self, model: &str) -> ModelFlag {
        match self {
            Self::Openai => openai_flag(model),
            Self::Anthropic => match claude(model) {
                Some(found) if found.holds_schemas() => ModelFlag::Yes,
                Some(_) => ModelFlag::No,
                None => ModelFlag::Absent,
            },
            Self::Google => match gemini(model) {
                // Structured output with JSON Schema came with 2.0 of the 2.x line; older ones are gone.
                Some(version) if version < (2, 0) => ModelFlag::No,
                // Models of one generation that draw or speak differ: the catalogue knows.
                Some(_) | None => ModelFlag::Absent,
            },
            Self::Groq if is_gpt_oss(model) => ModelFlag::Yes,
            Self::Azure
            | Self::Bedrock
            | Self::Openrouter
            | Self::Groq
            | Self::Mistral
            | Self::Deepseek
            | Self::DeepseekBeta
            | Self::Xai => ModelFlag::Absent,
        }
    }

    /// Does the catalogue's flag count where the documentation is silent? A deployment's name says nothing about its
    /// model (Azure), and on Bedrock accounts differ: there a catalogue's yes is no proof.
    #[must_use]
    pub const fn heeds_catalogue(self) -> bool {
        !matches!(self, Self::Azure | Self::Bedrock | Self::Groq)
    }
}

impl Capability {
    /// The record of a vendor's own endpoint for one model.
    #[must_use]
    pub fn official(vendor: Vendor, dialect: Dialect, model: &str) -> Self {
        // What holds unless a vendor's line below says otherwise: nothing is taken for granted.
        let base = Self {
            native: Native::Unknown,
            dialect,
            streaming: true,
            with_tools: false,
            strict_tool: false,
            forced_tool: true,
            schema_profile: vendor.profile(),
            native_model_opt_in: false,
            evidence: Evidence::Official,
            since: Some(FACTS),
        };
        match vendor {
            Vendor::Openai => Self { native: Native::Supported, with_tools: true, strict_tool: true, ..base },
            // The model behind a deployment is not known by its name: native only where its flag is declared or probed.
            Vendor::Azure => Self { strict_tool: true, native_model_opt_in: true, ..base },
            Vendor::Anthropic => anthropic(&base, model),
            Vendor::Google => google(&base, model),
            // The model's own flag decides. Bedrock: sources and accounts disagree, only a probe is proof, so no list
            // gives a flag. OpenRouter: the host behind decides, and requests are pinned to hosts that take every
            // parameter. Groq: constrained decoding on selected models only, and no schema together with tools.
            Vendor::Bedrock | Vendor::Openrouter | Vendor::Mistral | Vendor::Groq => {
                Self { native_model_opt_in: true, ..base }
            }
            // JSON without a schema only; a demanded tool call is refused while thinking is on.
            Vendor::Deepseek => Self { native: Native::Unsupported, forced_tool: false, ..base },
            Vendor::DeepseekBeta => Self { native: Native::Unsupported, strict_tool: true, forced_tool: false, ..base },
            Vendor::Xai => Self { native: Native::Supported, strict_tool: true, ..base },
        }
    }
}

fn anthropic(base: &Capability, model: &str) -> Capability {
    let found = claude(model);
    // Strict tools came together with the schema parameter.
    let holds = found.is_none_or(Claude::holds_schemas);
    Capability {
        native: if holds { Native::Supported } else { Native::Unsupported },
        with_tools: holds,
        strict_tool: holds,
        forced_tool: !found.is_some_and(Claude::refuses_forced_tools),
        ..base.clone()
    }
}

fn google(base: &Capability, model: &str) -> Capability {
    let version = gemini(model);
    Capability {
        native: Native::Supported,
        // Before generation 3 a JSON format together with function tools is refused; aliases do not tell theirs.
        with_tools: version.is_some_and(|version| version >= (3, 0)),
        // Mode VALIDATED.
        strict_tool: version.is_some_and(|version| version >= (2, 5)),
        ..base.clone()
    }
}

/// A Claude model by family and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Claude {
    family: Family,
    version: (u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Haiku,
    Sonnet,
    Opus,
    Fable,
    Mythos,
}

impl Claude {
    /// The vendor's list; Opus 4.1 stands in one source only.
    fn holds_schemas(self) -> bool {
        match self.family {
            Family::Haiku | Family::Sonnet | Family::Opus => self.version >= (4, 5),
            Family::Fable | Family::Mythos => true,
        }
    }

    /// A forced tool choice is answered with 400; the sources disagree on Fable 5.
    fn refuses_forced_tools(self) -> bool {
        match self.family {
            Family::Opus | Family::Sonnet => self.version >= (5, 5),
            Family::Fable | Family::Mythos => true,
            Family::Haiku => false,
        }
    }
}

/// `claude-sonnet-4-5-20250929`, `claude-opus-4-20250514`, and the older order `claude-3-5-haiku-20241022`.
fn claude(model: &str) -> Option<Claude> {
    let parts: Vec<&str> = model.strip_prefix("claude-")?.split('-').collect();
    let family = parts.iter().find_map(|part| {
        Some(match *part {
            "haiku" => Family::Haiku,
            "sonnet" => Family::Sonnet,
            "opus" => Family::Opus,
            "fable" => Family::Fable,
            "mythos" => Family::Mythos,
            _ => return None,
        })
    })?;
    // A date has eight digits, a version one or two.
    let numbers = parts.iter().filter(|part| part.len() <= 2).filter_map(|part| part.parse().ok());
    let mut numbers = numbers.chain([0, 0]);
    let (major, minor) = (numbers.next()?, numbers.next()?);
    (major > 0).then_some(Claude { family, version: (major, minor) })
}

/// The version in `gemini-2.5-flash`; an alias such as `gemini-flash-latest` has none.
fn gemini(model: &str) -> Option<(u32, u32)> {
    let version = model.trim_start_matches("models/").strip_prefix("gemini-")?.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn is_gpt_oss(model: &str) -> bool {
    matches!(model, "openai/gpt-oss-20b" | "openai/gpt-oss-120b")
}

/// Structured outputs hold from `gpt-4o-2024-08-06` on.
fn openai_flag(model: &str) -> ModelFlag {
    let exact = ["gpt-4", "gpt-4o-2024-05-13", "gpt-5-chat-latest"];
    let begins = ["gpt-3.5-", "gpt-4-", "o1-mini", "o1-preview", "gpt-5.2-pro", "gpt-5.4-pro"];
    let old = exact.contains(&model) || begins.iter().any(|start| model.starts_with(start));
    if old { ModelFlag::No } else { ModelFlag::Absent }
}

/// The base URL at which `OpenAI`'s own record holds (PROVIDERS §1, 2026-11-30).
pub const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";

/// Regions with an address of `OpenAI`'s own.
const OPENAI_REGIONS: [&str; 6] = ["us", "eu", "ae", "au", "in", "jp"];

/// Is this `OpenAI`'s own endpoint? Letter case and trailing slashes do not count, everything else does.
#[must_use]
pub fn is_official_openai(base_url: &str) -> bool {
    let base = base_url.trim_end_matches('/').to_ascii_lowercase();
    let regional = |region: &&str| base == OPENAI_BASE_URL.replace("://", &format!("://{region}."));
    base == OPENAI_BASE_URL || OPENAI_REGIONS.iter().any(regional)
}

#[cfg(test)]
mod tests;

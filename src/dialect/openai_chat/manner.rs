//! What single servers want otherwise than the vendor's own endpoint: a table (PROVIDERS §7, 2026-11-30).

use crate::dialect::{Bounds, Target};

/// How a request to a server is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one independent fact of a server")]
pub(super) struct Manner {
    /// Role of the system message.
    pub(super) system_role: &'static str,
    /// Name of the limit of output tokens.
    pub(super) max_tokens: &'static str,
    /// `stream_options.include_usage`: not accepted everywhere.
    pub(super) ask_usage: bool,
    /// The word for "some tool must be called".
    pub(super) required: &'static str,
    /// Without this the router may pick a host that drops the schema.
    pub(super) pin_parameters: bool,
    pub(super) format: Format,
    /// A schema and tools in one request; some answer 400.
    pub(super) format_with_tools: bool,
    pub(super) strict: Strict,
    pub(super) choice: Choice,
    /// `parallel_tool_calls` is known.
    pub(super) parallel: bool,
    /// Function tools and reasoning exclude each other on the vendor's newer models.
    pub(super) tools_or_reasoning: bool,
    pub(super) files: Files,
}

/// What `response_format` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// `json_schema`
    Schema,
    /// Only `json_object`: any object.
    Object,
}

/// `strict` in a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strict {
    /// On each tool as it is.
    Each,
    /// On all tools of a request or on none, and only below the server's beta address.
    AllOnBeta,
}

/// What `tool_choice` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Words, and a tool by its name.
    Named,
    /// Words only: a tool by its name becomes "some tool".
    Words,
    /// The field is not known.
    None,
}

/// Which files a user's turn may carry beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    ImagesAndPdf,
    Images,
    None,
}

const OFFICIAL: Manner = Manner {
    system_role: "developer",
    max_tokens: "max_completion_tokens",
    ask_usage: true,
    required: "required",
    pin_parameters: false,
    format: Format::Schema,
    format_with_tools: true,
    strict: Strict::Each,
    choice: Choice::Named,
    parallel: true,
    tools_or_reasoning: true,
    files: Files::ImagesAndPdf,
};

const COMPATIBLE: Manner = Manner {
    system_role: "system",
    max_tokens: "max_tokens",
    tools_or_reasoning: false,
    files: Files::Images,
    ..OFFICIAL
};

/// Name in the config, host of the vendor (none: it runs anywhere), manner.
const SPECIAL: &[(&str, &str, Manner)] = &[
    ("openrouter", "openrouter.ai", Manner { pin_parameters: true, files: Files::ImagesAndPdf, ..COMPATIBLE }),
    // 400 when a schema and function tools come together.
    ("groq", "api.groq.com", Manner { format_with_tools: false, ..COMPATIBLE }),
    // Sends usage unasked; calls "required" "any".
    ("mistral", "api.mistral.ai", Manner { ask_usage: false, required: "any", ..COMPATIBLE }),
    (
        "deepseek",
        "api.deepseek.com",
        Manner { format: Format::Object, strict: Strict::AllOnBeta, files: Files::None, ..COMPATIBLE },
    ),
    // Tools are always strict there; the key does no harm.
    ("xai", "api.x.ai", COMPATIBLE),
    ("vllm", "", COMPATIBLE),
    // Their parsers of tool_choice know words only.
    ("llama_cpp", "", Manner { choice: Choice::Words, ..COMPATIBLE }),
    ("lmstudio", "", Manner { choice: Choice::Words, ..COMPATIBLE }),
    // Neither tool_choice nor parallel_tool_calls is known.
    ("ollama", "", Manner { choice: Choice::None, parallel: false, ..COMPATIBLE }),
];

/// The manner of a target: by the vendor's host, otherwise by its name.
pub(super) fn manner(target: &Target) -> Manner {
    if target.official {
        return OFFICIAL;
    }
    let host = host_of(&target.base_url).unwrap_or_default();
    let by_host = |(_, own, _): &&(&str, &str, Manner)| !own.is_empty() && host.eq_ignore_ascii_case(own);
    let by_name = |(name, _, _): &&(&str, &str, Manner)| target.provider == *name;
    let found = SPECIAL.iter().find(by_host).or_else(|| SPECIAL.iter().find(by_name));
    found.map_or(COMPATIBLE, |(_, _, manner)| *manner)
}

/// Is this the server's beta address?
pub(super) fn is_beta(target: &Target) -> bool {
    let path = target.base_url.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|segment| segment == "beta")
}

/// The bounds of a target, as far as they are known.
#[must_use]
pub(in crate::dialect) fn bounds(target: &Target) -> Bounds {
    let manner = manner(target);
    let schema = manner.format == Format::Schema;
    Bounds {
        schema,
        schema_with_tools: schema && manner.format_with_tools,
        strict_tools: match manner.strict {
            Strict::Each => true,
            Strict::AllOnBeta => is_beta(target),
        },
    }
}

fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_declaration_can_change() {
        let all = |schema, schema_with_tools, strict_tools| Bounds { schema, schema_with_tools, strict_tools };
        for (provider, base, want) in [
            ("lab", "http://127.0.0.1:8080/v1", all(true, true, true)),
            ("groq", "https://api.groq.com/openai/v1", all(true, false, true)),
            ("mine", "https://api.groq.com/openai/v1", all(true, false, true)),
            ("deepseek", "https://api.deepseek.com/v1", all(false, false, false)),
            ("deepseek", "https://api.deepseek.com/beta", all(false, false, true)),
            ("deepseek", "https://api.deepseek.com/v1?x=/beta", all(false, false, false)),
            // Another server under a vendor's name is met with the vendor's manner, one under a vendor's path is not.
            ("groq", "http://127.0.0.1:9/v1", all(true, false, true)),
            ("lab", "https://example.com/api.groq.com", all(true, true, true)),
        ] {
            let target = Target { base_url: base.to_owned(), provider: provider.to_owned(), official: false };
            assert_eq!(bounds(&target), want, "{provider} {base}");
        }
    }
}

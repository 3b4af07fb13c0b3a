//! The endpoints that are known without any config: a table. Facts as of 2026-11-30 (vendor SDKs and documentation).

use crate::capability::{Dialect, ModelFlag, ProfileId, Vendor};

/// One vendor or local server.
pub struct Known {
    pub name: &'static str,
    /// Empty where the address is the user's own: it must come from a variable or the config.
    pub base_url: &'static str,
    pub dialect: Dialect,
    /// Where its key usually stands, the first that is set; empty = no key needed.
    pub keys: &'static [&'static str],
    /// The variable that usually overrides the base URL.
    pub base_url_var: Option<&'static str>,
    /// A server that people run on this machine.
    pub local: bool,
    /// The allow-list of a server whose route is declared or probed.
    pub profile: ProfileId,
    /// Models that are newer than the catalogue, or that it has wrong.
    pub models: &'static [(&'static str, ModelFlag)],
    /// Its name in the catalogue of models.
    pub listed_as: Option<&'static str>,
}

const VENDOR: Known = Known {
    name: "",
    base_url: "",
    dialect: Dialect::OpenaiChat,
    keys: &[],
    base_url_var: None,
    local: false,
    profile: ProfileId::None,
    models: &[],
    listed_as: None,
};

/// All of them.
pub const KNOWN: &[Known] = &[
    Known {
        models: OPENAI_MODELS,
        ..vendor(
            Vendor::Openai,
            "openai",
            "https://api.openai.com/v1",
            &["OPENAI_API_KEY"],
            "OPENAI_BASE_URL",
            "openai",
        )
    },
    Known {
        dialect: Dialect::OpenaiResponses,
        ..vendor(
            Vendor::Openai,
            "openai-responses",
            "https://api.openai.com/v1",
            &["OPENAI_API_KEY"],
            "OPENAI_BASE_URL",
            "openai",
        )
    },
    Known {
        dialect: Dialect::AzureOpenaiResponses,
        ..vendor(Vendor::Azure, "azure", "", &["AZURE_OPENAI_API_KEY"], "AZURE_OPENAI_ENDPOINT", "azure")
    },
    Known {
        dialect: Dialect::Anthropic,
        models: ANTHROPIC_MODELS,
        ..vendor(
            Vendor::Anthropic,
            "anthropic",
            "https://api.anthropic.com",
            &["ANTHROPIC_API_KEY"],
            "ANTHROPIC_BASE_URL",
            "anthropic",
        )
    },
    Known {
        dialect: Dialect::Google,
        ..vendor(
            Vendor::Google,
            "google",
            "https://generativelanguage.googleapis.com/v1beta",
            &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            "GOOGLE_GEMINI_BASE_URL",
            "google",
        )
    },
    Known {
        dialect: Dialect::Bedrock,
        ..vendor(
            Vendor::Bedrock,
            "bedrock",
            "",
            &["AWS_BEARER_TOKEN_BEDROCK"],
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
            "amazon-bedrock",
        )
    },
    vendor(
        Vendor::Openrouter,
        "openrouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        "OPENROUTER_BASE_URL",
        "openrouter",
    ),
    vendor(Vendor::Groq, "groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], "GROQ_BASE_URL", "groq"),
    vendor(
        Vendor::Mistral,
        "mistral",
        "https://api.mistral.ai/v1",
        &["MISTRAL_API_KEY"],
        "MISTRAL_BASE_URL",
        "mistral",
    ),
    vendor(
        Vendor::Deepseek,
        "deepseek",
        "https://api.deepseek.com/v1",
        &["DEEPSEEK_API_KEY"],
        "DEEPSEEK_BASE_URL",
        "deepseek",
    ),
    vendor(Vendor::Xai, "xai", "https://api.x.ai/v1", &["XAI_API_KEY"], "XAI_BASE_URL", "xai"),
    Known {
        dialect: Dialect::Ollama,
        base_url_var: Some("OLLAMA_HOST"),
        ..local("ollama", "http://127.0.0.1:11434", ProfileId::Ollama)
    },
    local("lmstudio", "http://127.0.0.1:1234/v1", ProfileId::LlamaCpp),
    local("llama_cpp", "http://127.0.0.1:8080/v1", ProfileId::LlamaCpp),
    local("vllm", "http://127.0.0.1:8000/v1", ProfileId::Vllm),
];

/// Structured outputs hold from gpt-4o on, with the exceptions marked; ids of the vendor's SDK 3.57.0.
const OPENAI_MODELS: &[(&str, ModelFlag)] = &[
    ("gpt-4.1", ModelFlag::Yes),
    ("gpt-4.1-mini", ModelFlag::Yes),
    ("gpt-4o", ModelFlag::Yes),
    ("gpt-4o-mini", ModelFlag::Yes),
    ("gpt-5", ModelFlag::Yes),
    ("gpt-5-chat-latest", ModelFlag::No),
    ("gpt-5-mini", ModelFlag::Yes),
    ("gpt-5-nano", ModelFlag::Yes),
    ("gpt-5.1", ModelFlag::Yes),
    ("gpt-5.2", ModelFlag::Yes),
    ("gpt-5.2-pro", ModelFlag::No),
    ("gpt-5.4", ModelFlag::Yes),
    ("gpt-5.4-pro", ModelFlag::No),
    ("gpt-6-astra", ModelFlag::Yes),
    ("gpt-6-luna", ModelFlag::Yes),
    ("gpt-6.1-sol", ModelFlag::Yes),
    ("gpt-6.1-terra", ModelFlag::Yes),
    ("gpt-6.2-astra", ModelFlag::Yes),
    ("gpt-6.2-sol", ModelFlag::Yes),
    ("o3", ModelFlag::Yes),
];

/// The flags are the vendor's rule by family and version (`capability::official`).
const ANTHROPIC_MODELS: &[(&str, ModelFlag)] = &[
    ("claude-fable-5-2", ModelFlag::Absent),
    ("claude-haiku-4-5", ModelFlag::Absent),
    ("claude-haiku-5-5", ModelFlag::Absent),
    ("claude-opus-4-6", ModelFlag::Absent),
    ("claude-opus-5-5", ModelFlag::Absent),
    ("claude-sonnet-4-6", ModelFlag::Absent),
    ("claude-sonnet-5", ModelFlag::Absent),
    ("claude-sonnet-5-5", ModelFlag::Absent),
];

const fn vendor(
    vendor: Vendor,
    name: &'static str,
    base_url: &'static str,
    keys: &'static [&'static str],
    base_url_var: &'static str,
    listed_as: &'static str,
) -> Known {
    let (base_url_var, listed_as, profile) = (Some(base_url_var), Some(listed_as), vendor.profile());
    Known { name, base_url, keys, base_url_var, profile, listed_as, ..VENDOR }
}

const fn local(name: &'static str, base_url: &'static str, profile: ProfileId) -> Known {
    Known { name, base_url, profile, local: true, ..VENDOR }
}

/// The one name of a provider that people write in several ways.
#[must_use]
pub fn canonical(name: &str) -> &str {
    match name {
        "llamacpp" | "llama.cpp" | "llama-cpp" => "llama_cpp",
        "lm_studio" | "lm-studio" => "lmstudio",
        "gemini" => "google",
        "azure-openai" | "azure_openai" => "azure",
        "amazon-bedrock" | "aws" => "bedrock",
        "openai_responses" => "openai-responses",
        other => other,
    }
}

/// The known endpoint of that name.
#[must_use]
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|k| k.name == name)
}

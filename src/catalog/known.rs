//! The endpoints that are known without any config: a table. Facts as of 2026-11-30 (vendor SDKs and documentation).

use crate::capability::ModelFlag;

/// One vendor or local server that speaks the chat dialect.
pub struct Known {
    pub name: &'static str,
    pub base_url: &'static str,
    /// Where its key usually stands; `None` = no key needed.
    pub key: Option<&'static str>,
    /// The variable that usually overrides the base URL.
    pub base_url_var: Option<&'static str>,
    /// The vendor's own endpoint with a verified record.
    pub official: bool,
    /// A server that people run on this machine.
    pub local: bool,
    pub models: &'static [(&'static str, ModelFlag)],
}

/// All of them, by name.
pub const KNOWN: &[Known] = &[
    vendor("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL", OPENAI_MODELS),
    vendor("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", &[]),
    vendor("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "GROQ_BASE_URL", &[]),
    vendor("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "MISTRAL_BASE_URL", &[]),
    vendor("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", &[]),
    vendor("xai", "https://api.x.ai/v1", "XAI_API_KEY", "XAI_BASE_URL", &[]),
    local("ollama", "http://127.0.0.1:11434/v1", Some("OLLAMA_HOST")),
    local("lmstudio", "http://127.0.0.1:1234/v1", None),
    local("llama_cpp", "http://127.0.0.1:8080/v1", None),
    local("vllm", "http://127.0.0.1:8000/v1", None),
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

const fn vendor(
    name: &'static str,
    base_url: &'static str,
    key: &'static str,
    base_url_var: &'static str,
    models: &'static [(&'static str, ModelFlag)],
) -> Known {
    // A vendor has a verified record exactly when its models are listed here.
    let official = !models.is_empty();
    Known { name, base_url, key: Some(key), base_url_var: Some(base_url_var), official, local: false, models }
}

const fn local(name: &'static str, base_url: &'static str, base_url_var: Option<&'static str>) -> Known {
    Known { name, base_url, key: None, base_url_var, official: false, local: true, models: &[] }
}

/// The one name of a provider that people write in several ways.
#[must_use]
pub fn canonical(name: &str) -> &str {
    match name {
        "llamacpp" | "llama.cpp" | "llama-cpp" => "llama_cpp",
        "lm_studio" | "lm-studio" => "lmstudio",
        other => other,
    }
}

/// The known endpoint of that name.
#[must_use]
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|k| k.name == name)
}

//! Addresses of endpoints: which one counts, and whose own it is.

use super::known::{KNOWN, Known};
use crate::capability::{Dialect, Vendor, is_official_openai};
use crate::config::{Config, Provider};

/// The config's address, else the vendor's usual variable, else the table's. Without a trailing slash; empty when there
/// is none.
pub(super) fn base_url(config: &Config, entry: Option<&Known>, own: &Provider) -> String {
    let from_env = entry.and_then(|k| k.base_url_var).and_then(|var| {
        let value = config.env.get(var)?;
        Some(if var == "OLLAMA_HOST" { ollama_address(value) } else { value.to_owned() })
    });
    let url = own.base_url.clone().or(from_env).or_else(|| entry.map(|k| k.base_url.to_owned()));
    let url = url.unwrap_or_default().trim().trim_end_matches('/').to_owned();
    match entry.map(|k| k.dialect) {
        Some(Dialect::Bedrock) if url.is_empty() => bedrock_address(config),
        Some(Dialect::AzureOpenaiResponses) => azure_address(&url),
        _ => url,
    }
}

/// The variable to set where the address is missing.
pub(super) fn address_variable(entry: &Known) -> Option<&'static str> {
    match entry.dialect {
        Dialect::Bedrock => Some("AWS_REGION"),
        _ => entry.base_url_var,
    }
}

/// The service's address in the region of the environment.
fn bedrock_address(config: &Config) -> String {
    let from_env = || ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|var| config.env.get(var)).map(str::trim);
    let region = config.aws.region.as_deref().or_else(from_env);
    let is_region = |region: &&str| region.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    match region.filter(is_region) {
        Some(region) => format!("https://bedrock-runtime.{region}.amazonaws.com"),
        None => String::new(),
    }
}

/// The portal shows the resource's bare address; the present API lies below `/openai/v1`.
fn azure_address(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(parsed) if matches!(parsed.path(), "" | "/") && parsed.query().is_none() => format!("{url}/openai/v1"),
        _ => url.to_owned(),
    }
}

/// `OLLAMA_HOST` is `host`, `host:port` or a URL, and may be the address to listen on.
#[must_use]
pub fn ollama_address(value: &str) -> String {
    let value = value.trim().trim_end_matches('/');
    let with_scheme = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let Ok(mut url) = url::Url::parse(&with_scheme) else { return with_scheme };
    if url.host_str() == Some("0.0.0.0") {
        let _ = url.set_host(Some("127.0.0.1"));
    }
    if url.port().is_none() && !value.contains("://") {
        let _ = url.set_port(Some(11_434));
    }
    url.to_string().trim_end_matches('/').to_owned()
}

/// How the endpoint is spoken to: as the config says, else as the table. Ollama below `/v1` speaks the chat dialect.
pub(super) fn dialect(entry: Option<&Known>, own: &Provider, base_url: &str) -> Dialect {
    let said = own.dialect.as_deref().and_then(Dialect::named);
    let listed = entry.map_or(Dialect::OpenaiChat, |k| k.dialect);
    match said {
        Some(dialect) => dialect,
        None if listed == Dialect::Ollama && ends_in_v1(base_url) => Dialect::OpenaiChat,
        None => listed,
    }
}

fn ends_in_v1(base_url: &str) -> bool {
    url::Url::parse(base_url).is_ok_and(|url| url.path().trim_end_matches('/').ends_with("/v1"))
}

/// Whose own endpoint is this, spoken to in the dialect its record is of?
pub(super) fn vendor(base_url: &str, dialect: Dialect) -> Option<Vendor> {
    let at = |name: &str| KNOWN.iter().any(|k| k.name == name && same_address(k.base_url, base_url));
    let chat_or_responses = matches!(dialect, Dialect::OpenaiChat | Dialect::OpenaiResponses);
    match dialect {
        _ if chat_or_responses && is_official_openai(base_url) => Some(Vendor::Openai),
        _ if chat_or_responses && at("xai") => Some(Vendor::Xai),
        Dialect::OpenaiChat => {
            let by_name = [("openrouter", Vendor::Openrouter), ("groq", Vendor::Groq), ("mistral", Vendor::Mistral)];
            let listed = by_name.into_iter().find(|(name, _)| at(name)).map(|(_, vendor)| vendor);
            listed.or_else(|| deepseek(base_url))
        }
        Dialect::Anthropic => {
            let bare = base_url.trim_end_matches('/').trim_end_matches("/v1");
            at_base(bare, "https://api.anthropic.com").then_some(Vendor::Anthropic)
        }
        Dialect::Google => {
            let ours = ["https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1"];
            (at("google") || ours.iter().any(|base| at_base(base_url, base))).then_some(Vendor::Google)
        }
        Dialect::AzureOpenaiResponses => host(base_url).filter(|host| is_azure(host)).map(|_| Vendor::Azure),
        Dialect::Bedrock => host(base_url).filter(|host| is_bedrock(host)).map(|_| Vendor::Bedrock),
        Dialect::OpenaiResponses | Dialect::Ollama | Dialect::Sim | Dialect::Local => None,
    }
}

fn deepseek(base_url: &str) -> Option<Vendor> {
    let base = "https://api.deepseek.com";
    if at_base(base_url, &format!("{base}/beta")) {
        return Some(Vendor::DeepseekBeta);
    }
    [base.to_owned(), format!("{base}/v1")].iter().any(|url| at_base(base_url, url)).then_some(Vendor::Deepseek)
}

fn at_base(url: &str, base: &str) -> bool {
    same_address(url, base)
}

/// The host of a bare `https` address.
fn host(base_url: &str) -> Option<String> {
    let url = url::Url::parse(base_url).ok()?;
    let bare = url.scheme() == "https" && url.username().is_empty() && url.password().is_none();
    let usual_port = url.port_or_known_default() == Some(443);
    url.host_str().filter(|_| bare && usual_port).map(str::to_owned)
}

fn is_azure(host: &str) -> bool {
    [".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"]
        .iter()
        .any(|end| host.ends_with(end))
}

fn is_bedrock(host: &str) -> bool {
    let service = host.starts_with("bedrock-runtime.") || host.starts_with("bedrock-runtime-fips.");
    service && [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"].iter().any(|end| host.ends_with(end))
}

/// The same endpoint? Letter case of scheme and host, the default port and a trailing slash do not matter.
pub(super) fn same_address(a: &str, b: &str) -> bool {
    let parts = |text: &str| {
        let url = url::Url::parse(text.trim()).ok()?;
        let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        let path = url.path().trim_end_matches('/').to_ascii_lowercase();
        bare.then(|| (url.scheme().to_owned(), url.host_str().map(str::to_owned), url.port_or_known_default(), path))
    };
    parts(a).is_some_and(|a| Some(a) == parts(b))
}

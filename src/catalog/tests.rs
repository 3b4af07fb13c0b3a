use super::*;
use crate::capability::verdict::{Feature, Found, Verdict};
use crate::capability::{Evidence, Native, ProfileId};
use crate::config::{Env, Paths};

fn catalog<const N: usize>(pairs: [(&str, &str); N]) -> Catalog {
    Catalog::new(&Config { env: Env::from_pairs(pairs), ..Config::default() })
}

#[test]
fn the_official_record_belongs_to_the_official_address() {
    for (url, official) in [
        ("https://api.openai.com/v1", true),
        ("https://API.OpenAI.com/v1/", true),
        ("http://api.openai.com/v1", false),
        ("https://api.openai.com.evil.example/v1", false),
        ("https://api.openai.com/v2", false),
        ("https://user@api.openai.com/v1", false),
        ("http://127.0.0.1:9/v1", false),
    ] {
        let catalog = catalog([("OPENAI_BASE_URL", url), ("OPENAI_API_KEY", "k")]);
        let endpoint = &catalog.endpoints["openai"];
        assert_eq!(endpoint.official, official, "{url}");
        let evidence = if official { Evidence::Official } else { Evidence::Nobody };
        assert_eq!(endpoint.capability.evidence, evidence, "{url}");
        assert_eq!(endpoint.models.is_empty(), !official, "{url}");
    }
}

#[test]
fn a_declaration_makes_a_record() {
    let mut config = Config { env: Env::from_pairs([("LAB_KEY", "secret")]), ..Config::default() };
    config.providers.insert(
        "lab".to_owned(),
        Provider {
            base_url: Some("http://127.0.0.1:8080/v1/".to_owned()),
            api_key_env: Some("LAB_KEY".to_owned()),
            structured_output: Some(Declared {
                native: Some(Native::Supported),
                schema_profile: Some(ProfileId::LlamaCpp),
                ..Declared::default()
            }),
            models: vec!["qwen3-4b".to_owned()],
            ..Provider::default()
        },
    );
    let (endpoint, model) = Catalog::new(&config).find("lab/qwen3-4b").unwrap();
    assert_eq!((endpoint.base_url.as_str(), model.as_str()), ("http://127.0.0.1:8080/v1", "qwen3-4b"));
    assert_eq!(endpoint.capability.evidence, Evidence::Declared);
    assert!(endpoint.is_ready() && endpoint.needs_key);
    assert!(!format!("{endpoint:?}").contains("secret"));
}

#[test]
fn names_that_lead_nowhere_name_what_there_is() {
    let catalog = catalog([]);
    for (name, want) in [
        ("repair", "\"repair\" is no model name: write PROVIDER/MODEL, for example sim/repair"),
        ("/x", "\"/x\" is no model name"),
        ("opneai/gpt-5", "there is no provider \"opneai\": known are openai,"),
        ("sim/repiar", "\"sim\" has no model \"repiar\": it has repair,"),
    ] {
        let message = catalog.find(name).unwrap_err().to_string();
        assert!(message.starts_with(want), "{message}");
    }
    assert_eq!(catalog.find("openrouter/qwen/qwen3").unwrap().1, "qwen/qwen3");
    assert_eq!(catalog.find("sim/script:/tmp/a/b.json").unwrap().1, "script:/tmp/a/b.json");
}

#[test]
fn rows_put_what_can_be_called_first_and_say_why() {
    let rows = catalog([]).rows();
    let first_unready = rows.iter().position(|r| !r.ready).unwrap();
    assert!(rows[..first_unready].iter().all(|r| r.simulated && r.route == "native"));
    let route = |name: &str| rows.iter().find(|r| r.name == name).unwrap().route.clone();
    assert_eq!(route("openai/gpt-5-mini"), "native");
    assert_eq!(route("openai/gpt-5-chat-latest"), "tool");
}

#[test]
fn ollama_hosts() {
    for (value, want) in [
        ("127.0.0.1:9999", "http://127.0.0.1:9999"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://box:11434/", "http://box:11434"),
        ("http://box:11434/v1/", "http://box:11434/v1"),
    ] {
        assert_eq!(ollama_address(value), want);
    }
}

#[test]
fn the_config_reads_every_variable_of_the_table() {
    for entry in KNOWN {
        for var in entry.keys.iter().copied().chain(entry.base_url_var) {
            assert!(crate::config::VARIABLES.contains(&var), "{var}");
        }
    }
}

#[test]
fn each_vendor_has_its_dialect_and_its_record_at_its_own_address_only() {
    use Dialect::{Anthropic, AzureOpenaiResponses, Bedrock, Google, Ollama, OpenaiChat, OpenaiResponses};
    let ours = catalog([("AWS_REGION", "eu-west-1"), ("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com/")]);
    for (name, dialect, vendor, base_url) in [
        ("openai", OpenaiChat, Some(Vendor::Openai), "https://api.openai.com/v1"),
        ("openai-responses", OpenaiResponses, Some(Vendor::Openai), "https://api.openai.com/v1"),
        ("azure", AzureOpenaiResponses, Some(Vendor::Azure), "https://x.openai.azure.com/openai/v1"),
        ("anthropic", Anthropic, Some(Vendor::Anthropic), "https://api.anthropic.com"),
        ("google", Google, Some(Vendor::Google), "https://generativelanguage.googleapis.com/v1beta"),
        ("bedrock", Bedrock, Some(Vendor::Bedrock), "https://bedrock-runtime.eu-west-1.amazonaws.com"),
        ("openrouter", OpenaiChat, Some(Vendor::Openrouter), "https://openrouter.ai/api/v1"),
        ("groq", OpenaiChat, Some(Vendor::Groq), "https://api.groq.com/openai/v1"),
        ("mistral", OpenaiChat, Some(Vendor::Mistral), "https://api.mistral.ai/v1"),
        ("deepseek", OpenaiChat, Some(Vendor::Deepseek), "https://api.deepseek.com/v1"),
        ("xai", OpenaiChat, Some(Vendor::Xai), "https://api.x.ai/v1"),
        ("ollama", Ollama, None, "http://127.0.0.1:11434"),
        ("lmstudio", OpenaiChat, None, "http://127.0.0.1:1234/v1"),
        ("llama_cpp", OpenaiChat, None, "http://127.0.0.1:8080/v1"),
        ("vllm", OpenaiChat, None, "http://127.0.0.1:8000/v1"),
    ] {
        let endpoint = &ours.endpoints[name];
        assert_eq!((endpoint.dialect, endpoint.facts.vendor, endpoint.base_url.as_str()), (dialect, vendor, base_url));
    }
    assert_eq!(KNOWN.len(), 15, "the table above names them all");
    for entry in KNOWN {
        let mut config = Config::default();
        let own = Provider { base_url: Some("http://127.0.0.1:9/v1".to_owned()), ..Provider::default() };
        config.providers.insert(entry.name.to_owned(), own);
        let endpoint = &Catalog::new(&config).endpoints[entry.name];
        assert_eq!((endpoint.facts.vendor, endpoint.official), (None, false), "{}", entry.name);
        assert_eq!((endpoint.capability.native, endpoint.capability.evidence), (Native::Unknown, Evidence::Nobody));
        assert!(!endpoint.needs_key, "{}", entry.name);
    }
}

#[test]
fn the_address_decides_whose_endpoint_it_is() {
    use Dialect::{Anthropic, AzureOpenaiResponses, Bedrock, Google, OpenaiChat, OpenaiResponses};
    for (url, dialect, want) in [
        ("https://eu.api.openai.com/v1", OpenaiResponses, Some(Vendor::Openai)),
        ("https://api.openai.com/v1", Anthropic, None),
        ("https://API.anthropic.com/v1/", Anthropic, Some(Vendor::Anthropic)),
        ("https://api.anthropic.com/v1", OpenaiChat, None),
        ("https://generativelanguage.googleapis.com", Google, Some(Vendor::Google)),
        ("https://generativelanguage.googleapis.com.evil.example/v1beta", Google, None),
        ("https://api.deepseek.com/beta", OpenaiChat, Some(Vendor::DeepseekBeta)),
        ("https://a.b.openai.azure.com/openai/v1", AzureOpenaiResponses, Some(Vendor::Azure)),
        ("https://a.services.ai.azure.com/openai/v1", AzureOpenaiResponses, Some(Vendor::Azure)),
        ("http://a.openai.azure.com/openai/v1", AzureOpenaiResponses, None),
        ("https://a.openai.azure.com:8443/openai/v1", AzureOpenaiResponses, None),
        ("https://openai.azure.com.evil.example/", AzureOpenaiResponses, None),
        ("https://bedrock-runtime-fips.us-east-1.amazonaws.com", Bedrock, Some(Vendor::Bedrock)),
        ("https://bedrock-runtime.evil.example", Bedrock, None),
        ("https://k:v@bedrock-runtime.us-east-1.amazonaws.com", Bedrock, None),
        ("", OpenaiChat, None),
        ("no address", Google, None),
    ] {
        assert_eq!(address::vendor(url, dialect), want, "{url}");
    }
}

#[test]
fn ollama_below_v1_speaks_the_chat_dialect() {
    for (host, dialect) in [("box:1", Dialect::Ollama), ("http://box:1/v1", Dialect::OpenaiChat)] {
        assert_eq!(catalog([("OLLAMA_HOST", host)]).endpoints["ollama"].dialect, dialect, "{host}");
    }
    let mut config = Config::default();
    let own = Provider {
        base_url: Some("http://box:1/v1".to_owned()),
        dialect: Some("ollama".to_owned()),
        ..Provider::default()
    };
    config.providers.insert("ollama".to_owned(), own);
    assert_eq!(Catalog::new(&config).endpoints["ollama"].dialect, Dialect::Ollama, "the config has the last word");
    assert_eq!(catalog([]).endpoints["ollama"].flag("gpt-oss:120b-cloud"), ModelFlag::No);
}

#[test]
fn what_is_missing_is_named() {
    let empty = catalog([]);
    for (name, missing) in [
        ("azure", Some("AZURE_OPENAI_ENDPOINT")),
        ("bedrock", Some("AWS_REGION")),
        ("google", Some("GEMINI_API_KEY")),
        ("anthropic", Some("ANTHROPIC_API_KEY")),
        ("ollama", None),
        ("sim", None),
    ] {
        assert_eq!(empty.endpoints[name].missing(), missing, "{name}");
    }
    let set = catalog([("AWS_DEFAULT_REGION", "us-east-1"), ("GOOGLE_API_KEY", "k")]);
    assert_eq!(set.endpoints["bedrock"].missing(), Some("AWS_BEARER_TOKEN_BEDROCK"));
    assert_eq!(set.endpoints["google"].missing(), None);
    assert_eq!(set.endpoints["google"].api_key_env.as_deref(), Some("GOOGLE_API_KEY"));
    let keys = [("AWS_REGION", "us-east-1"), ("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    assert_eq!(catalog(keys).endpoints["bedrock"].missing(), None, "requests can be signed");
    assert_eq!(catalog([("AWS_REGION", "x/../y")]).endpoints["bedrock"].base_url, "", "no region");
}

#[test]
fn flags_come_from_the_vendor_then_from_the_catalogue() {
    let catalog = catalog([("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com"), ("AWS_REGION", "us-east-1")]);
    for (name, model, flag) in [
        ("openai", "gpt-5", ModelFlag::Yes),
        ("openai", "gpt-4o-2024-05-13", ModelFlag::No),
        ("openai", "gpt-5.5", ModelFlag::Yes),
        ("openai", "gpt-99", ModelFlag::Absent),
        ("anthropic", "claude-3-5-haiku-latest", ModelFlag::No),
        ("anthropic", "claude-opus-4-5", ModelFlag::Yes),
        ("google", "gemini-2.5-pro", ModelFlag::Yes),
        ("openrouter", "openai/gpt-4o", ModelFlag::Yes),
        ("openrouter", "qwen/qwen3-99", ModelFlag::Absent),
        ("groq", "openai/gpt-oss-20b", ModelFlag::Yes),
        ("groq", "moonshotai/kimi-k2-instruct-0905", ModelFlag::Absent),
        ("azure", "gpt-5", ModelFlag::Absent),
        ("bedrock", "anthropic.claude-sonnet-4-6", ModelFlag::Absent),
        ("llama_cpp", "gpt-5", ModelFlag::Absent),
    ] {
        assert_eq!(catalog.endpoints[name].flag(model), flag, "{name}/{model}");
    }
}

#[test]
fn a_probe_makes_a_record_until_it_is_old() {
    let folder = tempfile::tempdir().unwrap();
    let found = |verdict| Found { verdict, evidence: String::new(), date: "2026-12-01".parse().unwrap() };
    let base_url = "http://127.0.0.1:8080/v1";
    let probe = |model: &str, verdict| Probe {
        provider: "llama_cpp".to_owned(),
        endpoint: probes::shown(base_url),
        dialect: Dialect::OpenaiChat,
        model: model.to_owned(),
        max_output_tokens: 1,
        findings: [(Feature::Schema, found(verdict))].into(),
    };
    probes::keep(folder.path(), probe("qwen", Verdict::Enforced)).unwrap();
    probes::keep(folder.path(), probe("phi", Verdict::Ignored)).unwrap();
    let config =
        Config { paths: Paths { data_dir: folder.path().to_owned(), ..Paths::default() }, ..Config::default() };
    let on = |day: &str| Catalog::on(&config, day.parse().unwrap());
    let reason = |catalog: &Catalog, name: &str| {
        let row = catalog.rows().into_iter().find(|row| row.name == name).unwrap();
        format!("{}: {}", row.route, row.reason)
    };
    let now = on("2026-12-02");
    assert_eq!(reason(&now, "llama_cpp/qwen"), "native: schema parameter, probed 2026-12-01");
    assert_eq!(reason(&now, "llama_cpp/phi"), "prompt: no schema parameter, no strict tool, probed 2026-12-01");
    let record = now.endpoints["llama_cpp"].record("qwen");
    assert_eq!((record.evidence, record.schema_profile), (Evidence::Probed, ProfileId::LlamaCpp));
    assert_eq!(now.endpoints["llama_cpp"].record("another").evidence, Evidence::Nobody);
    let later = on("2027-06-01");
    let told = reason(&later, "llama_cpp/qwen");
    assert!(told.starts_with("unknown: the probe of 2026-12-01 (enforced) is too old; "), "{told}");
}

#[test]
fn a_declaration_stands_above_a_probe() {
    let folder = tempfile::tempdir().unwrap();
    let found = Found { verdict: Verdict::Ignored, evidence: String::new(), date: "2026-12-01".parse().unwrap() };
    let probe = Probe {
        provider: "lab".to_owned(),
        endpoint: "http://127.0.0.1:1/v1".to_owned(),
        dialect: Dialect::OpenaiChat,
        model: "m".to_owned(),
        max_output_tokens: 1,
        findings: [(Feature::Schema, found)].into(),
    };
    probes::keep(folder.path(), probe).unwrap();
    for (native, want) in [(Some(Native::Supported), Native::Supported), (None, Native::Unsupported)] {
        let mut config =
            Config { paths: Paths { data_dir: folder.path().to_owned(), ..Paths::default() }, ..Config::default() };
        let own = Provider {
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            structured_output: Some(Declared { native, ..Declared::default() }),
            ..Provider::default()
        };
        config.providers.insert("lab".to_owned(), own);
        let catalog = Catalog::on(&config, "2026-12-01".parse().unwrap());
        assert_eq!(catalog.endpoints["lab"].record("m").native, want);
    }
}

#[test]
fn a_broken_file_of_probes_is_told_and_harmless() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(probes::file(folder.path()), "{").unwrap();
    let config =
        Config { paths: Paths { data_dir: folder.path().to_owned(), ..Paths::default() }, ..Config::default() };
    let catalog = Catalog::new(&config);
    assert!(catalog.notes[0].starts_with("what probes found is passed over: "), "{:?}", catalog.notes);
    assert!(catalog.rows().iter().any(|row| row.route == "native"));
}

#[test]
fn lists_grow_as_wanted() {
    let catalog = catalog([("GROQ_API_KEY", "k")]);
    let count = |wanted, provider: &str| {
        let begins = format!("{provider}/");
        catalog.list(wanted).iter().filter(|row| row.name.starts_with(&begins)).count()
    };
    assert_eq!(count(Wanted::Listed, "groq"), 0);
    assert!(count(Wanted::Ready, "groq") > 10);
    assert_eq!(count(Wanted::Ready, "openrouter"), 0, "no key");
    assert!(count(Wanted::Everywhere, "openrouter") > 200);
    assert!(count(Wanted::Everything, "groq") > count(Wanted::Everywhere, "groq"));
    let row = catalog.list(Wanted::Everywhere).into_iter().find(|row| row.name == "openai/gpt-5").unwrap();
    assert_eq!((row.context, row.price_in.unwrap().to_string()), (Some(400_000), "1.25".to_owned()));
}

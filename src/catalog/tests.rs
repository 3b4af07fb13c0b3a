use super::*;
use crate::capability::ProfileId;
use crate::config::Env;

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
        ("127.0.0.1:9999", "http://127.0.0.1:9999/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("http://box:11434/", "http://box:11434/v1"),
    ] {
        assert_eq!(ollama_address(value), want);
    }
}

#[test]
fn the_config_reads_every_variable_of_the_table() {
    for entry in KNOWN {
        for var in [entry.key, entry.base_url_var].into_iter().flatten() {
            assert!(crate::config::VARIABLES.contains(&var), "{var}");
        }
    }
}

use super::*;

#[test]
fn only_the_vendors_own_address_is_official() {
    for (url, official) in [
        ("https://api.openai.com/v1", true),
        ("HTTPS://API.OPENAI.COM/v1", true),
        ("https://api.openai.com/v1//", true),
        ("https://eu.api.openai.com/v1", true),
        ("https://xx.api.openai.com/v1", false),
        ("https://api.openai.com", false),
        ("http://api.openai.com/v1", false),
        ("https://api.openai.com.evil.example/v1", false),
        ("http://localhost:11434/v1", false),
        ("", false),
    ] {
        assert_eq!(is_official_openai(url), official, "{url}");
    }
}

#[test]
fn claude_models_are_told_apart() {
    use ModelFlag::{Absent, No, Yes};
    for (model, flag, forced) in [
        ("claude-sonnet-4-5-20250929", Yes, true),
        ("claude-sonnet-4-6", Yes, true),
        ("claude-haiku-4-5", Yes, true),
        ("claude-haiku-5-5", Yes, true),
        ("claude-opus-4-1-20250805", No, true),
        ("claude-opus-4-20250514", No, true),
        ("claude-opus-4-0", No, true),
        ("claude-3-5-sonnet-20241022", No, true),
        ("claude-3-opus-20240229", No, true),
        ("claude-sonnet-5", Yes, true),
        ("claude-sonnet-5-5", Yes, false),
        ("claude-opus-5-5", Yes, false),
        ("claude-fable-5", Yes, false),
        ("claude-fable-5-2", Yes, false),
        ("claude-mythos-5-1", Yes, false),
        ("claude-next", Absent, true),
        ("another", Absent, true),
    ] {
        let record = Capability::official(Vendor::Anthropic, Dialect::Anthropic, model);
        assert_eq!((Vendor::Anthropic.flag(model), record.forced_tool), (flag, forced), "{model}");
        assert_eq!((record.native == Native::Supported, record.strict_tool), (flag != No, flag != No), "{model}");
    }
}

#[test]
fn gemini_generations_are_told_apart() {
    for (model, with_tools, strict) in [
        ("gemini-2.0-flash", false, false),
        ("gemini-2.5-pro", false, true),
        ("models/gemini-2.5-pro", false, true),
        ("gemini-3-pro-preview", true, true),
        ("gemini-3.5-flash", true, true),
        ("gemini-flash-latest", false, false),
        ("gemma-4-31b-it", false, false),
    ] {
        let record = Capability::official(Vendor::Google, Dialect::Google, model);
        assert_eq!((record.with_tools, record.strict_tool), (with_tools, strict), "{model}");
    }
    assert_eq!(Vendor::Google.flag("gemini-1.5-pro"), ModelFlag::No);
}

/// `(vendor, native, with_tools, strict_tool, forced_tool, opt-in)` of a model nobody has heard of.
#[test]
fn records_of_all_vendors() {
    use Native::{Supported, Unknown, Unsupported};
    let table = [
        (Vendor::Openai, Supported, true, true, true, false),
        (Vendor::Azure, Unknown, false, true, true, true),
        (Vendor::Anthropic, Supported, true, true, true, false),
        (Vendor::Google, Supported, false, false, true, false),
        (Vendor::Bedrock, Unknown, false, false, true, true),
        (Vendor::Openrouter, Unknown, false, false, true, true),
        (Vendor::Groq, Unknown, false, false, true, true),
        (Vendor::Mistral, Unknown, false, false, true, true),
        (Vendor::Deepseek, Unsupported, false, false, false, false),
        (Vendor::DeepseekBeta, Unsupported, false, true, false, false),
        (Vendor::Xai, Supported, false, true, true, false),
    ];
    assert_eq!(table.map(|row| row.0), Vendor::ALL);
    for (vendor, native, with_tools, strict, forced, opt_in) in table {
        let record = Capability::official(vendor, Dialect::OpenaiChat, "m");
        let got =
            (record.native, record.with_tools, record.strict_tool, record.forced_tool, record.native_model_opt_in);
        assert_eq!(got, (native, with_tools, strict, forced, opt_in), "{vendor:?}");
        assert_eq!((record.evidence, record.since), (Evidence::Official, Some(FACTS)));
    }
}

#[test]
fn groq_holds_schemas_on_gpt_oss_only() {
    assert_eq!(Vendor::Groq.flag("openai/gpt-oss-20b"), ModelFlag::Yes);
    assert_eq!(Vendor::Groq.flag("moonshotai/kimi-k2-instruct-0905"), ModelFlag::Absent);
    assert!(!Vendor::Groq.heeds_catalogue());
}

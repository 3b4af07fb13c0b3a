//! ENGINE §4 for every adapter, as a full matrix: record × flag × tools × `tool_choice` × parallel × fallback × lossless.
//! The oracle is the text of ENGINE §4 written down again, without the reasons.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failing test stops and says what it measured"
)]

use formwork::capability::verdict::{Feature, Found, Verdict};
use formwork::capability::{Capability, Day, Declaration, Dialect, ModelFlag, Native, ProfileId, Vendor};
use formwork::dialect::ToolChoice;
use formwork::event::Mode;
use formwork::plan::{CallerTools, Question, SUBMIT_TOOL, negotiate};
use formwork::schema::preflight::check_text;
use formwork::schema::project::{Level, Place, project};
use formwork::schema::{Fallback, ResponseFormat};

/// Every record an adapter can have: `(name, record)`.
fn records() -> Vec<(String, Capability)> {
    let of =
        |vendor, dialect, model: &str| (format!("{vendor:?} {model}"), Capability::official(vendor, dialect, model));
    let mut records = vec![
        of(Vendor::Openai, Dialect::OpenaiChat, "gpt-5"),
        of(Vendor::Openai, Dialect::OpenaiResponses, "gpt-5"),
        of(Vendor::Azure, Dialect::AzureOpenaiResponses, "deployment"),
        of(Vendor::Anthropic, Dialect::Anthropic, "claude-sonnet-4-6"),
        of(Vendor::Anthropic, Dialect::Anthropic, "claude-opus-5-5"),
        of(Vendor::Anthropic, Dialect::Anthropic, "claude-3-5-sonnet-20241022"),
        of(Vendor::Google, Dialect::Google, "gemini-2.0-flash"),
        of(Vendor::Google, Dialect::Google, "gemini-2.5-pro"),
        of(Vendor::Google, Dialect::Google, "gemini-3-pro-preview"),
        of(Vendor::Bedrock, Dialect::Bedrock, "anthropic.claude-sonnet-4-6"),
        of(Vendor::Openrouter, Dialect::OpenaiChat, "qwen/qwen3"),
        of(Vendor::Groq, Dialect::OpenaiChat, "openai/gpt-oss-20b"),
        of(Vendor::Mistral, Dialect::OpenaiChat, "mistral-medium-latest"),
        of(Vendor::Deepseek, Dialect::OpenaiChat, "deepseek-chat"),
        of(Vendor::DeepseekBeta, Dialect::OpenaiChat, "deepseek-chat"),
        of(Vendor::Xai, Dialect::OpenaiChat, "grok-4.3"),
        ("sim".to_owned(), Capability::sim()),
        ("nobody".to_owned(), Capability::undeclared(Dialect::Ollama)),
    ];
    for native in [None, Some(Native::Supported), Some(Native::Unsupported), Some(Native::Unknown)] {
        for (strict_tool, with_tools) in [(true, true), (true, false), (false, true), (false, false)] {
            let declaration = Declaration {
                native,
                strict_tool: Some(strict_tool),
                with_tools: Some(with_tools),
                schema_profile: Some(ProfileId::OpenaiStrict),
            };
            records.push((format!("{declaration:?}"), Capability::declared(Dialect::OpenaiChat, declaration)));
        }
    }
    let today = Day::of(2026, 12, 1);
    for verdict in Verdict::ALL {
        let found = |_| Found { verdict, evidence: String::new(), date: today };
        let findings = Feature::ALL.into_iter().map(|feature| (feature, found(feature))).collect();
        let record = Capability::undeclared(Dialect::OpenaiChat).probed(&findings, today);
        records.push((format!("probed {verdict:?}"), record));
    }
    records
}

const CHOICES: [fn() -> ToolChoice; 6] = [
    || ToolChoice::Unset,
    || ToolChoice::Auto,
    || ToolChoice::None,
    || ToolChoice::Required,
    || ToolChoice::Named("lookup".to_owned()),
    || ToolChoice::Named(SUBMIT_TOOL.to_owned()),
];

const LOSSLESS: &str =
    r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;
/// Refused by every allow-list but the empty one.
const LOSSY: &str = r#"{"type":"object","properties":{"a":{"type":"object","patternProperties":{"^x":{"type":"string"}},"minProperties":1}},"required":["a"],"additionalProperties":false}"#;

/// ENGINE §4, 2 to 5.
fn expected(question: &Question<'_>, lossless: (bool, bool)) -> Option<Mode> {
    let (record, tools, fallback) = (question.capability, question.tools, question.format.fallback);
    let verified = record.native == Native::Supported
        || (record.native == Native::Unknown && record.native_model_opt_in && question.flag == ModelFlag::Yes);
    let forced = matches!(tools.choice, ToolChoice::Required | ToolChoice::Named(_));
    let native = verified
        && question.flag != ModelFlag::No
        && record.streaming
        && (tools.names.is_empty() || record.with_tools)
        && lossless.0
        && !forced;
    if native {
        return Some(Mode::Native);
    }
    let choice = match &tools.choice {
        ToolChoice::Unset | ToolChoice::Auto => true,
        ToolChoice::Required => record.forced_tool,
        ToolChoice::Named(name) => name == SUBMIT_TOOL && record.forced_tool,
        ToolChoice::None => false,
    };
    let tool = fallback == Fallback::Auto
        && record.strict_tool
        && record.streaming
        && lossless.1
        && choice
        && tools.parallel != Some(true)
        && !tools.names.iter().any(|name| name == SUBMIT_TOOL);
    match fallback {
        _ if tool => Some(Mode::Tool),
        Fallback::Prompt => Some(Mode::Prompt),
        Fallback::Auto | Fallback::None => None,
    }
}

fn format(schema: &str, fallback: Fallback) -> ResponseFormat {
    ResponseFormat { fallback, ..check_text(schema).unwrap().format }
}

#[test]
fn every_adapter_decides_as_the_contract_says() {
    let (mut decided, mut modes) = (0, std::collections::BTreeMap::<String, usize>::new());
    for (name, record) in records() {
        for schema in [LOSSLESS, LOSSY] {
            for fallback in [Fallback::Auto, Fallback::None, Fallback::Prompt] {
                let format = format(schema, fallback);
                let fits = |place| project(record.schema_profile, place, &format, Level::Exact).is_ok();
                let lossless = (fits(Place::Native), fits(Place::Tool));
                assert!(schema != LOSSLESS || lossless == (true, true), "{name}");
                for flag in [ModelFlag::Yes, ModelFlag::No, ModelFlag::Absent] {
                    for names in [&[][..], &["lookup"], &["lookup", SUBMIT_TOOL]] {
                        for choice in CHOICES {
                            for parallel in [None, Some(true), Some(false)] {
                                let names = names.iter().map(|name| (*name).to_owned()).collect();
                                let tools = CallerTools { names, choice: choice(), parallel };
                                let question = Question {
                                    provider: "p",
                                    model: "m",
                                    capability: &record,
                                    flag,
                                    format: &format,
                                    level: Level::Exact,
                                    tools: &tools,
                                    grammar: None,
                                };
                                let got = negotiate(&question);
                                let want = expected(&question, lossless);
                                let mode = got.as_ref().ok().map(|plan| plan.mode);
                                assert_eq!(mode, want, "{name} {flag:?} {tools:?} {fallback:?} {schema}");
                                if let Err(closed) = got {
                                    assert!(closed.routes.iter().all(|route| !route.reasons.is_empty()), "{closed:?}");
                                    assert!(!closed.advice.is_empty());
                                }
                                decided += 1;
                                *modes.entry(format!("{want:?}")).or_default() += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    println!("{decided} questions: {modes:?}");
    assert_eq!(decided, records().len() * 2 * 3 * 3 * 3 * 6 * 3);
    assert_eq!(modes.len(), 4, "every end is met: {modes:?}");
}

/// `(vendor, dialect, model, flag, a tool is offered, the mode)`: written by hand from the vendors' facts.
#[test]
fn what_the_vendors_facts_come_to() {
    use ModelFlag::{Absent, No, Yes};
    let table = [
        (Vendor::Openai, "gpt-5", Yes, true, Some(Mode::Native)),
        (Vendor::Openai, "gpt-5-chat-latest", No, false, Some(Mode::Tool)),
        (Vendor::Azure, "x", Absent, false, Some(Mode::Tool)),
        (Vendor::Azure, "x", Yes, false, Some(Mode::Native)),
        (Vendor::Azure, "x", Yes, true, Some(Mode::Tool)),
        (Vendor::Anthropic, "claude-sonnet-4-6", Absent, true, Some(Mode::Native)),
        (Vendor::Anthropic, "claude-3-5-sonnet-20241022", No, false, None),
        (Vendor::Google, "gemini-2.5-pro", Yes, false, Some(Mode::Native)),
        (Vendor::Google, "gemini-2.5-pro", Yes, true, Some(Mode::Tool)),
        (Vendor::Google, "gemini-2.0-flash", Yes, true, None),
        (Vendor::Google, "gemini-3-pro-preview", Absent, true, Some(Mode::Native)),
        (Vendor::Bedrock, "x", Absent, false, None),
        (Vendor::Groq, "openai/gpt-oss-20b", Yes, false, Some(Mode::Native)),
        (Vendor::Groq, "openai/gpt-oss-20b", Yes, true, None),
        (Vendor::Groq, "llama-3.1-8b-instant", Absent, false, None),
        (Vendor::Openrouter, "x", Yes, false, Some(Mode::Native)),
        (Vendor::Openrouter, "x", Absent, false, None),
        (Vendor::Deepseek, "deepseek-chat", Yes, false, None),
        (Vendor::DeepseekBeta, "deepseek-chat", Yes, false, Some(Mode::Tool)),
        (Vendor::Xai, "grok-4.3", Absent, false, Some(Mode::Native)),
    ];
    for (vendor, model, flag, with_tool, want) in table {
        let capability = Capability::official(vendor, Dialect::OpenaiChat, model);
        let names = if with_tool { vec!["lookup".to_owned()] } else { Vec::new() };
        let tools = CallerTools { names, ..CallerTools::default() };
        let format = format(LOSSLESS, Fallback::Auto);
        let (provider, level) = ("p", Level::Exact);
        let question = Question {
            provider,
            model,
            capability: &capability,
            flag,
            format: &format,
            level,
            tools: &tools,
            grammar: None,
        };
        let got = negotiate(&question).ok().map(|plan| plan.mode);
        assert_eq!(got, want, "{vendor:?} {model} {flag:?} {with_tool}");
    }
}

/// ds-001: a demanded call where the model refuses one is unsupported before anything is sent.
#[test]
fn a_demanded_call_is_refused_where_the_model_refuses_it() {
    for (vendor, model) in [(Vendor::DeepseekBeta, "deepseek-reasoner"), (Vendor::Anthropic, "claude-opus-5-5")] {
        let capability = Capability::official(vendor, Dialect::OpenaiChat, model);
        let tools = CallerTools { choice: ToolChoice::Required, ..CallerTools::default() };
        let format = format(LOSSLESS, Fallback::Auto);
        let (provider, level, flag) = ("p", Level::Exact, ModelFlag::Absent);
        let question = Question {
            provider,
            model,
            capability: &capability,
            flag,
            format: &format,
            level,
            tools: &tools,
            grammar: None,
        };
        let closed = negotiate(&question).unwrap_err();
        let told = closed
            .routes
            .iter()
            .flat_map(|route| &route.reasons)
            .any(|why| why.contains("refuses a demanded tool call"));
        assert!(told, "{closed:?}");
    }
}

//! From a spec to the machine's setup: negotiation, and everything that can be refused before the first call.

use crate::capability::{Capability, Dialect};
use crate::catalog::Endpoint;
use crate::dialect::{Message, ToolChoice, ToolSpec};
use crate::event::{CallFailure, ErrorCode, Mode, RunError};
use crate::machine::Setup;
use crate::plan::{CallerTools, ClosedRoute, Plan, Question, Unsupported, negotiate};

use super::RunSpec;
use super::grammar::verdict;
use super::tools::offered;

/// At most this many paths of a closed route are told in an error; the rest is counted.
const MAX_PATHS: usize = 20;

/// Negotiates and fills in the machine's setup.
///
/// # Errors
/// `unsupported`, with every route and why it is closed.
pub(super) fn setup(spec: &RunSpec, run_id: &str, seed: u64) -> Result<Setup, Box<RunError>> {
    let tools = offered(spec);
    let record = spec.endpoint.record(&spec.model_id);
    let plan = plan(spec, &record, &tools)?;
    // The machine demands a call where nothing else could come; a model that refuses that is only asked.
    let unforced = plan.as_ref().is_some_and(|plan| plan.mode == Mode::Tool) && !record.forced_tool;
    let tool_choice = match &spec.tool_choice {
        ToolChoice::Unset if unforced => ToolChoice::Auto,
        choice => choice.clone(),
    };
    Ok(Setup {
        run_id: run_id.to_owned(),
        provider: spec.endpoint.provider.clone(),
        model_id: spec.model_id.clone(),
        simulated: spec.endpoint.dialect == Dialect::Sim,
        plan,
        schema_hash: schema_hash(spec),
        messages: messages(spec),
        tools,
        tool_choice,
        parallel_tool_calls: None,
        max_output_tokens: spec.max_output_tokens,
        reasoning_effort: spec.reasoning_effort.clone(),
        budget: spec.budget,
        seed,
    })
}

fn plan(spec: &RunSpec, record: &Capability, tools: &[ToolSpec]) -> Result<Option<Plan>, Box<RunError>> {
    let Some(format) = &spec.format else { return Ok(None) };
    let tools = CallerTools {
        names: tools.iter().map(|t| t.name.clone()).collect(),
        choice: spec.tool_choice.clone(),
        parallel: None,
    };
    let verdict = verdict(record.schema_profile, &format.schema);
    let question = Question {
        provider: &spec.endpoint.provider,
        model: &spec.model_id,
        capability: record,
        flag: spec.endpoint.flag(&spec.model_id),
        format,
        level: spec.level,
        tools: &tools,
        grammar: verdict.as_ref(),
    };
    negotiate(&question).map(Some).map_err(|closed| Box::new(unsupported(spec, &closed)))
}

/// The conversation: system first, the prompt last.
fn messages(spec: &RunSpec) -> Vec<Message> {
    let system = spec.system.clone().map(|text| Message::System { text });
    let prompt = Message::User { text: spec.prompt.clone(), attachments: spec.attachments.clone() };
    system.into_iter().chain(spec.history.iter().cloned()).chain([prompt]).collect()
}

fn schema_hash(spec: &RunSpec) -> Option<String> {
    spec.format.as_ref().map(|f| f.schema_hash.clone())
}

/// An error from before the first call.
pub(super) fn early(spec: &RunSpec, code: ErrorCode, message: String, facts: Vec<(String, String)>) -> RunError {
    RunError {
        code,
        message,
        provider: spec.endpoint.provider.clone(),
        model: spec.model_id.clone(),
        attempts: 0,
        issues: Vec::new(),
        omitted: 0,
        retryable: false,
        schema_hash: schema_hash(spec),
        position: None,
        hint: None,
        facts,
    }
}

fn unsupported(spec: &RunSpec, closed: &Unsupported) -> RunError {
    let mut facts: Vec<(String, String)> = Vec::new();
    for route in &closed.routes {
        facts.extend(route_facts(route));
    }
    facts.extend(closed.advice.iter().map(|advice| fact("next", advice)));
    early(spec, ErrorCode::Unsupported, closed.to_string(), facts)
}

fn route_facts(route: &ClosedRoute) -> Vec<(String, String)> {
    let label = route.mode.code();
    let mut facts: Vec<_> = route.reasons.iter().map(|reason| fact(label, reason)).collect();
    let place = |r: &crate::schema::project::Refusal| {
        let path = if r.path.is_empty() { "(root)" } else { &r.path };
        fact(label, format!("{path}: {} ({})", r.message, r.rule))
    };
    facts.extend(route.refusals.iter().take(MAX_PATHS).map(place));
    if let Some(more) = route.refusals.len().checked_sub(MAX_PATHS).filter(|more| *more > 0) {
        facts.push(fact(label, format!("and {more} more places")));
    }
    facts
}

fn fact(label: &str, text: impl Into<String>) -> (String, String) {
    (label.to_owned(), text.into())
}

/// A key or an address is needed and there is none.
pub(super) fn missing_key(spec: &RunSpec) -> Option<RunError> {
    let endpoint = &spec.endpoint;
    let variable = endpoint.missing()?;
    let provider = &endpoint.provider;
    let next = format!("set {variable} in the environment, or try sim/sample, which needs no key");
    if endpoint.base_url.is_empty() {
        let message = format!("there is no address for {provider}: {variable} is not set");
        return Some(early(spec, ErrorCode::Config, message, vec![fact("next", next)]));
    }
    let facts = vec![fact("endpoint", endpoint.host()), fact("next", next)];
    Some(early(spec, ErrorCode::Auth, format!("there is no key for {provider}: {variable} is not set"), facts))
}

/// Words by which servers of all kinds name the schema parameter.
const SCHEMA_WORDS: &[&str] = &[
    "response_format",
    "json_schema",
    "structured",
    "guided_json",
    "grammar",
    "output_format",
    "output_config",
    "outputconfig",
    "responsejsonschema",
    "response_schema",
    "invalid schema",
    // Anthropic, recorded: a schema within every published number; the number of optional parameters or unions; a cycle.
    "schema is too complex",
    "schemas contains too many",
    "circular reference detected",
];

/// A call with the schema parameter was refused: is it that parameter? The words only sharpen the public code; a
/// server with other words ends the run as well (`provider`), and none is ever asked again.
pub(super) fn refused_schema(failure: &mut CallFailure) {
    let asked = matches!(failure.status, Some(400 | 404 | 415 | 422 | 501)) && failure.code == ErrorCode::Provider;
    let text = failure.detail.as_deref().unwrap_or_default().to_ascii_lowercase();
    if asked && SCHEMA_WORDS.iter().any(|word| text.contains(word)) {
        failure.code = ErrorCode::Unsupported;
        failure.retryable = false;
        "the server did not take the schema parameter".clone_into(&mut failure.message);
    }
}

/// What a person needs besides the machine's own facts: where the call went, and what to do next.
pub(super) fn add_facts(error: &mut RunError, endpoint: &Endpoint) {
    // The built-in ones have no address to look at.
    if !endpoint.dialect.is_wire() {
        return;
    }
    match error.code {
        ErrorCode::Auth => {
            push_new(error, "endpoint", endpoint.host());
            let next = match endpoint.api_key_env.as_deref() {
                Some(variable) => format!("check the key in {variable}"),
                None => "name the key's variable in the config: api_key_env = \"…\"".to_owned(),
            };
            push_new(error, "next", next);
        }
        ErrorCode::Transport | ErrorCode::Provider | ErrorCode::Timeout | ErrorCode::RateLimited => {
            push_new(error, "endpoint", endpoint.host());
            if error.code == ErrorCode::Transport && endpoint.is_local() {
                push_new(
                    error,
                    "next",
                    format!("start the server, or set its address in [providers.{}]", endpoint.provider),
                );
            }
        }
        // From the server: negotiation's own refusal has said what to do next.
        ErrorCode::Unsupported if error.attempts > 0 => {
            push_new(error, "endpoint", endpoint.host());
            let next = "declare structured_output.native = \"unsupported\" for this provider, or use fallback prompt";
            push_new(error, "next", next.to_owned());
        }
        ErrorCode::InvalidSchema
        | ErrorCode::Unsupported
        | ErrorCode::InvalidJson
        | ErrorCode::ValidationFailed
        | ErrorCode::MissingSubmission
        | ErrorCode::MixedSubmission
        | ErrorCode::Refusal
        | ErrorCode::Incomplete
        | ErrorCode::Cancelled
        | ErrorCode::ReplayMismatch
        | ErrorCode::Config => {}
    }
}

fn push_new(error: &mut RunError, label: &str, text: String) {
    if !text.is_empty() && error.facts.iter().all(|(known, _)| known != label) {
        error.facts.push((label.to_owned(), text));
    }
}

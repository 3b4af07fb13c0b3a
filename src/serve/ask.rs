//! From a request to a run: reads the fields, checks the schema before anything is dispatched, finds the model.

use std::time::Duration;

use super::App;
use super::fields::{BadRequest, Fields};
use crate::dialect::Message;
use crate::json::Value;
use crate::machine::Budget;
use crate::runtime::RunSpec;
use crate::schema::project::Level;
use crate::schema::{Fallback, ResponseFormat, SchemaError, preflight};

/// The deadline when neither request nor configuration names one.
const DEFAULT_DEADLINE: Duration = Duration::from_mins(10);
/// Longest deadline that is taken: a day.
const MAX_SECONDS: u64 = 86_400;

/// What a client wants to run.
#[derive(Debug, Default)]
pub(super) struct Ask {
    pub(super) session_id: Option<String>,
    pub(super) prompt: String,
    pub(super) system: Option<String>,
    pub(super) model: Option<String>,
    pub(super) format: Option<ResponseFormat>,
    pub(super) level: Option<Level>,
    pub(super) max_retries: Option<u32>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_output_tokens: Option<u64>,
    pub(super) reasoning_effort: Option<String>,
}

/// Why nothing was dispatched.
#[derive(Debug)]
pub(super) enum Refused {
    Request(BadRequest),
    /// The session is named where it could be read, so that the client knows whose error it is.
    Schema(Vec<SchemaError>, Option<String>),
    NoModel,
    Model(String),
    RunActive,
    TooManyRuns,
    ShuttingDown,
}

impl From<BadRequest> for Refused {
    fn from(error: BadRequest) -> Self {
        Self::Request(error)
    }
}

impl Refused {
    /// The stable code.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Request(_) => "invalid_request",
            Self::Schema(..) => "invalid_schema",
            Self::NoModel => "no_model",
            Self::Model(_) => "unknown_model",
            Self::RunActive => "run_active",
            Self::TooManyRuns => "too_many_runs",
            Self::ShuttingDown => "shutting_down",
        }
    }

    /// The HTTP status.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Request(_) | Self::Schema(..) | Self::Model(_) => 400,
            Self::NoModel | Self::RunActive => 409,
            Self::TooManyRuns => 429,
            Self::ShuttingDown => 503,
        }
    }

    /// For people; no piece of schema or prompt.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Request(error) => error.message.clone(),
            Self::Schema(..) => "the response format is no legal schema; nothing was sent".to_owned(),
            Self::NoModel => "no model is given and none is configured: name one in `model`".to_owned(),
            Self::Model(message) => message.clone(),
            Self::RunActive => "a run of this session is under way: wait for its end, or cancel it".to_owned(),
            Self::TooManyRuns => "too many runs are under way: try again when one has ended".to_owned(),
            Self::ShuttingDown => "the server is about to end and begins no new run".to_owned(),
        }
    }
}

impl Ask {
    /// The fields of a chat action; `action` is taken already.
    pub(super) fn chat(mut fields: Fields) -> Result<Self, Refused> {
        let session_id = fields.text("session_id")?;
        let content = fields.text("content")?;
        // The name older clients have for it.
        let text = fields.text("text")?;
        let prompt = match (content, text) {
            (Some(_), Some(_)) => {
                return Err(BadRequest::new("text", "`text` and `content` are the same: give one").into());
            }
            (Some(text), None) | (None, Some(text)) => text,
            (None, None) => return Err(BadRequest::new("content", "`content` is missing: what is asked?").into()),
        };
        let format = fields.any("response_format");
        let fallback = fields.word("fallback", fallback, "auto, none, prompt")?;
        let level = fields.word("project", level, "exact, narrow, relax")?;
        let repairs = fields.whole("max_validation_retries", 1)?;
        let ask = Self {
            prompt,
            system: fields.text("system")?,
            model: fields.text("model")?,
            level,
            max_retries: fields.whole("max_retries", 1_000)?.and_then(|n| u32::try_from(n.max(1)).ok()),
            timeout: fields.whole("timeout_seconds", MAX_SECONDS)?.map(|s| Duration::from_secs(s.max(1))),
            format: None,
            session_id,
            ..Self::default()
        };
        fields.done()?;
        if ask.prompt.trim().is_empty() {
            return Err(BadRequest::new("content", "`content` is empty").into());
        }
        let mut format = format.map(|value| self::format(&value, ask.session_id.as_deref())).transpose()?;
        if let Some(format) = &mut format {
            format.fallback = fallback.unwrap_or(format.fallback);
            format.max_validation_retries =
                repairs.and_then(|n| u8::try_from(n).ok()).unwrap_or(format.max_validation_retries);
        }
        Ok(Self { format, ..ask })
    }

    /// The run, with the turns before it.
    pub(super) fn spec(self, app: &App, history: Vec<Message>) -> Result<RunSpec, Refused> {
        let config = &app.config;
        let name = self.model.or_else(|| app.model.clone()).or_else(|| config.model.clone());
        let name = name.or_else(|| app.catalog.local_default()).ok_or(Refused::NoModel)?;
        let (endpoint, model_id) = app.catalog.find(&name).map_err(|error| Refused::Model(error.to_string()))?;
        if endpoint.provider == crate::sim::PROVIDER && crate::sim::script_path(&model_id).is_some() {
            // A script is a file of the server's machine: a client must not choose which is read.
            return Err(Refused::Model("the server runs no scripts".to_owned()));
        }
        let usual = Budget::default();
        let deadline = self.timeout.or(config.timeout_seconds.map(Duration::from_secs)).unwrap_or(DEFAULT_DEADLINE);
        Ok(RunSpec {
            system: self.system,
            history,
            written: self.format.as_ref().map(|format| crate::runtime::Written {
                text: crate::json::canonical(&format.schema).into(),
                source: None,
            }),
            keeper: self.format.as_ref().and(app.keeper.clone()),
            format: self.format,
            level: self.level.or(config.level).unwrap_or_default(),
            budget: Budget {
                max_retries: self.max_retries.or(config.max_retries).unwrap_or(usual.max_retries),
                max_iterations: config.max_iterations.unwrap_or(usual.max_iterations),
            },
            deadline: Some(deadline),
            assert_format: config.assert_format,
            max_output_tokens: self.max_output_tokens,
            reasoning_effort: self.reasoning_effort,
            ..RunSpec::new(endpoint, model_id, self.prompt)
        })
    }
}

/// A response format, checked.
pub(super) fn format(value: &Value, session: Option<&str>) -> Result<ResponseFormat, Refused> {
    let checked = preflight::check(value);
    checked.map(|checked| checked.format).map_err(|errors| Refused::Schema(errors, session.map(str::to_owned)))
}

fn fallback(word: &str) -> Option<Fallback> {
    match word {
        "auto" => Some(Fallback::Auto),
        "none" => Some(Fallback::None),
        "prompt" => Some(Fallback::Prompt),
        _ => None,
    }
}

fn level(word: &str) -> Option<Level> {
    match word {
        "exact" => Some(Level::Exact),
        "narrow" => Some(Level::Narrow),
        "relax" => Some(Level::Relax),
        _ => None,
    }
}

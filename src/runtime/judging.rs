//! Judges candidates on a thread of their own: neither the loop nor cancel ever waits for one.

use std::sync::mpsc;

use tokio::sync::mpsc as reply;

use crate::issue::{Issue, Issues};
use crate::json::{ParseLimits, canonical, parse};
use crate::machine::Verdict;
use crate::schema::validate::{JudgeOptions, Judgement};
use crate::schema::{Judge, ResponseFormat, SchemaError, judge};

/// One candidate.
pub(super) struct Job {
    pub(super) attempt: u32,
    pub(super) text: String,
    /// What is judged stands inside `{"value": …}`.
    pub(super) wrapped: bool,
}

/// The thread's two ends. Dropping it lets the thread end after the candidate in hand.
pub(super) struct Judging {
    jobs: mpsc::Sender<Job>,
    verdicts: reply::UnboundedReceiver<(u32, Verdict)>,
}

impl Judging {
    /// Starts the thread; the schema is compiled there while the first answer is still on its way.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(super) fn start(format: ResponseFormat, assert_format: bool) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let (outbox, verdicts) = reply::unbounded_channel();
        let options = JudgeOptions { limits: ParseLimits::default(), assert_format };
        std::thread::Builder::new().name("judge".to_owned()).spawn(move || {
            let judge = judge(&format, options);
            for job in inbox {
                let verdict = match &judge {
                    Ok(judge) => verdict(judge, options.limits, &job),
                    Err(error) => Verdict::Invalid(unusable(error)),
                };
                if outbox.send((job.attempt, verdict)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { jobs, verdicts })
    }

    pub(super) fn submit(&self, job: Job) {
        // Only a dead thread refuses a job, and then the run has ended.
        let _ = self.jobs.send(job);
    }

    /// The next verdict. Cancel-safe.
    pub(super) async fn next(&mut self) -> (u32, Verdict) {
        match self.verdicts.recv().await {
            Some(verdict) => verdict,
            None => std::future::pending().await,
        }
    }
}

fn verdict(judge: &Judge, limits: ParseLimits, job: &Job) -> Verdict {
    if job.wrapped {
        return unwrapped(judge, limits, &job.text);
    }
    match judge.judge(&job.text) {
        Judgement::Valid { value, canonical } => Verdict::Valid { value, canonical },
        Judgement::NotJson(error) => Verdict::NotJson(error),
        Judgement::Invalid(issues) => Verdict::Invalid(issues),
    }
}

/// Judges what stands in the submit tool's only argument.
fn unwrapped(judge: &Judge, limits: ParseLimits, text: &str) -> Verdict {
    let mut value = match parse(text, limits) {
        Ok(value) => value,
        Err(error) => return Verdict::NotJson(error),
    };
    let arguments = value.as_object_mut();
    let only = arguments.as_ref().is_some_and(|a| a.len() == 1);
    let Some(value) = arguments.and_then(|a| a.shift_remove("value")).filter(|_| only) else {
        return Verdict::Invalid(one_issue(
            "",
            "the arguments must be an object with the member \"value\" alone",
            "required",
        ));
    };
    let issues = judge.validate(&value);
    if issues.list.is_empty() {
        let canonical = canonical(&value);
        return Verdict::Valid { value, canonical };
    }
    Verdict::Invalid(issues)
}

/// Preflight let a schema through that cannot be compiled: nothing can be valid under it.
fn unusable(error: &SchemaError) -> Issues {
    one_issue(&error.path, "the schema cannot be used for validation", "$schema")
}

fn one_issue(schema_path: &str, message: &str, keyword: &str) -> Issues {
    let issue = Issue {
        code: "schema_violation",
        path: String::new(),
        schema_path: schema_path.to_owned(),
        message: message.to_owned(),
        keyword: keyword.to_owned(),
    };
    Issues { list: vec![issue], omitted: 0 }
}

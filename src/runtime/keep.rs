//! What of a run goes to the store: its schema when the first call is about to be made, every complete candidate with
//! its verdict, how it ended. Never the prompt, never plain text, never a run without a schema.

use super::{RunSpec, Written};
use crate::event::{Mode, RunEvent};
use crate::machine::{AttemptRecord, Outcome};
use crate::plan::Plan;
use crate::store::keeper::{Began, Keeper};
use crate::store::{ACCEPTED, Candidate, now};

/// The tap of one run.
pub(super) struct Tap {
    keeper: Keeper,
    run: String,
    schema: String,
    /// The submit tool's argument wraps what is judged.
    wrapped: bool,
}

impl Tap {
    /// Notes the run's beginning; `None` when nothing of it is to be kept.
    pub(super) fn open(spec: &RunSpec, run: &str, plan: Option<&Plan>) -> Option<Self> {
        let (keeper, format) = (spec.keeper.as_ref()?, spec.format.as_ref()?);
        let Written { text, source } = spec.written.as_ref()?;
        keeper.began(Began {
            run: run.to_owned(),
            model: format!("{}/{}", spec.endpoint.provider, spec.model_id),
            format: Box::new(format.clone()),
            written: text.clone(),
            source: source.clone(),
            at: now(),
        });
        let wrapped = plan.is_some_and(|plan| plan.mode == Mode::Tool && plan.wrapped);
        Some(Self { keeper: keeper.clone(), run: run.to_owned(), schema: format.schema_hash.clone(), wrapped })
    }

    /// An attempt ended; one without a whole candidate leaves nothing.
    pub(super) fn attempt(&self, record: &AttemptRecord) {
        let verdict = match &record.outcome {
            Outcome::Accepted => ACCEPTED,
            Outcome::NotJson(_) => crate::event::ErrorCode::InvalidJson.code(),
            Outcome::Invalid(_) => crate::event::ErrorCode::ValidationFailed.code(),
            Outcome::Plain | Outcome::Failed { .. } => return,
        };
        self.keeper.candidate(Candidate {
            run: self.run.clone(),
            attempt: record.attempt,
            schema: self.schema.clone(),
            wrapped: self.wrapped,
            verdict: verdict.to_owned(),
            text: record.text.clone(),
            at: now(),
        });
    }

    /// Looks for the run's end.
    pub(super) fn event(&self, event: &RunEvent) {
        let outcome = match event {
            RunEvent::Done { .. } => ACCEPTED,
            RunEvent::Error(error) => error.code.code(),
            _ => return,
        };
        self.keeper.ended(self.run.clone(), outcome);
    }
}

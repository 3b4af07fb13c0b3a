//! The outline of the schema away from the loop, and edits that are made at once.

use std::sync::Arc;

use super::super::effect::{MendJob, OutlineJob, Reply};
use super::super::state::fields::Outlined;
use crate::json::edit::apply;
use crate::schema::format::is_envelope;
use crate::schema::outline::outline;
use crate::schema::preflight::TEXT_LIMITS;
use crate::schema::source;

/// Lists the fields of a text.
pub(super) fn outlined(job: &OutlineJob) -> Reply {
    Reply::Outlined(outline_of(job))
}

fn outline_of(job: &OutlineJob) -> Result<Outlined, String> {
    let document = source::read(&job.text, job.form, TEXT_LIMITS).map_err(|error| error.to_string())?.value;
    let inner = document.get("schema").filter(|_| is_envelope(&document));
    let below = if inner.is_some() { "/schema" } else { "" };
    let schema = inner.cloned().unwrap_or(document);
    let fields = Arc::new(outline(&schema));
    Ok(Outlined { generation: job.generation, below, schema: Arc::new(schema), fields })
}

/// Makes edits.
pub(super) fn mended(job: MendJob) -> Reply {
    let after = apply(&job.before, &job.edits).map_err(|error| error.to_string());
    Reply::Mended { before: job.before, after, said: job.said }
}

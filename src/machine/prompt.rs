//! Words the model is given besides the user's: the instruction of prompt mode and the submit tool's description.
//!
//! Fixed text plus the schema; no candidate, no issue (those are `repair`'s).

use crate::json;
use crate::plan::Plan;

/// Told to the model as the description of the hidden submit tool.
pub(super) const SUBMIT_DESCRIPTION: &str = "Submit the final answer. Call this tool exactly once, alone, when the \
     answer is complete; its arguments are the answer. Do not write the answer as text.";

const INSTRUCTION: &str = "Answer with exactly one JSON value that is valid under the JSON Schema below. Write only \
     that JSON value: no text before or after it, no code fence, no comments.";

/// Prompt mode's instruction with the schema in compact form.
pub(super) fn instruction(plan: &Plan) -> String {
    let mut text = String::from(INSTRUCTION);
    if let Some(description) = plan.format.description.as_deref().filter(|d| !d.trim().is_empty()) {
        text.push_str("\nWhat the answer is: ");
        text.push_str(description);
    }
    text.push_str("\n\nJSON Schema:\n");
    text.push_str(&json::canonical(&plan.provider_schema));
    text
}

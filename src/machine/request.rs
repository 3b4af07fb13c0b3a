//! Builds the dialect-free [`Call`] of a round: messages, native format, tools.
//!
//! Decides nothing about when a call is made.

use super::{Setup, prompt};
use crate::dialect::{Call, Message, NativeFormat, ToolChoice, ToolSpec};
use crate::event::Mode;
use crate::plan::Plan;

/// The conversation a run begins with: the caller's, and in prompt mode the instruction in the system message.
pub(super) fn opening(setup: &Setup) -> Vec<Message> {
    let mut messages = setup.messages.clone();
    let Some(plan) = setup.plan.as_ref().filter(|plan| plan.mode == Mode::Prompt) else { return messages };
    let instruction = prompt::instruction(plan);
    match messages.iter_mut().find_map(system_text) {
        Some(text) if text.trim().is_empty() => *text = instruction,
        Some(text) => {
            text.push_str("\n\n");
            text.push_str(&instruction);
        }
        None => messages.insert(0, Message::System { text: instruction }),
    }
    messages
}

fn system_text(message: &mut Message) -> Option<&mut String> {
    match message {
        Message::System { text } => Some(text),
        Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. } => None,
    }
}

/// The call of the next round. The caller's own lists in `setup` stay as they are.
pub(super) fn call(setup: &Setup, history: &[Message]) -> Call {
    let submit = setup.plan.as_ref().and_then(submit_tool);
    let in_tool_mode = submit.is_some();
    let mut tools = setup.tools.clone();
    tools.extend(submit);
    Call {
        model_id: setup.model_id.clone(),
        messages: history.to_vec(),
        format: setup.plan.as_ref().and_then(native_format),
        tool_choice: if in_tool_mode { tool_choice(setup) } else { setup.tool_choice.clone() },
        parallel_tool_calls: if in_tool_mode { Some(false) } else { setup.parallel_tool_calls },
        tools,
        max_output_tokens: setup.max_output_tokens,
        reasoning_effort: setup.reasoning_effort.clone(),
    }
}

/// With nothing but the submit tool to take, the model is told to take it: servers that parse calls only on demand
/// answer in text otherwise. `required` and not the name, since not every server knows the named form.
fn tool_choice(setup: &Setup) -> ToolChoice {
    match &setup.tool_choice {
        ToolChoice::Unset if setup.tools.is_empty() => ToolChoice::Required,
        chosen => chosen.clone(),
    }
}

fn native_format(plan: &Plan) -> Option<NativeFormat> {
    (plan.mode == Mode::Native).then(|| NativeFormat {
        name: plan.format.name.clone(),
        description: plan.format.description.clone(),
        strict: plan.format.strict,
        schema: plan.provider_schema.clone(),
    })
}

fn submit_tool(plan: &Plan) -> Option<ToolSpec> {
    let name = plan.submit_tool_name.filter(|_| plan.mode == Mode::Tool)?;
    Some(ToolSpec {
        name: name.to_owned(),
        description: prompt::SUBMIT_DESCRIPTION.to_owned(),
        parameters: plan.provider_schema.clone(),
        strict: true,
    })
}

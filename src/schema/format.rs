//! The response format: a bare schema or an envelope, told apart, normalised once, never changed afterwards (ENGINE §1).

use serde::Serialize;

use super::SchemaError;
use crate::json::Value;

/// What a run may do when the native route is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    #[default]
    Auto,
    None,
    Prompt,
}

/// A normalised response format. Made by `preflight::check` only.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseFormat {
    pub schema: Value,
    pub name: String,
    pub description: Option<String>,
    pub strict: bool,
    pub fallback: Fallback,
    /// 0 or 1.
    pub max_validation_retries: u8,
    /// SHA-256 of the canonical schema, lower-case hex.
    pub schema_hash: String,
}

#[allow(dead_code)]
fn scaffold() -> Option<SchemaError> {
    None
}

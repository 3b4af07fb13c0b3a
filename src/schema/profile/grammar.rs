//! The grammar compiler of the built-in model. No list: it is asked for every schema (`plan::GrammarVerdict`).

use super::ProfileId;
use super::{Profile, StrictTools};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Llguidance,
    name: "llguidance",
    date: "2026-11-30",
    source: "llguidance 1.9.1: the verdict comes from compiling the schema",
    accepts_everything: true,
    keeps_annotations: true,
    strict_tools: StrictTools::Held,
    keywords: &[],
    ignored: &[],
    values: Types::ALL,
    root_keywords: &[],
    formats: &[],
    reference_siblings: &[],
    union_siblings: &[],
    rules: &[],
    limits: &[],
};

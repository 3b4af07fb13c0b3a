//! No profile: every schema passes as it is. For the built-in provider and for endpoints nobody described.

use super::ProfileId;
use super::{Profile, StrictTools};
use crate::schema::tree::types::Types;

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::None,
    name: "none",
    date: "2026-11-30",
    source: "no allow-list is known: the schema is sent as written",
    accepts_everything: true,
    keeps_annotations: true,
    strict_tools: StrictTools::Unproven,
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

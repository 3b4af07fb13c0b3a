//! The grammar compiler of the built-in model. No list: it is asked for every schema (`plan::GrammarVerdict`).

use super::{EVERYTHING, Profile, ProfileId, StrictTools};

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::Llguidance,
    name: "llguidance",
    date: "2026-11-30",
    source: "llguidance 1.9.1: the verdict comes from compiling the schema",
    strict_tools: StrictTools::Held,
    ..EVERYTHING
};

//! No profile: every schema passes as it is. For the built-in provider and for endpoints nobody described.

use super::{EVERYTHING, Profile, ProfileId, StrictTools};

pub(super) const PROFILE: Profile = Profile {
    id: ProfileId::None,
    name: "none",
    date: "2026-11-30",
    source: "no allow-list is known: the schema is sent as written",
    strict_tools: StrictTools::Unproven,
    ..EVERYTHING
};

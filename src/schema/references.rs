//! References of a schema: resolved inside the document or refused; cycles that consume nothing are refused.

//! What each provider accepts, keyword by keyword and limit by limit; allow-lists with date and source.

//! The profile in the title of a report.

/// The profile between two texts; empty if the model has only one behavior.
pub(super) fn profile_in_title(profile: Option<&str>, before: &str, after: &str) -> String {
    profile.map_or_else(String::new, |name| format!("{before}profile {name}{after}"))
}

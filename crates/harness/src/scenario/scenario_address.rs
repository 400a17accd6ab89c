//! The IDs of scenarios and their cases.

/// The separator between file and title in a scenario ID.
pub(super) const BEFORE_TITLE: &str = "::";

/// The ID of a scenario, or of one of its cases.
pub fn scenario_address(file: &str, title: &str, case: Option<&str>) -> String {
    format!("{file}{BEFORE_TITLE}{}", case_title(title, case))
}

/// The title of a scenario, with its case. It is unique in the file.
pub fn case_title(title: &str, case: Option<&str>) -> String {
    case.map_or_else(|| title.to_owned(), |case| format!("{title}[{case}]"))
}

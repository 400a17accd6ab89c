//! How scenarios and their cases are addressed.

/// What stands between the file and the title in the address of a scenario.
pub(super) const BEFORE_TITLE: &str = "::";

/// The address of a scenario, or of one of its cases.
pub fn scenario_address(file: &str, title: &str, case: Option<&str>) -> String {
    format!("{file}{BEFORE_TITLE}{}", case_title(title, case))
}

/// The title of a scenario with its case: by it a scenario is told from the others of its file.
pub fn case_title(title: &str, case: Option<&str>) -> String {
    case.map_or_else(|| title.to_owned(), |case| format!("{title}[{case}]"))
}

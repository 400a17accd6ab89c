//! The pages of the documentation that an author needs, as they are of this version.

/// The pages, each with its name.
pub(super) const PAGES: [(&str, &str); 21] = [
    ("tutorial", include_str!("../../../docs/tutorial.md")),
    ("flows", include_str!("../../../docs/flows.md")),
    ("conditions", include_str!("../../../docs/conditions.md")),
    ("effects", include_str!("../../../docs/effects.md")),
    ("sales", include_str!("../../../docs/sales.md")),
    ("markdown", include_str!("../../../docs/markdown.md")),
    ("interviews", include_str!("../../../docs/interviews.md")),
    ("contracts", include_str!("../../../docs/contracts.md")),
    ("cycles", include_str!("../../../docs/cycles.md")),
    ("sources", include_str!("../../../docs/sources.md")),
    ("operations", include_str!("../../../docs/operations.md")),
    ("profiles", include_str!("../../../docs/profiles.md")),
    ("scenarios", include_str!("../../../docs/scenarios.md")),
    ("selection", include_str!("../../../docs/selection.md")),
    ("coverage", include_str!("../../../docs/coverage.md")),
    ("models", include_str!("../../../docs/models.md")),
    ("traces", include_str!("../../../docs/traces.md")),
    ("reports", include_str!("../../../docs/reports.md")),
    ("glossary", include_str!("../../../docs/glossary.md")),
    ("reference", include_str!("../../../docs/reference.md")),
    ("authoring", include_str!("../../../docs/authoring.md")),
];

/// What a page is about: its first heading.
pub(super) fn title(text: &str) -> &str {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default().trim()
}

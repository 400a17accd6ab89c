//! The pages of the documentation, as they are of this version.

/// The pages, each with its name: those first that an author needs most.
pub(super) const PAGES: [(&str, &str); 36] = [
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
    (
        "architecture",
        include_str!("../../../docs/architecture.md"),
    ),
    ("assistants", include_str!("../../../docs/assistants.md")),
    ("convert", include_str!("../../../docs/convert.md")),
    ("editors", include_str!("../../../docs/editors.md")),
    ("eval", include_str!("../../../docs/eval.md")),
    ("install", include_str!("../../../docs/install.md")),
    ("mistakes", include_str!("../../../docs/mistakes.md")),
    ("repl", include_str!("../../../docs/repl.md")),
    ("scale", include_str!("../../../docs/scale.md")),
    ("schemas", include_str!("../../../docs/schemas.md")),
    ("sessions", include_str!("../../../docs/sessions.md")),
    ("simulation", include_str!("../../../docs/simulation.md")),
    ("studio", include_str!("../../../docs/studio.md")),
    ("subjects", include_str!("../../../docs/subjects.md")),
    ("verify", include_str!("../../../docs/verify.md")),
    ("authoring", include_str!("../../../docs/authoring.md")),
];

/// What a page is about: its first heading.
pub(super) fn title(text: &str) -> &str {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default().trim()
}

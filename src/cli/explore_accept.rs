//! Findings of `fsmsim explore` that the project accepts.

use std::path::Path;

use fsmsim_reports::report::ExplorationReport;
use fsmsim_runtime::project::AcceptedFinding;
use fsmsim_search::search::{SearchFinding, SearchQuestion, SearchVerdict};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// The entries that name an unknown question.
pub(super) fn unknown_questions(accepted: &[AcceptedFinding]) -> Diagnostics {
    let mut found = Diagnostics::default();
    for entry in accepted {
        let name = &entry.question;
        if SearchQuestion::from_name(name).is_none() {
            let all = SearchQuestion::of_every_model().chain([SearchQuestion::Property]);
            Diagnostic::unknown(Code::BadProject, "question", name)
                .about(entry.place.clone())
                .offer(
                    name,
                    "use one of these questions",
                    all.map(SearchQuestion::name),
                )
                .add_to(&mut found);
        }
    }
    found
}

/// Marks the findings of a model that entries accept. `is_model` returns whether a path is the model.
pub(super) fn mark(
    accepted: &[AcceptedFinding],
    findings: &mut [SearchFinding],
    is_model: &dyn Fn(&Path) -> bool,
) {
    for finding in findings {
        let question = finding.question.name();
        let entry = accepted
            .iter()
            .find(|entry| is_model(&entry.model) && entry.is_about(question, &finding.subject));
        if let Some(entry) = entry.filter(|_| finding.verdict != SearchVerdict::Proved) {
            finding.accepted = Some(entry.reason.clone());
        }
    }
}

/// A warning about an entry whose finding does not occur in the explored versions of its model; `model` is its path for
/// users.
pub(super) fn gone(
    entry: &AcceptedFinding,
    explored: &[&ExplorationReport],
    model: &str,
) -> Option<Diagnostic> {
    let name = entry.name();
    let (title, help) = if !entry.model.exists() {
        (
            format!("unknown model `{model}` of the accepted finding `{name}`"),
            "correct `model`, or remove the entry from `accept` of `[explore]`",
        )
    } else if !explored.is_empty() && explored.iter().all(|one| is_absent(entry, one)) {
        (
            format!("accepted finding `{name}` does not occur in `{model}`"),
            "remove the entry from `accept` of `[explore]`",
        )
    } else {
        return None;
    };
    let warning = Diagnostic::warning(Code::AcceptedGone, title).about(entry.place.clone());
    Some(warning.help(help))
}

/// Whether a complete search shows that an accepted finding does not occur.
fn is_absent(entry: &AcceptedFinding, explored: &ExplorationReport) -> bool {
    let of_question = |finding: &&SearchFinding| finding.question.name() == entry.question;
    // An answer without a subject is about all subjects.
    let is_about = |finding: &&SearchFinding| {
        finding.subject.is_empty() || entry.is_about(finding.question.name(), &finding.subject)
    };
    let answers = explored.result.findings.iter().filter(of_question);
    let mut about = answers.filter(is_about);
    let is_property = entry.question == SearchQuestion::Property.name();
    let properties = &explored.machine.properties;
    let is_defined = |name: &String| properties.iter().any(|known| *known.name == **name);
    let is_asked = match &entry.subject {
        Some(name) if is_property && is_defined(name) => about.clone().next().is_some(),
        _ => true,
    };
    explored.result.bound.is_none()
        && is_asked
        && about.all(|finding| finding.verdict == SearchVerdict::Proved)
}

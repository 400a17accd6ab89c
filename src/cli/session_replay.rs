//! The effect of a model edit on a saved session.

use std::sync::Arc;

use fsmsim_core::engine::Machine;
use fsmsim_harness::verify::import::ObservedReader;
use fsmsim_harness::verify::{Finding, verify_replay};
use fsmsim_runtime::runtime::SessionView;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, SourceMap, Span};

/// A warning if the model was edited since the session was saved, with the effects on the session. `None` if the model
/// is unchanged.
pub(super) fn changed_model(
    view: &SessionView,
    machine: &Arc<Machine>,
    consequence: &str,
) -> Option<Diagnostic> {
    if view.stored.fingerprint == machine.files.fingerprint() {
        return None;
    }
    let finding = Diagnostic::warning(
        Code::ChangedModel,
        format!(
            "the model of the session `{}` has changed since the last turn",
            view.name
        ),
    )
    .about(view.stored.model.clone());
    let finding = removed_points(view, machine)
        .chain(replayed(view, machine))
        .fold(finding, Diagnostic::note);
    Some(finding.note(consequence))
}

/// Question topics of the session that the model no longer has.
fn removed_points(view: &SessionView, machine: &Machine) -> impl Iterator<Item = String> {
    let points = view.last().unwrap_or_default().points();
    let known: Vec<String> = machine
        .policies
        .points()
        .iter()
        .map(|point| point.id.to_string())
        .collect();
    points.into_iter().filter_map(move |point| {
        let id = point.id;
        let kept = if point.answers.is_empty() {
            ""
        } else {
            "; its answers are not used"
        };
        (!known.contains(&id)).then(|| format!("the point `{id}` no longer exists{kept}"))
    })
}

/// The differences of a replay on the current model.
fn replayed(view: &SessionView, machine: &Arc<Machine>) -> Vec<String> {
    let started = view
        .trace(machine)
        .and_then(|trace| Ok((trace, view.setup(machine)?)));
    let (trace, setup) = match started {
        Ok(started) => started,
        Err(why) => {
            return vec![format!(
                "the session can no longer start as before: {}",
                why.lines().next().unwrap_or_default()
            )];
        }
    };
    let mut found = Diagnostics::default();
    let mut sources = SourceMap::default();
    let nowhere = Span::start_of(sources.add(&view.name, ""));
    let text =
        ObservedReader::new(trace.as_bytes(), &view.name, None).read(&mut found, &mut sources);
    let dialogue = text
        .as_ref()
        .and_then(|text| text.open(None, &view.name, &mut found, &mut sources));
    let verdict = dialogue.and_then(|dialogue| {
        verify_replay(machine, setup, &dialogue, &mut found, &mut |_| nowhere).ok()
    });
    let errors = found
        .items()
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .flat_map(|finding| {
            [finding.title.clone()]
                .into_iter()
                .chain(finding.notes.iter().cloned())
        });
    let differences = verdict.map(|verdict| verdict.findings).unwrap_or_default();
    // A violated property was violated in the session as well.
    errors
        .chain(
            differences
                .iter()
                .filter(|finding| finding.field.is_some())
                .map(in_words),
        )
        .collect()
}

/// Describes a difference in one sentence.
fn in_words(finding: &Finding) -> String {
    let turn = finding.at.as_ref().map_or(0, |at| at.turn);
    let what = finding
        .field
        .map_or_else(|| finding.rule.to_owned(), |field| format!("`{field}`"));
    let place = finding
        .place
        .as_ref()
        .map_or(String::new(), |place| format!(" ({place})"));
    let Finding {
        found, declared, ..
    } = finding;
    format!("turn {turn} would differ now: {what} was {found}, and would be {declared}{place}")
}

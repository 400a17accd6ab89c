//! The mutants that no scenario notices, and the lines about them in all formats.

use fsmsim_harness::mutate::{MutantResult, MutatedModel};
use fsmsim_syntax::terminal::Joined;

/// The mutants of a model that no scenario notices.
pub(super) fn open(model: &MutatedModel) -> impl Iterator<Item = &MutantResult> {
    model
        .mutants
        .iter()
        .filter(|result| result.status.is_open())
}

/// The remarks about the scenarios of a model.
pub(super) fn notes(model: &MutatedModel) -> Vec<String> {
    let mut notes = Vec::new();
    if model.scenarios == 0 {
        notes.push("no scenario of this model passes".to_owned());
    }
    if !model.left_out.is_empty() {
        let left_out = model.left_out.iter().joined(", ");
        notes.push(format!("not used, because they do not pass: {left_out}"));
    }
    notes
}

/// The location and the change of a mutant.
pub(super) fn titled(result: &MutantResult, from_root: &dyn Fn(&str) -> String) -> String {
    let file = from_root(&result.file());
    let ((line, column), _) = result.place;
    format!("{file}:{line}:{column}: {}", result.change())
}

pub(super) fn reason(result: &MutantResult) -> &str {
    result.reason.as_deref().unwrap_or_default()
}

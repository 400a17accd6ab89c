//! A set under construction: states that moves lead to and nobody has written yet play as stubs.

use rustc_hash::FxHashSet;

use super::draft::{StateDraft, StateSet};
use super::targets::Targets;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};

/// Adds a state for each target that is none. What would be an error is a warning.
pub(super) fn add(set: &mut StateSet, found: &mut Diagnostics) {
    let mut stubs: Vec<StateDraft> = Vec::new();
    let mut named = FxHashSet::default();
    // Names that are given twice are told where the set is lowered.
    let mut targets = Targets::new(&set.states, &mut Diagnostics::default());
    for target in set
        .states
        .iter()
        .flat_map(|draft| &draft.moves)
        .flat_map(|written| &written.targets)
    {
        let mut missing = Diagnostics::default();
        targets.resolve(target, &mut missing);
        for finding in missing.items() {
            let mut finding = finding.clone();
            finding.severity = Severity::Warning;
            found.push(
                finding.note("it plays as a stub: a state without a text that leads nowhere"),
            );
            if named.insert(&*target.name.text) {
                let mut stub = StateDraft::named(target.name.clone());
                // Nobody is told that nothing leads on from what is not there yet.
                stub.moves_lost = true;
                stubs.push(stub);
            }
        }
    }
    set.states.extend(stubs);
}

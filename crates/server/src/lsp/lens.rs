//! The code lens of a state: the number of scenarios that reach it, and their results.

use std::path::Path;

use gen_lsp_types::{CodeLens, Command};

use super::named_kind::{NamedKind, NamedRole};
use super::state_visits::StateVisits;
use super::workspace::Workspace;
use fsmsim_syntax::diagnostic::plural;

/// The code lenses of all states of a document.
pub(super) fn lenses(workspace: &Workspace, file: &Path) -> Vec<CodeLens> {
    let models = workspace.map.models_of(file);
    let visits: Vec<_> = models
        .iter()
        .filter_map(|model| workspace.visits.get(*model))
        .collect();
    let Some(index) = workspace.index(file).filter(|_| !visits.is_empty()) else {
        return Vec::new();
    };
    let states = index
        .places
        .iter()
        .filter(|place| place.kind == NamedKind::State && place.role == NamedRole::Defines);
    let lenses = states.filter_map(|place| {
        let state_visits = visits.iter().filter_map(|visits| visits.get(&*place.name));
        let mut sum = StateVisits::default();
        for visits in state_visits {
            sum.scenarios += visits.scenarios;
            sum.fallen += visits.fallen;
            sum.open += visits.open;
        }
        let range = workspace.location(file, &place.at)?.range;
        // A command without a name is shown as plain text.
        let command = Command {
            title: words(sum),
            command: String::new(),
            ..Command::default()
        };
        Some(CodeLens {
            range,
            command: Some(command),
            data: None,
        })
    });
    lenses.collect()
}

fn words(visits: StateVisits) -> String {
    if visits.scenarios == 0 {
        return "no scenario reaches this state".to_owned();
    }
    let mut words = plural(visits.scenarios, "scenario");
    match (visits.fallen, visits.open) {
        (0, 0) => words.push_str(", all passed"),
        (0, open) if open == visits.scenarios => words.push_str(", not run yet"),
        (fallen, open) => {
            if fallen > 0 {
                words = format!("{words}, {fallen} failed");
            }
            if open > 0 {
                words = format!("{words}, {open} not run yet");
            }
        }
    }
    words
}

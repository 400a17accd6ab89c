//! The dialogue, as the page shows it.

use serde::Serialize;

use super::edit_view::EditView;
use super::moment_view::MomentView;
use crate::studio::told_model::ToldModel;
use crate::studio::workbench::Workbench;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_reports::view::HereView;

/// The dialogue: where it is, its branches, and the turns that whoever asks does not know yet.
#[derive(Debug, Serialize)]
pub(in crate::studio) struct DialogueView<'r> {
    /// The number of its tree: with another number, all moments are to be forgotten.
    tree: u64,
    model: ToldModel,
    /// The folder of the project.
    project: String,
    /// The number of the version of the model.
    revision: u64,
    /// Who reads plain text.
    asks: Option<&'r str>,
    can_ask: Vec<&'r str>,
    /// The moment at which it is; 0 for the beginning.
    at: u32,
    branch: &'r str,
    /// Turns that were played up to here.
    turns: u32,
    /// What was changed by hand since the last turn, as lines.
    by_hand: Vec<&'r str>,
    branches: Vec<BranchView<'r>>,
    /// The moments from the beginning to here.
    path: Vec<u32>,
    /// The moments ahead on this branch.
    ahead: Vec<u32>,
    moments: Vec<MomentView<'r>>,
    here: HereView<'r>,
    /// What is to be said about what was done.
    notes: &'r [String],
    edit: Option<EditView>,
}

#[derive(Debug, Serialize)]
struct BranchView<'r> {
    name: &'r str,
    tip: u32,
    turns: u32,
    /// The state at its end; nothing where no turn was played.
    state: Option<String>,
}

impl<'r> DialogueView<'r> {
    /// The dialogue for whoever knows the moments up to a number.
    pub(in crate::studio) fn of(
        bench: &'r Workbench,
        known: u32,
        notes: &'r [String],
        edit: Option<EditView>,
    ) -> Self {
        let rehearsal: &Rehearsal = &bench.rehearsal;
        let tree = rehearsal.tree();
        let path = tree.path_to(tree.at());
        let whole = tree.path_to(tree.tip(tree.branch()).unwrap_or(tree.at()));
        let ahead = whole.get(path.len()..).unwrap_or_default().to_vec();
        let branches = tree.branches().iter().map(|branch| BranchView {
            name: &branch.name,
            tip: branch.tip,
            turns: tree.turns_at(branch.tip),
            state: rehearsal.state_at(branch.tip),
        });
        Self {
            tree: bench.tree,
            model: ToldModel::of(&bench.model, &bench.settings.project),
            project: bench.project_name(),
            revision: bench.model.revision,
            asks: bench.asks.as_deref(),
            can_ask: bench.can_ask(),
            at: tree.at(),
            branch: tree.branch(),
            turns: tree.turns_at(tree.at()),
            by_hand: rehearsal.changed_by_hand().collect(),
            branches: branches.collect(),
            path,
            ahead,
            moments: MomentView::since(rehearsal, known),
            here: HereView::of(rehearsal),
            notes,
            edit,
        }
    }
}

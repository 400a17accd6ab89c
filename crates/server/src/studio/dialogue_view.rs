//! The dialogue, as the page shows it.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use super::workbench::Workbench;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_reports::view::HereView;
use fsmsim_runtime::runtime::TurnNode;

/// The dialogue: where it is, its branches, and the turns that whoever asks does not know yet.
#[derive(Debug, Serialize)]
pub(super) struct DialogueView<'r> {
    /// The number of its tree: with another number, all moments are to be forgotten.
    tree: u64,
    model: Json,
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
    /// What an edit of the model did to the dialogue.
    edit: Option<Json>,
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
    pub(super) fn of(
        bench: &'r Workbench,
        known: u32,
        notes: &'r [String],
        edit: Option<Json>,
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
            model: bench.model.told(&bench.settings),
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

/// A turn that was played.
#[derive(Debug, Serialize)]
struct MomentView<'r> {
    /// The number of its moment in the tree of turns.
    number: u32,
    /// The number of the moment before; 0 for the beginning.
    before: u32,
    /// The number of the turn.
    turn: u32,
    /// The line by which it was given.
    line: &'r str,
    /// Its record; nothing where there is nothing to tell of it.
    record: Option<&'r RawValue>,
    /// Why it went as it did, in a sentence; empty where that is not known.
    why: String,
    /// What was said in it.
    said: Vec<Json>,
}

impl<'r> MomentView<'r> {
    /// The moments behind the one with this number.
    fn since(rehearsal: &'r Rehearsal, known: u32) -> Vec<Self> {
        let tree = rehearsal.tree();
        // The number of a turn is one more than that of the turn before.
        let mut turns = vec![tree.turns_at(0)];
        let mut views = Vec::new();
        for (number, moment) in (1..).zip(tree.moments()) {
            let before = usize::try_from(moment.before)
                .ok()
                .and_then(|before| turns.get(before))
                .copied();
            let turn = before.unwrap_or_default().saturating_add(1);
            turns.push(turn);
            if number > known {
                views.push(Self::of(rehearsal, number, turn, moment));
            }
        }
        views
    }

    fn of(rehearsal: &'r Rehearsal, number: u32, turn: u32, moment: &'r TurnNode) -> Self {
        let said = moment
            .said
            .iter()
            .map(|said| json!({"by": said.by.name(), "text": said.text}));
        Self {
            number,
            before: moment.before,
            turn,
            line: &moment.line,
            // A record is a line of JSON, or nothing at all.
            record: serde_json::from_str(&moment.record).ok(),
            why: rehearsal
                .why_at(number)
                .map_or_else(String::new, |why| why.sentence.to_string()),
            said: said.collect(),
        }
    }
}

//! The dialogue as the page shows it.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use super::studio_state::StudioState;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_reports::dialogue_view::StateView;
use fsmsim_runtime::runtime::TurnNode;
use fsmsim_runtime::script::missing_examples;

/// The dialogue: current state, branches, and the turns that the page does not have yet.
#[derive(Debug, Serialize)]
pub(super) struct DialogueView<'r> {
    /// The version number of the turn tree. If it changes, the page must discard all moments.
    tree: u64,
    model: Json,
    project: String,
    /// The version number of the model.
    revision: u64,
    /// The recognizer.
    asks: Option<&'r str>,
    can_ask: Vec<&'r str>,
    /// The lines that the model lacks for recognizing text by examples, if it has no examples.
    examples: Option<String>,
    /// The current moment; 0 for the start.
    at: u32,
    branch: &'r str,
    /// The number of turns up to the current moment.
    turns: u32,
    /// Manual changes since the last turn, as lines.
    by_hand: Vec<&'r str>,
    branches: Vec<BranchView<'r>>,
    /// The moments from the start to the current one.
    path: Vec<u32>,
    /// The later moments of this branch.
    ahead: Vec<u32>,
    moments: Vec<TurnDetail<'r>>,
    here: StateView<'r>,
    /// Notes about the last operation.
    notes: &'r [String],
    /// The effect of a model edit on the dialogue.
    edit: Option<Json>,
}

#[derive(Debug, Serialize)]
struct BranchView<'r> {
    name: &'r str,
    tip: u32,
    turns: u32,
    /// The state at the end of the branch; `None` without turns.
    state: Option<String>,
}

impl<'r> DialogueView<'r> {
    /// The view for a page that has the moments up to `known`.
    pub(super) fn of(
        bench: &'r StudioState,
        known: u32,
        notes: &'r [String],
        edit: Option<Json>,
    ) -> Self {
        let interactive: &InteractiveDialogue = &bench.interactive;
        let tree = interactive.tree();
        let path = tree.path_to(tree.at());
        let whole = tree.path_to(tree.tip(tree.branch()).unwrap_or(tree.at()));
        let ahead = whole.get(path.len()..).unwrap_or_default().to_vec();
        let branches = tree.branches().iter().map(|branch| BranchView {
            name: &branch.name,
            tip: branch.tip,
            turns: tree.turns_at(branch.tip),
            state: interactive.state_at(branch.tip),
        });
        Self {
            tree: bench.tree,
            model: bench.model.view(&bench.settings),
            project: bench.project_name(),
            revision: bench.model.revision,
            asks: bench.asked(),
            examples: missing_examples(interactive.dialogue().machine()),
            can_ask: bench.can_ask(),
            at: tree.at(),
            branch: tree.branch(),
            turns: tree.turns_at(tree.at()),
            by_hand: interactive.changed_manually().collect(),
            branches: branches.collect(),
            path,
            ahead,
            moments: TurnDetail::since(interactive, known),
            here: StateView::of(interactive),
            notes,
            edit,
        }
    }
}

/// A turn of the dialogue.
#[derive(Debug, Serialize)]
struct TurnDetail<'r> {
    /// The number of the turn's moment in the turn tree.
    number: u32,
    /// The number of the previous moment; 0 for the start.
    before: u32,
    turn: u32,
    /// The input line.
    line: &'r str,
    /// The record of the turn; `None` if it has none.
    record: Option<&'r RawValue>,
    /// A one-sentence explanation of the outcome; empty if unknown.
    why: String,
    /// The utterances of the turn.
    said: Vec<Json>,
}

impl<'r> TurnDetail<'r> {
    /// The turns at the moments after the number `known`.
    fn since(interactive: &'r InteractiveDialogue, known: u32) -> Vec<Self> {
        let tree = interactive.tree();
        // The turn number is one more than the number of the previous turn.
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
                views.push(Self::of(interactive, number, turn, moment));
            }
        }
        views
    }

    fn of(
        interactive: &'r InteractiveDialogue,
        number: u32,
        turn: u32,
        moment: &'r TurnNode,
    ) -> Self {
        let said = moment
            .said
            .iter()
            .map(|said| json!({"by": said.by.name(), "text": said.text}));
        Self {
            number,
            before: moment.before,
            turn,
            line: &moment.line,
            // A record is one JSON object, or empty.
            record: serde_json::from_str(&moment.record).ok(),
            why: interactive
                .why_at(number)
                .map_or_else(String::new, |why| why.sentence.to_string()),
            said: said.collect(),
        }
    }
}

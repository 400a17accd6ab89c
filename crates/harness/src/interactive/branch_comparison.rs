//! Compares two branches.

use super::interactive_dialogue::InteractiveDialogue;
use super::turn_change::RecordDifference;
use fsmsim_runtime::runtime::TurnBranch;

/// The differences between two branches after their last common turn, turn by turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchComparison {
    /// The name of the first branch.
    pub one: String,
    pub other: String,
    /// The number of turns that both branches have in common.
    pub parted: u32,
    /// The turns after the last common turn.
    pub turns: Vec<ComparedTurn>,
}

/// A turn on two branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedTurn {
    pub turn: u32,
    /// The moment of the turn on each branch; `None` after the end of a branch.
    pub moments: [Option<u32>; 2],
    /// The fields that differ, if the turn exists on both branches.
    pub fields: Vec<RecordDifference>,
}

impl InteractiveDialogue {
    /// Compares two branches.
    pub fn compare(&self, one: &str, other: &str) -> Result<BranchComparison, String> {
        let one = self.branch_named(one)?;
        let other = self.branch_named(other)?;
        let parting = self.tree.common(one.tip, other.tip);
        let rest_of = |branch: &TurnBranch| -> Vec<u32> {
            self.tree
                .path_to(branch.tip)
                .into_iter()
                .skip_while(|number| *number <= parting)
                .collect()
        };
        let ours = rest_of(&one);
        let theirs = rest_of(&other);
        let parted = self.tree.turns_at(parting);
        let turns = (0..ours.len().max(theirs.len())).map(|at| {
            let moments = [ours.get(at).copied(), theirs.get(at).copied()];
            let [one, other] =
                moments.map(|number| number.and_then(|number| self.tree.moment(number)));
            let fields = one
                .zip(other)
                .map(|(one, other)| RecordDifference::between(one, other))
                .unwrap_or_default();
            ComparedTurn {
                turn: parted.saturating_add(u32::try_from(at + 1).unwrap_or(u32::MAX)),
                moments,
                fields,
            }
        });
        Ok(BranchComparison {
            parted,
            turns: turns.collect(),
            one: one.name,
            other: other.name,
        })
    }
}

//! The turns of a dialogue with all branches.

use fsmsim_adapters::llm::Utterance;
use fsmsim_adapters::stores::{Checkpoint, TreePlace, TreeRoot, TurnBranch, TurnNode};
use fsmsim_syntax::diagnostic::plural;

/// The branch on which every dialogue starts.
pub const MAIN_BRANCH: &str = "main";

/// The turns of a dialogue with all branches. Moments are numbered from 1 in the order in which they were run, and are
/// never removed.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnTree {
    root: TreeRoot,
    moments: Vec<TurnNode>,
    place: TreePlace,
}

impl TurnTree {
    /// A tree without turns.
    pub fn begin(root: TreeRoot) -> Self {
        let main = TurnBranch {
            name: MAIN_BRANCH.to_owned(),
            tip: 0,
        };
        Self {
            root,
            moments: Vec::new(),
            place: TreePlace {
                branch: MAIN_BRANCH.to_owned(),
                moment: 0,
                branches: vec![main],
            },
        }
    }

    /// Restores a saved tree. Returns `None` if it is inconsistent: a moment must follow an earlier one, and a branch
    /// must end at an existing moment.
    pub fn restored(root: TreeRoot, place: TreePlace, moments: Vec<TurnNode>) -> Option<Self> {
        let count = u32::try_from(moments.len()).ok()?;
        let in_order = moments
            .iter()
            .zip(1..)
            .all(|(moment, number)| moment.before < number);
        let is_whole = place.branches.iter().all(|branch| branch.tip <= count);
        let tree = Self {
            root,
            moments,
            place,
        };
        let tip = tree.tip(tree.branch())?;
        let at = tree.at();
        (in_order && is_whole && (at == 0 || tree.path_to(tip).contains(&at))).then_some(tree)
    }

    /// The start of the tree.
    pub fn root(&self) -> &TreeRoot {
        &self.root
    }

    /// Replaces the initial session of the dialogue after an edit of the model.
    pub fn set_start(&mut self, saved: String) {
        self.root.checkpoint.saved = saved;
    }

    pub fn moment(&self, number: u32) -> Option<&TurnNode> {
        self.moments
            .get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// All moments in the order in which they were run.
    pub fn moments(&self) -> &[TurnNode] {
        &self.moments
    }

    /// The current moment. 0 is the start.
    pub fn at(&self) -> u32 {
        self.place.moment
    }

    /// The current moment and the branches.
    pub fn place(&self) -> &TreePlace {
        &self.place
    }

    pub fn branch(&self) -> &str {
        &self.place.branch
    }

    /// All branches in order of creation.
    pub fn branches(&self) -> &[TurnBranch] {
        &self.place.branches
    }

    /// The last moment of a branch.
    pub fn tip(&self, name: &str) -> Option<u32> {
        self.branches()
            .iter()
            .find(|branch| branch.name == name)
            .map(|branch| branch.tip)
    }

    /// The moments from the start to `number`.
    pub fn path_to(&self, number: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut next = number;
        while let Some(moment) = self.moment(next) {
            path.push(next);
            next = moment.before;
        }
        path.reverse();
        path
    }

    /// The number of turns up to a moment.
    pub fn turns_at(&self, number: u32) -> u32 {
        let played = u32::try_from(self.path_to(number).len()).unwrap_or(u32::MAX);
        self.root.turns.saturating_add(played)
    }

    /// The turns up to a moment as trace lines. Turns without a record are empty strings.
    pub fn all_records_to(&self, number: u32) -> impl Iterator<Item = &str> {
        let path = self
            .path_to(number)
            .into_iter()
            .filter_map(|number| self.moment(number));
        self.root
            .records
            .iter()
            .map(String::as_str)
            .chain(path.map(|moment| &*moment.record))
    }

    /// The turns up to a moment as trace lines, without empty ones.
    pub fn records_to(&self, number: u32) -> impl Iterator<Item = &str> {
        self.all_records_to(number)
            .filter(|record| !record.is_empty())
    }

    /// The utterances up to a moment.
    pub fn said_to(&self, number: u32) -> Vec<Utterance> {
        let path = self
            .path_to(number)
            .into_iter()
            .filter_map(|number| self.moment(number));
        self.root
            .said
            .iter()
            .chain(path.flat_map(|moment| &moment.said))
            .cloned()
            .collect()
    }

    /// The checkpoint of the dialogue at a moment.
    pub fn checkpoint(&self, number: u32) -> &Checkpoint {
        self.moment(number)
            .map_or(&self.root.checkpoint, |moment| &moment.checkpoint)
    }

    /// Saves the path that `redo` would follow as a separate branch before the dialogue takes another path. Returns the
    /// name of the branch, or `None` if there is no such path.
    pub fn keep_former(&mut self) -> Option<String> {
        let current = self.branch();
        let tip = self.tip(current).filter(|tip| *tip != self.at())?;
        let is_kept = self
            .branches()
            .iter()
            .any(|other| other.name != current && other.tip == tip);
        let name = (1..=u32::MAX)
            .map(|number| format!("{current}-{number}"))
            .find(|name| self.tip(name).is_none())?;
        self.place.end_here();
        if is_kept {
            return None;
        }
        self.place.branches.push(TurnBranch {
            name: name.clone(),
            tip,
        });
        Some(name)
    }

    /// Appends a turn at the current moment.
    pub fn grow(&mut self, moment: TurnNode) {
        self.moments.push(TurnNode {
            before: self.at(),
            ..moment
        });
        self.place
            .grow(u32::try_from(self.moments.len()).unwrap_or(u32::MAX));
    }

    /// The moment `turns` turns back.
    ///
    /// # Errors
    /// Returns an error message if there are fewer turns.
    pub fn back(&self, turns: u32) -> Result<u32, String> {
        let path = self.path_to(self.at());
        let steps = usize::try_from(turns).unwrap_or(usize::MAX);
        match path.len().checked_sub(steps) {
            Some(0) => Ok(0),
            Some(left) => Ok(path.get(left - 1).copied().unwrap_or(0)),
            None if path.is_empty() => Err("no turn to undo".to_owned()),
            None => Err(format!("only {} can be undone", plural(path.len(), "turn"))),
        }
    }

    /// The moment `turns` turns forward on the branch.
    ///
    /// # Errors
    /// Returns an error message if there are fewer turns.
    pub fn forth(&self, turns: u32) -> Result<u32, String> {
        let path = self.path_to(self.tip(self.branch()).unwrap_or(self.at()));
        let here = path
            .iter()
            .position(|number| *number == self.at())
            .map_or(0, |at| at + 1);
        let ahead = path.get(here..).unwrap_or_default();
        let steps = usize::try_from(turns).unwrap_or(usize::MAX);
        match steps.checked_sub(1).and_then(|last| ahead.get(last)) {
            Some(number) => Ok(*number),
            None if ahead.is_empty() => Err("no turn to redo on this branch".to_owned()),
            None => Err(format!(
                "only {} can be redone on this branch",
                plural(ahead.len(), "turn")
            )),
        }
    }

    /// The moment on the branch after the given turn.
    pub fn of_turn(&self, turn: u32) -> Result<u32, String> {
        let path = self.path_to(self.tip(self.branch()).unwrap_or(self.at()));
        let last = self
            .root
            .turns
            .saturating_add(u32::try_from(path.len()).unwrap_or(u32::MAX));
        let Some(steps) = turn.checked_sub(self.root.turns).filter(|_| turn <= last) else {
            return Err(format!(
                "the branch `{}` has the turns {} to {last}",
                self.branch(),
                self.root.turns
            ));
        };
        let at = usize::try_from(steps)
            .ok()
            .and_then(|steps| path.get(steps.checked_sub(1)?));
        Ok(at.copied().unwrap_or(0))
    }

    /// Moves the dialogue to another moment of its branch.
    pub fn move_to(&mut self, number: u32) {
        self.place.moment = number;
    }

    /// Creates a branch at the current moment.
    pub fn fork(&mut self, name: &str) -> Result<(), String> {
        let is_usual = |c: char| c.is_alphanumeric() || ['-', '_', '.'].contains(&c);
        if name.is_empty() || !name.chars().all(is_usual) {
            return Err(
                "a branch name can contain only letters, digits, `-`, `_` and `.`".to_owned(),
            );
        }
        if self.tip(name).is_some() {
            return Err(format!(
                "the branch `{name}` already exists: enter it with `:switch {name}`"
            ));
        }
        self.place.branches.push(TurnBranch {
            name: name.to_owned(),
            tip: self.at(),
        });
        name.clone_into(&mut self.place.branch);
        Ok(())
    }

    /// Moves to the end of another branch.
    pub fn switch(&mut self, branch: &TurnBranch) {
        branch.name.clone_into(&mut self.place.branch);
        self.place.moment = branch.tip;
    }

    /// The last common moment of the paths to two moments, inclusive.
    pub fn common(&self, one: u32, other: u32) -> u32 {
        let one = self.path_to(one);
        let other = self.path_to(other);
        one.iter()
            .zip(&other)
            .take_while(|(one, other)| one == other)
            .last()
            .map_or(0, |(one, _)| *one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(tree: &mut TurnTree, line: &str) {
        tree.keep_former();
        tree.grow(TurnNode {
            line: line.to_owned(),
            record: format!("({line})"),
            ..TurnNode::default()
        });
    }

    fn lines(tree: &TurnTree, number: u32) -> String {
        tree.path_to(number)
            .iter()
            .map(|number| tree.moment(*number).unwrap().line.as_str())
            .collect()
    }

    #[test]
    fn undone_turns_become_a_branch_when_a_new_turn_runs() {
        let mut tree = TurnTree::begin(TreeRoot::default());
        "abc"
            .chars()
            .for_each(|line| play(&mut tree, &line.to_string()));
        let back = tree.back(2).unwrap();
        tree.move_to(back);
        assert_eq!(lines(&tree, tree.at()), "a");
        assert_eq!(
            tree.forth(2).map(|number| lines(&tree, number)),
            Ok("abc".to_owned())
        );
        assert_eq!(
            tree.forth(3),
            Err("only 2 turns can be redone on this branch".to_owned())
        );
        assert_eq!(tree.back(2), Err("only 1 turn can be undone".to_owned()));
        play(&mut tree, "x");
        assert_eq!(lines(&tree, tree.at()), "ax");
        assert_eq!(
            tree.tip("main-1").map(|tip| lines(&tree, tip)),
            Some("abc".to_owned())
        );
        assert_eq!(tree.common(tree.at(), tree.tip("main-1").unwrap()), 1);
        tree.fork("other").unwrap();
        play(&mut tree, "y");
        assert_eq!(
            tree.branches()
                .iter()
                .map(|branch| lines(&tree, branch.tip))
                .collect::<Vec<_>>(),
            ["ax", "abc", "axy"]
        );
        assert_eq!(tree.of_turn(1), Ok(1));
        assert!(
            tree.of_turn(4).is_err() && tree.fork("main").is_err() && tree.fork("a b").is_err()
        );
    }

    #[test]
    fn named_branch_is_not_saved_again() {
        let mut tree = TurnTree::begin(TreeRoot::default());
        play(&mut tree, "a");
        tree.fork("kept").unwrap();
        let main = tree.branches()[0].clone();
        tree.switch(&main);
        tree.move_to(0);
        play(&mut tree, "b");
        let names: Vec<&str> = tree.branches().iter().map(|branch| &*branch.name).collect();
        assert_eq!(names, ["main", "kept"]);
    }

    #[test]
    fn inconsistent_tree_is_not_restored() {
        let moment = |before| TurnNode {
            before,
            ..TurnNode::default()
        };
        let main = |tip| {
            vec![TurnBranch {
                name: "main".to_owned(),
                tip,
            }]
        };
        let restored = |moments, branches, at| {
            let place = TreePlace {
                branch: "main".to_owned(),
                moment: at,
                branches,
            };
            TurnTree::restored(TreeRoot::default(), place, moments)
        };
        assert!(restored(vec![moment(0), moment(1)], main(2), 1).is_some());
        assert!(
            restored(vec![moment(1)], main(1), 1).is_none(),
            "a moment follows itself"
        );
        assert!(
            restored(vec![moment(0)], main(2), 1).is_none(),
            "a branch ends at an unknown moment"
        );
        assert!(
            restored(vec![moment(0), moment(0)], main(2), 1).is_none(),
            "the current moment is on no branch"
        );
        assert!(restored(Vec::new(), Vec::new(), 0).is_none(), "no branch");
    }
}

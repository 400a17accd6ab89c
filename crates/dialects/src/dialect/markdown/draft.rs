//! States as they are written, before names are known to mean anything.

use super::layout::Layout;
use super::plain::NamedText;
use fsmsim_core::machine::{IdVec, Schema, SchemaId};
use fsmsim_syntax::document::Node;

/// Everything that a machine is made of, as it is written.
#[derive(Clone, Debug)]
pub(super) struct StateSet {
    /// What it is called.
    pub(super) name: String,
    /// A folder of states or one document.
    pub(super) shape: SetShape,
    /// What holds in every state.
    pub(super) base: Base,
    /// The states in the order of their files, or of the document.
    pub(super) states: Vec<StateDraft>,
    /// What may be carried over from turn to turn, where the set says so.
    pub(super) contract: Option<Node>,
}

/// What a set of states is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetShape {
    /// A folder with a file a state.
    Folder,
    /// A document with a table of transitions.
    Document,
}

/// What holds in every state.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    /// The text of the base layer.
    pub(super) text: String,
    /// What stands in backticks in it.
    pub(super) quoted: Vec<NamedText>,
    /// Where a dialogue starts, where that is said.
    pub(super) initial: Option<NamedText>,
    /// Where consent is asked for, where that is said.
    pub(super) consent: Option<NamedText>,
    /// Where a dialogue goes on without data, where that is said.
    pub(super) without_data: Option<NamedText>,
    /// What replies may hold.
    pub(super) limits: Vec<LimitText>,
    /// The JSON Schemas.
    pub(super) schemas: IdVec<SchemaId, Schema>,
}

/// How often something may stand in the replies of a state.
#[derive(Clone, Debug)]
pub(super) struct LimitText {
    /// What it is called.
    pub(super) name: Box<str>,
    /// The regular expression of one occurrence.
    pub(super) pattern: regex::Regex,
    /// The fewest occurrences.
    pub(super) least: Option<u32>,
    /// The most occurrences.
    pub(super) most: Option<u32>,
    /// The states that it is for; all, where none is named.
    pub(super) states: Vec<NamedText>,
}

/// A state as it is written.
#[derive(Clone, Debug)]
pub(super) struct StateDraft {
    /// Its name, and where that stands.
    pub(super) name: NamedText,
    /// The text, whole.
    pub(super) instruction: Box<str>,
    /// What it is for.
    pub(super) goal: Option<Box<str>>,
    /// When it is entered.
    pub(super) triggers: Vec<Box<str>>,
    /// Where it leads.
    pub(super) moves: Vec<MoveText>,
    /// Some of that could not be read.
    pub(super) moves_lost: bool,
    /// What is done without data.
    pub(super) degradation: Option<Box<str>>,
    /// The data it needs, where that is said.
    pub(super) reads: Option<Vec<NamedText>>,
    /// The states that load data and that its steps name.
    pub(super) loads: Vec<NamedText>,
    /// The schema of what it writes.
    pub(super) writes: Option<NamedText>,
    pub(super) phase: Option<Box<str>>,
    /// The dialogue ends here.
    pub(super) is_final: bool,
    /// How its text is laid out, where it has a file of its own.
    pub(super) layout: Option<Layout>,
}

impl StateDraft {
    /// A state of which nothing is known but its name.
    pub(super) fn named(name: NamedText) -> Self {
        Self {
            name,
            instruction: Box::default(),
            goal: None,
            triggers: Vec::new(),
            moves: Vec::new(),
            moves_lost: false,
            degradation: None,
            reads: None,
            loads: Vec::new(),
            writes: None,
            phase: None,
            is_final: false,
            layout: None,
        }
    }

    /// The names of the data that it says it reads and writes.
    pub(super) fn data(&self) -> impl Iterator<Item = &NamedText> {
        self.reads.iter().flatten().chain(&self.writes)
    }

    /// What is written in the places of targets, each with its move.
    pub(super) fn targets(&self) -> impl Iterator<Item = (&MoveText, &TargetText)> {
        let moves = self.moves.iter();
        moves.flat_map(|written| written.targets.iter().map(move |target| (written, target)))
    }
}

/// A row of a table of transitions, or an item of a list of them.
#[derive(Clone, Debug)]
pub(super) struct MoveText {
    /// When it is taken, in words.
    pub(super) condition: Box<str>,
    /// Where it leads; mostly one.
    pub(super) targets: Vec<TargetText>,
    /// What takes it when it is said, word for word.
    pub(super) events: Vec<Box<str>>,
}

/// What is written in the place of a target.
#[derive(Clone, Debug)]
pub(super) struct TargetText {
    pub(super) name: NamedText,
    /// What the place says about it.
    pub(super) written: Written,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// In backticks: it is the name.
    Quoted,
    /// In words: it is the name, or the names are among them.
    Bare,
    /// In words of an item that may also be a remark.
    Remark,
}

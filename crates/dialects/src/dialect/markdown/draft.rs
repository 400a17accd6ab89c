//! Drafts of states, before names are resolved.

use super::layout::Layout;
use super::plain::NamedText;
use fsmsim_core::machine::{IdVec, Schema, SchemaId};
use fsmsim_syntax::document::Node;

/// The draft of a state set.
#[derive(Clone, Debug)]
pub(super) struct StateSet {
    pub name: String,
    /// A folder of states or a single document.
    pub shape: SetShape,
    /// The instructions for every state.
    pub base: Base,
    /// The states in the order of their files, or of the document.
    pub states: Vec<StateDraft>,
    /// The contract of the set, if it has one.
    pub contract: Option<Node>,
}

/// The form of a state set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetShape {
    /// A folder with one file per state.
    Folder,
    /// A single document with transitions.
    Document,
}

/// Instructions and settings for every state.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    /// The text of the base layer.
    pub text: String,
    /// The names in backticks in the text.
    pub quoted: Vec<NamedText>,
    /// The initial state, if it is set.
    pub initial: Option<NamedText>,
    /// The state that asks for consent, if it is set.
    pub consent: Option<NamedText>,
    /// The state for dialogues without data, if it is set.
    pub no_data_state: Option<NamedText>,
    /// The limits on replies.
    pub limits: Vec<LimitText>,
    /// The JSON Schemas.
    pub schemas: IdVec<SchemaId, Schema>,
}

/// A limit on the occurrences of a pattern in replies.
#[derive(Clone, Debug)]
pub(super) struct LimitText {
    pub name: Box<str>,
    /// The regular expression that matches one occurrence.
    pub pattern: regex::Regex,
    /// The minimum number of occurrences.
    pub min: Option<u32>,
    /// The maximum number of occurrences.
    pub max: Option<u32>,
    /// The states to which the limit applies; all states if the list is empty.
    pub states: Vec<NamedText>,
}

/// The draft of a state.
#[derive(Clone, Debug)]
pub(super) struct StateDraft {
    /// The name and its position.
    pub name: NamedText,
    /// The complete text.
    pub instruction: Box<str>,
    pub goal: Option<Box<str>>,
    pub triggers: Vec<Box<str>>,
    pub moves: Vec<MoveText>,
    /// Whether some transitions could not be read.
    pub moves_lost: bool,
    /// The behavior without data.
    pub degradation: Option<Box<str>>,
    /// The data that the state reads, if the state declares it.
    pub reads: Option<Vec<NamedText>>,
    /// The data-loading states that the steps mention.
    pub loads: Vec<NamedText>,
    /// The schema of the data that the state writes.
    pub writes: Option<NamedText>,
    pub phase: Option<Box<str>>,
    pub is_final: bool,
    /// Whether the state interrupts the dialogue, and `resume` leads back.
    pub is_aside: bool,
    /// The layout of the text, if the state has a separate file.
    pub layout: Option<Layout>,
}

impl StateDraft {
    /// Creates a state with only a name.
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
            is_aside: false,
            layout: None,
        }
    }

    /// The names of the data that the state reads, and the name of the schema for the data that it writes.
    pub(super) fn data(&self) -> impl Iterator<Item = &NamedText> {
        self.reads.iter().flatten().chain(&self.writes)
    }

    /// The target texts with their transitions.
    pub(super) fn targets(&self) -> impl Iterator<Item = (&MoveText, &TargetText)> {
        self.moves
            .iter()
            .flat_map(|row| row.targets.iter().map(move |target| (row, target)))
    }
}

/// A row of a transition table, or a list item.
#[derive(Clone, Debug)]
pub(super) struct MoveText {
    /// The text of the condition.
    pub condition: Box<str>,
    /// The targets; usually only one.
    pub targets: Vec<TargetText>,
    /// Utterances that trigger the transition if they match literally.
    pub events: Vec<Box<str>>,
}

/// The text of a target.
#[derive(Clone, Debug)]
pub(super) struct TargetText {
    pub name: NamedText,
    /// The markup of the name in the document.
    pub written: Written,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// In backticks: the text is the name.
    Quoted,
    /// Without backticks: the text is the name, or contains names.
    Bare,
    /// Text in a list item that can also be a remark.
    Remark,
}

//! What kind of thing a name in a file names.

use lsp_types::{CompletionItemKind, SymbolKind};

/// What kind of thing a name in a file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum NamedKind {
    /// A state, a mode of a contract, a node of a cycle.
    State,
    /// An intent, a reading of a contract.
    Intent,
    /// A slot.
    Slot,
    /// A phase.
    Phase,
    /// An action.
    Action,
    /// A mixin.
    Mixin,
    /// A condition.
    Condition,
    /// A category of intents.
    Category,
    /// A class of turns of a contract.
    Class,
    /// A point of an interview.
    Point,
    /// A kind of effect.
    Effect,
    /// A counter.
    Counter,
    /// The value of a parameter: a state where there is one of this name, else an action.
    #[strum(serialize = "action")]
    Parameter,
    /// The path of a model.
    Model,
    /// The path of a file.
    File,
}

impl NamedKind {
    /// The kind in words.
    pub(super) fn noun(self) -> &'static str {
        self.into()
    }

    /// Whether a name of the kind can be given another one in all its places.
    pub(super) fn can_be_renamed(self) -> bool {
        matches!(
            self,
            Self::State | Self::Intent | Self::Slot | Self::Phase | Self::Mixin | Self::Condition
        )
    }

    /// How editors show something of the kind in an outline.
    pub(super) fn symbol(self) -> SymbolKind {
        match self {
            Self::State => SymbolKind::CLASS,
            Self::Intent => SymbolKind::EVENT,
            Self::Slot => SymbolKind::FIELD,
            Self::Mixin => SymbolKind::INTERFACE,
            Self::Condition => SymbolKind::BOOLEAN,
            Self::Class | Self::Point => SymbolKind::STRUCT,
            Self::Phase | Self::Category => SymbolKind::ENUM,
            Self::Model | Self::File => SymbolKind::FILE,
            Self::Action | Self::Effect | Self::Counter | Self::Parameter => SymbolKind::FUNCTION,
        }
    }

    /// How editors show something of the kind where it is offered.
    pub(super) fn completion(self) -> CompletionItemKind {
        match self {
            Self::State => CompletionItemKind::CLASS,
            Self::Intent => CompletionItemKind::EVENT,
            Self::Slot => CompletionItemKind::FIELD,
            Self::Mixin => CompletionItemKind::INTERFACE,
            Self::Condition | Self::Class | Self::Point => CompletionItemKind::STRUCT,
            Self::Phase | Self::Category => CompletionItemKind::ENUM_MEMBER,
            Self::Model | Self::File => CompletionItemKind::FILE,
            Self::Action | Self::Effect | Self::Counter | Self::Parameter => {
                CompletionItemKind::FUNCTION
            }
        }
    }
}

/// What a name does in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamedRole {
    /// It is what defines the thing.
    Defines,
    /// It tells of the thing, which nothing else need define.
    Introduces,
    /// It names the thing.
    Uses,
}

/// A parameter of a scenario, and what kind of thing it names there.
pub(super) type NamedParameter = (Box<str>, NamedKind);

//! The reasons of contract classes.

use crate::engine::{Machine, ReasonKind, ReasonNames};
use crate::machine::ClassId;

/// The class of a turn, or why it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContractReason {
    /// The turn has this class.
    Class(ClassId),
    /// The outcome of the back end changes the class of the turn to this class.
    Became(ClassId),
    /// No class matches the turn, so nothing was done.
    Unclassified,
}

impl ContractReason {
    pub(crate) fn all(machine: &Machine) -> Vec<Self> {
        machine
            .contract()
            .into_iter()
            .flat_map(|contract| contract.classes.ids())
            .flat_map(|class| [Self::Class(class), Self::Became(class)])
            .chain([Self::Unclassified])
            .collect()
    }

    pub(crate) fn kind(self) -> ReasonKind {
        match self {
            Self::Class(_) => ReasonKind::Plain,
            Self::Became(_) => ReasonKind::Fallback,
            Self::Unclassified => ReasonKind::NotUnderstood,
        }
    }

    pub(crate) fn code(self, names: ReasonNames<'_>) -> (&str, &str) {
        match self {
            Self::Class(class) => ("contract_class_", class_name(class, names)),
            Self::Became(class) => ("became_", class_name(class, names)),
            Self::Unclassified => ("unclassified", ""),
        }
    }

    pub(crate) fn words(self, names: ReasonNames<'_>) -> String {
        match self {
            Self::Class(class) => format!("the turn has the class {}", class_name(class, names)),
            Self::Became(class) => {
                format!(
                    "the result of the backend changes the class to {}",
                    class_name(class, names)
                )
            }
            Self::Unclassified => "no class matches the turn".to_owned(),
        }
    }
}

fn class_name(class: ClassId, names: ReasonNames<'_>) -> &str {
    names
        .machine
        .contract()
        .map_or("", |contract| contract.class_name(class))
}

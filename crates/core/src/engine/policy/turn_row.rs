//! The lines of a policy in human-readable reports of turns and states.

/// A line about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// The heading that it belongs to.
    pub part: RowPart,
    /// The subject; empty if it continues the previous line.
    pub label: &'static str,
    /// The emphasized name at its start.
    pub name: String,
    /// The text after the name.
    pub text: String,
}

impl TurnRow {
    /// A line without a name.
    pub(super) fn plain(part: RowPart, label: &'static str, text: String) -> Self {
        Self {
            part,
            label,
            name: String::new(),
            text,
        }
    }
}

/// The heading that a line about a turn belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPart {
    /// The class of the turn.
    Class,
    /// Violations of the turn.
    Fault,
}

/// A limit that the replies during one visit of a state violate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyFault<'m> {
    /// The name of the limit.
    pub limit: &'m str,
    /// The number of occurrences.
    pub found: u32,
    /// Whether there were too few occurrences, which is known when the state is left; otherwise there were too many.
    pub too_few: bool,
    /// The limit on the number of occurrences.
    pub bound: u32,
}

/// A class that the next turn can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedClass<'m> {
    pub name: &'m str,
    /// A description.
    pub title: &'m str,
    /// Its intents.
    pub takes: Vec<&'m str>,
    /// Whether the data that it requires are present.
    pub is_ready: bool,
}

//! What a policy says of a turn and of a state to people.

/// A line about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// To what it belongs.
    pub part: RowPart,
    /// What it is about; empty where it goes on with the line before.
    pub label: &'static str,
    /// The name at its beginning, which is emphasized.
    pub name: String,
    /// The rest.
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

/// To what a line about a turn belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPart {
    /// The class of the turn.
    Class,
    /// What the turn did and is not allowed.
    Fault,
}

/// A limit that the replies of a visit to a state do not keep to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyFault<'m> {
    /// The name of the limit.
    pub limit: &'m str,
    /// How often it was met.
    pub found: u32,
    /// It was met too seldom, as is seen where the state is left; otherwise too often.
    pub too_few: bool,
    /// How often it may or must be met.
    pub bound: u32,
}

/// A class that may take the next turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedClass<'m> {
    /// The name.
    pub name: &'m str,
    /// What it is, in words.
    pub title: &'m str,
    /// The intents that it takes.
    pub takes: Vec<&'m str>,
    /// What it requires from before is there.
    pub is_ready: bool,
}

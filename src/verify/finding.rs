//! What speaks against a recorded turn.

/// What speaks against a recorded turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The dialogue.
    pub dialogue: String,
    /// The number of the turn in the dialogue, from 1.
    pub turn: u32,
    /// The line of the trace, from 1.
    pub line: usize,
    /// The rule that is broken; of a replay, that it went another way.
    pub rule: &'static str,
    /// The field in which the replay went another way.
    pub field: Option<&'static str>,
    /// What the trace has.
    pub found: String,
    /// What the model declares, or did.
    pub declared: String,
    /// Where in the model: `path:line`.
    pub place: Option<String>,
    /// Further fields of the turn in which the replay went another way.
    pub also: Vec<&'static str>,
    /// Turns of the dialogue behind this one that were not compared.
    pub not_compared: usize,
}

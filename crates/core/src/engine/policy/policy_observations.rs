//! The observations of the policies in a turn.

/// The observations of the policies in a turn.
#[derive(Clone, Debug, Default)]
pub struct PolicyObservations {
    /// The names of violated rules.
    pub breaches: Vec<&'static str>,
    /// The names of two rules that both match the turn.
    pub ambiguous: Option<Box<str>>,
}

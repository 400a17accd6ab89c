//! What an edge says of the turn that takes it.

/// The mark of an edge, which the class of a turn shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMark {
    /// A step back.
    Back,
    /// What was done is planned anew.
    Replan,
    /// Branches were started.
    Fork,
    /// Branches came together.
    Join,
    /// A way was chosen.
    Choice,
}

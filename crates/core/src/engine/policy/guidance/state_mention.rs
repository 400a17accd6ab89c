//! Where the text of a set names its states.

use crate::machine::StateId;
use fsmsim_syntax::diagnostic::Span;

/// A place in the text of a set where the name of a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMention {
    /// The state.
    pub state: StateId,
    /// The name, without what stands around it.
    pub span: Span,
    /// Whether this is what gives the state its name.
    pub is_name: bool,
}

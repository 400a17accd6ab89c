//! Expectations that a turn does not meet.

use super::matcher::Mismatch;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Place, Span};

/// A field that does not match its expectation.
#[derive(Debug)]
pub struct FieldMismatch {
    /// The location of the expectation.
    pub span: Span,
    pub field: RecordField,
    /// The key of the expectation, if it applies to every turn.
    pub standing: Option<&'static str>,
    /// Whether a judge decided this.
    pub by_judge: bool,
    pub mismatch: Mismatch,
    /// The complete value of the field, if it can replace the expected one.
    pub actual: Option<Value>,
}

impl FieldMismatch {
    /// A mismatch in one turn that no judge decided.
    pub(super) fn plain(span: Span, field: RecordField, mismatch: Mismatch) -> Self {
        Self {
            span,
            field,
            standing: None,
            by_judge: false,
            mismatch,
            actual: None,
        }
    }
}

/// An expectation that was not met.
#[derive(Debug)]
pub struct ExpectationFailure {
    /// The number of the turn. `None` for the end.
    pub turn: Option<u32>,
    /// The location of the expectation.
    pub place: Place,
    /// The key of the expectation, if it applies to every turn.
    pub standing: Option<&'static str>,
    /// The locations of the `use` keys that include the turn, innermost first.
    pub used_at: Vec<Place>,
    pub mismatch: Mismatch,
    /// The location of the expected value, and the value that can replace it.
    pub replacement: Option<(Span, Value)>,
    /// Explains the outcome of the turn.
    pub why: String,
    pub cause: FailureCause,
}

/// The cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The flow: all inputs were fixed, so another trial fails too.
    Flow,
    /// Possibly a model: in this turn or an earlier one, a model gave an answer that can differ in another trial.
    Model,
}

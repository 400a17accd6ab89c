//! Expectations that a turn does not meet.

use super::matcher::Mismatch;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Place, Span};

/// A field that does not meet its expectation.
#[derive(Debug)]
pub struct FieldMismatch {
    /// The location of the expectation.
    pub span: Span,
    pub field: RecordField,
    /// The key under which the expectation is written, if it applies to every turn.
    pub standing: Option<&'static str>,
    /// Whether a judge decided that it does not match.
    pub by_judge: bool,
    pub mismatch: Mismatch,
    /// The complete value of the field, if it can replace the expected value.
    pub actual: Option<Value>,
}

impl FieldMismatch {
    /// A mismatch in a single turn that was found without a judge.
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
    /// The number of the turn; `None` for the end of the scenario.
    pub turn: Option<u32>,
    /// The location of the expectation.
    pub place: Place,
    /// The key under which the expectation is written, if it applies to every turn.
    pub standing: Option<&'static str>,
    /// The locations of the `use` keys by which the turn is included, innermost first.
    pub used_at: Vec<Place>,
    pub mismatch: Mismatch,
    /// The value of the field in the accepted snapshot, if it differs, too.
    pub accepted: Option<String>,
    /// The location of the expected value, and the value that can replace it.
    pub replacement: Option<(Span, Value)>,
    /// An explanation of the turn's outcome.
    pub why: String,
    pub cause: FailureCause,
}

impl ExpectationFailure {
    /// The location of the expected value, and the value that can replace it, or why it cannot be replaced.
    pub fn update(&self) -> Result<&(Span, Value), &'static str> {
        match &self.replacement {
            _ if self.standing.is_some() => Err("it applies to every turn"),
            _ if self.cause == FailureCause::Model => {
                Err("a language model contributed to the result")
            }
            replacement => replacement
                .as_ref()
                .ok_or("a rule, a call, a limit or a judgment has no single new value"),
        }
    }
}

/// The cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The flow. All inputs were fixed, so another trial would fail too.
    Flow,
    /// Possibly a language model. In this turn or an earlier one, it gave an answer that can differ in another trial.
    Model,
}

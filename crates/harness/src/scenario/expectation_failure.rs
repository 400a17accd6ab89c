//! An expectation that a turn does not meet.

use super::matcher::Mismatch;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Place, Span};

/// A field that is not what was expected.
#[derive(Debug)]
pub struct FieldMismatch {
    /// Where the expectation is written.
    pub span: Span,
    pub field: RecordField,
    /// The key under which it is expected of every turn, where it is.
    pub standing: Option<&'static str>,
    /// A judge found it so.
    pub by_judge: bool,
    /// What differs.
    pub mismatch: Mismatch,
    /// The whole value of the field, if it could replace the expected one.
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

/// Something that was not as expected.
#[derive(Debug)]
pub struct ExpectationFailure {
    /// The number of the turn; nothing for the end.
    pub turn: Option<u32>,
    /// Where the expectation is written.
    pub place: Place,
    /// The key under which it is expected of every turn, where it is.
    pub standing: Option<&'static str>,
    /// Where the shared turns that it stands among are used: the nearest `use` first.
    pub used_at: Vec<Place>,
    /// What differs.
    pub mismatch: Mismatch,
    /// The expected value in its file, and the value that could replace it.
    pub replacement: Option<(Span, Value)>,
    /// Why the turn went as it did.
    pub why: String,
    pub cause: FailureCause,
}

/// Whose failure it is that something was not as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The flow's: everything that went in was fixed, so another play fails too.
    Flow,
    /// Perhaps the model's: in this turn or before it, a model gave an answer that may be another one next time.
    Model,
}

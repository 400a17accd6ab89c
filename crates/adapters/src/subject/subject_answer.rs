//! The mapped answer of a system under test.

use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;

/// The answer of a system under test to a turn, in terms of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubjectAnswer {
    /// The record fields that it contains.
    pub fields: Vec<(RecordField, Value)>,
    /// The recognized intent, if the answer contains it.
    pub intent: Option<String>,
    /// Whether the data is partial, so that missing slots are unknown.
    pub tells_some_data: bool,
}

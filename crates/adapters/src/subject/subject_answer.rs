//! What a subject told in a turn.

use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;

/// What a subject told in a turn, in the words of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubjectAnswer {
    /// The fields of a record that it told.
    pub fields: Vec<(RecordField, Value)>,
    /// What it took the user to mean, where it told.
    pub intent: Option<String>,
    /// Of data it told some pieces, and of the others nothing.
    pub tells_some_data: bool,
}

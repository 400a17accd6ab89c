//! What differs between two traces: dialogues are paired by name, their turns aligned by what went in, and the first
//! difference of each dialogue is put down to what decided there.

mod align;
mod candidate;
mod cause;
mod causes;
mod contract_edits;
mod decided;
mod dialogue_diff;
mod dialogue_stream;
mod diff_operand;
mod diff_outcome;
mod difference_kind;
mod divergence;
mod excerpt;
mod field_difference;
mod model_diff;
mod pairing;
mod rule_changes;
mod scenario_documents;
mod scenario_stream;
mod sides;
mod switch_search;
mod titles;
mod trace_comparison;
mod trace_scenario;

pub use candidate::Candidate;
pub use cause::{Cause, CauseKey, CountedChange};
pub use decided::{Decided, FieldChange};
pub use dialogue_diff::DialogueDiff;
pub use dialogue_stream::DialogueStream;
pub use diff_operand::DiffOperand;
pub use diff_outcome::{DiffOutcome, NamedFiles};
pub use difference_kind::DifferenceKind;
pub use divergence::{Divergence, Reconvergence};
pub use excerpt::ExcerptRow;
pub use field_difference::FieldDifference;
pub use model_diff::ModelDiff;
pub use scenario_stream::ScenarioStream;
pub use sides::{DiffSide, Sides};
pub use trace_comparison::{ComparisonCounts, Difference, DifferenceCategory, TraceComparison};

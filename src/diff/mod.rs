//! What differs between two traces: dialogues are paired by name, their turns aligned by what went in, and the first
//! difference of each dialogue is put down to what decided there.

mod align;
mod cause;
mod comparison;
mod dialogue_stream;
mod difference_kind;
mod divergence;
mod excerpt;
mod fields;
mod model_diff;
mod operand;
mod pairing;
mod rule_changes;
mod trace_scenario;

pub use align::{AlignedTurn, align};
pub use cause::{Cause, CauseKey, Change, Decided};
pub use comparison::{ComparisonCounts, Difference, DifferenceCategory, TraceComparison};
pub use dialogue_stream::{DialogueStream, Titles};
pub use difference_kind::DifferenceKind;
pub use divergence::{Divergence, Reconvergence};
pub use excerpt::{ExcerptMark, Row};
pub use fields::FieldDifference;
pub use model_diff::{Candidate, ModelDiff, ModelDiffOutcome};
pub use operand::{DiffOperand, candidate};
pub use pairing::{Paired, Pairing, Side};
pub use rule_changes::RuleChanges;
pub use trace_scenario::TracedScenario;

//! What differs between two traces: dialogues are paired by name, their turns aligned by what went in, and the first
//! difference of each dialogue is put down to what decided there.

mod align;
mod cause;
mod comparison;
mod divergence;
mod excerpt;
mod fields;
mod kind;
mod pairing;

pub use align::{Pair, align};
pub use cause::{Cause, CauseKey, Change, Decided};
pub use comparison::{Comparison, Counts, Difference, How};
pub use divergence::{Divergence, Meeting};
pub use excerpt::{Mark, Row};
pub use fields::FieldDifference;
pub use kind::Kind;
pub use pairing::{Paired, Pairing, Side};

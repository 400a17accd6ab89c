//! What is to be found out in the dialogues of a machine, whichever policy asks for it.

mod anketa;
mod criteria;
mod inquiry;
mod point;

pub use self::anketa::{Anketa, AnketaPoint};
pub use self::criteria::Criteria;
pub(in crate::engine) use self::criteria::{CriteriaVerdict, holds};
pub use self::inquiry::{AnketaWords, Inquiry, KnowledgeSection};
pub use self::point::{Point, PointPriority, PointSlots, PointState};

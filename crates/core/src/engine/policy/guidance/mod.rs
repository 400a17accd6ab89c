//! What guides an assistant in the states of a machine, whichever policy has it.

mod guidance;
mod instruction_text;

pub use self::guidance::{DataRequest, Guidance, Guide, Move, StateMention, StateOutline, spoken};

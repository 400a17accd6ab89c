//! What guides an assistant in the states of a machine, whichever policy has it.

#[expect(
    clippy::module_inception,
    reason = "the file is named after its one type"
)]
mod guidance;
mod instruction_text;

pub use self::guidance::{DataRequest, Guidance, Guide, Move, StateMention, StateOutline, spoken};

//! What guides an assistant in the states of a machine, whichever policy has it.

#[expect(
    clippy::module_inception,
    reason = "the file is named after its one type"
)]
mod guidance;
mod instruction_text;
mod state_mention;
mod state_outline;

pub use self::guidance::{Guidance, Guide, Move, spoken};
pub use self::state_mention::StateMention;
pub use self::state_outline::{DataRequest, StateOutline};

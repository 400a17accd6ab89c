//! Cassettes: what somebody was asked in a dialogue and what came of it, kept, so that the dialogue can be played again
//! without anybody to ask.

#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod cassette;
mod interaction;
mod nearest;
mod recorder;
mod redactions;
mod replayer;

pub use cassette::Cassette;
pub use interaction::Interaction;
pub use recorder::{PathClaims, Recorder};
pub use redactions::Redactions;
pub use replayer::Replayer;

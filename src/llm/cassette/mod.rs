//! Cassettes: what somebody was asked in a dialogue and what came of it, kept, so that the dialogue can be played again
//! without anybody to ask.

#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod cassette;
mod nearest;
mod recorder;
mod recording;
mod replayer;
mod volatile;

pub use cassette::Cassette;
pub use recorder::{Recorder, Taken};
pub use recording::Recording;
pub use replayer::Replayer;
pub use volatile::Volatile;

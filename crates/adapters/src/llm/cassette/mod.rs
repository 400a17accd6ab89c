//! Cassettes: recorded requests of dialogues with their outcomes, to replay the dialogues without a provider.

mod cassette;
mod cassette_counts;
mod cassette_title;
mod completer;
mod dialogue_cassette;
mod interaction;
mod line_span;
mod nearest;
mod recorder;
mod recording;
mod redactions;
mod replayer;
mod simulation_cassette;

pub use cassette::Cassette;
pub use cassette_counts::{CassetteCounts, CompletionLog};
pub use completer::Completer;
pub use interaction::Interaction;
pub use recorder::Recorder;
pub use recording::PathClaims;
pub use redactions::Redactions;
pub use replayer::Replayer;
pub use simulation_cassette::{SimulationCassette, TapeUse};

pub(in crate::llm) use cassette_title::CassetteTitle;
pub(in crate::llm) use recording::{PlayId, Recording, RecordingEnd};

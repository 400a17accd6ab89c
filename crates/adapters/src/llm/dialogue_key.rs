//! The identity of a dialogue for providers.

use std::path::PathBuf;

/// The identity of a new dialogue for providers.
#[derive(Clone, Copy, Debug)]
pub struct DialogueKey<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The name. Random numbers depend on the name, the number and the seeds.
    pub dialogue: &'a str,
    /// The index among the dialogues with this name, from 0.
    pub number: u64,
    /// The cassette, if any.
    pub cassette: Option<&'a CassettePath>,
}

impl<'a> DialogueKey<'a> {
    /// The only dialogue with this name, without a cassette.
    pub fn named(dialogue: &'a str) -> Self {
        Self {
            seed: 0,
            dialogue,
            number: 0,
            cassette: None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct CassettePath {
    pub path: PathBuf,
    /// The command that records the cassette.
    pub command: String,
}

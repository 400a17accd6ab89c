//! By what a dialogue is known to those that answer.

use std::path::PathBuf;

/// A dialogue that is about to begin, as far as whoever is asked must know it.
#[derive(Clone, Copy, Debug)]
pub struct DialogueKey<'a> {
    /// What the run's chance comes from.
    pub seed: u64,
    /// Its name. All chance of the dialogue comes from it, from the number and from seeds.
    pub dialogue: &'a str,
    /// Which dialogue of this name it is, from 0.
    pub number: u64,
    /// Its cassette, where it has one.
    pub cassette: Option<&'a CassettePath>,
}

impl<'a> DialogueKey<'a> {
    /// The only dialogue of this name, without a cassette.
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
    /// The file.
    pub path: PathBuf,
    /// The command that records it.
    pub command: String,
}

//! Whom a run asks.

use std::path::Path;
use std::sync::Arc;

use super::answerer::{Answerer, Nobody};
use super::bank::Bank;
use super::cassette::{Recorder, Replayer, Taken, Volatile};
use super::chain::Chain;
use super::link::Link;
use super::mock::Mock;
use super::usage::Usage;

/// Whom the dialogues of a run ask what their scripts do not say: one after the other, until somebody answers.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    links: Vec<Link>,
    deck: Deck,
}

/// What cassettes have to do with it.
#[derive(Clone, Debug, Default)]
enum Deck {
    /// Nothing.
    #[default]
    None,
    /// What is asked and answered is recorded.
    Record(Arc<Volatile>, Taken),
    /// Nobody but the cassettes is asked.
    Replay(Arc<Volatile>),
}

/// A dialogue that is about to begin, as far as whoever is asked must know it.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// What the run's chance comes from.
    pub seed: u64,
    /// Its name. All chance of the dialogue comes from it, from the number and from seeds.
    pub dialogue: &'a str,
    /// Which dialogue of this name it is, from 0.
    pub number: u64,
    /// Its cassette, where it has one.
    pub cassette: Option<Slot<'a>>,
}

/// The cassette of a dialogue.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// The file.
    pub path: &'a Path,
    /// The command that records it.
    pub command: &'a str,
}

impl Outside {
    /// A run that asks these, in this order.
    #[must_use]
    pub fn new(links: Vec<Link>) -> Self {
        Self { links, deck: Deck::None }
    }

    /// A run that asks these, in this order, and records it.
    #[must_use]
    pub fn recording(links: Vec<Link>, volatile: Volatile) -> Self {
        Self { links, deck: Deck::Record(Arc::new(volatile), Taken::default()) }
    }

    /// A run that asks nobody but cassettes.
    #[must_use]
    pub fn replaying(volatile: Volatile) -> Self {
        Self { links: Vec::new(), deck: Deck::Replay(Arc::new(volatile)) }
    }

    /// Whether its dialogues need cassettes.
    #[must_use]
    pub fn needs_cassettes(&self) -> bool {
        !matches!(self.deck, Deck::None)
    }

    /// Somebody to ask, at the beginning of a dialogue.
    #[must_use]
    pub fn answerer(&self, occasion: &Occasion<'_>) -> Box<dyn Answerer> {
        match (&self.deck, occasion.cassette) {
            (Deck::Record(volatile, taken), Some(Slot { path, .. })) => {
                let (volatile, taken) = (Arc::clone(volatile), taken.clone());
                Box::new(Recorder::new(self.chain(occasion), occasion.dialogue, path, volatile, taken))
            }
            (Deck::Replay(volatile), Some(Slot { path, command })) => {
                Box::new(Replayer::new(occasion.dialogue, path, command, Arc::clone(volatile)))
            }
            (Deck::Replay(_), None) => Box::new(Nobody),
            (Deck::None | Deck::Record(..), _) => self.chain(occasion),
        }
    }

    /// Those who are asked one after the other.
    fn chain(&self, occasion: &Occasion<'_>) -> Box<dyn Answerer> {
        let links = self.links.iter().map(|link| -> Box<dyn Answerer> {
            match link {
                Link::Mock(script) => Box::new(Mock::new(Arc::clone(script), occasion)),
                Link::Bank => Box::new(Bank),
                #[cfg(feature = "live")]
                Link::Live(connection) => Box::new(super::live::Live::new(Arc::clone(connection))),
            }
        });
        Box::new(Chain::new(links.collect()))
    }

    /// What was used of each live model so far, in the order in which they are asked.
    #[must_use]
    pub fn usage(&self) -> Vec<(String, Usage)> {
        self.links.iter().filter_map(Link::usage).collect()
    }
}

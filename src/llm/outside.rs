//! Whom a run asks.

use std::sync::Arc;

use super::answerer::Answerer;
use super::bank::Bank;
use super::chain::Chain;
use super::link::Link;
use super::mock::Mock;
use super::usage::Usage;

/// Whom the dialogues of a run ask what their scripts do not say: one after the other, until somebody answers.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    links: Vec<Link>,
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
}

impl Outside {
    /// A run that asks these, in this order.
    #[must_use]
    pub fn new(links: Vec<Link>) -> Self {
        Self { links }
    }

    /// Somebody to ask, at the beginning of a dialogue.
    #[must_use]
    pub fn answerer(&self, occasion: &Occasion<'_>) -> Box<dyn Answerer> {
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

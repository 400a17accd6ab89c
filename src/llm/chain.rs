//! Answerers one after the other: the first that answers wins.

use std::io;

use super::answerer::{Answerer, Attempt, Reply, Request};

/// Answerers that are asked one after the other.
pub struct Chain {
    links: Vec<Box<dyn Answerer>>,
}

impl Chain {
    /// A chain of these.
    #[must_use]
    pub fn new(links: Vec<Box<dyn Answerer>>) -> Self {
        Self { links }
    }
}

impl Answerer for Chain {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<Reply> {
        self.links.iter_mut().find_map(|link| link.answer(request, failed))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.links.iter_mut().try_for_each(|link| link.finish())
    }
}

//! Answerers one after the other: the first that answers wins.

use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::answerer_config::DialogueKey;
use crate::diagnostic::Diagnostics;

/// Answerers that are asked one after the other.
pub struct AnswererChain {
    links: Vec<Box<dyn Answerer>>,
}

impl AnswererChain {
    /// A chain of these.
    #[must_use]
    pub fn new(links: Vec<Box<dyn Answerer>>) -> Self {
        Self { links }
    }
}

impl Answerer for AnswererChain {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<AnswererReply> {
        self.links.iter_mut().find_map(|link| link.answer(request, failed))
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        self.links.iter_mut().for_each(|link| link.rewind(key));
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        self.links.iter_mut().for_each(|link| link.finish(found));
    }
}

//! Answerers one after the other: the first that answers wins.

use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::answerer_config::DialogueKey;
use crate::diagnostic::Diagnostics;

/// Answerers that are asked one after the other.
pub struct AnswererChain {
    answerers: Vec<Box<dyn Answerer>>,
}

impl AnswererChain {
    /// A chain of these.
    pub fn new(answerers: Vec<Box<dyn Answerer>>) -> Self {
        Self { answerers }
    }
}

impl Answerer for AnswererChain {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<AnswererReply> {
        self.answerers.iter_mut().find_map(|answerer| answerer.answer(request, failed))
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        self.answerers.iter_mut().for_each(|answerer| answerer.rewind(key));
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        self.answerers.iter_mut().for_each(|answerer| answerer.finish(found));
    }
}

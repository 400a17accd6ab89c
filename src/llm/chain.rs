//! Answerers one after the other: the first that answers wins.

use super::answerer::{Answerer, Attempt, Reply, Request};
use super::provider::Provider;

/// Answerers that are asked one after the other.
#[derive(Default)]
pub struct Chain {
    links: Vec<Box<dyn Answerer>>,
}

impl Chain {
    /// A chain of live models; empty in a build without them.
    #[must_use]
    pub fn of(providers: &[Provider]) -> Self {
        #[cfg(feature = "live")]
        let links = providers
            .iter()
            .map(|provider| -> Box<dyn Answerer> { Box::new(super::live::Live::new(provider.clone())) });
        #[cfg(not(feature = "live"))]
        let links = providers.iter().filter_map(|_| None);
        Self { links: links.collect() }
    }
}

impl Answerer for Chain {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<Reply> {
        self.links.iter_mut().find_map(|link| link.answer(request, failed))
    }
}

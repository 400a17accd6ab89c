//! One of those who are asked one after the other.

use std::sync::Arc;

use super::mock::MockScript;
use super::provider::Provider;
use super::usage::Usage;

/// One of those who are asked one after the other, shared by all dialogues of a run.
#[derive(Clone, Debug)]
pub enum Link {
    /// A mock.
    Mock(Arc<MockScript>),
    /// The bank of examples.
    Bank,
    /// A live model.
    #[cfg(feature = "live")]
    Live(Arc<super::live::Connection>),
}

impl Link {
    /// A live model that is not yet connected; nothing in a build without live models.
    #[must_use]
    pub fn live(provider: &Provider) -> Option<Self> {
        #[cfg(feature = "live")]
        return Some(Self::Live(Arc::new(super::live::Connection::new(provider.clone()))));
        #[cfg(not(feature = "live"))]
        {
            let _ = provider;
            None
        }
    }

    /// The name and what was used of it, where it is a live model.
    pub(super) fn usage(&self) -> Option<(String, Usage)> {
        match self {
            Self::Mock(_) | Self::Bank => None,
            #[cfg(feature = "live")]
            Self::Live(connection) => Some(connection.usage()),
        }
    }
}

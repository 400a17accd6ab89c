//! Tells all tabs what happens. A tab that does not listen keeps nobody waiting.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::{Sender, channel};

use super::event_stream::EventStream;
use super::studio_event::StudioEvent;

/// Events that wait for a tab at most. One that is so far behind has to ask for everything anew.
const MOST_WAITING: usize = 64;
/// Tabs at once.
pub(super) const MOST_TABS: usize = 32;

/// The tabs that listen.
#[derive(Default)]
pub(super) struct EventHub {
    tabs: Mutex<Vec<Sender<Arc<str>>>>,
    /// The number of the dialogue.
    tree: AtomicU64,
}

impl EventHub {
    /// The dialogue has another number from now on.
    pub(super) fn set_tree(&self, tree: u64) {
        self.tree.store(tree, Ordering::Relaxed);
    }

    /// Tells all tabs.
    pub(super) fn tell(&self, event: &StudioEvent) {
        let line: Arc<str> = event.line().into();
        // Who has gone, or is too far behind, is told nothing more.
        self.tabs().retain(|tab| tab.try_send(Arc::clone(&line)).is_ok());
    }

    /// One more tab listens; nothing, where there are too many.
    pub(super) fn listen(&self) -> Option<EventStream> {
        let mut tabs = self.tabs();
        tabs.retain(|tab| !tab.is_closed());
        if tabs.len() >= MOST_TABS {
            return None;
        }
        let (sender, receiver) = channel(MOST_WAITING);
        tabs.push(sender);
        let tree = self.tree.load(Ordering::Relaxed);
        Some(EventStream::new(&StudioEvent::Hello { version: env!("CARGO_PKG_VERSION"), tree }, receiver))
    }

    fn tabs(&self) -> std::sync::MutexGuard<'_, Vec<Sender<Arc<str>>>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

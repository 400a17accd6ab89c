//! Dialogues that go on: the one registry of them that all servers have.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fsmsim_syntax::diagnostic::{did_you_mean, nearest};
use fsmsim_syntax::threads::Mutex;

/// Dialogues that go on, by their names.
pub(super) struct LiveSessions<T>(BTreeMap<String, Arc<LiveSession<T>>>);

/// A dialogue that goes on.
pub(super) struct LiveSession<T> {
    /// Its name.
    pub(super) id: String,
    /// When it was last called for.
    last: Mutex<Instant>,
    held: T,
}

impl<T> Default for LiveSessions<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> LiveSession<T> {
    /// Somebody calls for it.
    pub(super) fn touch(&self) {
        *self.last.lock() = Instant::now();
    }

    /// What is left of it, when nobody calls for it any more.
    pub(super) fn into_inner(self) -> T {
        self.held
    }
}

impl<T> Deref for LiveSession<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.held
    }
}

impl<T> LiveSessions<T> {
    /// The dialogue of a name, which is called for.
    pub(super) fn find(&self, id: &str) -> Option<Arc<LiveSession<T>>> {
        let session = self.0.get(id)?;
        session.touch();
        Some(Arc::clone(session))
    }

    /// Begins a dialogue.
    pub(super) fn begin(&mut self, id: &str, held: T) -> Arc<LiveSession<T>> {
        let session = Arc::new(LiveSession {
            id: id.to_owned(),
            last: Mutex::new(Instant::now()),
            held,
        });
        self.0.insert(id.to_owned(), Arc::clone(&session));
        session
    }

    /// Ends a dialogue.
    pub(super) fn remove(&mut self, id: &str) -> Option<Arc<LiveSession<T>>> {
        self.0.remove(id)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them, by their names.
    pub(super) fn all(&self) -> Vec<Arc<LiveSession<T>>> {
        self.0.values().cloned().collect()
    }

    /// Those that nobody has called for in so long, the one that was idle longest first.
    pub(super) fn idle(&self, time: Duration) -> Vec<Arc<LiveSession<T>>> {
        let ages = self
            .0
            .values()
            .map(|session| (session.last.lock().elapsed(), session));
        let mut idle: Vec<_> = ages.filter(|(age, _)| *age >= time).collect();
        idle.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
        idle.into_iter()
            .map(|(_, session)| Arc::clone(session))
            .collect()
    }

    /// Which name was most likely meant.
    pub(super) fn near(&self, id: &str) -> String {
        did_you_mean("", nearest(id, self.0.keys().map(String::as_str)))
    }
}

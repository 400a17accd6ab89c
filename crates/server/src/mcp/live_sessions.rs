//! The registry of live dialogues, tasks and author sessions, shared by all servers.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::argument_schema::near;
use fsmsim_syntax::threads::Mutex;

/// Live sessions by their IDs.
pub(super) struct LiveSessions<T>(BTreeMap<String, Arc<LiveSession<T>>>);

pub(super) struct LiveSession<T> {
    pub id: String,
    /// The time of the last request.
    last: Mutex<Instant>,
    held: T,
}

impl<T> Default for LiveSessions<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> LiveSession<T> {
    /// Restarts the idle time.
    pub(super) fn touch(&self) {
        *self.last.lock() = Instant::now();
    }

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
    /// Returns the session with this ID and restarts its idle time.
    pub(super) fn find(&self, id: &str) -> Option<Arc<LiveSession<T>>> {
        let session = self.0.get(id)?;
        session.touch();
        Some(Arc::clone(session))
    }

    /// Adds a session. A session with the same ID is replaced.
    pub(super) fn begin(&mut self, id: &str, held: T) -> Arc<LiveSession<T>> {
        let session = Arc::new(LiveSession {
            id: id.to_owned(),
            last: Mutex::new(Instant::now()),
            held,
        });
        self.0.insert(id.to_owned(), Arc::clone(&session));
        session
    }

    /// Removes a session.
    pub(super) fn remove(&mut self, id: &str) -> Option<Arc<LiveSession<T>>> {
        self.0.remove(id)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All sessions, sorted by ID.
    pub(super) fn all(&self) -> Vec<Arc<LiveSession<T>>> {
        self.0.values().cloned().collect()
    }

    /// The sessions that have been idle for at least `time`, least recently used first.
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

    /// Suggests a similar ID if there is one.
    pub(super) fn near(&self, id: &str) -> String {
        near("ID", id, self.0.keys().map(String::as_str))
    }
}

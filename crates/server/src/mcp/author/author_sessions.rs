//! The dialogues that an assistant plays.

use std::sync::Arc;
use std::time::Duration;

use super::author_answer::AuthorRefusal;
use super::author_session::AuthorSession;
use crate::limits::MAX_AUTHOR_SESSIONS;
use crate::mcp::argument_schema::shown;
use crate::mcp::live_sessions::{LiveSession, LiveSessions};
use fsmsim_syntax::threads::Mutex;

/// The dialogues that an assistant plays, and how many were begun. Each is played by one call at a time.
#[derive(Default)]
pub(super) struct AuthorSessions(Mutex<(u64, LiveSessions<Mutex<AuthorSession>>)>);

/// A dialogue that an assistant plays.
type PlayedSession = Arc<LiveSession<Mutex<AuthorSession>>>;

impl AuthorSessions {
    /// The name of the next dialogue.
    pub(super) fn next_name(&self) -> String {
        let (begun, _) = &mut *self.0.lock();
        *begun += 1;
        format!("s{begun}")
    }

    /// Keeps a dialogue; what is to be said of one that had to end for it.
    pub(super) fn add(&self, session: AuthorSession) -> (PlayedSession, Vec<String>) {
        let (_, open) = &mut *self.0.lock();
        let mut told = Vec::new();
        let idlest = open.idle(Duration::ZERO).into_iter().next();
        if let Some(ended) = idlest.filter(|_| open.len() >= MAX_AUTHOR_SESSIONS) {
            open.remove(&ended.id);
            told.push(format!(
                "the session {} has ended, since there may be {MAX_AUTHOR_SESSIONS} at once",
                ended.id
            ));
            // One that is just played ends when its call does.
            let ended = Arc::into_inner(ended).map(|ended| ended.into_inner().into_inner());
            told.extend(ended.into_iter().flat_map(AuthorSession::finish));
        }
        (open.begin(&session.name.clone(), Mutex::new(session)), told)
    }

    /// A dialogue by its name.
    pub(super) fn find(&self, name: &str) -> Result<PlayedSession, AuthorRefusal> {
        let (_, open) = &*self.0.lock();
        open.find(name).ok_or_else(|| {
            let (near, name) = (open.near(name), shown(name));
            format!("there is no session `{name}`: play with `model` begins one.{near}").into()
        })
    }
}

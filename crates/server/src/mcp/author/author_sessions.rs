//! The dialogues that an assistant plays.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::author_refusal::AuthorRefusal;
use super::author_session::AuthorSession;
use super::named_answerers::told_findings;
use crate::mcp::argument_schema::shown;
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};
use fsmsim_syntax::threads::Mutex;

/// The dialogues that an assistant plays. Each is played by one call at a time.
#[derive(Default)]
pub(super) struct AuthorSessions {
    kept: Mutex<KeptSessions>,
}

#[derive(Default)]
struct KeptSessions {
    /// How many were begun.
    begun: u64,
    /// Calls so far, by which the one is found that was idle longest.
    calls: u64,
    /// By name, each with the call that asked for it last.
    open: BTreeMap<String, (u64, Arc<Mutex<AuthorSession>>)>,
}

/// Dialogues at once: where there are as many, the one that was idle longest ends.
pub(super) const MOST_SESSIONS: usize = 32;

impl AuthorSessions {
    /// The name of the next dialogue.
    pub(super) fn next_name(&self) -> String {
        let mut kept = self.kept.lock();
        kept.begun += 1;
        format!("s{}", kept.begun)
    }

    /// Keeps a dialogue; what is to be said of one that had to end for it.
    pub(super) fn add(&self, session: AuthorSession) -> (Arc<Mutex<AuthorSession>>, Vec<String>) {
        let (name, session) = (session.name.clone(), Arc::new(Mutex::new(session)));
        let mut kept = self.kept.lock();
        let mut told = Vec::new();
        if kept.open.len() >= MOST_SESSIONS {
            let idlest = kept
                .open
                .iter()
                .min_by_key(|(_, (last, _))| *last)
                .map(|(name, _)| name.clone());
            let ended = idlest.and_then(|name| kept.open.remove_entry(&name));
            if let Some((name, (_, ended))) = ended {
                told.push(format!(
                    "the session {name} has ended, since there may be {MOST_SESSIONS} at once"
                ));
                // One that is just played ends when its call does.
                let ended = Arc::into_inner(ended).map(Mutex::into_inner);
                told.extend(
                    ended
                        .map(|ended| told_findings(&ended.finish()))
                        .unwrap_or_default(),
                );
            }
        }
        kept.calls += 1;
        let calls = kept.calls;
        kept.open.insert(name, (calls, Arc::clone(&session)));
        (session, told)
    }

    /// A dialogue by its name.
    ///
    /// # Errors
    /// That there is none.
    pub(super) fn find(&self, name: &str) -> Result<Arc<Mutex<AuthorSession>>, AuthorRefusal> {
        let mut kept = self.kept.lock();
        kept.calls += 1;
        let calls = kept.calls;
        if let Some((last, session)) = kept.open.get_mut(name) {
            *last = calls;
            return Ok(Arc::clone(session));
        }
        let near = did_you_mean("", nearest(name, kept.open.keys().map(String::as_str)));
        let name = shown(name);
        Err(format!("there is no session `{name}`: play with `model` begins one.{near}").into())
    }
}

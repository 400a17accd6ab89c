//! The dialogues that an assistant plays, each on the model as its files are now.

use std::sync::Arc;
use std::time::Duration;

use super::author_answer::AuthorRefusal;
use crate::limits::MAX_AUTHOR_SESSIONS;
use crate::mcp::argument_schema::shown;
use crate::mcp::live_sessions::{LiveSession, LiveSessions};
use fsmsim_harness::rehearsal::{
    Rehearsal, RehearsalError, Reloaded, ReplayedDialogue, StoppedReplay,
};
use fsmsim_syntax::diagnostic::{Diagnostics, plural};
use fsmsim_syntax::terminal::Joined;
use fsmsim_syntax::threads::Mutex;

/// A dialogue that an assistant plays.
pub(super) struct AuthorSession {
    pub(super) name: String,
    /// The profile in which it is played.
    pub(super) profile: &'static str,
    /// The dialogue.
    pub(super) rehearsal: Rehearsal,
    /// Turns that were played in it, also those that were taken back.
    pub(super) played: usize,
    /// Why the model as it is now cannot be used; nothing where the dialogue is on it.
    pub(super) broken: Option<String>,
}

impl AuthorSession {
    /// Looks at the files of the model: the dialogue is played again on what they have now. What became of it, in sentences for a
    /// model.
    pub(super) fn look_at_files(&mut self) -> Result<Vec<String>, AuthorRefusal> {
        let mut replayed = None;
        // What remembers is not played again, and says so where somebody has edited its model.
        if !self.rehearsal.remembers() || self.rehearsal.is_edited() {
            // A folder may have got a file of which nobody knows yet: what was read says nothing of that.
            self.broken = match self.rehearsal.reload() {
                Ok(Reloaded::Same) => None,
                Ok(Reloaded::Replayed(dialogue)) => {
                    replayed = Some(dialogue);
                    None
                }
                Err(RehearsalError::Refused(why)) => Some(why),
                Err(lost @ RehearsalError::Lost(_)) => return Err(lost.into()),
            };
        }
        let broken = self.broken.iter().map(|why| {
            let why = why.trim_end();
            format!(
                "the model cannot be used as it is; the dialogue goes on on the former one:\n{why}"
            )
        });
        Ok(broken.chain(replayed.iter().flat_map(told)).collect())
    }

    /// The moment of a turn of this way, by its number; the last one where none is said.
    pub(super) fn moment_of(&self, turn: Option<u32>) -> Result<u32, AuthorRefusal> {
        let tree = self.rehearsal.tree();
        match turn {
            Some(turn) => Ok(tree.of_turn(turn)?),
            None if tree.at() == 0 => Err("no turn was played yet".into()),
            None => Ok(tree.at()),
        }
    }

    /// The end: what whoever was asked has to say about it.
    pub(super) fn finish(self) -> Vec<String> {
        let mut found = Diagnostics::default();
        self.rehearsal.finish(&mut found);
        let titles = found.items().iter().map(|finding| finding.title.clone());
        titles.collect()
    }
}

/// What became of a dialogue that was played again on an edited model.
fn told(replayed: &ReplayedDialogue) -> Vec<String> {
    let turns = plural(replayed.turns, "turn");
    let mut told = vec![match replayed.changes.len() {
        0 => format!("the model was edited: {turns} were played again, and went as before"),
        differing => format!(
            "the model was edited: {turns} were played again, of which {differing} went otherwise"
        ),
    }];
    for change in &replayed.changes {
        let fields = change
            .fields
            .iter()
            .map(|field| format!("{} {} -> {}", field.field, field.was, field.is));
        told.push(format!(
            "turn {} ({}): {}",
            change.turn,
            change.line,
            fields.joined("; ")
        ));
    }
    told.extend(replayed.stopped.as_ref().map(StoppedReplay::told));
    told.extend(
        replayed
            .undone
            .iter()
            .map(|(line, why)| format!("`{line}` is not done again: {why}")),
    );
    told
}

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

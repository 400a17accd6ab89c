//! Dialogues of an assistant. Each uses the current files of its model.

use std::sync::Arc;
use std::time::Duration;

use super::author_answer::AuthorRefusal;
use crate::limits::MAX_AUTHOR_SESSIONS;
use crate::mcp::argument_schema::shown;
use crate::mcp::live_sessions::{LiveSession, LiveSessions};
use fsmsim_harness::interactive::{
    InteractiveDialogue, InteractiveError, Reloaded, ReplayedDialogue, StoppedReplay,
};
use fsmsim_syntax::diagnostic::{Diagnostics, plural};
use fsmsim_syntax::terminal::Joined;
use fsmsim_syntax::threads::Mutex;

/// A dialogue of an assistant.
pub(super) struct AuthorSession {
    pub name: String,
    pub interactive: InteractiveDialogue,
    /// The number of turns, including undone turns.
    pub played: usize,
    /// Why the current model is invalid; `None` if the dialogue uses it.
    pub broken: Option<String>,
}

impl AuthorSession {
    /// Reloads the model if its files have changed, and replays the dialogue on it. Returns sentences about the outcome
    /// for the LLM.
    pub(super) fn look_at_files(&mut self) -> Result<Vec<String>, AuthorRefusal> {
        let mut replayed = None;
        // A dialogue with memory cannot be replayed. `reload` reports that if the model was edited.
        if !self.interactive.remembers() || self.interactive.is_edited() {
            // A new file in a folder can change the model although no known file changes, so the model is always
            // reloaded.
            self.broken = match self.interactive.reload() {
                Ok(Reloaded::Same) => None,
                Ok(Reloaded::Replayed(dialogue)) => {
                    replayed = Some(dialogue);
                    None
                }
                Err(InteractiveError::Refused(why)) => Some(why),
                Err(lost @ InteractiveError::Lost(_)) => return Err(lost.into()),
            };
        }
        let broken = self.broken.iter().map(|why| {
            let why = why.trim_end();
            format!(
                "cannot load the edited model; the dialogue continues with the previous one:\n{why}"
            )
        });
        Ok(broken
            .chain(replayed.iter().flat_map(replay_notes))
            .collect())
    }

    /// The moment after a turn in this branch; by default, after the last turn.
    pub(super) fn moment_of(&self, turn: Option<u32>) -> Result<u32, AuthorRefusal> {
        let tree = self.interactive.tree();
        match turn {
            Some(turn) => Ok(tree.of_turn(turn)?),
            None if tree.at() == 0 => Err("no turn has run yet".into()),
            None => Ok(tree.at()),
        }
    }

    /// Ends the dialogue. Returns the findings from its services.
    pub(super) fn finish(self) -> Vec<String> {
        let mut found = Diagnostics::default();
        self.interactive.finish(&mut found);
        let titles = found.items().iter().map(|finding| finding.title.clone());
        titles.collect()
    }
}

/// Describes the replay of a dialogue on an edited model.
fn replay_notes(replayed: &ReplayedDialogue) -> Vec<String> {
    let turns = plural(replayed.turns, "turn");
    let mut notes = vec![match replayed.changes.len() {
        0 => format!("the model was edited: {turns} replayed without differences"),
        differing => {
            format!("the model was edited: {turns} replayed, {differing} with differences")
        }
    }];
    for change in &replayed.changes {
        let fields = change
            .fields
            .iter()
            .map(|field| format!("{} {} -> {}", field.field, field.was, field.is));
        notes.push(format!(
            "turn {} ({}): {}",
            change.turn,
            change.line,
            fields.joined("; ")
        ));
    }
    notes.extend(replayed.stopped.as_ref().map(StoppedReplay::text));
    notes.extend(
        replayed
            .undone
            .iter()
            .map(|(line, why)| format!("cannot replay `{line}`: {why}")),
    );
    notes
}

/// The dialogues in progress, and the number of dialogues started so far. Each dialogue runs one call at a time.
#[derive(Default)]
pub(super) struct AuthorSessions(Mutex<(u64, LiveSessions<Mutex<AuthorSession>>)>);

/// A dialogue of an assistant, shared between calls.
type PlayedSession = Arc<LiveSession<Mutex<AuthorSession>>>;

impl AuthorSessions {
    /// The name of the next dialogue.
    pub(super) fn next_name(&self) -> String {
        let (begun, _) = &mut *self.0.lock();
        *begun += 1;
        format!("s{begun}")
    }

    /// Adds a dialogue. Returns notes about a dialogue that had to end to make space.
    pub(super) fn add(&self, session: AuthorSession) -> (PlayedSession, Vec<String>) {
        let (_, open) = &mut *self.0.lock();
        let mut notes = Vec::new();
        let idlest = open.idle(Duration::ZERO).into_iter().next();
        if let Some(ended) = idlest.filter(|_| open.len() >= MAX_AUTHOR_SESSIONS) {
            open.remove(&ended.id);
            notes.push(format!(
                "session {} has ended: at most {MAX_AUTHOR_SESSIONS} sessions can be open",
                ended.id
            ));
            // If a call still uses the dialogue, it ends with that call.
            let ended = Arc::into_inner(ended).map(|ended| ended.into_inner().into_inner());
            notes.extend(ended.into_iter().flat_map(AuthorSession::finish));
        }
        (
            open.begin(&session.name.clone(), Mutex::new(session)),
            notes,
        )
    }

    /// The dialogue with this name.
    pub(super) fn find(&self, name: &str) -> Result<PlayedSession, AuthorRefusal> {
        let (_, open) = &*self.0.lock();
        open.find(name).ok_or_else(|| {
            let near = open.near(name);
            let name = shown(name);
            format!("unknown session `{name}`: call play with `model` to start one.{near}").into()
        })
    }
}

//! Audit entries of a turn.

use serde_json::{Value as Json, json};
use strum::{EnumString, IntoStaticStr};

use super::canonical::{canonical, hash};
use super::derived_id::derived_id;

/// An entry of the audit.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// The kind of event.
    pub kind: AuditKind,
    /// The state of the task at that time.
    pub state: String,
    /// The details.
    pub what: Json,
}

/// The kinds of events in the audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AuditKind {
    /// A task was submitted.
    TaskSubmitted,
    /// A phase was entered, with the transition.
    PhaseEntered,
    /// A phase was left, with the results of its work.
    PhaseLeft,
    /// Memory was queried, with the results.
    MemoryRead,
    /// Memory did not respond.
    MemorySilent,
    /// An artifact was written.
    MemoryWritten,
    /// An artifact was not written.
    MemoryRefused,
    /// An action was requested.
    ActionAsked,
    /// An action was refused by a gate.
    ActionRefused,
    /// An action was performed.
    ActionDone,
    /// An action was attempted and failed.
    ActionFailed,
    /// Actions were rolled back as far as possible.
    RolledBack,
    /// A report was checked and led to a verdict.
    Verdict,
    /// The task was planned again.
    Replanned,
    /// A capability was approved.
    Approved,
    /// An observation was received.
    Observed,
    /// A new session was requested from the user.
    SessionAsked,
    /// The task has ended.
    Ended,
}

/// A turn with its audit entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditedTurn {
    /// The ID that identifies the dialogue to backends and stores.
    pub session: String,
    /// The turn number.
    pub turn: u32,
    /// The task, if one exists already.
    pub task: Option<String>,
    /// The time that the turn specifies, if any.
    pub at: Option<String>,
    /// The events of the turn, in order.
    pub entries: Vec<AuditEntry>,
}

/// A stored entry: its text, and a hash that depends on all earlier entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedEntry {
    /// Derived from its position in the dialogue.
    pub id: String,
    /// The content as canonical JSON.
    pub text: String,
    /// The hash of the previous hash and the text.
    pub hash: String,
}

/// The end of a chain of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHead {
    /// The number of entries.
    pub entries: u64,
    /// The hash of the last one.
    pub hash: String,
}

/// The hash before the first entry.
const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl Default for ChainHead {
    fn default() -> Self {
        Self {
            entries: 0,
            hash: NO_HASH.to_owned(),
        }
    }
}

impl ChainHead {
    /// Appends the entries of a turn to the chain, in order.
    pub fn link(&mut self, turn: &AuditedTurn) -> Vec<LinkedEntry> {
        turn.entries
            .iter()
            .zip(0_u32..)
            .map(|(entry, index)| self.link_one(turn, entry, index))
            .collect()
    }

    fn link_one(&mut self, turn: &AuditedTurn, entry: &AuditEntry, index: u32) -> LinkedEntry {
        let id = derived_id(&[
            "audit",
            &turn.session,
            &turn.turn.to_string(),
            &index.to_string(),
        ]);
        let kind: &str = entry.kind.into();
        let text = canonical(&json!({
            "number": self.entries.saturating_add(1),
            "id": id,
            "kind": kind,
            "session": turn.session,
            "turn": turn.turn,
            "task": turn.task,
            "at": turn.at,
            "state": entry.state,
            "what": entry.what,
        }));
        self.follow(&text);
        LinkedEntry {
            id,
            text,
            hash: self.hash.clone(),
        }
    }

    /// Appends an entry with this text.
    pub fn follow(&mut self, text: &str) {
        self.hash = hash(&[&self.hash, "\n", text]);
        self.entries = self.entries.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_hash_depends_on_all_earlier_entries() {
        let entry = |kind| AuditEntry {
            kind,
            state: "plan".to_owned(),
            what: json!({"b": 1, "a": 2}),
        };
        let turn = |turn| AuditedTurn {
            session: "ann".to_owned(),
            turn,
            entries: vec![entry(AuditKind::PhaseLeft), entry(AuditKind::PhaseEntered)],
            ..AuditedTurn::default()
        };
        let mut one = ChainHead::default();
        let linked = one.link(&turn(1));
        assert_eq!(
            one,
            ChainHead {
                entries: 2,
                hash: linked[1].hash.clone()
            }
        );
        assert_ne!(linked[0].id, linked[1].id);
        let mut other = ChainHead::default();
        other.link(&turn(2));
        other.link(&turn(1));
        let mut again = ChainHead::default();
        for entry in &linked {
            again.follow(&entry.text);
        }
        assert_eq!(again, one);
        assert_ne!(other.hash, one.hash);
    }
}

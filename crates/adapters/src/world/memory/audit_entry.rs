//! What the audit tells of a turn.

use serde_json::{Value as Json, json};
use strum::{EnumString, IntoStaticStr};

use super::canonical::{canonical, hash};
use super::derived_id::derived_id;

/// Something that the audit tells.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// What happened.
    pub kind: AuditKind,
    /// Where the task was when it did.
    pub state: String,
    /// What there is to say of it.
    pub what: Json,
}

/// What the audit tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AuditKind {
    /// A task was submitted.
    TaskSubmitted,
    /// A phase was entered, by which edge.
    PhaseEntered,
    /// A phase was left, and what its work came to.
    PhaseLeft,
    /// Memory was asked, and what it found.
    MemoryRead,
    /// Memory did not answer.
    MemorySilent,
    /// Memory was written.
    MemoryWritten,
    /// Memory was to be written, and was not.
    MemoryRefused,
    /// An action was asked for.
    ActionAsked,
    /// An action did not pass a gate.
    ActionRefused,
    /// An action was done.
    ActionDone,
    /// An action was tried and came to something else.
    ActionFailed,
    /// What was done was taken back, as far as that goes.
    RolledBack,
    /// A report was held against what a verdict rests on.
    Verdict,
    /// The task is planned anew.
    Replanned,
    /// Somebody let a capability pass.
    Approved,
    /// Something was observed.
    Observed,
    /// Somebody is asked to begin a new session.
    SessionAsked,
    /// The task is over.
    Ended,
}

/// A turn as the audit tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditedTurn {
    /// By what the dialogue is known to those who perform its effects.
    pub session: String,
    /// Its number.
    pub turn: u32,
    /// The task, once there is one.
    pub task: Option<String>,
    /// The time that came with it, if one did.
    pub at: Option<String>,
    /// What happened in it, in order.
    pub entries: Vec<AuditEntry>,
}

/// An entry as it is kept: a text, and the hash that binds it to all before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedEntry {
    /// By what it is known: where it stands in its dialogue.
    pub id: String,
    /// All that it tells.
    pub text: String,
    /// Of the hash before it and the text.
    pub hash: String,
}

/// How far a chain of entries goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHead {
    /// How many entries it has.
    pub entries: u64,
    /// The hash of the last one.
    pub hash: String,
}

/// What stands where no entry is before one.
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
    /// Takes the entries of a turn to the chain, in order.
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

    /// Goes on by an entry of this text.
    pub fn follow(&mut self, text: &str) {
        self.hash = hash(&[&self.hash, "\n", text]);
        self.entries = self.entries.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_bound_to_all_before_it() {
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

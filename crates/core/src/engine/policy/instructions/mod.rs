//! The policy of instructions: an assistant moves by its own word, as far as the states declare it; what the user said about
//! the data of the digital twin is remembered.

mod describe;
mod gate;
mod instruction_text;
mod instructions;
mod navigation;
mod reason;
mod reply_limits;
mod state_mention;
mod state_outline;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use self::instructions::{Instructions, Move, ReplyLimit, StateInstructions, spoken};
pub use self::reason::InstructionsReason;
pub use self::reply_limits::{BrokenLimit, LimitCounts};
pub use self::state_mention::StateMention;
pub use self::state_outline::{DataRequest, StateOutline};

use crate::engine::Machine;
use crate::engine::blackboard::{Blackboard, SourceError};
use crate::engine::commit::CommitTurn;
use crate::engine::condition::TurnContext;
use crate::engine::decision::Decision;
use crate::engine::io::{Answer, Consent, Input, Need, first_answer};
use crate::engine::policy::{Hooks, PolicyHooks, PolicyReading, PolicyWay, StoreTurn, TurnInputs};
use crate::engine::record_view::{RecordPart, RecordView};
use crate::engine::session::{SavedNames, Session};
use crate::engine::sink::Sink;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Intent, IntentId, NeedKind, SourceMask, State, StateId, Value};

/// What one dialogue may change about its instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionsSettings {
    /// Moves that a state does not declare are taken all the same.
    pub permissive: bool,
}

/// What is remembered of a dialogue that is led by instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InstructionsMemory {
    /// What the user lets the assistant do with the digital twin.
    pub consent: Consent,
    /// How often replies met each limit since the state was entered.
    pub met: LimitCounts,
}

/// What is noted of a turn that is led by instructions.
#[derive(Clone, Debug, Default)]
pub struct InstructionsNotes {
    /// The limits that the replies do not keep to.
    broken: Vec<BrokenLimit>,
}

/// The memory as it is saved.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedInstructions {
    /// How often replies met each limit since the state was entered.
    met: Vec<u32>,
    /// What the user said about reading and writing data.
    consent: (Option<bool>, Option<bool>),
}

impl PolicyHooks for Instructions {
    const NAME: &'static str = "instructions";
    const HOOKS: Hooks = Hooks::READ
        .union(Hooks::STORE)
        .union(Hooks::GATE)
        .union(Hooks::COMMIT);
    type Settings = InstructionsSettings;
    type Memory = InstructionsMemory;
    type Turn = InstructionsNotes;

    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            navigation: true,
            words: self.knows_events(),
            ..TurnInputs::default()
        }
    }

    fn leads_from(&self, _: &Machine, id: StateId) -> Vec<PolicyWay> {
        let way = |of: &Move| PolicyWay {
            target: of.target,
            called: of.condition.clone(),
            rule: Some(of.rule),
        };
        self.of(id)
            .iter()
            .flat_map(|state| state.moves.iter().map(way))
            .collect()
    }

    fn leads_anywhere(&self, _: &Machine) -> Vec<StateId> {
        [self.consent, self.without_data]
            .into_iter()
            .flatten()
            .collect()
    }

    fn filter_by_state(&self, _: &Machine, id: Option<StateId>, _: &State) -> SourceMask {
        let guided = id.is_some_and(|id| self.of(id).is_some());
        SourceMask::NONE.with(SourceKind::Navigation, guided)
    }

    fn filter_by_intent(&self, _: &Machine, _: IntentId, _: &Intent) -> (SourceMask, SourceMask) {
        (
            SourceMask::NONE.with(SourceKind::Navigation, true),
            SourceMask::NONE,
        )
    }

    /// Where nobody has led the turn yet, an event of a move does, else whoever plays the assistant says where it goes.
    fn read<'i>(
        &self,
        machine: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        if !input.needs_navigation() {
            return PolicyReading::Ready(Cow::Borrowed(input));
        }
        let said = input.say.as_deref().unwrap_or_default();
        if let Some(declared) = self.of(state).and_then(|here| here.move_by(said)) {
            return PolicyReading::Ready(Cow::Owned(input.led_to(declared.target)));
        }
        match first_answer(answers, NeedKind::Navigate).map(|answer| &answer.value) {
            None => PolicyReading::Need(Need::Navigate { state }),
            Some(None) => PolicyReading::Unread,
            Some(Some(answer)) => {
                PolicyReading::Ready(Cow::Owned(input.with_navigation(answer, machine)))
            }
        }
    }

    /// Keeps what the user says of the data. Where it is not to be used, what was read of it is dropped.
    fn store(
        &self,
        memory: &mut InstructionsMemory,
        _: &mut InstructionsNotes,
        turn: &mut StoreTurn<'_>,
        _: &Machine,
    ) {
        if !turn.input.consent.is_said() {
            return;
        }
        memory.consent = memory.consent.then(turn.input.consent);
        if memory.consent.read == Some(false) {
            for slot in self.all().flat_map(|(_, state)| &state.reads) {
                turn.slots.set(*slot, Value::Null);
            }
        }
    }

    fn contribute(
        &self,
        kind: SourceKind,
        (own, _): (&InstructionsSettings, &InstructionsMemory),
        _: &mut InstructionsNotes,
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        if kind == SourceKind::Navigation {
            navigation::contribute(self, turn, board, own.permissive);
        }
        Ok(())
    }

    fn gate(&self, turn: &TurnContext<'_>, decision: &mut Decision) {
        gate::gate(self, turn, decision);
    }

    fn commit(
        &self,
        _: &InstructionsSettings,
        memory: &mut InstructionsMemory,
        notes: &mut InstructionsNotes,
        turn: &mut CommitTurn<'_>,
    ) {
        if !turn.decision.failed {
            let said = turn.decision.replies.iter().map(|reply| &**reply);
            let replies: Vec<&str> = turn
                .input
                .reply
                .as_deref()
                .into_iter()
                .chain(said)
                .collect();
            notes.broken = self.count(&replies, (turn.from, turn.decision.to), &mut memory.met);
        }
    }

    fn describe(
        &self,
        part: RecordPart,
        notes: &InstructionsNotes,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        describe::describe(self, part, notes, line, out)
    }

    fn save(&self, memory: &InstructionsMemory, _: &SavedNames<'_>) -> Option<serde_json::Value> {
        let consent = (memory.consent.read, memory.consent.write);
        serde_json::to_value(SavedInstructions {
            met: memory.met.to_vec(),
            consent,
        })
        .ok()
    }

    fn restore(
        &self,
        saved: serde_json::Value,
        _: &mut Session,
        _: &Machine,
    ) -> Result<InstructionsMemory, serde_json::Error> {
        let SavedInstructions {
            met,
            consent: (read, write),
        } = serde_json::from_value(saved)?;
        Ok(InstructionsMemory {
            consent: Consent { read, write },
            met: met.into(),
        })
    }
}

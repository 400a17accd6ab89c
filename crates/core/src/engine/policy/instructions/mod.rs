//! The instructions policy: an assistant chooses among the transitions that the states declare. The policy stores the
//! user's consent to access data of the digital twin.

mod lint;
mod navigation;
mod reason;
mod reply_limits;

use std::borrow::Cow;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{
    Guidance, Hooks, Move, PolicyHooks, PolicyLead, PolicyReading, PolicyTransition, ReplyFault,
    StoreTurn, TurnInputs,
};
use crate::engine::{
    Answer, Blackboard, CommitTurn, Consent, Decision, Input, Machine, Need, PolicyFacts, Readers,
    Reads, Reason, RecordPart, RecordView, Returns, SavedNames, Session, Settings, Sink,
    SourceError, SourceKind, TurnContext, answer_text, first_answer, key, pairs,
};
use crate::machine::{Intent, IntentId, NeedKind, SourceMask, State, StateId, Value};
use fsmsim_syntax::diagnostic::{Diagnostic, nearest};
pub use reason::InstructionsReason;
pub use reply_limits::{BrokenLimit, LimitCounts};

/// The instructions for the assistant, and the limits of its replies.
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    pub guidance: Guidance,
    /// The limits of replies.
    pub limits: Box<[ReplyLimit]>,
}

/// A limit on the occurrences of a pattern in the replies during one visit to a state.
#[derive(Clone, Debug)]
pub struct ReplyLimit {
    /// The name in findings.
    pub name: Box<str>,
    /// The pattern to count.
    pub pattern: Regex,
    /// The minimum number of occurrences, checked when the state is left.
    pub min: Option<u32>,
    /// The maximum number of occurrences.
    pub max: Option<u32>,
    /// The states that the limit applies to; if empty, all states.
    pub states: Box<[StateId]>,
}

impl ReplyLimit {
    /// Whether the limit applies to a state.
    fn is_for(&self, state: StateId) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }
}

/// The settings of instructions for one dialogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionsSettings {
    /// Whether undeclared transitions are permitted.
    pub permissive: bool,
}

/// The memory of a dialogue with instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InstructionsMemory {
    /// The user's consent to access the digital twin.
    pub consent: Consent,
    /// The number of occurrences for each limit since the state was entered.
    pub met: LimitCounts,
}

/// The notes on a turn with instructions.
#[derive(Clone, Debug, Default)]
pub struct InstructionsNotes {
    /// The limits that the replies violate.
    broken: Vec<BrokenLimit>,
}

/// The saved memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedInstructions {
    /// The number of occurrences for each limit since the state was entered.
    met: Vec<u32>,
    /// The consent for reading and writing data.
    consent: (Option<bool>, Option<bool>),
}

impl PolicyFacts for Instructions {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            navigation: true,
            stubs: true,
            words: self.guidance.knows_events(),
            ..TurnInputs::default()
        }
    }

    fn leads_from(&self, _: &Machine, id: StateId) -> Vec<PolicyTransition> {
        let way = |of: &Move| PolicyTransition {
            target: of.target,
            called: of.condition.clone(),
            rule: Some(of.rule),
        };
        self.guidance
            .of(id)
            .iter()
            .flat_map(|state| state.moves.iter().map(way))
            .collect()
    }

    fn leads_anywhere(&self, _: &Machine) -> Vec<StateId> {
        [self.guidance.consent, self.guidance.no_data_state]
            .into_iter()
            .flatten()
            .collect()
    }

    fn lead(&self, _: &Machine, settings: &Settings, id: StateId) -> PolicyLead {
        PolicyLead {
            anywhere: settings.policies.instructions.permissive,
            aside: self.guidance.is_aside(id),
            ..PolicyLead::default()
        }
    }

    fn guidance(&self) -> Option<&Guidance> {
        Some(&self.guidance)
    }

    fn lint(&self, machine: &Machine, permissive: bool, found: &mut Vec<Diagnostic>) {
        lint::check(&self.guidance, machine, permissive, found);
    }

    fn reply_faults(&self, line: &RecordView<'_>) -> Vec<ReplyFault<'_>> {
        let broken = line.record.policies.instructions.broken.iter();
        broken.filter_map(|broken| self.fault(broken)).collect()
    }
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

    fn filter_by_state(&self, _: &Machine, id: Option<StateId>, _: &State) -> SourceMask {
        let guided = id.is_some_and(|id| self.guidance.of(id).is_some());
        SourceMask::NONE.with(SourceKind::Navigation, guided)
    }

    fn filter_by_intent(&self, _: &Machine, _: IntentId, _: &Intent) -> (SourceMask, SourceMask) {
        (
            SourceMask::NONE.with(SourceKind::Navigation, true),
            SourceMask::NONE,
        )
    }

    /// If the input has no target, a matching event of a transition sets it. Otherwise, the assistant chooses it.
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
        if let Some(declared) = self.guidance.of(state).and_then(|here| here.move_by(said)) {
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

    /// Counts the turn, because a navigation has no intent to count. Stores the consent of the user. If reading is
    /// refused, removes the data that was read.
    fn store(
        &self,
        memory: &mut InstructionsMemory,
        _: &mut InstructionsNotes,
        turn: &mut StoreTurn<'_>,
        _: &Machine,
    ) {
        if turn.input.intent.is_none() {
            turn.tracker.set_turn(turn.tracker.turn() + 1);
        }
        if !turn.input.consent.is_said() {
            return;
        }
        memory.consent = memory.consent.then(turn.input.consent);
        if memory.consent.read == Some(false) {
            for slot in self.guidance.all().flat_map(|(_, state)| &state.reads) {
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
            navigation::contribute(&self.guidance, turn, board, own.permissive);
        }
        Ok(())
    }

    /// Returns from an interruption for consent, and clears the return state when the interruption ends.
    fn gate(&self, turn: &TurnContext<'_>, decision: &mut Decision) {
        let from = turn.state;
        let kept = turn.session.return_state();
        if decision.to == from
            && self.guidance.consent == Some(from)
            && turn.input.consent.is_said()
            && let Some(back) = kept
        {
            decision.to = back;
            decision
                .notes
                .push(InstructionsReason::ConsentSettled.into());
        }
        if decision.to != from
            && kept.is_some()
            && (kept == Some(decision.to)
                || self.guidance.is_aside(from) && turn.machine.state(decision.to).aside.is_none())
        {
            decision.returns = Returns::Forget;
        }
        decision.arrive(turn);
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
        _: &InstructionsNotes,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        match part {
            RecordPart::Violations => {
                for fault in self.reply_faults(line) {
                    out.item().object(|out| {
                        pairs!(out, limit = text(fault.limit), found = int(fault.found));
                        if fault.too_few {
                            key!(out, "min").int(fault.bound);
                        } else {
                            key!(out, "max").int(fault.bound);
                        }
                    });
                }
            }
            RecordPart::EventsAfter => {
                if let Some((target, near)) = line.refused_move() {
                    out.item().object(|out| {
                        pairs!(
                            out,
                            event = word("move_refused"),
                            to = text(target),
                            nearest = text_or_null(near),
                        );
                    });
                }
            }
            RecordPart::Carryover
            | RecordPart::Frames
            | RecordPart::GoBacks
            | RecordPart::Points
            | RecordPart::EventsBefore => return false,
        }
        true
    }

    /// The consent decides whether an effect on the user's data is permitted.
    fn reads(&self, _: &InstructionsSettings, readers: &mut Readers<'_>) {
        readers.reads.consent = true;
        readers.reads.returns = true;
    }

    fn reduce(&self, memory: &mut InstructionsMemory, reads: &Reads, _: &Settings) {
        memory.met.clear();
        if !reads.consent {
            memory.consent = Consent::default();
        }
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

impl<'a> RecordView<'a> {
    /// Whether the turn made an undeclared transition that the settings permit.
    pub fn is_permitted_move(&self) -> bool {
        let permitted = Reason::from(InstructionsReason::UndeclaredTaken);
        self.record.reasons().any(|reason| reason == permitted)
    }

    /// The target of a requested, undeclared transition, and the most similar declared target.
    pub fn refused_move(&self) -> Option<(&'a str, Option<&'a str>)> {
        let outcome = self.record.outcome.as_ref()?;
        let refusal = Reason::from(InstructionsReason::UndeclaredTransition);
        self.record.reasons().find(|reason| *reason == refusal)?;
        let target = self
            .scripted
            .input
            .goto
            .as_ref()
            .map(|state| state.text(&self.machine.names.states))
            .or_else(|| answer_text(&self.record.answers, "target"))?;
        let declared = self
            .machine
            .moves(outcome.state.from)
            .iter()
            .map(|declared| self.machine.names.states.name(declared.target));
        Some((target, nearest(target, declared)))
    }
}

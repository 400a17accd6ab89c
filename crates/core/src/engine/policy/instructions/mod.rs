//! The policy of instructions: an assistant moves by its own word, as far as the states declare it; what the user said about
//! the data of the digital twin is remembered.

mod lint;
mod navigation;
mod reason;
mod reply_limits;

use std::borrow::Cow;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{
    Guidance, Hooks, Move, PolicyHooks, PolicyLead, PolicyReading, PolicyWay, ReplyFault,
    StoreTurn, TurnInputs,
};
use crate::engine::{
    Answer, Blackboard, CommitTurn, Consent, Decision, Input, Machine, Need, PolicyFacts, Reason,
    RecordPart, RecordView, Returns, SavedNames, Session, Settings, Sink, SourceError, SourceKind,
    TurnContext, first_answer, key, told,
};
use crate::machine::{Intent, IntentId, NeedKind, SourceMask, State, StateId, Value};
use fsmsim_syntax::diagnostic::{Diagnostic, nearest};
pub use reason::InstructionsReason;
pub use reply_limits::{BrokenLimit, LimitCounts};

/// What guides the assistant, and what its replies may hold.
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    /// What guides it.
    pub guidance: Guidance,
    /// What a reply may hold, and how often.
    pub limits: Box<[ReplyLimit]>,
}

/// How often something may stand in the replies of one visit to a state.
#[derive(Clone, Debug)]
pub struct ReplyLimit {
    /// What it is called in findings.
    pub name: Box<str>,
    /// One occurrence.
    pub pattern: Regex,
    /// The fewest occurrences, once the state is left.
    pub least: Option<u32>,
    /// The most occurrences.
    pub most: Option<u32>,
    /// The states that it is for; all, where none is named.
    pub states: Box<[StateId]>,
}

impl ReplyLimit {
    /// Whether it is for a state.
    fn is_for(&self, state: StateId) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }
}

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

impl PolicyFacts for Instructions {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            navigation: true,
            words: self.guidance.knows_events(),
            ..TurnInputs::default()
        }
    }

    fn leads_from(&self, _: &Machine, id: StateId) -> Vec<PolicyWay> {
        let way = |of: &Move| PolicyWay {
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
        [self.guidance.consent, self.guidance.without_data]
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

    /// Leads a decision back to where the dialogue was interrupted for consent, and forgets that place once it is left for good.
    fn gate(&self, turn: &TurnContext<'_>, decision: &mut Decision) {
        let from = turn.state;
        let kept = turn.session.return_state;
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
            && (kept == Some(decision.to) || self.guidance.is_aside(from))
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
            RecordPart::Faults => {
                for fault in self.reply_faults(line) {
                    out.item().object(|out| {
                        key!(out, "limit").text(fault.limit);
                        key!(out, "found").int(fault.found);
                        if fault.too_few {
                            key!(out, "least").int(fault.bound);
                        } else {
                            key!(out, "most").int(fault.bound);
                        }
                    });
                }
            }
            RecordPart::EventsAfter => {
                if let Some((target, near)) = line.refused_move() {
                    out.item().object(|out| {
                        key!(out, "event").word("move_refused");
                        key!(out, "to").text(target);
                        key!(out, "nearest").text_or_null(near);
                    });
                }
            }
            RecordPart::Carryover
            | RecordPart::Frames
            | RecordPart::Points
            | RecordPart::EventsBefore => return false,
        }
        true
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
    /// A move that was asked for and is not declared: where it was to lead, and what is declared and looks like it.
    pub fn refused_move(&self) -> Option<(&'a str, Option<&'a str>)> {
        let outcome = self.record.outcome.as_ref()?;
        let refusal = Reason::from(InstructionsReason::UndeclaredTransition);
        self.record.reasons().find(|reason| *reason == refusal)?;
        let asked = self
            .scripted
            .input
            .goto
            .as_ref()
            .map(|state| state.text(&self.machine.names.states));
        let target = asked.or_else(|| told(&self.record.answers, "target"))?;
        let moves = self.machine.moves(outcome.state.from).iter();
        let declared = moves.map(|declared| self.machine.names.states.name(declared.target));
        Some((target, nearest(target, declared)))
    }
}

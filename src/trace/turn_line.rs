//! The line of a turn in a trace, written straight from the record.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::input_line::InputLine;
use crate::engine::{Name, Proposal, Proposed, Reason, ReasonNames, ScriptedTurn, Session, TurnRecord};
use crate::machine::{Machine, PhaseId, SlotId, StateId, UNRANKED};

/// A turn with everything that is needed to write it. Keys always come in one order.
#[derive(Clone, Copy)]
pub struct TurnLine<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The session after the turn.
    pub session: &'a Session,
    /// The turn as it was given.
    pub scripted: &'a ScriptedTurn,
    /// What happened.
    pub record: &'a TurnRecord,
}

impl<'a> TurnLine<'a> {
    /// The name of a state.
    #[must_use]
    pub fn state(&self, id: StateId) -> &'a str {
        self.session.state_name(id, self.machine)
    }

    /// The name of a phase.
    #[must_use]
    pub fn phase(&self, id: Option<PhaseId>) -> Option<&'a str> {
        id.map(|id| self.session.phase_name(id, self.machine))
    }

    /// The name of a slot.
    #[must_use]
    pub fn slot(&self, name: &'a Name<SlotId>) -> &'a str {
        name.text(&self.machine.names.slots)
    }

    /// What reasons are rendered with.
    #[must_use]
    pub fn reason_names(&self) -> ReasonNames<'a> {
        ReasonNames {
            machine: self.machine,
            session: self.session,
            texts: &self.record.texts,
        }
    }

    /// The place of a rule, as `path:line`.
    #[must_use]
    pub fn rule_place(&self, rule: crate::machine::RuleId) -> String {
        let place = self.machine.place_of(rule);
        format!("{}:{}", place.path, place.line)
    }
}

impl Serialize for TurnLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.record;
        let Some(outcome) = &record.outcome else {
            return serializer.serialize_unit();
        };
        let mut line = serializer.serialize_struct("turn", 26)?;
        line.serialize_field("turn", &record.turn)?;
        line.serialize_field("turn_number", &record.turn_number)?;
        line.serialize_field("input", &InputLine::new(self.scripted, self.machine))?;
        line.serialize_field("state", &FromTo(self.state(outcome.states.0), self.state(outcome.states.1)))?;
        line.serialize_field("phase", &FromTo(self.phase(outcome.phases.0), self.phase(outcome.phases.1)))?;
        line.serialize_field("path", &Seq(|| record.path.iter().map(|id| self.state(*id))))?;
        line.serialize_field("action", self.session.action_name(outcome.action, self.machine))?;
        line.serialize_field("class", outcome.class.name())?;
        line.serialize_field("contract_class", &())?;
        line.serialize_field("carryover", &CarryoverLine(*self))?;
        line.serialize_field("effects", &[(); 0])?;
        line.serialize_field("why", &Seq(|| record.reasons.iter().map(|reason| ReasonLine(*reason, self.reason_names()))))?;
        line.serialize_field(
            "by",
            &Pairs([
                ("action", outcome.action_by.map(crate::machine::SourceKind::name)),
                ("transition", outcome.move_by.map(crate::machine::SourceKind::name)),
            ]),
        )?;
        line.serialize_field("merge", outcome.merge.name())?;
        line.serialize_field("rejected", &Seq(|| record.rejected.iter().map(|proposal| RejectedLine(proposal, *self))))?;
        line.serialize_field("data", &DataLine(*self))?;
        line.serialize_field("missing", &Seq(|| record.missing.iter().map(|slot| self.machine.names.slots.name(*slot))))?;
        line.serialize_field("final", &outcome.is_final)?;
        line.serialize_field(
            "counters",
            &Pairs([
                ("go_backs", outcome.go_backs.0),
                ("go_backs_left", outcome.go_backs.1),
                ("objections_in_row", i64::from(outcome.objections.0)),
                ("objections_total", i64::from(outcome.objections.1)),
            ]),
        )?;
        line.serialize_field("return_state", &outcome.return_state.map(|state| self.state(state)))?;
        line.serialize_field("branches", &[(); 0])?;
        line.serialize_field("frames", &())?;
        line.serialize_field("answers", &Seq(|| record.answers.iter().map(AnswerLine)))?;
        line.serialize_field("faults", &[(); 0])?;
        line.serialize_field("events", &Seq(|| record.errors.iter().map(ErrorLine)))?;
        line.serialize_field("reply", &())?;
        line.end()
    }
}

/// A list whose items are made while it is written.
pub(super) struct Seq<F>(pub(super) F);

impl<F, I> Serialize for Seq<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A map of a few fixed keys.
pub(super) struct Pairs<T, const N: usize>(pub(super) [(&'static str, T); N]);

impl<T: Serialize, const N: usize> Serialize for Pairs<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

struct FromTo<T>(T, T);

impl<T: Serialize> Serialize for FromTo<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_struct("change", 2)?;
        pair.serialize_field("from", &self.0)?;
        pair.serialize_field("to", &self.1)?;
        pair.end()
    }
}

struct ReasonLine<'a>(Reason, ReasonNames<'a>);

impl Serialize for ReasonLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::fmt::Display for ReasonLine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.write(self.1, f)
    }
}

struct CarryoverLine<'a>(TurnLine<'a>);

impl Serialize for CarryoverLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let carryover = &self.0.record.carryover;
        let mut map = serializer.serialize_struct("carryover", 4)?;
        map.serialize_field("kept", &Seq(|| carryover.kept.iter().map(|name| self.0.slot(name))))?;
        map.serialize_field("added", &Seq(|| carryover.added.iter().map(|name| self.0.slot(name))))?;
        map.serialize_field("changed", &Seq(|| carryover.changed.iter().map(|name| self.0.slot(name))))?;
        map.serialize_field("dropped", &Seq(|| carryover.dropped.iter().map(|name| self.0.slot(name))))?;
        map.end()
    }
}

struct DataLine<'a>(TurnLine<'a>);

impl Serialize for DataLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.session.slots.iter(self.0.machine))
    }
}

struct RejectedLine<'a>(&'a Proposal, TurnLine<'a>);

impl Serialize for RejectedLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(proposal, line) = self;
        let (kind, value) = match proposal.proposed {
            Proposed::Action(action) => ("action", line.session.action_name(action, line.machine)),
            Proposed::Move(state) => ("transition", line.state(state)),
        };
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("kind", kind)?;
        map.serialize_entry("value", value)?;
        map.serialize_entry("priority", proposal.level.name())?;
        map.serialize_entry("rank", &(proposal.rank != UNRANKED).then_some(proposal.rank))?;
        map.serialize_entry("by", &proposal.by.map(crate::machine::SourceKind::name))?;
        map.serialize_entry("why", &ReasonLine(proposal.reason, line.reason_names()))?;
        map.serialize_entry("rule", &proposal.rule.map(|rule| line.rule_place(rule)))?;
        map.end()
    }
}

struct AnswerLine<'a>(&'a crate::engine::Answer);

impl Serialize for AnswerLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("need", self.0.kind)?;
        map.serialize_entry("answer", &self.0.value)?;
        map.end()
    }
}

struct ErrorLine<'a>(&'a (crate::machine::SourceKind, Box<str>));

impl Serialize for ErrorLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("event", "error_occurred")?;
        map.serialize_entry("component", self.0.0.name())?;
        map.serialize_entry("error", &*self.0.1)?;
        map.end()
    }
}

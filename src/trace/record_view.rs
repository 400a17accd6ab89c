//! The line of a turn in a trace, written straight from the record.

use super::contract_line::{breach_value, class_events, class_of, depth_of, frames_value};
use super::effect::{effect_value, excess_value};
use super::input_line::write_input;
use super::json_line::JsonLine;
use crate::diagnostic::nearest;
use crate::engine::{
    Branch, NodeEvent, Proposal, Proposed, Reason, ReasonNames, ScriptedTurn, Session, Symbol, TurnRecord,
    told,
};
use crate::machine::{
    BranchId, Depth, Machine, PhaseId, RuleId, SlotId, SourceKind, StateId, UNRANKED, Value,
};

/// A turn with everything that is needed to tell it.
#[derive(Clone, Copy)]
pub struct RecordView<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The session after the turn.
    pub session: &'a Session,
    /// The turn as it was given.
    pub scripted: &'a ScriptedTurn,
    /// What happened.
    pub record: &'a TurnRecord,
}

impl<'a> RecordView<'a> {
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
    pub fn slot(&self, name: &'a Symbol<SlotId>) -> &'a str {
        name.text(&self.machine.names.slots)
    }

    /// The name of a branch.
    #[must_use]
    pub fn branch(&self, id: BranchId) -> &'a str {
        self.machine.names.branches.name(id)
    }

    /// What was meant: as the turn says itself, else as somebody has read it and as that was taken.
    #[must_use]
    pub fn intent(&self) -> Option<&'a str> {
        match (&self.scripted.input.intent, self.record.taken) {
            (Some(name), _) => Some(name.text(&self.machine.names.intents)),
            (None, Some((_, intent))) => Some(self.session.intent_name(intent, self.machine)),
            (None, None) => self.read_as(),
        }
    }

    /// What was meant, as a phrase of the contract or somebody has read it.
    #[must_use]
    pub fn read_as(&self) -> Option<&'a str> {
        if let (true, Some(contract)) = (self.scripted.input.is_unread(), self.machine.contract.as_deref())
            && let Some((reading, ..)) =
                self.scripted.input.say.as_deref().and_then(|say| contract.phrase(say))
        {
            return Some(self.machine.names.intents.name(reading.intent));
        }
        let mut readings = self.record.answers.iter().filter(|answer| answer.is_reading());
        readings.find_map(|answer| answer.value.as_ref()?.get("intent")?.as_text())
    }

    /// What the assistant said: as the turn says itself, else as whoever plays it.
    #[must_use]
    pub fn reply(&self) -> Option<&'a str> {
        let given = self.scripted.input.reply.as_deref().filter(|reply| !reply.is_empty());
        given.or_else(|| told(&self.record.answers, "reply"))
    }

    /// A move that was asked for and is not declared: where it was to lead, and what is declared and looks like it.
    #[must_use]
    pub fn refused_move(&self) -> Option<(&'a str, Option<&'a str>)> {
        let outcome = self.record.outcome.as_ref()?;
        if !self.record.reasons.contains(&Reason::UndeclaredTransition) {
            return None;
        }
        let asked = self.scripted.input.goto.as_ref().map(|state| state.text(&self.machine.names.states));
        let target = asked.or_else(|| told(&self.record.answers, "target"))?;
        let guide = self.machine.state(outcome.states.0).guide.as_deref();
        let moves = guide.into_iter().flat_map(|guide| &guide.moves);
        let declared = moves.map(|declared| self.machine.names.states.name(declared.target));
        Some((target, nearest(target, declared)))
    }

    /// The class of the turn by the contract of the machine; nothing where it has none.
    #[must_use]
    pub fn contract_class(&self) -> Option<&'a str> {
        class_of(self)
    }

    /// How much was carried over; nothing for a machine without frames.
    #[must_use]
    pub fn depth(&self) -> Option<Depth> {
        depth_of(self)
    }

    /// What is known, without the fields of frames.
    pub fn data(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let (machine, session) = (self.machine, self.session);
        let contract = machine.contract.as_deref();
        let is_field = move |name: &str| {
            let slot = machine.names.slots.id(name);
            slot.is_some_and(|slot| contract.is_some_and(|contract| contract.field(slot).is_some()))
        };
        session.slots.iter(machine).filter(move |(name, _)| contract.is_none() || !is_field(name))
    }

    /// What was done that is not allowed: limits of replies, and the contract.
    pub fn faults(&self) -> impl Iterator<Item = Value> {
        let limit_violations =
            self.record.limit_violations.iter().map(|excess| excess_value(excess, self.machine));
        let breaches = self.record.settled.iter().flat_map(|settled| &settled.breaches);
        limit_violations.chain(breaches.map(|breach| breach_value(breach, self)))
    }

    /// What reasons are rendered with.
    #[must_use]
    pub fn reason_names(&self) -> ReasonNames<'a> {
        ReasonNames { machine: self.machine, session: self.session, texts: &self.record.texts }
    }

    /// The place of a rule, as `path:line`.
    #[must_use]
    pub fn rule_place(&self, rule: RuleId) -> RulePlace<'a> {
        let rule = &self.machine.rules[rule];
        RulePlace { path: self.machine.files.path(rule.span.file), line: rule.line }
    }

    /// Writes the turn as JSON. Keys always come in this order.
    pub fn write(&self, out: &mut JsonLine) {
        let record = self.record;
        let Some(outcome) = &record.outcome else { return };
        out.raw("{\"turn\":");
        out.int(i64::from(record.turn));
        out.raw(",\"turn_number\":");
        out.int(i64::from(record.turn_number));
        out.raw(",\"input\":");
        write_input(self.scripted, self.machine, out);
        out.raw(",\"state\":{\"from\":");
        out.text(self.state(outcome.states.0));
        out.raw(",\"to\":");
        out.text(self.state(outcome.states.1));
        out.raw("},\"phase\":{\"from\":");
        out.text_or_null(self.phase(outcome.phases.0));
        out.raw(",\"to\":");
        out.text_or_null(self.phase(outcome.phases.1));
        out.raw("},\"path\":");
        out.list(&record.path, |out, state| out.text(self.state(*state)));
        out.raw(",\"action\":");
        out.text(self.session.action_name(outcome.action, self.machine));
        out.raw(",\"class\":\"");
        out.raw(outcome.class.name());
        out.raw("\",\"contract_class\":");
        out.text_or_null(class_of(self));
        out.raw(",\"carryover\":{");
        self.write_carryover(out);
        out.raw("},\"effects\":");
        out.list(&record.effects, |out, effect| out.value(&effect_value(effect, self.machine)));
        out.raw(",\"why\":");
        out.list(&record.reasons, |out, reason| self.write_reason(*reason, out));
        out.raw(",\"by\":{\"action\":");
        out.text_or_null(outcome.action_by.map(SourceKind::name));
        out.raw(",\"transition\":");
        out.text_or_null(outcome.move_by.map(SourceKind::name));
        out.raw("},\"merge\":\"");
        out.raw(outcome.merge.name());
        out.raw("\",\"rejected\":");
        out.list(&record.rejected, |out, proposal| self.write_rejected(proposal, out));
        out.raw(",\"data\":");
        out.map(self.data());
        out.raw(",\"missing\":");
        out.list(&record.missing, |out, slot| out.text(self.machine.names.slots.name(*slot)));
        out.raw(",\"final\":");
        out.boolean(outcome.is_final);
        out.raw(",\"counters\":{\"go_backs\":");
        out.int(outcome.go_backs.0);
        out.raw(",\"go_backs_left\":");
        out.int(outcome.go_backs.1);
        out.raw(",\"objections_in_row\":");
        out.int(i64::from(outcome.objections.0));
        out.raw(",\"objections_total\":");
        out.int(i64::from(outcome.objections.1));
        out.raw("},\"return_state\":");
        out.text_or_null(outcome.return_state.map(|state| self.state(state)));
        out.raw(",\"branches\":");
        out.list(&self.session.dag.branches, |out, branch| self.write_branch(branch, out));
        out.raw(",\"frames\":");
        out.value(&frames_value(self));
        out.raw(",\"answers\":");
        out.list(&record.answers, |out, answer| {
            out.raw("{\"need\":\"");
            out.raw(answer.kind);
            out.raw("\",\"by\":");
            out.text_or_null(answer.by.as_deref());
            out.raw(",\"answer\":");
            out.any(&answer.value);
            out.raw(",\"failed\":");
            out.list(&answer.failed, |out, (by, why)| {
                out.raw("{\"by\":");
                out.text(by);
                out.raw(",\"why\":");
                out.text(why);
                out.raw("}");
            });
            if answer.is_reading() {
                self.write_taken(out);
            }
            out.raw("}");
        });
        out.raw(",\"faults\":");
        out.list(self.faults(), |out, fault| out.value(&fault));
        out.raw(",\"events\":");
        let nodes = record.events.iter().map(Event::Node);
        let refused = self.refused_move().into_iter().map(|(target, near)| Event::Refused(target, near));
        let classes = class_events(self).into_iter().map(Event::Class);
        let nodes = classes.chain(nodes).chain(refused);
        let events = nodes.chain(record.errors.iter().map(|(source, error)| Event::Fault(*source, error)));
        out.list(events, |out, event| self.write_event(&event, out));
        out.raw(",\"reply\":");
        out.text_or_null(self.reply());
        out.raw("}");
    }

    fn write_carryover(&self, out: &mut JsonLine) {
        let carryover = &self.record.carryover;
        out.raw("\"kept\":");
        self.write_slots(&carryover.kept, out);
        out.raw(",\"added\":");
        self.write_slots(&carryover.added, out);
        out.raw(",\"changed\":");
        self.write_slots(&carryover.changed, out);
        out.raw(",\"dropped\":");
        self.write_slots(&carryover.dropped, out);
        if let Some(depth) = depth_of(self) {
            out.raw(",\"depth\":");
            out.text(depth.name());
        }
    }

    /// How the reading was taken, where it said how certain it is, and what is asked back.
    fn write_taken(&self, out: &mut JsonLine) {
        let Some((taken, intent)) = self.record.taken else { return };
        out.raw(",\"taken\":\"");
        out.raw(taken.name());
        out.raw("\",\"intent\":");
        out.text(self.session.intent_name(intent, self.machine));
        if let Some(asked) = &self.session.clarification.asked {
            out.raw(",\"options\":");
            out.any(&*asked.options);
        }
    }

    fn write_branch(&self, branch: &Branch, out: &mut JsonLine) {
        out.raw("{\"id\":");
        out.text(self.branch(branch.id));
        out.raw(",\"fork\":");
        out.text(self.state(branch.fork));
        out.raw(",\"state\":");
        out.text_or_null(branch.state.map(|state| self.state(state)));
        out.raw(",\"status\":\"");
        out.raw(branch.status.name());
        out.raw("\"}");
    }

    fn write_event(&self, event: &Event<'_>, out: &mut JsonLine) {
        match event {
            Event::Class(event) => out.value(event),
            Event::Node(event) => {
                out.raw("{\"event\":\"");
                out.raw(event.kind.name());
                out.raw("\",\"node\":");
                out.text(self.state(event.node));
                out.raw(",\"branch\":");
                out.text_or_null(event.branch.map(|branch| self.branch(branch)));
                out.raw(",\"to\":");
                out.text_or_null(event.to.map(|state| self.state(state)));
                out.raw("}");
            }
            Event::Refused(target, near) => {
                out.raw("{\"event\":\"move_refused\",\"to\":");
                out.text(target);
                out.raw(",\"nearest\":");
                out.text_or_null(*near);
                out.raw("}");
            }
            Event::Fault(source, error) => {
                out.raw("{\"event\":\"error_occurred\",\"component\":\"");
                out.raw(source.name());
                out.raw("\",\"error\":");
                out.text(error);
                out.raw("}");
            }
        }
    }

    fn write_slots(&self, names: &'a [Symbol<SlotId>], out: &mut JsonLine) {
        out.list(names, |out, name| out.text(self.slot(name)));
    }

    fn write_reason(&self, reason: Reason, out: &mut JsonLine) {
        let (code, argument) = reason.parts(self.reason_names());
        if argument.is_empty() {
            out.text(code);
        } else {
            out.text(&[code, argument].concat());
        }
    }

    fn write_rejected(&self, proposal: &Proposal, out: &mut JsonLine) {
        let (kind, value) = match proposal.proposed {
            Proposed::Action(action) => ("action", self.session.action_name(action, self.machine)),
            Proposed::Move(state) => ("transition", self.state(state)),
        };
        out.raw("{\"kind\":\"");
        out.raw(kind);
        out.raw("\",\"value\":");
        out.text(value);
        out.raw(",\"priority\":\"");
        out.raw(proposal.level.name());
        out.raw("\",\"rank\":");
        match proposal.rank {
            UNRANKED => out.raw("null"),
            rank => out.int(rank),
        }
        out.raw(",\"by\":");
        out.text_or_null(proposal.by.map(SourceKind::name));
        out.raw(",\"why\":");
        self.write_reason(proposal.reason, out);
        out.raw(",\"rule\":");
        match proposal.rule {
            Some(rule) => out.text(&self.rule_place(rule).to_string()),
            None => out.raw("null"),
        }
        out.raw("}");
    }
}

/// What the list of events holds.
enum Event<'a> {
    Class(Value),
    Node(&'a NodeEvent),
    Refused(&'a str, Option<&'a str>),
    Fault(SourceKind, &'a str),
}

/// The place of a rule, as `path:line`.
#[derive(Clone, Copy, Debug)]
pub struct RulePlace<'a> {
    path: &'a str,
    line: u32,
}

impl std::fmt::Display for RulePlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

//! A turn with everything that is needed to tell it, and what is told of it.

use super::{
    Change, Machine, ReasonNames, ScriptedTurn, Session, Settings, Sink, Symbol, TurnOutcome,
    TurnRecord, TurnWatch, told,
};
use crate::machine::{ActionId, BranchId, Id, PhaseId, RuleId, SlotId, StateId, Value};

/// A turn with everything that is needed to tell it.
#[derive(Clone, Copy)]
pub struct RecordView<'a> {
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The session after the turn.
    pub session: &'a Session,
    /// The turn as it was given.
    pub scripted: &'a ScriptedTurn,
    /// What happened.
    pub record: &'a TurnRecord,
    /// What was seen of it, where it was watched.
    pub watch: Option<&'a TurnWatch>,
}

impl<'a> RecordView<'a> {
    /// The name of a state.
    pub fn state(&self, id: StateId) -> &'a str {
        self.session.state_name(id, self.machine)
    }

    /// The name of a phase.
    pub fn phase(&self, id: Option<PhaseId>) -> Option<&'a str> {
        id.map(|id| self.session.phase_name(id, self.machine))
    }

    /// The states before and after the turn.
    pub fn states(&self, outcome: &TurnOutcome) -> Change<&'a str> {
        Change {
            from: self.state(outcome.state.from),
            to: self.state(outcome.state.to),
        }
    }

    /// The phases before and after the turn.
    pub fn phases(&self, outcome: &TurnOutcome) -> Change<Option<&'a str>> {
        Change {
            from: self.phase(outcome.phase.from),
            to: self.phase(outcome.phase.to),
        }
    }

    /// The name of an action.
    pub fn action(&self, id: ActionId) -> &'a str {
        self.session.action_name(id, self.machine)
    }

    /// The name of a slot.
    pub fn slot(&self, name: &'a Symbol<SlotId>) -> &'a str {
        name.text(&self.machine.names.slots)
    }

    /// The name of a branch.
    pub fn branch(&self, id: BranchId) -> &'a str {
        self.machine.names.branches.name(id)
    }

    /// What was meant: as the turn says itself, else as somebody has read it and as that was taken.
    pub fn intent(&self) -> Option<&'a str> {
        match (&self.scripted.input.intent, self.record.taken) {
            (Some(name), _) => Some(name.text(&self.machine.names.intents)),
            (None, Some((_, intent))) => Some(self.session.intent_name(intent, self.machine)),
            (None, None) => self.read_as(),
        }
    }

    /// What was meant, as somebody or a phrase of the machine has read it.
    pub fn read_as(&self) -> Option<&'a str> {
        let mut readings = self
            .record
            .answers
            .iter()
            .filter(|answer| answer.is_reading());
        let read = readings.find_map(|answer| answer.value.as_ref()?.get("intent")?.as_text());
        let by_phrase = || {
            let input = &self.scripted.input;
            let say = input.say.as_deref().filter(|_| input.is_unread())?;
            let intent = self
                .record
                .intent
                .filter(|_| self.machine.knows_phrase(say))?;
            self.machine.names.intents.iter().nth(intent.index())
        };
        read.or_else(by_phrase)
    }

    /// What the assistant said: as the turn says itself, else as whoever plays it; then what the machine says by itself.
    pub fn replies(&self) -> impl Iterator<Item = &'a str> {
        let given = self
            .scripted
            .input
            .reply
            .as_deref()
            .filter(|reply| !reply.is_empty());
        let led = given.or_else(|| told(&self.record.answers, "reply"));
        led.into_iter()
            .chain(self.record.replies.iter().map(|reply| &**reply))
            .filter(|reply| !reply.is_empty())
    }

    /// What is known, without the fields of frames.
    pub fn data(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let (machine, session) = (self.machine, self.session);
        let has_frames = !machine.frames.is_empty();
        let is_field = move |name: &str| {
            machine
                .names
                .slots
                .id(name)
                .is_some_and(|slot| machine.frames.field(slot).is_some())
        };
        session
            .slots
            .iter(machine)
            .filter(move |(name, _)| !has_frames || !is_field(name))
    }

    /// What reasons are rendered with.
    pub fn reason_names(&self) -> ReasonNames<'a> {
        let from = self.record.outcome.map(|outcome| outcome.state.from);
        ReasonNames {
            machine: self.machine,
            settings: self.settings,
            session: self.session,
            from,
            texts: &self.record.texts,
        }
    }

    /// The codes of the reasons.
    pub fn why(&self) -> Vec<String> {
        self.record
            .reasons()
            .map(|reason| reason.text(self.reason_names()))
            .collect()
    }

    /// Why no proposal moved the dialogue: "no transition matches price_question; `age` is still missing".
    pub fn unmoved(&self) -> String {
        let missing = self.record.missing.iter();
        let missing: Vec<String> = missing
            .map(|slot| format!("`{}`", self.machine.names.slots.name(*slot)))
            .collect();
        let missing = match &missing[..] {
            [] => String::new(),
            [slot] => format!("; {slot} is still missing"),
            slots => format!("; {} are still missing", slots.join(", ")),
        };
        let intent = self.intent().unwrap_or("the turn");
        format!("no transition matches {intent}{missing}")
    }

    /// The place of a rule, as `path:line`.
    pub fn rule_place(&self, rule: RuleId) -> String {
        let rule = &self.machine.rules[rule];
        format!("{}:{}", self.machine.files.path(rule.span.file), rule.line)
    }

    /// The class of the turn by the registry of the machine; nothing where it has none.
    pub fn contract_class(&self) -> Option<&'a str> {
        self.machine.policies.registered_class(self.record)
    }

    /// Lets the policies write what they have to say in a part of the record. Whether any of them has such a part.
    pub fn describe(&self, part: RecordPart, out: &mut impl Sink) -> bool {
        self.machine.policies.describe(part, self, out)
    }
}

/// A part of a record in which policies write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPart {
    /// Pairs of what was carried over, behind the lists of data.
    Carryover,
    /// The frames, all of them; null where no policy writes them.
    Frames,
    /// What is to be found out, and how far that is; null where no policy writes it.
    Points,
    /// Items of what was done and is not allowed.
    Faults,
    /// Items of the events, before those of choices, forks and joins.
    EventsBefore,
    /// Items of the events, behind those of choices, forks and joins.
    EventsAfter,
}

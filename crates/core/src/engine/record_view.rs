//! A turn with the context that is needed to write its record.

use super::{
    Change, Machine, ReasonNames, ScriptedTurn, Session, Settings, Sink, Symbol, TurnOutcome,
    TurnRecord, TurnWatch, answer_text, is_missing,
};
use crate::machine::{ActionId, BranchId, Id, PhaseId, RuleId, SlotId, StateId, Value};

/// A turn with the context that is needed to write its record.
#[derive(Clone, Copy)]
pub struct RecordView<'a> {
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The session after the turn.
    pub session: &'a Session,
    /// The turn as scripted.
    pub scripted: &'a ScriptedTurn,
    /// The record.
    pub record: &'a TurnRecord,
    /// The recorded condition values, if recording was on.
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

    /// The intent of the input; otherwise, the accepted intent of the recognizer.
    pub fn intent(&self) -> Option<&'a str> {
        match (&self.scripted.input.intent, self.record.disposition) {
            (Some(name), _) => Some(name.text(&self.machine.names.intents)),
            (None, Some((_, intent))) => Some(self.session.intent_name(intent, self.machine)),
            (None, None) => self.read_as(),
        }
    }

    /// The intent that a recognizer or a phrase of the machine returned, or that the utterance chose from options.
    pub fn read_as(&self) -> Option<&'a str> {
        let read = self
            .record
            .answers
            .iter()
            .filter(|answer| answer.is_reading())
            .find_map(|answer| answer.value.as_ref()?.get("intent")?.as_text());
        let by_phrase = || {
            let input = &self.scripted.input;
            let say = input.say.as_deref().filter(|_| input.is_unread())?;
            let offers = self.machine.policies.disambiguation().is_some();
            let intent = self
                .record
                .intent
                .filter(|_| offers || self.machine.knows_phrase(say))?;
            self.machine.names.intents.iter().nth(intent.index())
        };
        read.or_else(by_phrase)
    }

    /// The replies of the assistant: from the input, otherwise from the assistant's model; then the messages of the
    /// machine. A reply in the input of a machine without navigation is the line of a transcript, so it counts only if
    /// the machine says nothing.
    pub fn replies(&self) -> impl Iterator<Item = &'a str> {
        let input = self.scripted.input.reply.as_deref();
        let counts = || self.record.replies.is_empty() || self.machine.policies.inputs().navigation;
        let reply = input
            .filter(|reply| !reply.is_empty() && counts())
            .or_else(|| answer_text(&self.record.answers, "reply"));
        reply
            .into_iter()
            .chain(self.record.replies.iter().map(|reply| &**reply))
            .filter(|reply| !reply.is_empty())
    }

    /// The data, without the fields of frames.
    pub fn data(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let machine = self.machine;
        let session = self.session;
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

    /// The optional data of the new state that is not collected.
    pub fn optional_data(&self, outcome: &TurnOutcome) -> impl Iterator<Item = &'a str> {
        let Self {
            machine,
            settings,
            session,
            ..
        } = *self;
        let optional = machine.state(outcome.state.to).optional.iter();
        optional
            .filter(move |slot| is_missing(session.slots.get(**slot), settings))
            .map(move |slot| machine.names.slots.name(*slot))
    }

    /// The context for rendering reasons.
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

    /// Why no proposal moved the dialogue, such as "no transition matches agreement; `age` is still missing".
    pub fn unmoved(&self) -> String {
        let missing: Vec<String> = self
            .record
            .missing
            .iter()
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

    /// The location of a rule, as `path:line`.
    pub fn rule_place(&self, rule: RuleId) -> String {
        let rule = &self.machine.rules[rule];
        format!("{}:{}", self.machine.files.path(rule.span.file), rule.line)
    }

    /// The class of the turn in the registry of the machine, if there is one.
    pub fn contract_class(&self) -> Option<&'a str> {
        self.machine.policies.registered_class(self.record)
    }

    /// Lets the policies write their data for a part of the record. Returns whether any policy has the part.
    pub fn describe(&self, part: RecordPart, out: &mut impl Sink) -> bool {
        self.machine.policies.describe(part, self, out)
    }
}

/// A part of a record that policies write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPart {
    /// Additional pairs of the carryover, after the lists of data.
    Carryover,
    /// Completed go-backs, each with the states before and after it.
    GoBacks,
    /// All frames; null if no policy writes them.
    Frames,
    /// The points of an interview with their progress; null if no policy writes them.
    Points,
    /// Items for violations.
    Violations,
    /// Events before those of choices, forks and joins.
    EventsBefore,
    /// Events after those of choices, forks and joins.
    EventsAfter,
}

//! The fields of a record: the keys in trace lines, expectations and snapshots.

use super::JsonLine;
use super::input_line::{write_input, write_need};
use super::value_sink::ValueSink;
use crate::engine::{
    Answer, Branch, Carryover, Change, Effect, Fault, JsonKey, Machine, NodeEvent, OutsideMove,
    Proposal, Proposed, Reason, RecordPart, RecordView, Sink, SourceKind, TurnOutcome, Verdict,
    Won, key, pairs,
};
use crate::limits::MAX_UNDECLARED_SLOTS;
use crate::machine::{EffectKind, Rule, RuleId, UNRANKED, Value};

/// The table of fields, in the order of a trace: each name with the code that writes the field.
macro_rules! fields {
    (|$line:ident, $outcome:ident, $out:ident| { $($field:ident $name:literal => $write:expr;)* }
        expected_only { $($extra:ident $extra_name:literal => $extra_write:expr;)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RecordField {
            $(#[doc = concat!("`", $name, "`")] $field,)*
            $(#[doc = concat!("`", $extra_name, "`, for expectations only: a trace stores it in other fields")] $extra,)*
        }

        impl RecordField {
            /// All fields, in the order of a trace.
            pub const ALL: &'static [RecordField] = &[$(RecordField::$field,)*];

            /// Fields for expectations only: a trace stores their values in other fields.
            const EXPECTED_ONLY: &'static [RecordField] = &[$(RecordField::$extra,)*];

            /// The name in traces, expectations and snapshots.
            pub fn name(self) -> &'static str {
                match self { $(RecordField::$field => $name,)* $(RecordField::$extra => $extra_name,)* }
            }

            /// Writes the value of the field.
            fn write(self, $line: &RecordView<'_>, $outcome: &TurnOutcome, $out: &mut impl Sink) {
                match self { $(RecordField::$field => $write,)* $(RecordField::$extra => $extra_write,)* }
            }
        }

        impl RecordView<'_> {
            /// Writes the turn as JSON. Keys always have the same order.
            pub fn write(&self, $out: &mut JsonLine) {
                let ($line, Some($outcome)) = (self, &self.record.outcome) else { return };
                $out.object(|$out| {
                    $($out.key(key!($name)); $write;)*
                });
            }
        }
    };
}

fields! { |line, outcome, out| {
    Turn "turn" => out.int(line.record.turn);
    TurnNumber "turn_number" => out.int(line.record.turn_number);
    Input "input" => write_input(line.scripted, line.machine, out);
    State "state" => write_step(line.states(outcome), out);
    Phase "phase" => write_step(line.phases(outcome), out);
    Path "path" => out.texts(line.record.path.iter().map(|state| line.state(*state)));
    Action "action" => out.text(line.action(outcome.action));
    Class "class" => out.word(outcome.class.name());
    ContractClass "contract_class" => out.text_or_null(line.contract_class());
    Carryover "carryover" => write_carryover(line, out);
    Effects "effects" => out.each(&line.record.effects, |effect, out| write_effect(effect, line.machine, out));
    Why "why" => out.each(line.record.reasons(), |reason, out| write_reason(reason, line, out));
    By "by" => write_by(outcome, out);
    Rule "rule" => write_rules(line, outcome, out);
    Merge "merge" => out.word(outcome.merge.name());
    Rejected "rejected" => out.each(&line.record.rejected, |lost, out| write_rejected(lost, line, out));
    Data "data" => out.map(line.data());
    Missing "missing" => out.texts(line.record.missing.iter().map(|id| line.machine.names.slots.name(*id)));
    OptionalData "optional_data" => out.texts(line.optional_data(outcome));
    Goal "goal" => out.text_or_null(line.machine.state(outcome.state.to).goal.as_deref());
    Final "final" => out.boolean(outcome.is_final);
    Counters "counters" => write_counters(line, out);
    GoBackHistory "go_back_history" => out.list(|out| { line.describe(RecordPart::GoBacks, out); });
    ReturnState "return_state" => out.text_or_null(outcome.return_state.map(|state| line.state(state)));
    Branches "branches" => out.each(&line.session.branches.branches, |branch, out| write_branch(branch, line, out));
    Frames "frames" => write_or_null(RecordPart::Frames, line, out);
    Answers "answers" => out.each(&line.record.answers, |answer, out| write_answer(answer, line, out));
    Violations "violations" => out.list(|out| write_violations(line, out));
    Events "events" => out.list(|out| write_events(line, out));
    Replies "replies" => out.texts(line.replies());
    Points "points" => write_or_null(RecordPart::Points, line, out);
} expected_only {
    Intent "intent" => out.text_or_null(line.intent());
    Read "read" => out.value_or_null(reading(line));
} }

impl RecordField {
    /// The fields of the outcome of a turn, without its input: expectations can test them, and snapshots show them.
    pub fn of_outcome() -> impl Iterator<Item = Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|field| !matches!(field, Self::Input | Self::Answers))
    }

    /// The outcome field with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::of_outcome().find(|field| field.name() == name)
    }

    /// The field with this name, including fields for expectations only.
    pub fn expected_of(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .chain(Self::EXPECTED_ONLY)
            .copied()
            .find(|field| field.name() == name)
    }

    /// The names of all fields that expectations can test.
    pub fn expected_names() -> impl Iterator<Item = &'static str> {
        Self::ALL
            .iter()
            .chain(Self::EXPECTED_ONLY)
            .map(|field| field.name())
    }

    /// The names of all fields.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|field| field.name())
    }

    /// The value of a text field, without building a `Value`. For `state` and `phase`, this is the value after the
    /// turn.
    pub fn text<'a>(self, line: &RecordView<'a>) -> Option<&'a str> {
        let outcome = line.record.outcome.as_ref()?;
        match self {
            Self::State => Some(line.states(outcome).to),
            Self::Phase => line.phases(outcome).to,
            Self::Action => Some(line.action(outcome.action)),
            Self::Class => Some(outcome.class.name()),
            Self::Merge => Some(outcome.merge.name()),
            _ => None,
        }
    }

    pub fn value(self, line: &RecordView<'_>) -> Value {
        let outcome = line.record.outcome.as_ref();
        outcome.map_or(Value::Null, |outcome| {
            ValueSink::build(|out| self.write(line, outcome, out))
        })
    }

    /// Whether a list field has items, without building a `Value`.
    pub fn has_items(self, line: &RecordView<'_>) -> bool {
        let mut items = ItemSink::default();
        if let Some(outcome) = &line.record.outcome {
            self.write(line, outcome, &mut items);
        }
        items.has_items
    }
}

/// The answer of the recognizer, if it was called and answered.
fn reading<'a>(line: &RecordView<'a>) -> Option<&'a Value> {
    line.record
        .answers
        .iter()
        .find(|answer| answer.is_reading())?
        .value
        .as_ref()
}

fn write_step<'a>(step: Change<impl Into<Option<&'a str>>>, out: &mut impl Sink) {
    out.object(|out| {
        pairs!(
            out,
            from = text_or_null(step.from.into()),
            to = text_or_null(step.to.into()),
        );
    });
}

fn write_carryover(line: &RecordView<'_>, out: &mut impl Sink) {
    let Carryover {
        kept,
        added,
        changed,
        dropped,
    } = &line.record.carryover;
    out.object(|out| {
        pairs!(
            out,
            kept = texts(kept.iter().map(|slot| line.slot(slot))),
            added = texts(added.iter().map(|slot| line.slot(slot))),
            changed = texts(changed.iter().map(|slot| line.slot(slot))),
            dropped = texts(dropped.iter().map(|slot| line.slot(slot))),
        );
        line.describe(RecordPart::Carryover, out);
    });
}

/// Writes an effect: its kind, its state, its payload, the verdict of the gates, and the outcome or the reason for
/// the denial.
fn write_effect(effect: &Effect, machine: &Machine, out: &mut impl Sink) {
    let names = &machine.names;
    out.object(|out| {
        key!(out, "effect").text(names.effects.name(effect.kind));
        if effect.index > 0 {
            key!(out, "index").int(effect.index);
        }
        key!(out, "state").text(names.states.name(effect.state));
        if machine.effects[effect.kind].kind == EffectKind::Read {
            key!(out, "keys").value(&effect.payload);
        } else {
            let schema = effect.schema.map(|schema| &*machine.schemas[schema].name);
            out.optional_text(key!("schema"), schema);
            key!(out, "payload").value(&effect.payload);
        }
        match &effect.verdict {
            Verdict::Allowed(outcome) => {
                pairs!(out, verdict = word("allowed"), outcome = text(outcome));
            }
            Verdict::Broken { outcome, why } => {
                pairs!(
                    out,
                    verdict = word("allowed"),
                    outcome = text(outcome),
                    why = text(why),
                );
            }
            Verdict::Denied(why) => {
                pairs!(out, verdict = word("denied"), why = text(why));
            }
        }
    });
}

fn write_reason(reason: Reason, line: &RecordView<'_>, out: &mut impl Sink) {
    let (code, argument) = reason.parts(line.reason_names());
    out.joined(code, argument);
}

/// Writes a part of the record that policies provide; null if no policy provides it.
fn write_or_null(part: RecordPart, line: &RecordView<'_>, out: &mut impl Sink) {
    if !line.describe(part, out) {
        out.value(&Value::Null);
    }
}

/// Writes the sources of the winning proposals.
fn write_by(outcome: &TurnOutcome, out: &mut impl Sink) {
    let by = |won: Option<Won>| won?.by.map(SourceKind::name);
    out.object(|out| {
        pairs!(
            out,
            action = text_or_null(by(outcome.by_action)),
            transition = text_or_null(by(outcome.by_transition)),
        );
    });
}

fn write_rejected(proposal: &Proposal, line: &RecordView<'_>, out: &mut impl Sink) {
    let (kind, value) = match proposal.proposed {
        Proposed::Action(action) => ("action", line.action(action)),
        Proposed::Move(state) => ("transition", line.state(state)),
    };
    let rank = Some(Value::Int(proposal.rank)).filter(|_| proposal.rank != UNRANKED);
    out.object(|out| {
        pairs!(
            out,
            kind = word(kind),
            value = text(value),
            priority = word(proposal.level.name()),
            rank = value_or_null(rank.as_ref()),
            by = text_or_null(proposal.by.map(SourceKind::name)),
        );
        write_reason(proposal.reason, line, key!(out, "why"));
        write_rule(proposal.rule, line, key!(out, "rule"));
    });
}

/// Writes the violations of the turn: rejected slots, violations of operations and properties, then those of policies.
fn write_violations(line: &RecordView<'_>, out: &mut impl Sink) {
    write_refused(line, out);
    let names = &line.machine.names;
    for fault in &line.record.violations {
        out.item().object(|out| match fault {
            Fault::PastLimit { counter, limit } => {
                pairs!(
                    out,
                    fault = word("past_limit"),
                    counter = text(names.counters.name(*counter)),
                    limit = int(*limit),
                );
            }
            Fault::UnknownOutcome { effect, outcome } => {
                pairs!(
                    out,
                    fault = word("unknown_outcome"),
                    effect = text(names.effects.name(*effect)),
                    outcome = text(outcome),
                );
            }
            Fault::UnknownSlot { name, value } => {
                pairs!(
                    out,
                    fault = word("unknown_slot"),
                    slot = text(name),
                    value = value(value),
                );
            }
            Fault::WrongValue { slot, value } => {
                pairs!(
                    out,
                    fault = word("wrong_value"),
                    slot = text(names.slots.name(*slot)),
                    value = value(value),
                );
            }
            Fault::Property(number) => {
                let property = line.machine.properties.get(*number);
                pairs!(
                    out,
                    fault = word("property"),
                    property = text_or_null(property.map(|property| &*property.name)),
                );
                write_rule(
                    property.map(|property| property.rule),
                    line,
                    key!(out, "rule"),
                );
            }
            Fault::Value { slot, value } => {
                pairs!(
                    out,
                    fault = word("value_not_allowed"),
                    field = text(names.slots.name(*slot)),
                    value = value(value),
                );
            }
        });
    }
    line.describe(RecordPart::Violations, out);
}

/// Writes the locations of the rules that decided the turn.
fn write_rules(line: &RecordView<'_>, outcome: &TurnOutcome, out: &mut impl Sink) {
    let rule = |won: Option<Won>| won?.rule;
    out.object(|out| {
        write_rule(rule(outcome.by_action), line, key!(out, "action"));
        write_rule(rule(outcome.by_transition), line, key!(out, "transition"));
    });
}

/// Writes the location of a rule; null if there is no rule.
fn write_rule(rule: Option<RuleId>, line: &RecordView<'_>, out: &mut impl Sink) {
    match rule.map(|rule| &line.machine.rules[rule]) {
        Some(Rule {
            span, line: number, ..
        }) => out.place(line.machine.files.path(span.file), *number),
        None => out.value(&Value::Null),
    }
}

/// Writes the slots that exceeded the limit of undeclared slots.
fn write_refused(line: &RecordView<'_>, out: &mut impl Sink) {
    if !line.record.refused.is_empty() {
        out.item().object(|out| {
            pairs!(
                out,
                fault = word("too_many_slots"),
                slots = texts(line.record.refused.iter().map(|name| &**name)),
                max = int(MAX_UNDECLARED_SLOTS),
            );
        });
    }
}

fn write_counters(line: &RecordView<'_>, out: &mut impl Sink) {
    out.object(|out| {
        for (name, value) in line
            .machine
            .names
            .counters
            .iter()
            .zip(&line.record.counters)
        {
            out.name(name).int(*value);
        }
    });
}

fn write_branch(branch: &Branch, line: &RecordView<'_>, out: &mut impl Sink) {
    out.object(|out| {
        pairs!(
            out,
            id = text(line.branch(branch.id)),
            fork = text(line.state(branch.fork)),
            state = text_or_null(branch.state.map(|state| line.state(state))),
            status = word(branch.status.name()),
        );
    });
}

fn write_answer(answer: &Answer, line: &RecordView<'_>, out: &mut impl Sink) {
    out.object(|out| {
        write_need(answer.key, line.machine, out);
        pairs!(
            out,
            by = text_or_null(answer.by.as_deref()),
            answer = value_or_null(answer.value.as_ref()),
            failed = each(&answer.failed, |(by, why), out| {
                out.object(|out| {
                    pairs!(out, by = text(by), why = text(why));
                });
            }),
        );
        // How a recognized intent was accepted, if it has a confidence, and the options of the clarification.
        if let Some((disposition, intent)) = line.record.disposition.filter(|_| answer.is_reading())
        {
            pairs!(
                out,
                disposition = word(disposition.name()),
                intent = text(line.session.intent_name(intent, line.machine)),
            );
            if let Some(asked) = &line.session.clarification.asked {
                key!(out, "options").each(&*asked.options, |option, out| out.value(option));
            }
        }
    });
}

fn write_events(line: &RecordView<'_>, out: &mut impl Sink) {
    for made in &line.record.moves {
        write_outside_move(made, out);
    }
    line.describe(RecordPart::EventsBefore, out);
    for NodeEvent {
        kind,
        node,
        branch,
        from,
        to,
    } in &line.record.events
    {
        out.item().object(|out| {
            pairs!(
                out,
                event = word(kind.name()),
                node = text(line.state(*node)),
                branch = text_or_null(branch.map(|branch| line.branch(branch))),
                from = text_or_null(from.map(|state| line.state(state))),
                to = text_or_null(to.map(|state| line.state(state))),
                at = text_or_null(line.scripted.input.at.as_deref()),
            );
        });
    }
    line.describe(RecordPart::EventsAfter, out);
    for (source, error) in &line.record.errors {
        out.item().object(|out| {
            pairs!(
                out,
                event = word("error_occurred"),
                component = word(source.name()),
                error = text(error),
            );
        });
    }
}

/// Writes a move from outside: its changes or its refusal, and its source.
fn write_outside_move(made: &OutsideMove, out: &mut impl Sink) {
    let OutsideMove {
        from,
        to,
        phase,
        action,
        source,
        is_made,
    } = made;
    out.item().object(|out| {
        pairs!(
            out,
            event = word(if *is_made {
                "transition_to"
            } else {
                "transition_refused"
            }),
            from = text(from),
            to = text(to),
        );
        if *is_made {
            pairs!(
                out,
                phase = text_or_null(phase.as_deref()),
                action = text_or_null(action.as_deref()),
            );
        }
        key!(out, "source").text(source.as_deref().unwrap_or(OutsideMove::UNKNOWN_SOURCE));
    });
}

/// Detects whether any item is written.
#[derive(Default)]
pub(super) struct ItemSink {
    pub has_items: bool,
}

impl Sink for ItemSink {
    fn joined(&mut self, _: &str, _: &str) {}

    fn value(&mut self, _: &Value) {}

    /// An inner object is not an item of the list.
    fn object(&mut self, _: impl FnOnce(&mut Self)) {}

    fn key(&mut self, _: JsonKey) -> &mut Self {
        self
    }

    fn name(&mut self, _: &str) -> &mut Self {
        self
    }

    fn list(&mut self, inside: impl FnOnce(&mut Self)) {
        inside(self);
    }

    fn item(&mut self) -> &mut Self {
        self.has_items = true;
        self
    }
}

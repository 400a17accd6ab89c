//! The fields of a record, each as a value: what expectations ask about and snapshots show.

use super::contract_line::{class_events, depth_of, frames_value};
use super::effect::effect_value;
use super::record_view::RecordView;
use crate::engine::{Proposal, Proposed, Symbol};
use crate::machine::{SlotId, SourceKind, UNRANKED, Value};

macro_rules! fields {
    ($($variant:ident $name:literal,)*) => {
        /// A field of a record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RecordField { $(#[doc = concat!("`", $name, "`")] $variant,)* }

        impl RecordField {
            /// All fields, in the order of a trace.
            pub const ALL: &'static [RecordField] = &[$(RecordField::$variant,)*];

            /// The name in traces, expectations and snapshots.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(RecordField::$variant => $name,)* }
            }
        }
    };
}

fields! {
    Turn "turn",
    TurnNumber "turn_number",
    State "state",
    Phase "phase",
    Path "path",
    Action "action",
    Class "class",
    ContractClass "contract_class",
    Carryover "carryover",
    Effects "effects",
    Why "why",
    By "by",
    Merge "merge",
    Rejected "rejected",
    Data "data",
    Missing "missing",
    Final "final",
    Counters "counters",
    ReturnState "return_state",
    Branches "branches",
    Frames "frames",
    Faults "faults",
    Events "events",
    Reply "reply",
}

impl RecordField {
    /// The field of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|field| field.name() == name)
    }

    /// The value of a field that is one text, without making a value of it. Of `state` and `phase` it is where the turn
    /// led.
    #[must_use]
    pub fn text<'a>(self, line: &RecordView<'a>) -> Option<&'a str> {
        let outcome = line.record.outcome.as_ref()?;
        match self {
            Self::State => Some(line.state(outcome.states.1)),
            Self::Phase => line.phase(outcome.phases.1),
            Self::Action => Some(line.session.action_name(outcome.action, line.machine)),
            Self::Class => Some(outcome.class.name()),
            Self::Merge => Some(outcome.merge.name()),
            _ => None,
        }
    }

    /// The value of the field.
    #[must_use]
    pub fn value(self, line: &RecordView<'_>) -> Value {
        let record = line.record;
        let Some(outcome) = &record.outcome else {
            return Value::Null;
        };
        let list = |items: &mut dyn Iterator<Item = Value>| Value::List(items.collect());
        let slots =
            |names: &[Symbol<SlotId>]| list(&mut names.iter().map(|name| Value::text(line.slot(name))));
        let text_or_null = |text: Option<&str>| text.map_or(Value::Null, Value::text);
        match self {
            Self::Turn => Value::Int(i64::from(record.turn)),
            Self::TurnNumber => Value::Int(i64::from(record.turn_number)),
            Self::State => Value::map([
                ("from", Value::text(line.state(outcome.states.0))),
                ("to", Value::text(line.state(outcome.states.1))),
            ]),
            Self::Phase => Value::map([
                ("from", text_or_null(line.phase(outcome.phases.0))),
                ("to", text_or_null(line.phase(outcome.phases.1))),
            ]),
            Self::Path => list(&mut record.path.iter().map(|state| Value::text(line.state(*state)))),
            Self::Action | Self::Class | Self::Merge => text_or_null(self.text(line)),
            Self::Carryover => {
                let lists = [
                    ("kept", slots(&record.carryover.kept)),
                    ("added", slots(&record.carryover.added)),
                    ("changed", slots(&record.carryover.changed)),
                    ("dropped", slots(&record.carryover.dropped)),
                ];
                let depth = depth_of(line).map(|depth| ("depth", Value::text(depth.name())));
                Value::map(lists.into_iter().chain(depth))
            }
            Self::Why => {
                list(&mut record.reasons.iter().map(|reason| Value::text(&reason.text(line.reason_names()))))
            }
            Self::By => Value::map([
                ("action", text_or_null(outcome.action_by.map(SourceKind::name))),
                ("transition", text_or_null(outcome.move_by.map(SourceKind::name))),
            ]),
            Self::Rejected => list(&mut record.rejected.iter().map(|proposal| rejected(proposal, line))),
            Self::Data => Value::map(line.data().map(|(name, value)| (name, value.clone()))),
            Self::Missing => {
                list(&mut record.missing.iter().map(|slot| Value::text(line.machine.names.slots.name(*slot))))
            }
            Self::Final => Value::Bool(outcome.is_final),
            Self::Counters => Value::map([
                ("go_backs", Value::Int(outcome.go_backs.0)),
                ("go_backs_left", Value::Int(outcome.go_backs.1)),
                ("objections_in_row", Value::Int(i64::from(outcome.objections.0))),
                ("objections_total", Value::Int(i64::from(outcome.objections.1))),
            ]),
            Self::ReturnState => text_or_null(outcome.return_state.map(|state| line.state(state))),
            Self::Branches => list(&mut line.session.dag.branches.iter().map(|branch| {
                Value::map([
                    ("id", Value::text(line.branch(branch.id))),
                    ("fork", Value::text(line.state(branch.fork))),
                    ("state", text_or_null(branch.state.map(|state| line.state(state)))),
                    ("status", Value::text(branch.status.name())),
                ])
            })),
            Self::Faults => list(&mut line.faults()),
            Self::Events => {
                let nodes = record.events.iter().map(|event| {
                    Value::map([
                        ("event", Value::text(event.kind.name())),
                        ("node", Value::text(line.state(event.node))),
                        ("branch", text_or_null(event.branch.map(|branch| line.branch(branch)))),
                        ("to", text_or_null(event.to.map(|state| line.state(state)))),
                    ])
                });
                let faults = record.errors.iter().map(|(kind, error)| {
                    Value::map([
                        ("event", Value::text("error_occurred")),
                        ("component", Value::text(kind.name())),
                        ("error", Value::text(error)),
                    ])
                });
                let refused = line.refused_move().into_iter().map(|(target, near)| {
                    Value::map([
                        ("event", Value::text("move_refused")),
                        ("to", Value::text(target)),
                        ("nearest", text_or_null(near)),
                    ])
                });
                list(&mut class_events(line).into_iter().chain(nodes).chain(refused).chain(faults))
            }
            Self::Effects => {
                list(&mut record.effects.iter().map(|effect| effect_value(effect, line.machine)))
            }
            Self::Reply => text_or_null(line.reply()),
            Self::ContractClass => text_or_null(line.contract_class()),
            Self::Frames => frames_value(line),
        }
    }
}

fn rejected(proposal: &Proposal, line: &RecordView<'_>) -> Value {
    let (kind, value) = match proposal.proposed {
        Proposed::Action(action) => ("action", line.session.action_name(action, line.machine)),
        Proposed::Move(state) => ("transition", line.state(state)),
    };
    let rank = if proposal.rank == UNRANKED { Value::Null } else { Value::Int(proposal.rank) };
    Value::map([
        ("kind", Value::text(kind)),
        ("value", Value::text(value)),
        ("priority", Value::text(proposal.level.name())),
        ("rank", rank),
        ("by", proposal.by.map_or(Value::Null, |by| Value::text(by.name()))),
        ("why", Value::text(&proposal.reason.text(line.reason_names()))),
    ])
}

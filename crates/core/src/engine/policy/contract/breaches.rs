//! Describes how turns violate their class.

use super::Violation;
use super::check::CheckedTurn;
use crate::engine::Contract;
use crate::engine::policy::{ForeignTurn, PolicyBreach};
use crate::machine::{FrameId, SlotId};
use fsmsim_syntax::diagnostic::nearest_or;

/// Checks a turn against the class with this name and returns the violations. Without `turn`, only the class is
/// checked.
pub(super) fn breaches(
    contract: &Contract,
    name: Option<&str>,
    turn: Option<&ForeignTurn<'_>>,
) -> Vec<PolicyBreach> {
    let name = name.unwrap_or(Contract::UNCLASSIFIED);
    let Some((id, class)) = contract.class(name) else {
        return vec![unknown_class(contract, name)];
    };
    let Some(turn) = turn else {
        return Vec::new();
    };
    let checked = CheckedTurn {
        turn,
        contract,
        id,
        class,
    };
    let violations = checked.violations().into_iter();
    // If the input is unknown, the matching class is unknown too.
    violations
        .filter(|violation| turn.is_read || !matches!(violation, Violation::OtherClass(_)))
        .filter_map(|violation| checked.breach(&violation))
        .collect()
}

/// The violation of a turn whose class is unknown or missing.
fn unknown_class(contract: &Contract, name: &str) -> PolicyBreach {
    let classes = || contract.classes.iter();
    let declared = match name {
        Contract::UNCLASSIFIED => "every turn must have a class".to_owned(),
        _ => nearest_or(name, classes().map(|class| &*class.name), || {
            "unknown class".to_owned()
        }),
    };
    PolicyBreach {
        rule: "forbidden_class",
        place: classes().next().map(|class| class.rule),
        found: format!("the class `{name}`"),
        declared,
    }
}

impl CheckedTurn<'_> {
    fn breach(&self, violation: &Violation) -> Option<PolicyBreach> {
        let broken = self.class;
        let class = &broken.name;
        let mut place = broken.rule;
        let (found, declared) = match violation {
            Violation::OtherClass(instead) => {
                let declared = match instead {
                    Some(instead) => {
                        format!("`{}` matches this turn", self.contract.class_name(*instead))
                    }
                    None => "no class matches this turn".to_owned(),
                };
                (format!("the class `{class}`"), declared)
            }
            Violation::TooDeep(frame, depth) => (
                format!("`{}` was carried over", self.frame(*frame)),
                format!(
                    "`{class}` may carry over {} at the current coverage gate",
                    depth.name()
                ),
            ),
            Violation::Forbidden(frame) => (
                format!("`{}` was carried over", self.frame(*frame)),
                format!("`{class}` forbids this carryover"),
            ),
            Violation::Changed(slot, rule) => {
                place = *rule;
                let now = self.after(*slot);
                let found = format!("`{}` changed to {now}", self.slot(*slot));
                (found, format!("`{class}` preserves the field"))
            }
            Violation::NotDone(slot, expected, rule) => {
                place = *rule;
                let found = format!("`{}` is {}", self.slot(*slot), self.after(*slot));
                let declared = if expected.is_null() {
                    format!("`{class}` clears the field")
                } else {
                    format!("`{class}` sets the field to {expected}")
                };
                (found, declared)
            }
            Violation::Value { slot, value } => {
                if let Some((frame, _)) = self.turn.machine.frames.field(*slot) {
                    place = frame.rule;
                }
                let verb = if self.after(*slot) == value {
                    "is"
                } else {
                    "should become"
                };
                let found = format!("`{}` {verb} {value}", self.slot(*slot));
                (found, "the field does not allow this value".to_owned())
            }
            Violation::Answer { mode, .. } => {
                let modes: Vec<String> = broken.answers.iter().map(ToString::to_string).collect();
                let declared = format!("`{class}` allows the answer {}", modes.join(" or "));
                (format!("the answer was {mode}"), declared)
            }
            Violation::Property {
                property: number, ..
            } => {
                let property = broken.properties.get(*number)?;
                place = property.rule;
                let must = if property.must { "must" } else { "must not" };
                let found = if property.must {
                    "does not hold"
                } else {
                    "holds"
                };
                let declared = format!("`{class}` {must} satisfy `{}`", property.name);
                (format!("`{}` {found}", property.name), declared)
            }
            Violation::UnknownOutcome(word) => {
                let declared = "the contract does not define this outcome".to_owned();
                (format!("the backend returned `{word}`"), declared)
            }
            // Only turns that the engine runs can be unclassified.
            Violation::Unclassified => return None,
        };
        Some(PolicyBreach {
            rule: violation.name(),
            place: Some(place),
            found,
            declared,
        })
    }

    fn frame(&self, frame: FrameId) -> &str {
        self.turn.machine.frames.name(frame)
    }

    fn slot(&self, slot: SlotId) -> &str {
        self.turn.machine.names.slots.name(slot)
    }
}

//! Likely mistakes in a contract: overlapping classes, values that no field can hold, and unused parts.

use std::collections::{BTreeMap, BTreeSet};

use super::TransitionClass;
use crate::engine::{Contract, Input, Machine, Session, Symbol, TurnData};
use crate::limits::MAX_OVERLAP_TRIES;
use crate::machine::{
    ClassId, Condition, ConditionId, FieldKind, Id, IntentId, Op, OpKind, SlotId, Subject, Test,
    Value, ValueSource,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Searches for a turn that matches two classes, for each pair of classes.
pub(super) fn class_overlap(contract: &Contract, machine: &Machine, found: &mut Vec<Diagnostic>) {
    // A fallback class intentionally leaves such turns to the other classes.
    let classes = || {
        contract
            .classes
            .pairs()
            .filter(|(_, class)| !class.fallback)
    };
    for (first, one) in classes() {
        for (second, other) in classes().filter(|(second, _)| second.index() > first.index()) {
            let pair = ClassPair {
                machine,
                contract,
                ids: [first, second],
                classes: [one, other],
            };
            let Some(witness) = pair.witness() else {
                continue;
            };
            let title = format!(
                "classes `{}` and `{}` match the same turn",
                one.name, other.name
            );
            found.push(
                Diagnostic::warning(Code::Overlap, title)
                    .at(machine.rules[other.rule].span, "never matches this turn")
                    .at(machine.rules[one.rule].span, "matches first")
                    .note(format!("example turn: {witness}"))
                    .help(
                        "put the narrower class first, or make the conditions exclude each other",
                    ),
            );
        }
    }
}

/// Two classes to compare.
struct ClassPair<'m> {
    machine: &'m Machine,
    contract: &'m Contract,
    ids: [ClassId; 2],
    classes: [&'m TransitionClass; 2],
}

/// A slot in a condition, with the values to try.
struct Probe {
    slot: SlotId,
    /// Whether the value is in the data of the turn; otherwise, it is the value before the turn.
    said: bool,
    values: Vec<Value>,
}

impl ClassPair<'_> {
    /// A description of a turn that matches both classes.
    fn witness(&self) -> Option<String> {
        let intents = self.intents()?;
        let mut operands = Operands::default();
        for class in self.classes {
            for condition in [class.entry, class.requires].into_iter().flatten() {
                operands.collect(condition, self.machine);
            }
        }
        let probes = operands.probes(self.machine);
        let tries = probes.iter().try_fold(1_usize, |tries, probe| {
            tries.checked_mul(probe.values.len())
        });
        if tries.is_none_or(|tries| tries * intents.len() > MAX_OVERLAP_TRIES) {
            return None;
        }
        intents
            .into_iter()
            .find_map(|intent| self.search(intent, &probes))
    }

    /// The intents that both classes match: no specific intent if both match any, or `None` if they share no intent.
    fn intents(&self) -> Option<Vec<Option<IntentId>>> {
        let [one, other] = self.classes.map(|class| &class.intents);
        let shared: Vec<Option<IntentId>> = match (one.is_empty(), other.is_empty()) {
            (true, true) => vec![None],
            (true, false) => other.iter().copied().map(Some).collect(),
            (false, true) => one.iter().copied().map(Some).collect(),
            (false, false) => one
                .iter()
                .filter(|intent| other.contains(intent))
                .copied()
                .map(Some)
                .collect(),
        };
        (!shared.is_empty()).then_some(shared)
    }

    fn search(&self, intent: Option<IntentId>, probes: &[Probe]) -> Option<String> {
        let tries: usize = probes.iter().map(|probe| probe.values.len()).product();
        (0..tries).find_map(|number| {
            let mut session = Session::new(self.machine);
            let mut said = Vec::new();
            let mut words: Vec<String> = Vec::new();
            let mut rest = number;
            for probe in probes {
                let value = probe.values.get(rest % probe.values.len())?;
                rest /= probe.values.len();
                if value.is_null() {
                    continue;
                }
                let name = self.machine.names.slots.name(probe.slot);
                if probe.said {
                    said.push((Symbol::Known(probe.slot), value.clone()));
                    words.push(format!("data {name} = {value}"));
                } else {
                    session.slots.set(probe.slot, value.clone());
                    words.push(format!("{name} was {value}"));
                }
            }
            let input = Input {
                intent: intent.map(Symbol::Known),
                data: if said.is_empty() {
                    TurnData::Absent
                } else {
                    TurnData::Given(said)
                },
                ..Input::default()
            };
            let choice = self.contract.classes_of(
                self.machine,
                self.machine.settings(),
                &session,
                &input,
            )?;
            let takes = |class| choice.class == Some(class) || choice.also.contains(&class);
            if !self.ids.into_iter().all(takes) {
                return None;
            }
            if let Some(intent) = intent {
                words.insert(
                    0,
                    format!("intent {}", self.machine.names.intents.name(intent)),
                );
            }
            Some(if words.is_empty() {
                "any".to_owned()
            } else {
                words.join(", ")
            })
        })
    }
}

/// The operands of conditions.
#[derive(Default)]
struct Operands {
    /// The slots to try; `true` marks those that are read from the data of the turn.
    slots: BTreeSet<(bool, SlotId)>,
    /// Constants in comparisons.
    values: Vec<(SlotId, bool, Value)>,
    /// Whether a slot is compared with another slot.
    compared: bool,
    /// The collected conditions. Many conditions can refer to the same one.
    seen: BTreeSet<ConditionId>,
}

impl Operands {
    fn collect(&mut self, condition: ConditionId, machine: &Machine) {
        if !self.seen.insert(condition) {
            return;
        }
        match &machine.conditions[condition] {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.collect(*part, machine));
            }
            Condition::Not(part) => self.collect(*part, machine),
            Condition::Named(named) => {
                self.collect(machine.named_conditions[*named].condition, machine);
            }
            // One field makes a frame active.
            Condition::Active(frame, _) => {
                let field = machine
                    .frames
                    .lookup(*frame)
                    .and_then(|frame| frame.fields.first());
                self.slots.extend(field.map(|field| (false, field.slot)));
            }
            Condition::Test(Subject::Slot(slot) | Subject::Was(slot), test) => {
                self.test(*slot, false, test);
            }
            Condition::Test(Subject::Said(slot), test) => {
                self.test(*slot, true, test);
            }
            _ => {}
        }
    }

    fn test(&mut self, slot: SlotId, said: bool, test: &Test) {
        self.slots.insert((said, slot));
        match test {
            Test::Is(values) => self
                .values
                .extend(values.iter().map(|value| (slot, said, value.clone()))),
            Test::SameAs(other) | Test::Within(other) | Test::Later(_, other, _) => {
                self.slots.insert((false, *other));
                self.compared = true;
            }
            _ => {}
        }
    }

    fn probes(self, machine: &Machine) -> Vec<Probe> {
        let probe = |(said, slot): (bool, SlotId)| {
            let field = machine.frames.field(slot).map(|(_, field)| &field.kind);
            let mut values = vec![Value::Null];
            match field.filter(|_| !said) {
                Some(FieldKind::OneOf(allowed)) => values.extend(allowed.first().cloned()),
                Some(FieldKind::Number) => values.push(Value::Int(1)),
                Some(FieldKind::Flag) => values.push(Value::Bool(true)),
                Some(FieldKind::List) => values.push(Value::List([Value::text("a")].into())),
                _ => values.push(Value::text("a")),
            }
            if said && self.compared {
                values.push(Value::text("b"));
            }
            let compared = self
                .values
                .iter()
                .filter(|(known, by, _)| *known == slot && *by == said);
            for (_, _, value) in compared {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
            Probe { slot, said, values }
        };
        self.slots.iter().copied().map(probe).collect()
    }
}

/// Checks for listed values that are never set, and for `must` properties that never hold.
pub(super) fn possible_values(contract: &Contract, machine: &Machine, found: &mut Vec<Diagnostic>) {
    let possible = PossibleValues::of(machine, contract);
    possible.unused(found);
    possible.broken(contract, found);
}

/// The possible values of each field, except null. A field that is missing here can have any value.
struct PossibleValues<'m> {
    machine: &'m Machine,
    values: BTreeMap<SlotId, Vec<&'m Value>>,
}

impl<'m> PossibleValues<'m> {
    fn of(machine: &'m Machine, contract: &Contract) -> Self {
        let listed = machine
            .frames
            .fields()
            .filter(|(_, field)| matches!(field.kind, FieldKind::OneOf(_)));
        let mut values: BTreeMap<SlotId, Vec<&Value>> =
            listed.map(|(_, field)| (field.slot, Vec::new())).collect();
        // The engine sets the mode of an answer; the depth of the carryover is a scale, so all its values count as
        // used.
        for slot in [contract.answer, contract.eligibility]
            .into_iter()
            .flatten()
        {
            values.remove(&slot);
        }
        for (slot, value) in &machine.initial_data {
            values
                .entry(*slot)
                .and_modify(|possible| possible.push(value));
        }
        let assignments = || {
            machine.all_ops().iter().filter_map(|op| match &op.kind {
                OpKind::Set(slot, source) => Some((*slot, source)),
                _ => None,
            })
        };
        for (slot, source) in assignments() {
            match source {
                ValueSource::Constant(value) => {
                    values
                        .entry(slot)
                        .and_modify(|possible| possible.push(value));
                }
                ValueSource::Slot(_) | ValueSource::Was(_) | ValueSource::Attempted(_) => {}
                _ => {
                    values.remove(&slot);
                }
            }
        }
        // The values of one field can be copied to another, so iterate to a fixed point.
        let mut changed = true;
        while changed {
            changed = false;
            for (slot, source) in assignments() {
                let (ValueSource::Slot(from)
                | ValueSource::Was(from)
                | ValueSource::Attempted(from)) = source
                else {
                    continue;
                };
                let Some(more) = values.get(from).cloned() else {
                    changed |= values.remove(&slot).is_some();
                    continue;
                };
                if let Some(possible) = values.get_mut(&slot) {
                    let new: Vec<&Value> = more
                        .into_iter()
                        .filter(|value| !possible.contains(value))
                        .collect();
                    changed |= !new.is_empty();
                    possible.extend(new);
                }
            }
        }
        Self { machine, values }
    }

    fn unused(&self, found: &mut Vec<Diagnostic>) {
        for (frame, field) in self.machine.frames.fields() {
            let (FieldKind::OneOf(listed), Some(possible)) =
                (&field.kind, self.values.get(&field.slot))
            else {
                continue;
            };
            // A field that is never set is reported once, as a field.
            if possible.is_empty() {
                continue;
            }
            let unused_items: Vec<String> = listed
                .iter()
                .filter(|value| !possible.contains(value))
                .map(|value| format!("`{}`", value.plain()))
                .collect();
            if !unused_items.is_empty() {
                let verb = if unused_items.len() == 1 { "is" } else { "are" };
                let title = format!(
                    "{} {verb} never set in `{}.{}`",
                    unused_items.join(", "),
                    frame.name,
                    field.name
                );
                found.push(
                    Diagnostic::warning(Code::UnusedValue, title)
                        .at(self.machine.rules[frame.rule].span, "declared here")
                        .help("set the value in a class or an outcome, or remove it from the list"),
                );
            }
        }
    }

    fn broken(&self, contract: &Contract, found: &mut Vec<Diagnostic>) {
        let mut seen = BTreeMap::new();
        for class in &contract.classes {
            for property in class.properties.iter().filter(|property| property.must) {
                if !self.may_hold(property.condition, true, &mut seen) {
                    let title = format!(
                        "property `{}` of class `{}` can never hold",
                        property.name, class.name
                    );
                    found.push(
                        Diagnostic::warning(Code::NeverHolds, title)
                            .at(
                                self.machine.rules[property.rule].span,
                                "requires a value that is never set",
                            )
                            .help("set the value in a class or an outcome, or require a possible value"),
                    );
                }
            }
        }
    }

    /// Whether a condition can have the value `expected`, according to the possible values of fields. `seen` contains
    /// the answers so far.
    fn may_hold(
        &self,
        condition: ConditionId,
        expected: bool,
        seen: &mut BTreeMap<(ConditionId, bool), bool>,
    ) -> bool {
        if let Some(may) = seen.get(&(condition, expected)) {
            return *may;
        }
        let mut may = |part: &ConditionId| self.may_hold(*part, expected, seen);
        let may = match &self.machine.conditions[condition] {
            Condition::And(parts) if expected => parts.iter().all(may),
            Condition::Or(parts) if !expected => parts.iter().all(may),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().any(may),
            Condition::Not(part) => self.may_hold(*part, !expected, seen),
            Condition::Named(named) => may(&self.machine.named_conditions[*named].condition),
            Condition::Test(Subject::Slot(slot) | Subject::Was(slot), Test::Is(values))
                if expected =>
            {
                let may_be = |value: &Value| {
                    value.is_null()
                        || self
                            .values
                            .get(slot)
                            .is_none_or(|possible| possible.contains(&value))
                };
                values.iter().any(may_be)
            }
            _ => true,
        };
        seen.insert((condition, expected), may);
        may
    }
}

/// Checks for fields that are never set and, if the contract is the complete machine, for intents that no class
/// matches.
pub(super) fn unused_parts(contract: &Contract, machine: &Machine, found: &mut Vec<Diagnostic>) {
    fields(machine, contract, found);
    if contract.is_whole {
        intents(machine, contract, found);
    }
}

fn fields(machine: &Machine, contract: &Contract, found: &mut Vec<Diagnostic>) {
    let initial = machine.initial_data.iter().map(|(slot, _)| *slot);
    let written: BTreeSet<SlotId> = machine
        .all_ops()
        .iter()
        .filter_map(Op::slot)
        .chain(initial)
        .chain(contract.answer)
        .collect();
    for frame in &machine.frames {
        let unused_items: Vec<String> = frame
            .fields
            .iter()
            .filter(|field| !written.contains(&field.slot))
            .map(|field| format!("`{}.{}`", frame.name, field.name))
            .collect();
        if unused_items.is_empty() {
            continue;
        }
        let what = if unused_items.len() == frame.fields.len() {
            format!("the frame `{}`", frame.name)
        } else {
            unused_items.join(", ")
        };
        found.push(
            Diagnostic::warning(Code::UnusedField, format!("{what} is never set"))
                .at(machine.rules[frame.rule].span, "declared here")
                .help("set it in a class or an outcome, or remove it"),
        );
    }
}

fn intents(machine: &Machine, contract: &Contract, found: &mut Vec<Diagnostic>) {
    // A class without intents matches any intent.
    if contract
        .classes
        .iter()
        .any(|class| class.intents.is_empty())
    {
        return;
    }
    for intent in &machine.phrases {
        if contract
            .classes
            .iter()
            .any(|class| class.intents.contains(&intent.intent))
        {
            continue;
        }
        let name = machine.names.intents.name(intent.intent);
        found.push(
            Diagnostic::warning(
                Code::UnusedIntent,
                format!("no class matches the intent `{name}`"),
            )
            .at(intent.span, "its turns are `unclassified`")
            .help("add it to `intent` of a class, or remove it"),
        );
    }
}

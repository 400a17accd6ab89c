//! Classes of a contract that take the same turn: the class that is declared first has it, which may not be meant. The
//! witness is such a turn.

use std::collections::BTreeSet;

use crate::engine::policy::contract::{Contract, TransitionClass};
use crate::engine::{Input, Machine, Session, Symbol, TurnData};
use crate::machine::{
    ClassId, Condition, ConditionId, FieldKind, Id, IntentId, SlotId, Subject, Test, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Turns that are tried for two classes, at most.
const TRIES: usize = 1 << 13;

/// Looks for a turn that two classes take, for each two that a turn may enter.
pub(in crate::engine::policy) fn check(
    contract: &Contract,
    machine: &Machine,
    found: &mut Vec<Diagnostic>,
) {
    // A class that takes what no other takes leaves such turns to the others on purpose.
    let classes = || {
        contract
            .classes
            .pairs()
            .filter(|(_, class)| !class.otherwise)
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
            let title = format!("`{}` and `{}` take the same turn", one.name, other.name);
            found.push(
                Diagnostic::warning(Code::Overlap, title)
                    .at(machine.rules[other.rule].span, "never has such a turn")
                    .at(machine.rules[one.rule].span, "takes it first")
                    .note(format!("such a turn: {witness}"))
                    .help(
                        "put the narrower class first, or make the conditions exclude each other",
                    ),
            );
        }
    }
}

/// Two classes.
struct ClassPair<'m> {
    machine: &'m Machine,
    contract: &'m Contract,
    ids: [ClassId; 2],
    classes: [&'m TransitionClass; 2],
}

/// Something that a condition looks at, with the values that are tried for it.
struct Probe {
    slot: SlotId,
    /// What the turn brings under the name; otherwise, what is known before it.
    said: bool,
    values: Vec<Value>,
}

impl ClassPair<'_> {
    /// A turn that both take, in words.
    fn witness(&self) -> Option<String> {
        let readings = self.readings()?;
        let mut looked = Looked::default();
        for class in self.classes {
            for condition in [class.entry, class.requires].into_iter().flatten() {
                looked.collect(condition, self.machine);
            }
        }
        let atoms = looked.atoms(self.machine);
        let tries = atoms
            .iter()
            .try_fold(1_usize, |tries, atom| tries.checked_mul(atom.values.len()));
        if tries.is_none_or(|tries| tries * readings.len() > TRIES) {
            return None;
        }
        readings
            .into_iter()
            .find_map(|reading| self.search(reading, &atoms))
    }

    /// The readings that both take; one that is nobody's, where both take any. Nothing where they share none.
    fn readings(&self) -> Option<Vec<Option<IntentId>>> {
        let [one, other] = self.classes.map(|class| &class.readings);
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

    fn search(&self, reading: Option<IntentId>, atoms: &[Probe]) -> Option<String> {
        let tries: usize = atoms.iter().map(|atom| atom.values.len()).product();
        (0..tries).find_map(|number| {
            let mut session = Session::new(self.machine);
            let mut said = Vec::new();
            let mut words: Vec<String> = Vec::new();
            let mut rest = number;
            for atom in atoms {
                let value = atom.values.get(rest % atom.values.len())?;
                rest /= atom.values.len();
                if value.is_null() {
                    continue;
                }
                let name = self.machine.names.slots.name(atom.slot);
                if atom.said {
                    said.push((Symbol::Known(atom.slot), value.clone()));
                    words.push(format!("it brings {name} = {value}"));
                } else {
                    session.slots.set(atom.slot, value.clone());
                    words.push(format!("{name} was {value}"));
                }
            }
            let input = Input {
                intent: reading.map(Symbol::Known),
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
            if let Some(reading) = reading {
                words.insert(
                    0,
                    format!("it means {}", self.machine.names.intents.name(reading)),
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

/// What conditions look at.
#[derive(Default)]
struct Looked {
    /// Slots: as they are known before the turn, then as the turn brings them.
    slots: BTreeSet<(bool, SlotId)>,
    /// Values that something is compared with.
    values: Vec<(SlotId, bool, Value)>,
    /// Two of which one is compared with the other.
    compared: bool,
}

impl Looked {
    fn collect(&mut self, condition: ConditionId, machine: &Machine) {
        match &machine.conditions[condition] {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.collect(*part, machine));
            }
            Condition::Not(part) => self.collect(*part, machine),
            Condition::Named(named) => {
                self.collect(machine.named_conditions[*named].condition, machine);
            }
            // One field is enough for a frame to be active.
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

    fn atoms(self, machine: &Machine) -> Vec<Probe> {
        let atom = |(said, slot): (bool, SlotId)| {
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
        self.slots.iter().copied().map(atom).collect()
    }
}

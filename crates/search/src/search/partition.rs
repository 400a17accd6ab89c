//! The values of a slot, as blocks of values that no reader distinguishes.

use rustc_hash::FxHashMap;

use super::interner::Interner;
use fsmsim_core::engine::{Machine, Session, Settings, SlotReads};
use fsmsim_core::machine::{
    Bound, Condition, Float, List, SlotDeclaration, SlotId, SlotKind, Subject, Test, Value,
    compared_values, whole,
};

/// The blocks of a slot. A block has the values with the same result of every test; the first value represents it.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) slot: SlotId,
    reads: SlotReads,
    /// The results of the tests, two bits each.
    signatures: Interner<Vec<u8>>,
    /// The first value of each block.
    values: Vec<Value>,
    /// The blocks of the values so far.
    known: FxHashMap<Value, u32>,
    /// A session without data, to evaluate tests.
    scratch: Box<Session>,
}

impl Partition {
    pub(crate) fn new(slot: SlotId, reads: &SlotReads, machine: &Machine) -> Self {
        let mut scratch = Box::new(Session::new(machine));
        scratch.slots.clear();
        Self {
            slot,
            reads: reads.clone(),
            signatures: Interner::default(),
            values: Vec::new(),
            known: FxHashMap::default(),
            scratch,
        }
    }

    /// The block of a value, if the value occurred before.
    #[inline]
    pub(crate) fn find(&self, value: &Value) -> Option<u32> {
        self.known.get(value).copied()
    }

    /// The block of a value.
    pub(crate) fn block(&mut self, value: &Value, machine: &Machine, settings: &Settings) -> u32 {
        if let Some(block) = self.find(value) {
            return block;
        }
        let block = if self.reads.exact {
            u32::try_from(self.values.len()).unwrap_or(u32::MAX)
        } else {
            let signature = self.signature(value, machine, settings);
            self.signatures.number(&signature)
        };
        if block as usize == self.values.len() {
            self.values.push(value.clone());
        }
        self.known.insert(value.clone(), block);
        block
    }

    fn signature(&mut self, value: &Value, machine: &Machine, settings: &Settings) -> Vec<u8> {
        self.scratch.slots.set(self.slot, value.clone());
        let session = &*self.scratch;
        let bits = self.reads.tests.iter().map(|test| {
            match machine.holds_alone(settings, session, test) {
                Some(holds) => u8::from(holds),
                None => 2,
            }
        });
        let bits: Vec<u8> = bits.collect();
        bits.chunks(4)
            .map(|four| four.iter().fold(0, |byte, bit| byte << 2 | bit))
            .collect()
    }

    /// The value that represents a block.
    pub(crate) fn value(&self, block: u32) -> &Value {
        self.values.get(block as usize).unwrap_or(&Value::Null)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Values for all blocks: those that tests name, values between and beyond them, and values of each type.
    pub(crate) fn candidates(
        reads: &SlotReads,
        slot: SlotId,
        declared: &SlotDeclaration,
    ) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        let mut add = |value: Value| {
            if !found.contains(&value) {
                found.push(value);
            }
        };
        declared.values.iter().cloned().for_each(&mut add);
        if let Some(format) = declared.format {
            add(Value::text(format.sample()));
        }
        let compared = compared_values(&reads.tests)
            .remove(&slot)
            .unwrap_or_default();
        let mut numbers: Vec<f64> = compared.iter().filter_map(Value::as_number).collect();
        numbers.extend(
            [declared.least, declared.most]
                .into_iter()
                .flatten()
                .map(Float::get),
        );
        let mut named: Vec<Value> = Vec::new();
        for test in &reads.tests {
            match test {
                Condition::Test(Subject::Slot(_), Test::Is(values)) => {
                    named.extend(values.iter().filter(|value| !value.is_null()).cloned());
                }
                Condition::Test(Subject::Slot(_), Test::Compare(_, bound)) => {
                    numbers.extend(number(bound));
                }
                Condition::Test(Subject::Slot(_), Test::Between(low, high)) => {
                    numbers.extend([low, high].into_iter().filter_map(number));
                }
                _ => {}
            }
        }
        numbers.sort_by(f64::total_cmp);
        for value in compared {
            if let (Value::Text(_), Some(SlotKind::List)) = (&value, declared.kind) {
                add(Value::List(List::from([value.clone()])));
            }
            add(value);
        }
        let bounds = numbers.iter();
        let bounds = bounds.flat_map(|bound| [*bound, bound - 1.0, bound + 1.0].map(number_value));
        named.into_iter().chain(bounds).for_each(&mut add);
        for pair in numbers.windows(2) {
            if let [low, high] = pair
                && low < high
            {
                add(number_value(f64::midpoint(*low, *high)));
            }
        }
        let ends = [
            numbers.first().map(|low| low - 1.0),
            numbers.last().map(|high| high + 1.0),
        ];
        for end in ends.into_iter().flatten() {
            add(number_value(end));
        }
        for contact in ["ann@example.com", "+7 900 123-45-67"] {
            if reads
                .tests
                .iter()
                .any(|test| matches!(test, Condition::Contact(_)))
            {
                add(Value::text(contact));
            }
        }
        for text in ["known", " "] {
            add(Value::text(text));
        }
        for value in [
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(0),
            Value::Int(7),
            Value::List(List::from([Value::text("item")])),
            Value::List(List::default()),
        ] {
            add(value);
        }
        found
    }
}

/// The number that a bound names.
fn number(bound: &Bound) -> Option<f64> {
    match bound {
        Bound::Number(number) => Some(number.get()),
        _ => None,
    }
}

/// A number as a slot of any numeric type accepts it.
fn number_value(number: f64) -> Value {
    whole(number).unwrap_or_else(|| Value::Float(Float::new(number)))
}

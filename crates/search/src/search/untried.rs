//! The inputs and answers that a search does not try. What it does not reach can still be reachable with them.

use std::collections::{BTreeMap, BTreeSet};

use super::partition::Partition;
use crate::limits::{MAX_ANSWERS, MAX_VALUES};
use fsmsim_core::engine::{Machine, Reads, Settings, SlotReads};
use fsmsim_core::machine::{Bound, Condition, SlotId, Subject, Test, Value, ValueSource};

/// The reasons why a search does not try all inputs and answers. `values` has the values of slots that a user can say.
pub(crate) fn untried(
    machine: &Machine,
    settings: &Settings,
    reads: &Reads,
    values: &BTreeMap<SlotId, Vec<Value>>,
) -> BTreeSet<Box<str>> {
    let mut found: BTreeSet<Box<str>> = BTreeSet::new();
    let mut add = |is_so: bool, reason: &str| {
        if is_so {
            found.insert(reason.into());
        }
    };
    for (slot, tried) in values {
        let all = [reads.slots.get(slot), reads.said.get(slot)];
        let tests = all.into_iter().flatten().flat_map(|known| &known.tests);
        let tests = SlotReads {
            tests: tests.cloned().collect(),
            exact: false,
        };
        let candidates = Partition::candidates(&tests, *slot, machine.slot(*slot));
        let is_cut = tried.len() >= MAX_VALUES || !are_decided(&tests.tests, &candidates);
        let name = machine.names.slots.name(*slot);
        add(
            is_cut,
            &format!("not all values of the slot `{name}` are tried"),
        );
    }
    let reads_returned = |condition: &Condition| {
        let Condition::Test(subject, _) = condition else {
            return false;
        };
        matches!(subject, Subject::Returned(_))
    };
    let mut ops = machine.all_ops().iter();
    let keeps_returned = ops.any(|op| {
        matches!(op.source(), Some(ValueSource::Outcome(_)))
            && op
                .slot()
                .is_some_and(|slot| reads.slots.contains_key(&slot))
    });
    add(
        keeps_returned || machine.conditions.iter().any(reads_returned),
        "not all data that effects return is tried",
    );
    let reads_reply =
        |condition: &Condition| matches!(condition, Condition::Test(Subject::Reply, _));
    add(
        machine.conditions.iter().any(reads_reply),
        "not all texts of replies are tried",
    );
    add(
        machine.policies.inquiry().is_some(),
        "not all assessments of answers are tried",
    );
    let mut states = machine.states.ids();
    add(
        states.any(|id| machine.policies.worker(id).is_some()),
        "not all results of workers are tried",
    );
    let mut states = machine.states.ids();
    add(
        states.any(|id| machine.is_decided(id)) && machine.declared_states().count() >= MAX_ANSWERS,
        "not all decisions of the model are tried",
    );
    let levels = [
        !reads.frustration.is_empty(),
        !reads.tones.is_empty(),
        !reads.also.is_empty(),
        !reads.said.is_empty(),
    ];
    add(
        levels.into_iter().filter(|is_read| *is_read).count() > 1,
        "tone, frustration, secondary intents and data are not combined",
    );
    let mut states = machine.states.iter();
    add(
        !settings.switches.final_state
            && states.any(|state| state.is_final || state.final_if.is_some()),
        "no turns after a final state are tried",
    );
    found
}

/// Whether the candidates have a value for each combination of results of these tests. Tests that search for texts can
/// hold together for a text that is not a candidate, and so can ranges that overlap.
fn are_decided(tests: &[Condition], candidates: &[Value]) -> bool {
    let has = |value: &Value| candidates.contains(value);
    let has_text = |text: &str| has(&Value::text(text));
    let numbers: Vec<f64> = candidates.iter().filter_map(Value::as_number).collect();
    let has_between = |low: f64, high: f64| numbers.iter().any(|at| *at > low && *at < high);
    let around = |number: f64| {
        let exact = numbers.iter().any(|at| at.total_cmp(&number).is_eq());
        exact && has_between(f64::MIN, number) && has_between(number, f64::MAX)
    };
    let (mut searches, mut ranges, mut compared) = (0, 0, 0);
    for test in tests {
        let test = match test {
            Condition::Test(Subject::Slot(_), test) => test,
            Condition::Contact(_) => {
                searches += 1;
                continue;
            }
            _ => return false,
        };
        let is_decided = match test {
            Test::Truthy | Test::Known(_) | Test::Filled(_) | Test::FilledText => true,
            Test::Is(values) => {
                compared += usize::from(values.iter().any(|value| value.as_number().is_some()));
                values.iter().all(|value| value.is_null() || has(value))
            }
            Test::IsFolded(words) => words.iter().all(|word| has_text(word)),
            Test::Contains(words) | Test::StartsWith(words) => {
                searches += 1;
                words.texts.iter().all(|text| has_text(text))
            }
            Test::Compare(_, Bound::Number(number)) => {
                compared += 1;
                around(number.get())
            }
            Test::Between(Bound::Number(low), Bound::Number(high)) => {
                ranges += 1;
                around(low.get()) && (low.get() < high.get() || around(high.get()))
            }
            Test::Compare(..)
            | Test::Between(..)
            | Test::SameAs(_)
            | Test::Within(_)
            | Test::Later(..) => false,
        };
        if !is_decided {
            return false;
        }
    }
    searches <= 1 && (ranges == 0 || ranges + compared == 1)
}

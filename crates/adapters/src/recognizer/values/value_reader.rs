//! Reads the values of slots from an utterance.

use std::collections::{BTreeMap, BTreeSet};

use super::slot_reader::SlotReader;
use crate::recognizer::slot_offer::SlotOffer;
use crate::recognizer::training_set::TrainingSet;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{IntentId, SlotId, Traits, Value};
use fsmsim_core::values::{FoundValue, SaidValues};

/// A value of a slot that an utterance contains.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadValue {
    pub slot: SlotId,
    pub value: Value,
    /// The words of the utterance.
    pub from: String,
    /// Whether the words give the value only approximately, or can also mean another value.
    pub uncertain: bool,
}

/// Reads the values of slots. Each value belongs to one slot. If a slot could have several values, it gets none.
#[derive(Clone, Debug, Default)]
pub struct ValueReader {
    slots: BTreeMap<SlotId, SlotReader>,
    /// The slots that phrases of an intent capture.
    captured: BTreeMap<IntentId, BTreeSet<SlotId>>,
    /// Whether an utterance has only values that phrases of its intent capture.
    is_contract: bool,
    /// The intents whose utterances are not the text of a slot: questions, objections, and common intents such as
    /// greetings.
    textless: BTreeSet<IntentId>,
}

impl ValueReader {
    pub fn of(machine: &Machine) -> Self {
        let names = &machine.names;
        let offers = SlotOffer::all(machine);
        let slots = offers.iter().filter_map(|offer| {
            let slot = names.slots.id(offer.name)?;
            Some((slot, SlotReader::of(offer)))
        });
        let mut captured: BTreeMap<IntentId, BTreeSet<SlotId>> = BTreeMap::new();
        for phrases in &machine.phrases {
            let patterns = phrases.patterns.iter().map(|phrase| &phrase.pattern);
            let groups = patterns.flat_map(regex::Regex::capture_names).flatten();
            let slots = groups.filter_map(|name| names.slots.id(name));
            captured.entry(phrases.intent).or_default().extend(slots);
        }
        let textless = Traits::QUESTION | Traits::OBJECTION | Traits::UNCLEAR | Traits::GO_BACK;
        let is_textless = |intent: &IntentId| {
            let traits = machine.intents.lookup(*intent).map(|intent| intent.traits);
            traits.is_some_and(|traits| traits.intersects(textless))
                || TrainingSet::has_stock(names.intents.name(*intent))
        };
        Self {
            slots: slots.collect(),
            captured,
            is_contract: machine.data_passes,
            textless: names.intents.ids().filter(is_textless).collect(),
        }
    }

    /// Whether only a complete utterance can be the value of a slot. If a state requests several such slots, it is the
    /// value of none of them.
    pub fn takes_only_text(&self, slot: SlotId) -> bool {
        self.slots.get(&slot).is_some_and(SlotReader::is_only_text)
    }

    /// Reads the values of an utterance: first those of the slots that the state requests (`wanted`), then those of other
    /// slots. Without `now`, the time of the turn (RFC 3339), relative dates have no value.
    pub fn read(
        &self,
        intent: Option<IntentId>,
        wanted: &[SlotId],
        say: &str,
        now: Option<&str>,
    ) -> Vec<ReadValue> {
        let captured = intent.and_then(|intent| self.captured.get(&intent));
        let captured = captured.into_iter().flatten();
        let wanted: BTreeSet<SlotId> = if self.is_contract {
            captured.copied().collect()
        } else {
            captured.chain(wanted).copied().collect()
        };
        if self.slots.is_empty() {
            return Vec::new();
        }
        let said = SaidValues::of(say, now);
        let (mut slots, mut others): (Vec<_>, Vec<_>) = self
            .slots
            .iter()
            .partition(|(slot, _)| wanted.contains(*slot));
        if !self.is_contract {
            slots.append(&mut others);
        }
        let candidates = slots.iter().map(|(slot, reader)| {
            let is_wanted = wanted.contains(*slot);
            let alike = slots.iter().filter(|(_, other)| reader.is_like(other));
            let found = reader.candidates(&said, is_wanted, alike.count() <= 1);
            (**slot, found)
        });
        let candidates: Vec<_> = candidates.collect();
        let mut taken: Vec<(SlotId, FoundValue)> = Vec::new();
        // Words next to a value decide before the order of the slots. A value of one slot can leave one for another.
        for mentioned in [true, false, true, false] {
            for (slot, found) in &candidates {
                if taken.iter().any(|(known, _)| known == slot) {
                    continue;
                }
                let is_free = |found: &&(FoundValue, bool)| {
                    let mut taken = taken.iter();
                    found.1 == mentioned && !taken.any(|(_, taken)| taken.overlaps(&found.0))
                };
                let mut free = found.iter().filter(is_free).map(|(found, _)| found);
                let Some(first) = free.next() else { continue };
                let mut value = first.clone();
                let mut is_one = true;
                for other in free {
                    is_one &= other.value == value.value;
                    value.is_uncertain &= other.is_uncertain;
                }
                if is_one {
                    taken.push((*slot, value));
                }
            }
        }
        // The phrases of a contract determine which words of an utterance are a text.
        let takes_text = !self.is_contract
            && said.is_statement()
            && intent.is_none_or(|intent| !self.textless.contains(&intent));
        let mut texts = slots
            .iter()
            .filter(|(slot, reader)| reader.is_text && wanted.contains(*slot));
        let text = texts.next().filter(|_| texts.next().is_none());
        let mut read: Vec<ReadValue> = taken
            .into_iter()
            .map(|(slot, found)| ReadValue {
                slot,
                from: say.get(found.bytes).unwrap_or_default().to_owned(),
                value: found.value,
                uncertain: found.is_uncertain,
            })
            .collect();
        let has_wanted = read.iter().any(|read| wanted.contains(&read.slot));
        if let Some((slot, _)) = text.filter(|_| takes_text && !has_wanted) {
            let from = say.trim().trim_end_matches(['.', '!', '…', ' ']);
            read.push(ReadValue {
                slot: **slot,
                value: Value::text(from),
                from: from.to_owned(),
                uncertain: false,
            });
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use fsmsim_core::machine::{Float, Id, SlotDeclaration, SlotFormat, SlotKind};
    use proptest::prelude::*;

    use super::*;

    const NOW: &str = "2026-11-26T10:00:00Z";
    const SAID_VALUES: &str = include_str!("said_values.txt");

    /// The names, declarations and descriptions of the slots in `said_values.txt`.
    fn declarations() -> Vec<(&'static str, SlotDeclaration)> {
        let slot = |kind, description: &str| SlotDeclaration {
            is_declared: true,
            kind,
            description: description.into(),
            ..SlotDeclaration::default()
        };
        let text = |format, description| SlotDeclaration {
            format: Some(format),
            ..slot(Some(SlotKind::Text), description)
        };
        let number = |kind, least: f64, most: f64, description| SlotDeclaration {
            least: Some(Float::new(least)),
            most: Some(Float::new(most)),
            ..slot(Some(kind), description)
        };
        let listed = |kind, values: &str| SlotDeclaration {
            values: values.split(", ").map(Value::text).collect(),
            ..slot(Some(kind), "")
        };
        let (integer, float) = (SlotKind::Integer, SlotKind::Number);
        let people = "Сколько человек работает в компании, number of employees";
        let doctors = "терапевту, окулисту, кардиологу, хирургу, детскому терапевту, family doctor, eye doctor, surgeon";
        let days = "завтра, понедельник, вторник, среду, четверг, пятницу, tomorrow, monday, tuesday, wednesday, thursday, friday";
        vec![
            ("size", number(integer, 1.0, 1e9, people)),
            ("budget", slot(Some(float), "Бюджет в рублях")),
            ("discount", number(float, 0.0, 100.0, "Скидка в процентах")),
            (
                "order",
                number(integer, 1.0, 1e9, "Номер заказа, order number"),
            ),
            ("rating", number(integer, 1.0, 5.0, "Оценка, rating")),
            ("visit", text(SlotFormat::Date, "День визита")),
            ("born", text(SlotFormat::DayMonthYear, "Дата рождения")),
            ("at", text(SlotFormat::Time, "Время приёма")),
            ("start", text(SlotFormat::DateTime, "Начало")),
            ("phone", text(SlotFormat::Phone, "Телефон")),
            ("email", text(SlotFormat::Email, "Почта")),
            ("contact", slot(None, "Телефон или почта")),
            ("doctor", listed(SlotKind::Text, doctors)),
            ("day", listed(SlotKind::Text, days)),
            ("level", listed(SlotKind::Text, "low, normal, high, urgent")),
            (
                "goods",
                listed(SlotKind::List, "обучение, поддержка, внедрение"),
            ),
            ("name", text(SlotFormat::Name, "Имя")),
            ("note", slot(Some(SlotKind::Text), "Что мешает")),
        ]
    }

    /// Reads the values of an utterance by name, with `~` after uncertain ones.
    fn read(wanted: &str, offered: &str, say: &str, now: Option<&str>) -> BTreeMap<String, String> {
        let declarations = declarations();
        let known = |name: &str| {
            wanted
                .split(' ')
                .chain(offered.split(' '))
                .any(|one| one == name)
        };
        let slots = declarations
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| known(name));
        let slots = slots.map(|(at, (name, declared))| {
            let offer = SlotOffer {
                name,
                declared,
                hints: Vec::new(),
                is_number: false,
            };
            (SlotId::from_index(at), SlotReader::of(&offer))
        });
        let reader = ValueReader {
            slots: slots.collect(),
            ..ValueReader::default()
        };
        let ids = wanted.split(' ').filter_map(|name| {
            let at = declarations.iter().position(|(known, _)| *known == name)?;
            Some(SlotId::from_index(at))
        });
        let ids: Vec<SlotId> = ids.collect();
        let values = reader.read(None, &ids, say, now).into_iter().map(|read| {
            assert!(say.contains(&read.from), "{read:?}");
            let (name, declared) = &declarations[read.slot.index()];
            assert_eq!(declared.admit(&read.value).as_ref(), Some(&read.value));
            let value = match &read.value {
                Value::Text(text) => text.to_string(),
                Value::List(_) => format!("[{}]", read.value.in_words().replace("; ", ", ")),
                other => other.to_string(),
            };
            let mark = if read.uncertain { "~" } else { "" };
            ((*name).to_owned(), format!("{value}{mark}"))
        });
        values.collect()
    }

    #[test]
    fn values_of_labeled_utterances_are_read() {
        let mut wrong = Vec::new();
        let mut count = 0;
        for line in SAID_VALUES.lines().filter(|line| line.contains(" |")) {
            if line.starts_with('#') {
                continue;
            }
            let [slots, say, labeled] = [0, 1, 2].map(|at| line.split('|').nth(at).unwrap().trim());
            let has_clock = !slots.starts_with('!');
            let slots = slots.trim_start_matches('!');
            let (wanted, offered) = slots.split_once('+').unwrap_or((slots, ""));
            let read = read(wanted.trim(), offered.trim(), say, has_clock.then_some(NOW));
            let labeled: BTreeMap<String, String> = labeled
                .split("; ")
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            count += 1;
            if read != labeled {
                wrong.push(format!("{say}: expected {labeled:?}, found {read:?}"));
            }
        }
        assert!(count > 350);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    proptest! {
        #[test]
        fn integers_in_digits_are_read_as_said(number in 1..1_000_000_000_i64) {
            let read = read("size", "", &format!("нас {number} человек"), None);
            prop_assert_eq!(read.get("size"), Some(&number.to_string()));
        }

        #[test]
        fn texts_without_value_words_have_no_values(say in "[bcdfghjklmnpqrstvwxz]{6,9}( [бвгджзклмнпрстфхцчшщ]{6,9}){0,6}") {
            let slots: Vec<&str> = declarations().iter().map(|(name, _)| *name).collect();
            let wanted = slots.join(" ").replace(" note", "");
            prop_assert_eq!(read(&wanted, "", &say, Some(NOW)), BTreeMap::new());
        }

        #[test]
        fn values_of_any_text_are_part_of_it(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(SAID_VALUES.split([' ', '|', ';', '=']).collect::<Vec<_>>()),
                    proptest::sample::select(vec!["не", "тысяч", "and", "-", "5", "°", "~", "@", "+7", "İ", "ё"]),
                ],
                0..12,
            ),
            glue in "[ ,.-]?",
        ) {
            // `read` checks that each value is admitted, and that its words are part of the utterance.
            let slots: Vec<&str> = declarations().iter().map(|(name, _)| *name).collect();
            read(&slots.join(" "), "", &pieces.join(&glue), Some(NOW));
        }

        #[test]
        fn any_text_is_read_without_panic(say in "\\PC{0,60}") {
            let slots: Vec<&str> = declarations().iter().map(|(name, _)| *name).collect();
            read(&slots.join(" "), "", &say, Some(NOW));
        }
    }
}

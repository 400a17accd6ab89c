//! All values in an utterance.

use std::cell::OnceCell;

use chrono::{DateTime, NaiveDate};

use super::contacts::{contacts, phones};
use super::dates::date;
use super::found_value::FoundValue;
use super::listed_value::listed;
use super::names::names;
use super::numbers::{PEOPLE, number};
use super::readable_slot::ReadableSlot;
use super::said_text::SaidText;
use super::times::time;
use super::value_words::has;
use crate::machine::{SlotDeclaration, SlotFormat, SlotKind, Value};

/// An utterance with the values in it, by kind. A kind is read when it is first used.
#[derive(Clone, Debug)]
pub struct SaidValues<'s> {
    pub text: SaidText<'s>,
    /// The date of the turn.
    today: Option<NaiveDate>,
    dates: OnceCell<Vec<FoundValue>>,
    times: OnceCell<Vec<FoundValue>>,
    emails: OnceCell<Vec<FoundValue>>,
    phones: OnceCell<Vec<FoundValue>>,
    numbers: OnceCell<Vec<FoundValue>>,
}

impl<'s> SaidValues<'s> {
    /// Reads an utterance. `now` is the time of the turn (RFC 3339).
    pub fn of(say: &'s str, now: Option<&str>) -> Self {
        Self {
            text: SaidText::of(say),
            today: now.and_then(|now| Some(DateTime::parse_from_rfc3339(now).ok()?.date_naive())),
            dates: OnceCell::new(),
            times: OnceCell::new(),
            emails: OnceCell::new(),
            phones: OnceCell::new(),
            numbers: OnceCell::new(),
        }
    }

    fn dates(&self) -> &[FoundValue] {
        let read = || self.text.values("date", |groups| date(groups, self.today));
        self.dates.get_or_init(read)
    }

    fn times(&self) -> &[FoundValue] {
        self.times.get_or_init(|| self.text.values("time", time))
    }

    fn emails(&self) -> &[FoundValue] {
        let read = || contacts("email", self.text.say);
        self.emails.get_or_init(read)
    }

    /// The dates and emails, whose digits are neither phone numbers nor numbers.
    fn masked(&self) -> Vec<FoundValue> {
        let mut masked = [self.dates(), self.emails()].concat();
        masked.retain(|found| !found.is_weak);
        masked
    }

    fn phones(&self) -> &[FoundValue] {
        let read = || phones(self.text.say, &self.masked());
        self.phones.get_or_init(read)
    }

    fn numbers(&self) -> &[FoundValue] {
        self.numbers.get_or_init(|| {
            // Every number has a digit, so most utterances need no pattern.
            if !self.text.digits.contains(char::is_numeric) {
                return Vec::new();
            }
            let mut numbers = self.text.values("number", number);
            if !numbers.is_empty() {
                let phones = self.phones().iter().filter(|phone| !phone.is_weak);
                let masked: Vec<_> = self.masked().into_iter().chain(phones.cloned()).collect();
                numbers.retain(|number| !masked.iter().any(|masked| masked.overlaps(number)));
            }
            numbers
        })
    }

    /// Whether the utterance is more than a question, yes or no.
    pub fn is_statement(&self) -> bool {
        !has("no_statement", &self.text.folded)
    }

    /// The values that fit a slot, as the slot stores them.
    pub fn fitting(&self, slot: &ReadableSlot) -> Vec<FoundValue> {
        let formats = slot.formats.iter();
        let mut found: Vec<_> = formats.flat_map(|format| self.formatted(*format)).collect();
        match slot.declared.kind {
            _ if !slot.formats.is_empty() => {}
            Some(SlotKind::List) => found.extend(self.collected(slot)),
            _ if slot.is_number() => {
                let fits = |number: &&FoundValue| match (number.unit, slot.unit) {
                    (None, _) | (Some(PEOPLE), None) => true,
                    (unit, wanted) => unit == wanted,
                };
                found.extend(self.numbers().iter().filter(fits).cloned());
            }
            _ => found = listed(&self.text, &slot.values),
        }
        found.retain_mut(|found| {
            let admitted = slot.declared.admit(&found.value);
            found.value = admitted.unwrap_or_default();
            !found.value.is_null()
        });
        found
    }

    fn formatted(&self, format: SlotFormat) -> Vec<FoundValue> {
        match format {
            SlotFormat::Date => self.dates().to_vec(),
            SlotFormat::DayMonthYear => {
                let mut dates = self.dates().to_vec();
                for date in &mut dates {
                    let plain = date.value.plain();
                    let parts: Vec<&str> = plain.rsplit('-').collect();
                    date.value = Value::text(&parts.join("."));
                }
                dates
            }
            SlotFormat::Time => self.times().to_vec(),
            SlotFormat::DateTime => self.date_time().into_iter().collect(),
            SlotFormat::Email => self.emails().to_vec(),
            SlotFormat::Phone => self.phones().to_vec(),
            SlotFormat::Name => names(self.text.say),
        }
    }

    /// The date and time, if there is one of each.
    fn date_time(&self) -> Option<FoundValue> {
        let [time] = self.times() else {
            return None;
        };
        let mut dates = self.dates().iter().filter(|date| !date.overlaps(time));
        let date = dates.next().filter(|_| dates.next().is_none())?;
        let value = format!("{}T{:0>5}", date.value.plain(), time.value.plain());
        let start = date.bytes.start.min(time.bytes.start);
        let end = date.bytes.end.max(time.bytes.end);
        let found = FoundValue::new(Value::text(&value)).at(start..end);
        Some(found.doubted(date.is_uncertain || time.is_uncertain))
    }

    /// All listed values as one list.
    fn collected(&self, slot: &ReadableSlot) -> Option<FoundValue> {
        let items = listed(&self.text, &slot.values);
        let bytes = items.first()?.bytes.start..items.last()?.bytes.end;
        let is_uncertain = items.iter().any(|item| item.is_uncertain);
        let list = Value::List(items.into_iter().map(|item| item.value).collect());
        Some(FoundValue::new(list).at(bytes).doubted(is_uncertain))
    }
}

/// The value of a text for a slot: the text itself if the slot accepts it, otherwise the only value in it.
pub fn value_of(declared: &SlotDeclaration, text: &str, now: Option<&str>) -> Option<Value> {
    declared.admit(&Value::text(text)).or_else(|| {
        let slot = ReadableSlot::of("", declared.clone());
        match &*SaidValues::of(text, now).fitting(&slot) {
            [only] => Some(only.value.clone()),
            _ => None,
        }
    })
}

//! All values in an utterance.

use chrono::DateTime;

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

/// An utterance with the values in it, by kind.
#[derive(Clone, Debug)]
pub struct SaidValues<'s> {
    pub text: SaidText<'s>,
    dates: Vec<FoundValue>,
    times: Vec<FoundValue>,
    emails: Vec<FoundValue>,
    phones: Vec<FoundValue>,
    numbers: Vec<FoundValue>,
}

impl<'s> SaidValues<'s> {
    /// Reads an utterance. `now` is the time of the turn (RFC 3339).
    pub fn of(say: &'s str, now: Option<&str>) -> Self {
        let text = SaidText::of(say);
        let today = now.and_then(|now| Some(DateTime::parse_from_rfc3339(now).ok()?.date_naive()));
        let dates = text.values("date", |groups| date(groups, today));
        let emails = contacts("email", text.say);
        let mut masked = [&*dates, &*emails].concat();
        masked.retain(|found| !found.is_weak);
        let phones = phones(text.say, &masked);
        masked.extend(phones.iter().filter(|phone| !phone.is_weak).cloned());
        let mut numbers = text.values("number", number);
        numbers.retain(|number| !masked.iter().any(|masked| masked.overlaps(number)));
        Self {
            times: text.values("time", time),
            text,
            dates,
            emails,
            phones,
            numbers,
        }
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
                found.extend(self.numbers.iter().filter(fits).cloned());
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
            SlotFormat::Date => self.dates.clone(),
            SlotFormat::DayMonthYear => {
                let mut dates = self.dates.clone();
                for date in &mut dates {
                    let plain = date.value.plain();
                    let parts: Vec<&str> = plain.rsplit('-').collect();
                    date.value = Value::text(&parts.join("."));
                }
                dates
            }
            SlotFormat::Time => self.times.clone(),
            SlotFormat::DateTime => self.date_time().into_iter().collect(),
            SlotFormat::Email => self.emails.clone(),
            SlotFormat::Phone => self.phones.clone(),
            SlotFormat::Name => names(self.text.say),
        }
    }

    /// The date and time, if there is one of each.
    fn date_time(&self) -> Option<FoundValue> {
        let [time] = &*self.times else {
            return None;
        };
        let mut dates = self.dates.iter().filter(|date| !date.overlaps(time));
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

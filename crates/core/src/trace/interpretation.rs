//! How the utterance of a turn was recognized, in one line.

use super::record_field::RecordField;
use super::turn_report::TurnReport;
use crate::engine::{ReadingDecision, RecordView};
use crate::machine::{NeedKind, Value};
use fsmsim_syntax::terminal::Joined;

impl RecordView<'_> {
    /// How the utterance was recognized, such as `price_question (0.82, closest: "how much is it"; also pricing_details
    /// 0.11); company_size=50 from "fifty"`, or `unclear (nothing is likely: price_question 0.19)`. A phrase of the
    /// machine has no confidence.
    pub fn interpretation(&self) -> Option<String> {
        let answers = RecordField::Answers.value(self);
        let read = answers.items().find_map(in_words);
        read.or_else(|| self.read_as().map(str::to_owned))
    }

    /// The most likely intents of an answer that was not accepted, each with its confidence; empty for other turns.
    pub fn torn_between(&self) -> Vec<String> {
        let refused = self
            .record
            .disposition
            .filter(|(decision, _)| *decision != ReadingDecision::Execute);
        let answers = self.record.answers.iter().filter(|_| refused.is_some());
        let mut torn: Vec<String> = answers
            .filter(|answer| answer.is_reading())
            .filter_map(|answer| answer.value.as_ref())
            .flat_map(|reading| std::iter::once(reading).chain(others(reading)))
            .filter_map(candidate)
            .collect();
        // A choice also offers "none of these", and a confirmation offers only the first of two. Nothing is offered if
        // even the first is not likely.
        let asked = self.session.clarification.asked.as_ref();
        let is_unlikely =
            refused.is_some_and(|(decision, _)| decision == ReadingDecision::Fallback);
        let offered = asked.map_or(0, |asked| asked.options.len()).max(3) - 1;
        torn.truncate(if is_unlikely { 1 } else { offered });
        torn
    }
}

impl TurnReport {
    /// How the utterance was recognized, if a recognizer answered.
    pub fn interpretation(&self) -> Option<String> {
        let mut answers = self.answers.iter();
        answers.find_map(|answer| in_words(&Value::from(answer.clone())))
    }
}

/// The recorded answer to a request, if it is the answer of a recognizer.
fn in_words(answer: &Value) -> Option<String> {
    let need = answer.get("need")?.as_text()?;
    let reading = answer.get("answer")?;
    let closest = reading.get("closest");
    // An LLM also moves the dialogue, but only a recognizer names an example.
    let name = if need == NeedKind::Classify.name() {
        reading.get("intent")
    } else if need == NeedKind::Navigate.name() && closest.is_some() {
        reading.get("target")
    } else {
        None
    };
    let name = name?.as_text()?;
    let decided = |key| answer.get(key).and_then(Value::as_text);
    let decision = decided("disposition").zip(decided("intent"));
    let decision = decision.filter(|(decision, _)| *decision != ReadingDecision::Execute.name());
    let fallback = decision.filter(|(decision, _)| *decision == ReadingDecision::Fallback.name());
    let mut text = fallback.map_or(name, |(_, intent)| intent).to_owned();
    let share = match fallback {
        Some(_) => candidate(reading).map(|guess| format!("nothing is likely: {guess}")),
        None => confidence(reading),
    };
    let closest = closest.map(|example| format!("closest: {example}"));
    let likely = share.into_iter().chain(closest).joined(", ");
    let others = others(reading).filter_map(candidate).joined(", ");
    let others = (!others.is_empty()).then(|| format!("also {others}"));
    let details = Some(likely).into_iter().filter(|text| !text.is_empty());
    let details = details.chain(others).joined("; ");
    if !details.is_empty() {
        text = format!("{text} ({details})");
    }
    if let Some((decision, intent)) = decision.filter(|_| fallback.is_none()) {
        text = format!("{text} → {intent} ({decision})");
    }
    if let (Some(data), Some(Value::Map(from))) = (reading.get("data"), reading.get("from")) {
        for (slot, words) in from.iter() {
            let value = data.get(slot).map(Value::plain).unwrap_or_default();
            text = format!("{text}; {slot}={value} from {words}");
        }
    }
    Some(text)
}

/// The other intents of an answer, most likely first.
fn others(reading: &Value) -> impl Iterator<Item = &Value> {
    reading
        .get("alternatives")
        .into_iter()
        .flat_map(Value::items)
}

/// An intent with its confidence.
fn candidate(reading: &Value) -> Option<String> {
    let name = reading.get("intent")?.as_text()?;
    let share = confidence(reading).map(|share| format!(" {share}"));
    Some(format!("{name}{}", share.unwrap_or_default()))
}

fn confidence(reading: &Value) -> Option<String> {
    let share = reading.get("confidence")?.as_number()?;
    Some(format!("{share:.2}"))
}

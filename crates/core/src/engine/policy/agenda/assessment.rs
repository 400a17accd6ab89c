//! What somebody made of an answer: for which points it is one, and how complete it is.

use crate::engine::policy::Point;
use crate::engine::policy::inquiry::{CriteriaVerdict, holds};
use crate::engine::{Agenda, Input, Symbol, certainty};
use crate::machine::{Float, List, SlotId, StateId, Stems, Value};

/// An answer that is to be judged.
pub(super) struct AnswerGiven<'a> {
    pub agenda: &'a Agenda,
    /// Where it was said.
    pub state: StateId,
    /// The point that was asked about, or that is to be changed.
    pub point: Option<&'a Point>,
    /// What was said, more than blanks.
    pub said: &'a str,
    pub input: &'a Input,
}

/// What was made of it.
#[derive(Default)]
struct Assessment<'a> {
    /// The points that it answers: how complete, and with which words.
    points: Vec<(&'a Point, f64, &'a str)>,
    /// What is missing of the point that was asked about.
    missing: Vec<Value>,
    /// The summary is right.
    approved: bool,
    changes: Option<&'a Point>,
}

impl<'a> AnswerGiven<'a> {
    /// The input as it was judged; by the criteria of the points, where nobody judged it.
    pub(super) fn read(&self, judged: Option<&'a Value>, edits: bool) -> Input {
        let found = match judged.filter(|value| is_judgement(value)) {
            Some(value) => self.told(value),
            None => self.by_criteria(),
        };
        let Agenda {
            intents, brings, ..
        } = self.agenda;
        let in_summary = self.agenda.inquiry.summary == Some(self.state) && !edits;
        let intent = match found.changes {
            _ if edits => intents.edit,
            Some(_) => intents.edit,
            None if in_summary && found.approved && found.points.is_empty() => intents.agree,
            None => intents.answer,
        };
        let mut values = self.input.data.values().to_vec();
        let mut bring = |slot: SlotId, value: Value| values.push((Symbol::Known(slot), value));
        if !found.points.is_empty() {
            bring(brings.answer, Value::text(self.said));
        }
        for (point, completeness, text) in &found.points {
            bring(
                point.kept.confidence,
                Value::Float(Float::new(*completeness)),
            );
            bring(point.kept.answers, Value::text(text));
        }
        let ids: List = found
            .points
            .iter()
            .map(|(point, ..)| Value::text(&point.id))
            .collect();
        bring(brings.answers, Value::List(ids));
        bring(
            brings.missing,
            Value::List(found.missing.into_iter().collect()),
        );
        if let Some(point) = found.changes {
            bring(brings.point, Value::text(&point.id));
        }
        self.input.meant(intent, values, brings.now)
    }

    /// What somebody outside made of it. A point that nobody knows is left out, and so are words that were not said.
    fn told(&self, judged: &'a Value) -> Assessment<'a> {
        let mut found = Assessment::default();
        for item in judged.get("for").into_iter().flat_map(Value::items) {
            let Some(point) = item
                .get("point")
                .and_then(Value::as_text)
                .and_then(|id| self.agenda.inquiry.point(id))
            else {
                continue;
            };
            let text = item.get("text").and_then(Value::as_text).map(str::trim);
            let text = text
                .filter(|text| !text.is_empty() && self.said.contains(text))
                .unwrap_or(self.said);
            let completeness = certainty(item.get("completeness"));
            match completeness
                .filter(|_| found.points.iter().all(|(known, ..)| known.id != point.id))
            {
                Some(completeness) => found.points.push((point, completeness, text)),
                // A point of a summary that nobody judges is one that is to be changed.
                None if self.agenda.inquiry.summary == Some(self.state) => {
                    found.changes = Some(point);
                }
                None => {}
            }
        }
        if let Some(point) = self.point
            && found.points.iter().all(|(known, ..)| known.id != point.id)
        {
            // Whoever judges says how complete the answer is; what was asked is answered, whatever else is.
            let completeness = certainty(judged.get("completeness"));
            let completeness = completeness.unwrap_or_else(|| self.criteria_of(point).completeness);
            found.points.insert(0, (point, completeness, self.said));
        }
        let missing = judged.get("missing").into_iter().flat_map(Value::texts);
        found.missing = missing.map(Value::text).collect();
        found.approved = judged.get("approved") == Some(&Value::Bool(true));
        found
    }

    /// What the criteria of the point make of it; of a summary, what its words do.
    fn by_criteria(&self) -> Assessment<'a> {
        if self.agenda.inquiry.summary == Some(self.state) && self.point.is_none() {
            return self.by_words();
        }
        let Some(point) = self.point else {
            return Assessment::default();
        };
        let verdict = self.criteria_of(point);
        let missing = verdict
            .missing
            .iter()
            .map(|text| Value::text(text))
            .collect();
        Assessment {
            points: vec![(point, verdict.completeness, self.said)],
            missing,
            ..Assessment::default()
        }
    }

    fn criteria_of(&self, point: &Point) -> CriteriaVerdict {
        point
            .criteria
            .judge(self.said, &self.input.data, self.agenda.inquiry.threshold)
    }

    /// Whether the user agrees to the summary, or which point is to be changed.
    fn by_words(&self) -> Assessment<'a> {
        let said = Stems::default().of(self.said);
        let has = |words: &[Box<str>]| words.iter().any(|word| holds(&said, word));
        let named = |point: &&Point| {
            [&point.name, &point.label]
                .into_iter()
                .chain(&point.tags)
                .any(|words| holds(&said, words))
        };
        let changes = self.agenda.inquiry.points.iter().find(named);
        let approved = changes.is_none() && has(&self.agenda.agree) && !has(&self.agenda.disagree);
        Assessment {
            approved,
            changes,
            ..Assessment::default()
        }
    }
}

/// Whether an answer from outside judges anything.
fn is_judgement(value: &Value) -> bool {
    ["completeness", "for", "approved"]
        .iter()
        .any(|key| value.get(key).is_some_and(|part| !part.is_null()))
}

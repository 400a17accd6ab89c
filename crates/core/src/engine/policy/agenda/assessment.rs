//! The assessment of an answer: the points that it answers, and its completeness.

use crate::engine::policy::Point;
use crate::engine::policy::inquiry::{CriteriaVerdict, holds};
use crate::engine::{Agenda, Input, Symbol, certainty};
use crate::machine::{Float, List, SlotId, StateId, Stems, Value};

/// An answer to assess.
pub(super) struct AnswerGiven<'a> {
    pub agenda: &'a Agenda,
    /// The current state.
    pub state: StateId,
    /// The point that was asked about, or the point to change.
    pub point: Option<&'a Point>,
    /// The trimmed utterance, not empty.
    pub said: &'a str,
    pub input: &'a Input,
}

/// The assessment of an answer.
#[derive(Default)]
struct Assessment<'a> {
    /// The points that the answer covers, with the completeness and the text.
    points: Vec<(&'a Point, f64, &'a str)>,
    /// The missing parts of the point that was asked about.
    missing: Vec<Value>,
    /// Whether the summary is confirmed.
    approved: bool,
    changes: Option<&'a Point>,
}

impl<'a> AnswerGiven<'a> {
    /// The input with an assessment, by a model or otherwise by the criteria of the points.
    pub(super) fn read(&self, judged: Option<&'a Value>, edits: bool) -> Input {
        let found = match judged.filter(|value| is_assessment(value)) {
            Some(value) => self.by_model(value),
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

    /// The assessment by a model. Ignores unknown points, and points whose text has words that the user did not say.
    fn by_model(&self, judged: &'a Value) -> Assessment<'a> {
        let mut found = Assessment::default();
        let said = Stems::default().of(self.said);
        for item in judged.get("for").into_iter().flat_map(Value::items) {
            let Some(point) = item
                .get("point")
                .and_then(Value::as_text)
                .and_then(|id| self.agenda.inquiry.point(id))
            else {
                continue;
            };
            let text = item.get("text").and_then(Value::as_text).map(str::trim);
            let text = text.filter(|text| !text.is_empty());
            let is_said = text.is_none_or(|text| self.said.contains(text) || holds(&said, text));
            let text = text.filter(|text| self.said.contains(text));
            let completeness = certainty(item.get("completeness")).filter(|_| is_said);
            match completeness
                .filter(|_| found.points.iter().all(|(known, ..)| known.id != point.id))
            {
                Some(completeness) => {
                    found
                        .points
                        .push((point, completeness, text.unwrap_or(self.said)));
                }
                // In a summary, a point without completeness is a point to change.
                None if self.agenda.inquiry.summary == Some(self.state) => {
                    found.changes = Some(point);
                }
                None => {}
            }
        }
        if let Some(point) = self.point
            && found.points.iter().all(|(known, ..)| known.id != point.id)
        {
            // The current point always counts as answered. Its completeness comes from the model, otherwise from its
            // criteria.
            let completeness = certainty(judged.get("completeness"));
            let completeness = completeness.unwrap_or_else(|| self.criteria_of(point).completeness);
            found.points.insert(0, (point, completeness, self.said));
        }
        let missing = judged.get("missing").into_iter().flat_map(Value::texts);
        found.missing = missing.map(Value::text).collect();
        found.approved = judged.get("approved") == Some(&Value::Bool(true));
        found
    }

    /// The assessment by the criteria of the point; for a summary, by the words of the utterance.
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

    /// Whether the user confirms the summary, or which point to change.
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

/// Whether the answer of a model contains an assessment.
fn is_assessment(value: &Value) -> bool {
    ["completeness", "for", "approved"]
        .iter()
        .any(|key| value.get(key).is_some_and(|part| !part.is_null()))
}

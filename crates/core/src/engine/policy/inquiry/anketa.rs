//! What an interview has found out, as it is handed on.

use super::{AnketaWords, PointPriority};
use crate::engine::policy::{Inquiry, Point, PointState};
use crate::engine::{Machine, Session, Symbol};
use crate::machine::Value;
use fsmsim_syntax::terminal::Joined;

/// What an interview has found out so far, as it is handed on: whether or not it is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Anketa {
    /// `anketa_SESSION_TIME`; without the time where nobody told it.
    pub id: String,
    /// What stands above it.
    pub title: String,
    /// `pending`, `in_progress` or `completed`.
    pub status: String,
    /// The rule by which the interview ended.
    pub finished_by: Option<String>,
    /// When it began and when it ended, where turns told the time.
    pub started_at: Option<String>,
    /// When it ended.
    pub completed_at: Option<String>,
    /// The points, in the order of the file.
    pub points: Vec<AnketaPoint>,
    /// How it speaks of what it lacks.
    pub words: AnketaWords,
}

/// What was found out of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct AnketaPoint {
    /// Its name in files and records.
    pub id: String,
    /// What people read before the answer.
    pub label: String,
    /// The key of the answer.
    pub field: String,
    /// How much it matters.
    pub priority: PointPriority,
    /// How far it is.
    pub state: PointState,
    /// How complete what is known is, from 0 to 1.
    pub confidence: f64,
    /// What was answered, word for word.
    pub answers: Vec<String>,
    /// What had been answered before it was changed, from the oldest on.
    pub earlier: Vec<Vec<String>>,
    /// The point for which it was passed over.
    pub waits_for: Option<String>,
}

impl Anketa {
    /// What the interview of a session has found out; nothing where the machine leads no interview. `session_id` is by what
    /// the session is known.
    pub fn of(machine: &Machine, session: &Session, session_id: &str) -> Option<Self> {
        let inquiry = machine.policies.inquiry()?;
        let known = |name: &str| {
            let value = session
                .slots
                .by_name(&Symbol::of(name, &machine.names.slots));
            value.as_text().map(str::to_owned)
        };
        let (started_at, completed_at) = (known("started_at"), known("completed_at"));
        let time = completed_at.as_deref().or(started_at.as_deref());
        let time = time
            .map(|time| format!("_{}", time.replace(['-', ':'], "")))
            .unwrap_or_default();
        Some(Self {
            id: format!("anketa_{session_id}{time}"),
            title: inquiry
                .title
                .as_deref()
                .unwrap_or(&machine.header.name)
                .to_owned(),
            status: known("completion_status").unwrap_or_default(),
            finished_by: known("finished_by"),
            started_at,
            completed_at,
            points: inquiry
                .points
                .iter()
                .map(|point| AnketaPoint::of(inquiry, point, session))
                .collect(),
            words: inquiry.words,
        })
    }

    /// The points without which it is not complete, and that are not.
    pub fn missing(&self) -> impl Iterator<Item = &AnketaPoint> {
        self.points.iter().filter(|point| point.is_missing())
    }
}

impl AnketaPoint {
    fn of(inquiry: &Inquiry, point: &Point, session: &Session) -> Self {
        let known = |slot| session.slots.get(slot);
        let state = known(point.kept.state)
            .as_text()
            .and_then(|state| state.parse().ok());
        Self {
            id: point.id.to_string(),
            label: point.label.to_string(),
            field: point.field.to_string(),
            priority: point.priority,
            state: state.unwrap_or(PointState::NotStarted),
            confidence: known(point.kept.confidence).as_number().unwrap_or(0.0),
            answers: texts(known(point.kept.answers)),
            earlier: known(point.kept.earlier).items().map(texts).collect(),
            waits_for: inquiry
                .waits_for(point, &session.slots)
                .map(|other| other.id.to_string()),
        }
    }

    /// Whether the whole is not complete without it.
    pub fn is_missing(&self) -> bool {
        self.priority == PointPriority::P0 && self.state != PointState::Completed
    }

    /// The answers as one text, without needless blanks.
    pub fn text(&self) -> String {
        let words = |answer: &String| answer.split_whitespace().joined(" ");
        self.answers.iter().map(words).joined("\n")
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.texts().map(str::to_owned).collect()
}

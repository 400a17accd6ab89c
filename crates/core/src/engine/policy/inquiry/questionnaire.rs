//! The results of an interview, in the format for export.

use super::{PointPriority, QuestionnaireWords};
use crate::engine::policy::{Inquiry, Point, PointState};
use crate::engine::{Machine, Session, Symbol};
use crate::machine::Value;
use fsmsim_syntax::terminal::Joined;

/// The results of an interview so far, in the format for export. The interview may still be running.
#[derive(Clone, Debug, PartialEq)]
pub struct Questionnaire {
    /// `anketa_id`: the session ID with a prefix, and the time if turns have one.
    pub id: String,
    /// The heading.
    pub title: String,
    /// `pending`, `in_progress` or `completed`.
    pub status: String,
    /// The rule that ended the interview.
    pub finished_by: Option<String>,
    /// The start time, if turns have times.
    pub started_at: Option<String>,
    /// The end time, if turns have times.
    pub completed_at: Option<String>,
    /// The points, in the order of the file.
    pub points: Vec<QuestionnairePoint>,
    /// The phrases for missing answers.
    pub words: QuestionnaireWords,
}

/// The result for a point.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionnairePoint {
    /// The name in files and records.
    pub id: String,
    /// The label of the answer.
    pub label: String,
    /// The key of the answer.
    pub field: String,
    /// The priority.
    pub priority: PointPriority,
    /// The progress.
    pub state: PointState,
    /// The completeness of the answers, from 0 to 1.
    pub confidence: f64,
    /// The answers, verbatim.
    pub answers: Vec<String>,
    /// The answers before a change, oldest first.
    pub earlier: Vec<Vec<String>>,
    /// The incomplete point that caused this point to be skipped.
    pub waits_for: Option<String>,
}

impl Questionnaire {
    /// The results of the interview in a session; `None` if the machine has no interview. `session_id` is the ID of the
    /// session.
    pub fn of(machine: &Machine, session: &Session, session_id: &str) -> Option<Self> {
        let inquiry = machine.policies.inquiry()?;
        let known = |name: &str| {
            session
                .slots
                .by_name(&Symbol::of(name, &machine.names.slots))
                .as_text()
                .map(str::to_owned)
        };
        let started_at = known("started_at");
        let completed_at = known("completed_at");
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
                .map(|point| QuestionnairePoint::of(inquiry, point, session))
                .collect(),
            words: inquiry.words,
        })
    }

    /// Whether the interview is finished at an unknown time, because its turns have none.
    pub fn lacks_times(&self) -> bool {
        self.finished_by.is_some() && self.completed_at.is_none()
    }

    /// The required points that are not completed.
    pub fn missing(&self) -> impl Iterator<Item = &QuestionnairePoint> {
        self.points.iter().filter(|point| point.is_missing())
    }
}

impl QuestionnairePoint {
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

    /// Whether the point is required and not completed.
    pub fn is_missing(&self) -> bool {
        self.priority == PointPriority::P0 && self.state != PointState::Completed
    }

    /// The answers as one string, with normalized whitespace.
    pub fn text(&self) -> String {
        let words = |answer: &String| answer.split_whitespace().joined(" ");
        self.answers.iter().map(words).joined("\n")
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.texts().map(str::to_owned).collect()
}

//! How far an interview is, as records show it: its points, and what is wrong with its questions.

use super::AgendaNotes;
use super::agenda::Agenda;
use super::questions::{BrokenQuestion, MOST_SENTENCES};
use crate::engine::policy::{Inquiry, Point, PointState};
use crate::engine::record_view::{RecordPart, RecordView};
use crate::engine::session::Slots;
use crate::engine::sink::{Sink, key};
use crate::machine::{List, Value};

/// The confidence in what is not known.
const NOTHING: Value = Value::Int(0);

/// Writes a part of the record. Whether there is such a part.
pub(super) fn describe(
    agenda: &Agenda,
    part: RecordPart,
    notes: &AgendaNotes,
    line: &RecordView<'_>,
    out: &mut impl Sink,
) -> bool {
    match part {
        RecordPart::Points => {
            out.each(&agenda.inquiry.points, |point, out| {
                agenda.inquiry.write_point(point, &line.session.slots, out);
            });
        }
        RecordPart::Faults => {
            for broken in &notes.broken {
                out.item().object(|out| match broken {
                    BrokenQuestion::Repeated => key!(out, "fault").word("repeated_question"),
                    BrokenQuestion::TooLong(sentences) => {
                        key!(out, "fault").word("long_question");
                        key!(out, "found").int(*sentences);
                        key!(out, "most").int(MOST_SENTENCES);
                    }
                });
            }
        }
        _ => return false,
    }
    true
}

impl Inquiry {
    /// Writes how far a point is.
    fn write_point(&self, point: &Point, slots: &Slots, out: &mut impl Sink) {
        let known = |slot| slots.get(slot);
        out.object(|out| {
            key!(out, "id").text(&point.id);
            let state = known(point.kept.state).as_text();
            key!(out, "state").text(state.unwrap_or(PointState::NotStarted.name()));
            key!(out, "confidence").value(known(point.kept.confidence).or(&NOTHING));
            key!(out, "answers").value(known(point.kept.answers).or(&Value::List(List::default())));
            let earlier = Some(known(point.kept.earlier)).filter(|value| !value.is_null());
            out.optional(key!("earlier"), earlier, |value, out| out.value(value));
            let waits = self.waits_for(point, slots);
            out.optional(key!("waits_for"), waits, |other, out| out.text(&other.id));
        });
    }
}

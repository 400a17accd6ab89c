//! The question of an agent in a transcript, compared with the question of the interview.

use std::collections::BTreeSet;

use crate::engine::policy::{Point, PointState};
use crate::engine::{Agenda, Decision, Sink, TurnContext, key};
use crate::machine::{Speech, Stems, Value};

/// The score from which on a line asks about a point: the line has all words of a text, such as a tag.
const MIN_SCORE: usize = 100;

/// A question of an agent that differs from the question of the interview. Each is the index of its point; `None` is
/// the end of the interview.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherQuestion {
    asked: Option<usize>,
    expected: Option<usize>,
}

impl OtherQuestion {
    /// Compares the line of an agent with the decision. The line can use other words. It differs only if it matches
    /// another point at least twice as well, because questions about different points share words.
    pub(super) fn find(
        agenda: &Agenda,
        turn: &TurnContext<'_>,
        decision: &Decision,
    ) -> Option<Self> {
        let line = turn.input.reply.as_deref()?;
        let points = &agenda.inquiry.points;
        let expected = points
            .iter()
            .position(|point| [point.first, point.again].contains(&decision.to));
        if expected.is_none() && !turn.machine.state(decision.to).is_final {
            return None;
        }
        let stems = Stems::default();
        let said = stems.of(line);
        let closing = score(&said, agenda.closing.iter().map(|text| &**text), &stems);
        let scores: Vec<(Option<usize>, usize)> = points
            .iter()
            .map(|point| score(&said, texts_of(point), &stems))
            .enumerate()
            .map(|(place, score)| (Some(place), score))
            .chain([(None, closing)])
            .collect();
        let own = scores.iter().find(|(place, _)| *place == expected)?.1;
        let (asked, best) = *scores.iter().rev().max_by_key(|(_, score)| *score)?;
        (best >= MIN_SCORE && best > own * 2).then_some(Self { asked, expected })
    }

    /// Continues with the question of the agent, so that the next answer belongs to its point. Counters and messages
    /// become those of a turn that asks this question.
    pub(super) fn apply(self, agenda: &Agenda, turn: &TurnContext<'_>, decision: &mut Decision) {
        let point = |place: Option<usize>| agenda.inquiry.points.get(place?);
        let (Some(asked), Some(expected), Some(draft)) = (
            point(self.asked),
            point(self.expected),
            decision.draft.as_deref_mut(),
        ) else {
            return;
        };
        let counters = &mut draft.counters;
        let count = counters.get(expected.asked);
        // A timeout asks nothing.
        if count == turn.counters.get(expected.asked) {
            return;
        }
        let again = counters.get(asked.asked) > 0;
        let follow_ups = turn.counters.get(agenda.follow_ups) + i64::from(again);
        counters.set(agenda.follow_ups, follow_ups);
        counters.set(expected.asked, count - 1);
        counters.set(asked.asked, counters.get(asked.asked) + 1);
        if count > 1 {
            let incomplete = Value::text(PointState::Incomplete.name());
            draft.slots.set(expected.kept.state, incomplete);
        }
        draft
            .speeches
            .retain(|pending| !matches!(&*pending.speech, Speech::Phrase { .. }));
        decision.to = if again { asked.again } else { asked.first };
    }

    /// Writes the violation.
    pub(super) fn write(self, agenda: &Agenda, out: &mut impl Sink) {
        let id = |place: Option<usize>| agenda.inquiry.points.get(place?).map(|point| &*point.id);
        out.object(|out| {
            key!(out, "fault").word("other_question");
            out.optional_text(key!("asked"), id(self.asked));
            out.optional_text(key!("expected"), id(self.expected));
        });
    }
}

/// The texts that identify a point.
fn texts_of(point: &Point) -> impl Iterator<Item = &str> {
    [&point.name, &point.label, &point.about]
        .into_iter()
        .chain(&point.hints)
        .chain(&point.tags)
        .chain(&point.questions)
        .map(|text| &**text)
}

/// How well a line matches the best of these texts: the square of the number of shared words per word of the text, in
/// hundredths. A complete text therefore counts more than some words of a longer one.
fn score<'t>(
    said: &BTreeSet<String>,
    texts: impl Iterator<Item = &'t str>,
    stems: &Stems,
) -> usize {
    let score = |text| {
        let words = stems.of(text);
        let shared = words.intersection(said).count();
        shared * shared * 100 / words.len().max(1)
    };
    texts.map(score).max().unwrap_or(0)
}

//! One play of a scenario, from its first turn to its last.

use super::expectation::FieldMismatch;
use super::matcher::Mismatch;
use super::scenario::ScenarioTurns;
use crate::diagnostic::{Place, SourceMap};
use crate::runtime::DialogueRunner;
use crate::scenario::CoverageSet;
use crate::snapshot::SnapshotText;
use crate::trace::{RecordField, RecordView};

/// What one play of a scenario did.
#[derive(Debug, Default)]
pub struct ScenarioRun {
    /// What was not as expected.
    pub failures: Vec<ExpectationFailure>,
    /// Turns that were played.
    pub turns: usize,
    /// The text of its snapshot, where it was asked for.
    pub snapshot: Option<String>,
    /// What of the machine it came to.
    pub seen: CoverageSet,
    /// Somebody outside was asked.
    pub asked: bool,
    /// Where nobody read what was said: the turn, and why. It was not played to its end then.
    pub unavailable: Option<(u32, String)>,
}

/// Something that was not as expected.
#[derive(Debug)]
pub struct ExpectationFailure {
    /// The number of the turn; nothing for the end.
    pub turn: Option<u32>,
    /// Where the expectation is written.
    pub place: Place,
    /// What differs.
    pub mismatch: Mismatch,
    /// Why the turn went as it did.
    pub why: String,
    /// Whose failure it is.
    pub cause: FailureCause,
}

/// Whose failure it is that something was not as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The flow's: everything that went in was fixed, so another play fails too.
    Flow,
    /// Perhaps the model's: in this turn or before it, a model gave an answer that may be another one next time.
    Model,
}

impl ScenarioRun {
    /// Plays the turns of a scenario.
    pub(super) fn of(
        turns: &ScenarioTurns<'_>,
        player: &mut DialogueRunner<'_>,
        mut snapshot: Option<SnapshotText>,
        sources: &SourceMap,
    ) -> Self {
        let machine = player.machine();
        let mut play = Self::default();
        let mut mismatches = Vec::new();
        for (number, (turn, expectation)) in turns.turns.iter().enumerate() {
            player.play(&turn.scripted);
            play.asked |= player.has_asked();
            if let Some(failure) = player.unread() {
                play.unavailable = Some((player.record().turn, failure.reason.clone()));
                return play;
            }
            play.turns += 1;
            let cause = if player.heard_a_model() { FailureCause::Model } else { FailureCause::Flow };
            let line = RecordView {
                machine,
                session: player.session(),
                scripted: &turn.scripted,
                record: player.record(),
            };
            play.seen.note(&line);
            expectation.check(&line, &mut mismatches);
            // What goes past a limit is a failure, whether or not somebody thought of it.
            let faults = RecordField::Faults.value(&line);
            if faults.filled() && !expectation.names(RecordField::Faults) {
                let mismatch = Mismatch {
                    path: RecordField::Faults.name().to_owned(),
                    expected: "[]".to_owned(),
                    actual: faults.to_string(),
                };
                mismatches.push(FieldMismatch { span: turn.span, mismatch });
            }
            play.fail(Some(line.record.turn), cause, &mut mismatches, &line, sources);
            if number + 1 == turns.turns.len() {
                turns.end.check(&line, &mut mismatches);
                play.fail(None, cause, &mut mismatches, &line, sources);
            }
            if let Some(snapshot) = &mut snapshot {
                snapshot.push(&line);
            }
        }
        play.snapshot = snapshot.map(SnapshotText::finish);
        play
    }

    /// Keeps what a turn was found to be otherwise than expected.
    fn fail(
        &mut self,
        turn: Option<u32>,
        cause: FailureCause,
        mismatches: &mut Vec<FieldMismatch>,
        line: &RecordView<'_>,
        sources: &SourceMap,
    ) {
        self.failures.extend(mismatches.drain(..).map(|field| ExpectationFailure {
            turn,
            place: sources.place(field.span),
            mismatch: field.mismatch,
            why: why(line),
            cause,
        }));
    }

    /// Whether it went as expected to its end.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty() && self.unavailable.is_none()
    }
}

/// Characters of an answer that are quoted at most.
const QUOTED: usize = 200;

/// The reasons of a turn with the places of the rules that gave them.
fn why(line: &RecordView<'_>) -> String {
    let mut why = line.why();
    if why.is_empty() {
        why.push("nobody proposed anything".to_owned());
    }
    for (by, said) in
        line.record.answers.iter().filter_map(|answer| answer.by.as_ref().zip(answer.value.as_ref()))
    {
        let said: String = said.to_string().chars().take(QUOTED).collect();
        why.push(format!("{by} said {said}"));
    }
    let outcome = line.record.outcome.as_ref();
    let rules = outcome.into_iter().flat_map(|outcome| [outcome.action_rule, outcome.move_rule]).flatten();
    let places: Vec<String> = rules.map(|rule| line.rule_place(rule)).collect();
    if places.is_empty() { why.join(", ") } else { format!("{} ({})", why.join(", "), places.join(", ")) }
}

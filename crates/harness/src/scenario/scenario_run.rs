//! One play of a scenario, from its first turn to its last.

use super::deadline::Deadline;
use super::expectation_failure::{ExpectationFailure, FailureCause, FieldMismatch};
use super::heard_turn::HeardTurn;
use super::known_failure::{KnownFailure, KnownFailures, StaleReason};
use super::matcher::Mismatch;
use super::prepared_scenario::PreparedScenario;
use super::replies::{Jury, JuryFindings, TurnReplies};
use super::scenario_turns::ScenarioTurn;
use super::subject_run::{SubjectRun, breach, misread, untold};
use super::turn_collector::TurnCollector;
use super::unread_turn::{UnreadKind, UnreadTurn};
use crate::snapshot::{SnapshotRecord, SnapshotText};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_adapters::subject::SubjectSpec;
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::{SourceMap, Span};
use fsmsim_syntax::terminal::beginning;

/// What one play of a scenario did.
#[derive(Debug, Default)]
pub(super) struct ScenarioRun {
    /// What was not as expected.
    pub(super) failures: Vec<ExpectationFailure>,
    /// What was not as expected, and is known.
    pub(super) known: Vec<KnownFailure>,
    /// What was expected to fail and is as it should be.
    pub(super) stale: Vec<StaleReason>,
    /// Turns that were played.
    pub(super) turns: usize,
    /// What its snapshot shows, where it was asked for.
    pub(super) snapshot: Option<SnapshotRecord>,
    /// Somebody outside was asked.
    pub(super) asked: bool,
    /// The turn that nobody could read. It was not played to its end then.
    pub(super) unread: Option<UnreadTurn>,
    /// What was asked and answered, where that is wanted.
    pub(super) heard: Vec<HeardTurn>,
}

/// Where, and whose failure something is that is not as expected.
struct FailureContext<'c> {
    turn: Option<u32>,
    used_at: &'c [Span],
    cause: FailureCause,
    sources: &'c SourceMap,
}

impl ScenarioRun {
    /// Plays the turns of a scenario.
    pub(super) fn of(
        scenario: &PreparedScenario<'_>,
        runner: &mut DialogueRunner,
        mut snapshot: Option<SnapshotText>,
        deadline: &mut Deadline,
        collector: &mut impl TurnCollector,
        sources: &SourceMap,
    ) -> Self {
        let mut run = Self::default();
        let mut mismatches = Vec::new();
        for turn in scenario.turns() {
            if deadline.is_passed() {
                return run;
            }
            let played = runner.play(&turn.scripted);
            run.asked |= played.asked;
            if scenario.compares_plays && played.asked {
                run.heard.push(HeardTurn::of(&played.view));
            }
            if let Some(failure) = played.unread {
                run.unread = Some(UnreadTurn::new(
                    played.view.record.turn,
                    UnreadKind::Read,
                    failure,
                ));
                return run;
            }
            run.turns += 1;
            let is_last = run.turns == scenario.turns.len();
            let cause = if played.heard_a_model {
                FailureCause::Model
            } else {
                FailureCause::Flow
            };
            let number = played.view.record.turn;
            let judged = scenario
                .turns
                .is_judged()
                .then(|| TurnReplies::of(&played.view));
            let (judged, end_judged) = judged
                .map(|said| run.judge(scenario, &turn, number, is_last, &said, runner))
                .unwrap_or_default();
            let line = runner.view(&turn.scripted);
            collector.turn(&line);
            mismatches.extend(judged);
            turn.expectation.check(&line, &mut mismatches);
            let standing = scenario.turns.standing();
            standing.check(&line, &mut mismatches);
            // What goes past a limit is a failure, whether or not somebody thought of it.
            let faults = RecordField::Faults;
            let is_expected = turn.expectation.names(faults) || standing.always_names(faults);
            if !is_expected && faults.has_items(&line) {
                let mismatch = Mismatch {
                    path: faults.name().to_owned(),
                    expected: "[]".to_owned(),
                    actual: faults.value(&line).to_string(),
                    nearest: None,
                };
                mismatches.push(FieldMismatch::plain(turn.span, faults, mismatch));
            }
            let fell_short = run.failures.len();
            run.note_stale(line.record.turn, &turn.known_failures, &mismatches, sources);
            let context = FailureContext {
                turn: Some(line.record.turn),
                used_at: &turn.used_at,
                cause,
                sources,
            };
            run.fail(&context, &turn.known_failures, &mut mismatches, &|| {
                why(&line)
            });
            if let Some(heard) = run
                .heard
                .last_mut()
                .filter(|heard| heard.turn == line.record.turn)
            {
                heard.fell_short = run.failures.len() > fell_short;
            }
            if is_last {
                mismatches.extend(end_judged);
                scenario.turns.end().check(&line, &mut mismatches);
                let context = FailureContext {
                    turn: None,
                    used_at: &[],
                    cause,
                    sources,
                };
                run.fail(
                    &context,
                    &KnownFailures::default(),
                    &mut mismatches,
                    &|| why(&line),
                );
            }
            if let Some(snapshot) = &mut snapshot {
                snapshot.push(&line);
            }
        }
        run.snapshot = snapshot.map(SnapshotText::finish);
        run.excuse(scenario, sources);
        run
    }

    /// What judges find wanting in what was said in a turn, and in what was said last.
    fn judge(
        &mut self,
        scenario: &PreparedScenario<'_>,
        turn: &ScenarioTurn,
        number: u32,
        is_last: bool,
        said: &TurnReplies,
        runner: &mut DialogueRunner,
    ) -> (Vec<FieldMismatch>, Vec<FieldMismatch>) {
        let is_there = scenario
            .answerers
            .as_ref()
            .is_some_and(AnswererConfig::judges);
        let mut jury = Jury {
            runner,
            said,
            is_there,
        };
        let own = turn
            .expectation
            .rubrics()
            .iter()
            .map(|rubric| (rubric, None));
        let here = jury.judge(own.chain(scenario.turns.standing().rubrics()));
        let end = scenario.turns.end().rubrics().iter().filter(|_| is_last);
        let end = jury.judge(end.map(|rubric| (rubric, None)));
        for JuryFindings { failure, asked, .. } in [&here, &end] {
            self.asked |= asked;
            let unread = failure
                .as_ref()
                .map(|failure| UnreadTurn::new(number, UnreadKind::Judge, failure));
            self.unread = self.unread.take().or(unread);
        }
        (here.mismatches, end.mismatches)
    }

    /// Has a subject play the turns of a scenario, and holds what it did against the model and what is expected.
    pub(super) fn of_subject(
        scenario: &PreparedScenario<'_>,
        subject: &SubjectSpec,
        runner: &mut DialogueRunner,
        mut snapshot: Option<SnapshotText>,
        deadline: &mut Deadline,
        collector: &mut impl TurnCollector,
        sources: &SourceMap,
    ) -> Self {
        let mut run = Self {
            asked: true,
            ..Self::default()
        };
        let goes_on = &mut || !deadline.is_passed();
        let played = SubjectRun::of(scenario, subject, goes_on, &mut |record| {
            collector.observed(record);
        });
        if deadline.is_over() {
            return run;
        }
        let findings = match played.breaches(scenario, subject) {
            Ok(findings) => findings,
            Err((turn, reason)) => {
                run.unread = Some(UnreadTurn::of_subject(turn, reason));
                return run;
            }
        };
        let (cause, mut mismatches) = (FailureCause::Flow, Vec::new());
        for ((turn, record), shown) in scenario.turns().zip(&played.records).zip(&played.shown) {
            run.turns += 1;
            let (number, is_last) = (record.turn(), run.turns == scenario.turns.len());
            let judged = scenario.turns.is_judged().then(|| TurnReplies::of(record));
            let (judged, end_judged) = judged
                .map(|said| run.judge(scenario, &turn, number, is_last, &said, runner))
                .unwrap_or_default();
            mismatches.extend(judged);
            turn.expectation.check(record, &mut mismatches);
            scenario.turns.standing().check(record, &mut mismatches);
            mismatches.extend(misread(&turn, record, scenario));
            mismatches.extend(untold(subject, record, &turn));
            let of_turn = findings
                .iter()
                .filter(|finding| finding.at.as_ref().is_some_and(|at| at.turn == number));
            mismatches.extend(of_turn.map(|finding| breach(finding, &turn)));
            let why = || format!("the subject told it; it is held against {}", scenario.model);
            run.note_stale(number, &turn.known_failures, &mismatches, sources);
            let context = FailureContext {
                turn: Some(number),
                used_at: &turn.used_at,
                cause,
                sources,
            };
            run.fail(&context, &turn.known_failures, &mut mismatches, &why);
            if is_last {
                mismatches.extend(end_judged);
                scenario.turns.end().check(record, &mut mismatches);
                let context = FailureContext {
                    turn: None,
                    used_at: &[],
                    cause,
                    sources,
                };
                run.fail(&context, &KnownFailures::default(), &mut mismatches, &why);
            }
            if let Some(snapshot) = &mut snapshot {
                snapshot.push_observed(shown);
            }
        }
        run.unread = played.unanswered.or(run.unread.take());
        if run.unread.is_none() {
            run.snapshot = snapshot.map(SnapshotText::finish);
            run.excuse(scenario, sources);
        }
        run
    }

    /// What is known of the scenario as a whole: whatever fell short, and is not known nearer to it.
    fn excuse(&mut self, scenario: &PreparedScenario<'_>, sources: &SourceMap) {
        let Some(reason) = &scenario.known_failure else {
            return;
        };
        if self.failures.is_empty() {
            let place = sources.place(reason.span());
            self.stale.push(StaleReason {
                turn: None,
                field: None,
                place,
                reason: reason.text().into(),
            });
        }
        let known = self.failures.drain(..).map(|failure| KnownFailure {
            failure,
            reason: reason.text().into(),
        });
        self.known.extend(known);
    }

    /// What a turn should have fallen short of, and did not.
    fn note_stale(
        &mut self,
        turn: u32,
        known: &KnownFailures,
        mismatches: &[FieldMismatch],
        sources: &SourceMap,
    ) {
        self.stale
            .extend(known.stale(mismatches).map(|(field, reason)| StaleReason {
                turn: Some(turn),
                field: field.map(RecordField::name),
                place: sources.place(reason.span()),
                reason: reason.text().into(),
            }));
    }

    /// Keeps what a turn was found to be otherwise than expected.
    fn fail(
        &mut self,
        context: &FailureContext<'_>,
        known: &KnownFailures,
        mismatches: &mut Vec<FieldMismatch>,
        why: &dyn Fn() -> String,
    ) {
        let FailureContext {
            turn,
            used_at,
            cause,
            sources,
        } = *context;
        for FieldMismatch {
            span,
            field,
            standing,
            by_judge,
            mismatch,
        } in mismatches.drain(..)
        {
            let cause = if by_judge { FailureCause::Model } else { cause };
            let used_at = used_at.iter().map(|span| sources.place(*span)).collect();
            let (place, why) = (sources.place(span), why());
            let failure = ExpectationFailure {
                turn,
                place,
                standing,
                used_at,
                mismatch,
                why,
                cause,
            };
            match known.reason_of(field) {
                Some(reason) => self.known.push(KnownFailure {
                    failure,
                    reason: reason.text().into(),
                }),
                None => self.failures.push(failure),
            }
        }
    }

    /// Whether it fell short of what is said of it.
    pub(super) fn failed(&self) -> bool {
        !self.failures.is_empty() || !self.stale.is_empty()
    }

    /// Whether it went as is said of it, to its end.
    pub(super) fn passed(&self) -> bool {
        !self.failed() && self.unread.is_none()
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
    for (by, said) in line
        .record
        .answers
        .iter()
        .filter_map(|answer| answer.by.as_ref().zip(answer.value.as_ref()))
    {
        let said = said.to_string();
        why.push(format!("{by} said {}", beginning(&said, QUOTED)));
    }
    let outcome = line.record.outcome.as_ref();
    let won = outcome
        .into_iter()
        .flat_map(|outcome| [outcome.by_action, outcome.by_transition])
        .flatten();
    let rules = won.filter_map(|won| won.rule);
    let places: Vec<String> = rules.map(|rule| line.rule_place(rule)).collect();
    if places.is_empty() {
        why.join(", ")
    } else {
        format!("{} ({})", why.join(", "), places.join(", "))
    }
}

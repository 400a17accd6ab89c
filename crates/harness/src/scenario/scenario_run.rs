//! A single trial of a scenario.

use super::deadline::Deadline;
use super::expectation_failure::{ExpectationFailure, FailureCause, FieldMismatch};
use super::heard_turn::heard_in;
use super::known_failure::{KnownFailure, UnexpectedPass};
use super::matcher::Mismatch;
use super::prepared_scenario::PreparedScenario;
use super::replies::{JudgePanel, JuryFindings, TurnReplies};
use super::scenario_turns::ScenarioTurn;
use super::subject_run::{SubjectRun, breach, misread, missing_state};
use super::trial_tally::QuestionTally;
use super::turn_collector::TurnCollector;
use super::unread_turn::{UnreadKind, UnreadTurn};
use crate::limits::MAX_QUOTED_ANSWER;
use crate::snapshot::{SnapshotRecord, SnapshotText};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_adapters::subject::SubjectSpec;
use fsmsim_core::engine::{Class, RecordView};
use fsmsim_core::trace::{RecordField, RecordedFields};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::{Diagnostic, SourceMap};
use fsmsim_syntax::terminal::{Joined, beginning};

/// The outcome of a trial.
#[derive(Debug, Default)]
pub(super) struct ScenarioRun {
    pub failures: Vec<ExpectationFailure>,
    /// Failures that were expected.
    pub known: Vec<KnownFailure>,
    /// Expected failures that did not occur.
    pub unexpected_passes: Vec<UnexpectedPass>,
    /// The number of turns that ran.
    pub turns: usize,
    /// The content of the snapshot, if it was requested.
    pub snapshot: Option<SnapshotRecord>,
    /// Whether a provider was called.
    pub asked: bool,
    /// The turn that got no answer. The trial stopped there.
    pub unread: Option<UnreadTurn>,
    /// The requests and answers, if they are compared.
    pub heard: Vec<QuestionTally>,
    /// The finding if the answers of the subject prove that the scenario is invalid.
    pub fault: Option<Diagnostic>,
}

/// A turn that ran.
struct ScenarioTurnRun<'p> {
    turn: &'p ScenarioTurn,
    number: u32,
    is_last: bool,
    /// The cause of failures in the turn.
    cause: FailureCause,
    /// Explains the outcome of the turn.
    why: &'p dyn Fn() -> String,
    sources: &'p SourceMap,
}

impl ScenarioRun {
    /// Runs the turns of a scenario.
    pub(super) fn of(
        scenario: &PreparedScenario<'_>,
        runner: &mut DialogueRunner,
        mut snapshot: Option<SnapshotText>,
        deadline: &mut Deadline,
        collector: &mut impl TurnCollector,
        sources: &SourceMap,
    ) -> Self {
        let mut run = Self::default();
        for turn in scenario.turns() {
            if deadline.is_passed() {
                return run;
            }
            let played = runner.play(&turn.scripted);
            run.asked |= played.asked;
            if scenario.compares_trials && played.asked {
                run.heard.extend(heard_in(&played.view));
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
            let is_last = run.turns == scenario.turns.count;
            let cause = if played.heard_a_model {
                FailureCause::Model
            } else {
                FailureCause::Flow
            };
            let number = played.view.record.turn;
            let said = (scenario.turns.is_judged).then(|| TurnReplies::of(&played.view));
            let judged = run.judge(scenario, (&turn, number), is_last, said.as_ref(), runner);
            let line = runner.view(&turn.scripted);
            collector.turn(&line);
            let wrong = unexpected(scenario, &turn, is_last, &line);
            let failures_before = run.failures.len();
            let played = ScenarioTurnRun {
                turn: &turn,
                number,
                is_last,
                cause,
                why: &|| why(&line),
                sources,
            };
            run.check(scenario, &played, &line, judged, wrong);
            // Expectations for the end do not count as failures of the turn.
            let mut failures = run.failures.iter().skip(failures_before);
            if failures.any(|failure| failure.turn.is_some()) {
                let asked = run.heard.iter_mut().rev();
                asked
                    .take_while(|question| question.turn == number)
                    .for_each(|question| question.failed = 1);
            }
            if let Some(snapshot) = &mut snapshot {
                snapshot.push(&line);
            }
        }
        run.snapshot = snapshot.map(SnapshotText::finish);
        run.excuse(scenario, sources);
        run
    }

    /// Judges the replies in a turn by its rubrics and, in the last turn, by those of `end`.
    fn judge(
        &mut self,
        scenario: &PreparedScenario<'_>,
        (turn, number): (&ScenarioTurn, u32),
        is_last: bool,
        said: Option<&TurnReplies>,
        runner: &mut DialogueRunner,
    ) -> (Vec<FieldMismatch>, Vec<FieldMismatch>) {
        let Some(said) = said else {
            return Default::default();
        };
        let is_there = scenario
            .answerers
            .as_ref()
            .is_some_and(AnswererConfig::judges);
        let mut jury = JudgePanel {
            runner,
            said,
            is_there,
        };
        let own = turn
            .expectation
            .rubrics()
            .iter()
            .map(|rubric| (rubric, None));
        let here = jury.judge(own.chain(scenario.turns.standing.rubrics()));
        let end = scenario.turns.end.rubrics().iter().filter(|_| is_last);
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

    /// Runs the turns of a scenario with a subject, and checks the results against the model and the expectations.
    pub(super) fn with_subject(
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
        let mut played = SubjectRun::of(scenario, subject, goes_on, &mut |record| {
            collector.observed(record);
        });
        run.fault = played.fault.take();
        if deadline.is_over() || run.fault.is_some() {
            return run;
        }
        let findings = match played.breaches(scenario, subject) {
            Ok(findings) => findings,
            Err((turn, reason)) => {
                run.unread = Some(UnreadTurn::by_subject(turn, reason));
                return run;
            }
        };
        for ((turn, record), shown) in scenario.turns().zip(&played.records).zip(&played.shown) {
            run.turns += 1;
            let number = record.turn();
            let is_last = run.turns == scenario.turns.count;
            let said = scenario.turns.is_judged.then(|| TurnReplies::of(record));
            let judged = run.judge(scenario, (&turn, number), is_last, said.as_ref(), runner);
            let of_turn = findings
                .iter()
                .filter(|finding| finding.at.as_ref().is_some_and(|at| at.turn == number));
            let wrong = misread(&turn, record, scenario)
                .into_iter()
                .chain(missing_state(subject, record, &turn))
                .chain(unexpected(scenario, &turn, is_last, record))
                .chain(of_turn.map(|finding| breach(finding, &turn)));
            let played = ScenarioTurnRun {
                turn: &turn,
                number,
                is_last,
                cause: FailureCause::Flow,
                why: &|| {
                    format!(
                        "reported by the subject and checked against {}",
                        scenario.model.name(scenario.machine.shown_profile())
                    )
                },
                sources,
            };
            run.check(scenario, &played, record, judged, wrong);
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

    /// Applies the expected failure of the whole scenario, so that all remaining failures become expected ones.
    fn excuse(&mut self, scenario: &PreparedScenario<'_>, sources: &SourceMap) {
        let Some(reason) = &scenario.known_failure else {
            return;
        };
        if self.failures.is_empty() {
            self.unexpected_passes.push(UnexpectedPass {
                turn: None,
                field: None,
                place: sources.place(reason.span),
                reason: reason.text.clone(),
            });
        }
        let known = self.failures.drain(..).map(|failure| KnownFailure {
            failure,
            reason: reason.text.clone(),
        });
        self.known.extend(known);
    }

    /// Checks a turn against its expectations and, if it is the last one, against those for the end. `wrong` and the
    /// judge's mismatches were found before.
    fn check(
        &mut self,
        scenario: &PreparedScenario<'_>,
        played: &ScenarioTurnRun<'_>,
        line: &impl RecordedFields,
        (mut mismatches, mut of_end): (Vec<FieldMismatch>, Vec<FieldMismatch>),
        wrong: impl IntoIterator<Item = FieldMismatch>,
    ) {
        let known = &played.turn.known_failures;
        played.turn.expectation.check(line, &mut mismatches);
        scenario.turns.standing.check(line, &mut mismatches);
        mismatches.extend(wrong);
        let passes = known.unexpected_passes(&mismatches);
        self.unexpected_passes
            .extend(passes.map(|(field, reason)| UnexpectedPass {
                turn: Some(played.number),
                field: field.map(RecordField::name),
                place: played.sources.place(reason.span),
                reason: reason.text.clone(),
            }));
        for mismatch in mismatches {
            let reason = known.reason_of(mismatch.field);
            let failure = played.failure(mismatch);
            match reason {
                Some(reason) => self.known.push(KnownFailure {
                    failure,
                    reason: reason.text.clone(),
                }),
                None => self.failures.push(failure),
            }
        }
        if played.is_last {
            scenario.turns.end.check(line, &mut of_end);
            let failures = of_end.into_iter().map(|mismatch| ExpectationFailure {
                turn: None,
                used_at: Vec::new(),
                ..played.failure(mismatch)
            });
            self.failures.extend(failures);
        }
    }

    /// Whether an expectation was not met, or an expected failure did not occur.
    pub(super) fn failed(&self) -> bool {
        !self.failures.is_empty() || !self.unexpected_passes.is_empty()
    }

    /// Whether the trial ran to its end without failures.
    pub(super) fn passed(&self) -> bool {
        !self.failed() && self.unread.is_none()
    }
}

impl ScenarioTurnRun<'_> {
    fn failure(&self, mismatch: FieldMismatch) -> ExpectationFailure {
        let FieldMismatch {
            span,
            standing,
            by_judge,
            mismatch,
            actual,
            ..
        } = mismatch;
        let place = |span| self.sources.place(span);
        ExpectationFailure {
            turn: Some(self.number),
            place: place(span),
            standing,
            used_at: self.turn.used_at.iter().copied().map(place).collect(),
            mismatch,
            accepted: None,
            replacement: actual.map(|actual| (span, actual)),
            why: (self.why)(),
            cause: if by_judge {
                FailureCause::Model
            } else {
                self.cause
            },
        }
    }
}

/// The failures about which a scenario need not expect anything: exceeded limits, and refused calls of a transcript.
fn unexpected(
    scenario: &PreparedScenario<'_>,
    turn: &ScenarioTurn,
    is_last: bool,
    line: &impl RecordedFields,
) -> impl Iterator<Item = FieldMismatch> {
    let turns = &scenario.turns;
    let violations = RecordField::Violations;
    let class = RecordField::Class;
    let calls = scenario.is_transcript && turn.scripted.input.goto.is_some();
    let refused = calls && line.text(class) == Some(Class::Blocked.name());
    let accepted = "an accepted call, or a note `expect: {class: blocked}`";
    let wrong = [
        line.has_items(violations).then_some((violations, "[]")),
        refused.then_some((class, accepted)),
    ];
    let is_expected = move |field| {
        turn.expectation.names(field)
            || turns.standing.always_names(field)
            || is_last && turns.end.names(field)
    };
    wrong
        .into_iter()
        .flatten()
        .filter(move |(field, _)| !is_expected(*field))
        .map(move |(field, expected)| {
            let actual = line.value(field).to_string();
            let mismatch = Mismatch::new(field.name(), expected, actual);
            FieldMismatch::plain(turn.span, field, mismatch)
        })
}

/// Explains the outcome of a turn, with rule locations.
fn why(line: &RecordView<'_>) -> String {
    let mut why = line.why();
    if why.is_empty() {
        why.push(line.unmoved());
    }
    for (by, said) in line
        .record
        .answers
        .iter()
        .filter_map(|answer| answer.by.as_ref().zip(answer.value.as_ref()))
    {
        let said = said.to_string();
        why.push(format!(
            "{by} answered {}",
            beginning(&said, MAX_QUOTED_ANSWER)
        ));
    }
    let outcome = line.record.outcome.as_ref();
    let won = outcome
        .into_iter()
        .flat_map(|outcome| [outcome.by_action, outcome.by_transition])
        .flatten();
    let rules = won.filter_map(|won| won.rule);
    let places = rules.map(|rule| line.rule_place(rule)).joined(", ");
    if places.is_empty() {
        why.join(", ")
    } else {
        format!("{} ({places})", why.join(", "))
    }
}

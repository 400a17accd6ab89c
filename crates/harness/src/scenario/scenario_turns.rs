//! The turns of a scenario, with their expectations and those of the end.

use std::borrow::Cow;

use super::expectation::Expectation;
use super::known_failure::KnownFailures;
use super::long_turns::LongTurns;
use super::standing_expectations::StandingExpectations;
use fsmsim_adapters::subject::{AnswerField, SubjectSpec};
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::trace::{RecordField, turn_line};
use fsmsim_runtime::script::{ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Node, parse_json};

#[derive(Clone, Debug)]
pub struct ScenarioTurn {
    /// The input of the turn.
    pub scripted: ScriptedTurn,
    pub expectation: Expectation,
    pub known_failures: KnownFailures,
    pub span: Span,
    /// The locations of the `use` keys that include it, innermost first.
    pub used_at: Vec<Span>,
}

/// The valid turns of a scenario. If they are too many to keep in memory, the rest is read again for each iteration.
#[derive(Debug)]
pub struct ScenarioTurns<'n> {
    held: Vec<ScenarioTurn>,
    /// The turns that are not in memory, and whether these can omit the intent.
    more: Option<LongTurns<'n>>,
    may_be_unread: bool,
    /// The number of all turns.
    pub(super) count: usize,
    /// Whether it has expectations.
    pub(super) expects: bool,
    /// Whether it has rubrics.
    pub(super) is_judged: bool,
    /// The expectations of every turn.
    pub(super) standing: StandingExpectations,
    /// The expectations of the end.
    pub(super) end: Expectation,
}

impl ScenarioTurn {
    /// Reads a turn. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(
        (node, used_at): (&Node, &[Span]),
        machine: &Machine,
        options: TurnOptions<'_>,
        standing: &StandingExpectations,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        if used_at.is_empty() {
            return Self::read_here(node, machine, options, standing, found);
        }
        let mut inner = found.apart();
        let turn = Self::read_here(node, machine, options, standing, &mut inner);
        for finding in inner.items() {
            found.push(used_at.iter().fold(finding.clone(), |finding, span| {
                finding.at(*span, "used here")
            }));
        }
        Some(Self {
            used_at: used_at.to_vec(),
            ..turn?
        })
    }

    fn read_here(
        node: &Node,
        machine: &Machine,
        options: TurnOptions<'_>,
        standing: &StandingExpectations,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let ParsedTurn {
            scripted,
            expect,
            expected_failure,
            span,
        } = ParsedTurn::read(node, machine, options, found)?;
        let expectation = expect.and_then(|node| {
            Expectation::read(node, "`expect`", Some(machine), options.names, found)
        });
        let expectation = expectation.unwrap_or_default();
        let known_failures = expected_failure
            .and_then(|node| KnownFailures::read(node, &expectation, standing, found));
        let known_failures = known_failures.unwrap_or_default();
        Some(Self {
            scripted,
            expectation,
            known_failures,
            span,
            used_at: Vec::new(),
        })
    }
}

impl<'n> ScenarioTurns<'n> {
    pub(super) fn new(
        more: Option<LongTurns<'n>>,
        may_be_unread: bool,
        standing: StandingExpectations,
    ) -> Self {
        let is_judged = standing.rubrics().next().is_some();
        Self {
            held: Vec::new(),
            more,
            may_be_unread,
            count: 0,
            expects: !standing.is_empty(),
            is_judged,
            standing,
            end: Expectation::default(),
        }
    }

    /// Adds a turn and keeps it in memory.
    pub(super) fn hold(&mut self, turn: ScenarioTurn) {
        self.count(Some(&turn));
        self.held.push(turn);
    }

    /// Counts a turn that is not kept in memory.
    pub(super) fn count(&mut self, turn: Option<&ScenarioTurn>) {
        self.count += 1;
        if let Some(turn) = turn {
            self.note(&turn.expectation);
        }
    }

    /// Sets the expectations of the end.
    pub(super) fn ending(mut self, end: Expectation) -> Self {
        self.note(&end);
        self.end = end;
        self
    }

    fn note(&mut self, expectation: &Expectation) {
        self.expects |= !expectation.is_empty();
        self.is_judged |= !expectation.rubrics().is_empty();
    }

    /// Reports expected fields that the subject does not provide, and actions between turns, which a subject cannot run.
    pub(super) fn check_for(
        &self,
        subject: &SubjectSpec,
        machine: &Machine,
        found: &mut Diagnostics,
    ) {
        for turn in self.iter(machine) {
            if !turn.scripted.before.is_empty() {
                Diagnostic::error(
                    Code::BadSubject,
                    "nothing can be done to a subject between turns",
                )
                .at(turn.span, "has `before`")
                .help("leave `before` out; another dialogue is another scenario")
                .add_to(found);
            }
            check_expected(&turn.expectation, subject, found);
            check_replay(subject, &turn, machine, found);
        }
        self.standing
            .all()
            .chain([&self.end])
            .for_each(|expected| check_expected(expected, subject, found));
    }

    /// The turns in order, for the machine of the scenario.
    pub(super) fn iter(&self, machine: &Machine) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        // Names are not checked again, because the findings were reported when the turns were read for the first time.
        let options = TurnOptions {
            may_expect: true,
            may_be_unread: self.may_be_unread,
            names: None,
        };
        let read = move |(node, used_at): (Node, Vec<Span>)| {
            ScenarioTurn::read(
                (&node, &used_at),
                machine,
                options,
                &self.standing,
                &mut Diagnostics::default(),
            )
        };
        let more = self.more.iter().flat_map(LongTurns::rest).filter_map(read);
        self.held
            .iter()
            .map(Cow::Borrowed)
            .chain(more.map(Cow::Owned))
    }
}

/// Reports a turn that the model cannot replay, because neither the turn nor the subject provides its intent.
pub(super) fn check_replay(
    spec: &SubjectSpec,
    turn: &ScenarioTurn,
    machine: &Machine,
    found: &mut Diagnostics,
) {
    if !spec.replays || spec.map.tells(RecordField::Intent) {
        return;
    }
    let line = turn_line(&turn.scripted, machine);
    let mut trial = Diagnostics::default();
    let node = parse_json(SourceMap::default().add("", &*line), &line, 0, &mut trial);
    let played = node.is_some_and(|node| {
        ParsedTurn::read(&node, machine, TurnOptions::default(), &mut trial).is_some()
    });
    if let Some(why) = trial.items().first().filter(|_| !played) {
        let title = format!(
            "the model cannot play this turn, as `verify: replay` asks: {}",
            why.title
        );
        Diagnostic::error(Code::BadSubject, title)
            .at(turn.span, "this turn")
            .help("say in the turn what is meant, or under `map` where the subject tells the `intent`; else leave `verify: replay` out")
            .add_to(found);
    }
}

/// Reports expected fields that the subject does not provide.
pub(super) fn check_expected(
    expectation: &Expectation,
    spec: &SubjectSpec,
    found: &mut Diagnostics,
) {
    for (field, span) in expectation.places() {
        if matches!(field, RecordField::Turn | RecordField::Input) || spec.map.tells(field) {
            continue;
        }
        let provided: Vec<&str> = spec.map.fields().map(AnswerField::name).collect();
        Diagnostic::error(
            Code::BadSubject,
            format!(
                "the subject does not tell `{}`, so nothing can be expected of it",
                field.name()
            ),
        )
        .at(span, "is not known")
        .help(format!(
            "say under `map` where it stands in the answer, or leave it out; it tells {}",
            provided.join(", ")
        ))
        .add_to(found);
    }
}

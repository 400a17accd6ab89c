//! The turns of a scenario, with the expectations for each turn and for the end.

use std::borrow::Cow;

use super::expectation::Expectation;
use super::invariant_expectations::InvariantExpectations;
use super::known_failure::{EXPECTED_FAILURE, KnownFailures};
use super::long_turns::LongTurns;
use fsmsim_adapters::subject::{AnswerField, SubjectSpec};
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::trace::{RecordField, turn_line};
use fsmsim_runtime::script::{KnownNames, ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Node, parse_json};
use fsmsim_syntax::terminal::Joined;

#[derive(Clone, Debug)]
pub struct ScenarioTurn {
    /// The input of the turn.
    pub scripted: ScriptedTurn,
    pub expectation: Expectation,
    pub known_failures: KnownFailures,
    pub span: Span,
    /// The locations of the `use` keys by which the turn is included, innermost first.
    pub used_at: Vec<Span>,
}

/// The valid turns of a scenario. If there are too many to keep in memory, the rest is read again in each iteration.
#[derive(Debug, Default)]
pub struct ScenarioTurns<'n> {
    held: Vec<ScenarioTurn>,
    /// The turns that are not in memory.
    more: Option<LongTurns<'n>>,
    may_be_unread: bool,
    /// The total number of turns.
    pub(super) count: usize,
    /// Whether there are any expectations.
    pub(super) expects: bool,
    /// Whether there are any rubrics.
    pub(super) is_judged: bool,
    /// The expectations for every turn.
    pub(super) standing: InvariantExpectations,
    /// The expectations for the end.
    pub(super) end: Expectation,
}

impl ScenarioTurn {
    /// Reads a turn. Returns `None`, with findings, if the turn is invalid.
    pub(super) fn read(
        (node, used_at): (&Node, &[Span]),
        machine: &Machine,
        options: TurnOptions<'_>,
        standing: &InvariantExpectations,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        if used_at.is_empty() {
            return Self::read_here(node, machine, options, standing, found);
        }
        let mut inner = found.apart();
        let turn = Self::read_here(node, machine, options, standing, &mut inner);
        found.patterns = inner.patterns;
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
        standing: &InvariantExpectations,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let turn = ParsedTurn::read(node, machine, options, found);
        let (expectation, known_failures) =
            read_expectations(node, Some(machine), options.names, standing, found);
        let ParsedTurn { scripted, span } = turn?;
        Some(Self {
            scripted,
            expectation,
            known_failures,
            span,
            used_at: Vec::new(),
        })
    }
}

/// Reads the expectations and expected failures of a turn. Names are checked only if a machine is given.
pub(super) fn read_expectations(
    turn: &Node,
    machine: Option<&Machine>,
    names: Option<&KnownNames<'_>>,
    standing: &InvariantExpectations,
    found: &mut Diagnostics,
) -> (Expectation, KnownFailures) {
    let value = |key| turn.get(key).filter(|node| !node.is_null());
    let expectation = value("expect")
        .map(|node| Expectation::read(node, "`expect`", machine, names, found))
        .unwrap_or_default();
    let known_failures = value(EXPECTED_FAILURE)
        .and_then(|node| KnownFailures::read(node, &expectation, standing, found))
        .unwrap_or_default();
    (expectation, known_failures)
}

impl<'n> ScenarioTurns<'n> {
    pub(super) fn new(
        more: Option<LongTurns<'n>>,
        may_be_unread: bool,
        standing: InvariantExpectations,
    ) -> Self {
        let is_judged = standing.rubrics().next().is_some();
        Self {
            more,
            may_be_unread,
            expects: !standing.is_empty(),
            is_judged,
            standing,
            ..Self::default()
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

    /// Sets the expectations for the end.
    pub(super) fn ending(mut self, end: Expectation) -> Self {
        self.note(&end);
        self.end = end;
        self
    }

    fn note(&mut self, expectation: &Expectation) {
        self.expects |= !expectation.is_empty();
        self.is_judged |= !expectation.rubrics().is_empty();
    }

    /// Reports what a scenario with a subject cannot contain: expected fields that the subject does not provide, and
    /// actions between turns.
    pub(super) fn check_for(
        &self,
        subject: &SubjectSpec,
        machine: &Machine,
        found: &mut Diagnostics,
    ) {
        for turn in self.iter(machine) {
            if !turn.scripted.before.is_empty() {
                Diagnostic::error(Code::BadSubject, "cannot use `before` with a subject")
                    .at(turn.span, "turn with `before`")
                    .help("remove `before`; write a separate scenario for another dialogue")
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

    /// The turns in order, read for the machine of the scenario.
    pub(super) fn iter(&self, machine: &Machine) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        // Names are not checked again. Findings about them were reported when the turns were first read.
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

/// Reports a turn that cannot be replayed on the model, because neither the turn nor the subject provides its intent.
fn check_replay(
    spec: &SubjectSpec,
    turn: &ScenarioTurn,
    machine: &Machine,
    found: &mut Diagnostics,
) {
    if !spec.replays || spec.map.contains(RecordField::Intent) {
        return;
    }
    let line = turn_line(&turn.scripted, machine);
    let mut trial = Diagnostics::default();
    let node = parse_json(SourceMap::default().add("", &*line), &line, 0, &mut trial);
    let played = node.is_some_and(|node| {
        ParsedTurn::read(&node, machine, TurnOptions::default(), &mut trial).is_some()
    });
    if let Some(why) = trial.items().first().filter(|_| !played) {
        Diagnostic::error(Code::BadSubject, format!(
            "cannot replay the turn, as `verify: replay` requires: {}",
            why.title
        ))
            .at(turn.span, "turn")
            .help("add `intent` to the turn, or its location in the answer under `map`; otherwise remove `verify: replay`")
            .add_to(found);
    }
}

/// Reports expected fields that the subject does not provide.
fn check_expected(expectation: &Expectation, spec: &SubjectSpec, found: &mut Diagnostics) {
    for (field, span) in expectation.places() {
        if matches!(field, RecordField::Turn | RecordField::Input) || spec.map.contains(field) {
            continue;
        }
        let provided = spec.map.fields().map(AnswerField::name).joined(", ");
        Diagnostic::error(
            Code::BadSubject,
            format!(
                "the subject does not report `{}`, so it cannot be checked",
                field.name()
            ),
        )
        .at(span, "not reported")
        .help(format!(
            "add its location in the answer under `map`, or remove the expectation; reported fields: {provided}"
        ))
        .add_to(found);
    }
}

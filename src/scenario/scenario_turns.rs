//! The turns of a scenario, with what is expected of each and of the end.

use std::borrow::Cow;

use super::expectation::Expectation;
use super::known_failure::KnownFailures;
use crate::diagnostic::{Diagnostics, Span};
use crate::document::{LongList, Node};
use crate::engine::{Machine, ScriptedTurn};
use crate::script::{ParsedTurn, TurnOptions};

/// A turn of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioTurn {
    /// What to play.
    pub scripted: ScriptedTurn,
    /// What is expected of it.
    pub expectation: Expectation,
    /// What it is known to fall short of.
    pub known_failures: KnownFailures,
    /// Where it is written.
    pub span: Span,
}

/// The turns of a scenario, all of which can be played. So many that they would fill the memory are not held: each is read
/// again when it is its turn.
#[derive(Debug)]
pub struct ScenarioTurns<'n> {
    held: Vec<ScenarioTurn>,
    /// Where there are more, and whether they may be unread.
    more: Option<LongList<'n>>,
    may_be_unread: bool,
    /// How many there are.
    count: usize,
    expects: bool,
    end: Expectation,
}

impl ScenarioTurn {
    /// Reads a turn. `None`, with findings, where it cannot be played.
    pub(super) fn read(
        node: &Node,
        machine: &Machine,
        options: TurnOptions<'_>,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let ParsedTurn { scripted, expect, expected_failure, span } = ParsedTurn::read(node, machine, options, found)?;
        let expectation = expect.and_then(|node| Expectation::read(node, "`expect`", machine, options.names, found));
        let expectation = expectation.unwrap_or_default();
        let known_failures = expected_failure.and_then(|node| KnownFailures::read(node, &expectation, found));
        Some(Self { scripted, expectation, known_failures: known_failures.unwrap_or_default(), span })
    }
}

impl<'n> ScenarioTurns<'n> {
    /// No turns yet.
    pub(super) fn new(more: Option<LongList<'n>>, may_be_unread: bool) -> Self {
        Self { held: Vec::new(), more, may_be_unread, count: 0, expects: false, end: Expectation::default() }
    }

    /// The first turns, which are held.
    pub(super) fn hold(&mut self, turns: Vec<ScenarioTurn>) {
        self.count = turns.len();
        self.expects = turns.iter().any(|turn| !turn.expectation.is_empty());
        self.held = turns;
    }

    /// A further turn, which is not held.
    pub(super) fn count(&mut self, turn: Option<ScenarioTurn>) {
        self.count += 1;
        self.expects |= turn.is_some_and(|turn| !turn.expectation.is_empty());
    }

    /// With what is expected after the last turn.
    pub(super) fn ending(mut self, end: Expectation) -> Self {
        self.expects |= !end.is_empty();
        self.end = end;
        self
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// What is expected after the last one.
    pub(super) fn end(&self) -> &Expectation {
        &self.end
    }

    /// Whether anything is expected anywhere.
    pub fn expects_something(&self) -> bool {
        self.expects
    }

    /// The turns, one after the other, for the machine of the scenario.
    pub(super) fn iter(&self, machine: &Machine) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        // All names are known, and nothing is wrong: it was told when the turns were read first.
        let options = TurnOptions { may_expect: true, may_be_unread: self.may_be_unread, names: None };
        let read = move |node| ScenarioTurn::read(&node, machine, options, &mut Diagnostics::default());
        let more = self.more.into_iter().flat_map(LongList::rest).filter_map(read);
        self.held.iter().map(Cow::Borrowed).chain(more.map(Cow::Owned))
    }
}

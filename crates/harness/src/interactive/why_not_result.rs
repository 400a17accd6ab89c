//! Searches for input lines that reach a state or an action.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use super::line::{InputLine, read_line};
use super::nameable_intents::{INFORMING_INTENT, nameable_intents};
use super::typed_turn::word_of;
use crate::limits::MAX_TRIED_TURNS;
use fsmsim_core::engine::{Machine, ScriptedTurn, Session, Settings};
use fsmsim_core::machine::{ActionId, SOMETHING, SlotId, StateId, compared_values};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::terminal::Joined;

/// The goal of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetourGoal {
    /// Enter a state.
    State(StateId),
    Action(ActionId),
}

/// The result of a search.
pub(super) enum WhyNotResult {
    /// The shortest sequence of lines that reaches the goal.
    Found(Vec<String>),
    /// No sequence within the length limit reaches the goal. Contains the number of turns tried.
    None(usize),
    /// The search stopped at its limit. Contains the number of turns tried.
    GivenUp(usize),
}

/// A line and the turn that it describes.
type Candidate = (Rc<str>, Rc<ScriptedTurn>);

/// A path that the search can extend.
struct OpenPath {
    session: Session,
    lines: Vec<Rc<str>>,
    /// The path provides no data except what states require.
    is_plain: bool,
}

/// A search that starts from one session. Lines are tried as if typed, plain lines first.
pub(super) struct DetourSearch<'m> {
    machine: &'m Arc<Machine>,
    settings: Settings,
    /// For each slot, the values with which conditions compare it.
    values: BTreeMap<SlotId, Vec<String>>,
    /// The intents in the order in which they are tried with data.
    intents: Vec<&'m str>,
    /// Every intent without data.
    plain: Vec<Candidate>,
    /// Every intent with each value that conditions compare, then the same with the informing intent only, if the model
    /// has one.
    with_values: [Vec<Candidate>; 2],
    /// Every intent with the data that a state requires, by that data.
    with_wanted: BTreeMap<String, Vec<Candidate>>,
    seen: BTreeSet<u64>,
    tried: usize,
}

impl<'m> DetourSearch<'m> {
    pub(super) fn new(machine: &'m Arc<Machine>, settings: &Settings) -> Self {
        let values: BTreeMap<SlotId, Vec<String>> = compared_values(machine.conditions.iter())
            .into_iter()
            .map(|(slot, values)| (slot, values.iter().map(word_of).collect()))
            .collect();
        let slots = values
            .iter()
            .map(|(slot, values)| (machine.names.slots.name(*slot), values));
        let pairs: Vec<String> = slots
            .flat_map(|(slot, values)| values.iter().map(move |value| format!("{slot}={value}")))
            .collect();
        let informing = |name: &&str| *name == INFORMING_INTENT;
        let all = |intents: &[&str]| -> Vec<Candidate> {
            let lines = pairs
                .iter()
                .flat_map(|pair| intents.iter().map(move |intent| format!("{intent} {pair}")));
            lines.filter_map(|line| candidate(line, machine)).collect()
        };
        let mut intents: Vec<&str> = nameable_intents(machine).collect();
        let plain = intents
            .iter()
            .filter_map(|name| candidate((*name).to_owned(), machine))
            .collect();
        // If several intents can provide the same data, users expect the one that only provides data.
        intents.sort_by_key(|name| !informing(name));
        let only: Vec<&str> = intents.iter().copied().filter(informing).collect();
        let only = if only.is_empty() { &intents } else { &only };
        Self {
            machine,
            settings: settings.clone(),
            plain,
            with_values: [all(&intents), all(only)],
            values,
            intents,
            with_wanted: BTreeMap::new(),
            seen: BTreeSet::new(),
            tried: 0,
        }
    }

    /// Finds the shortest sequence of lines from a session to a goal, with at most `longest` lines. Among equally short
    /// sequences, those that provide only required data come first.
    pub(super) fn find(
        &mut self,
        from: &Session,
        goal: DetourGoal,
        longest: usize,
    ) -> WhyNotResult {
        let start = OpenPath {
            session: from.clone(),
            lines: Vec::new(),
            is_plain: true,
        };
        let mut level = vec![start];
        self.seen = BTreeSet::from([hash_of(from)]);
        self.tried = 0;
        let mut runner = DialogueRunner::new(self.machine, self.settings.clone(), from.clone());
        let mut is_cut = false;
        for length in 1..=longest {
            let mut next = Vec::new();
            for plain in [true, false] {
                let mut budget = MAX_TRIED_TURNS;
                for path in &level {
                    for (line, turn) in self.candidates(&path.session, length, plain, path.is_plain)
                    {
                        let Some(left) = budget.checked_sub(1) else {
                            break;
                        };
                        budget = left;
                        self.tried += 1;
                        runner.restart(path.session.clone());
                        runner.play_unrecorded(&turn);
                        let position = &runner.session().position;
                        let reached = match goal {
                            DetourGoal::State(state) => position.state == state,
                            DetourGoal::Action(action) => position.action == Some(action),
                        };
                        let lines = || path.lines.iter().cloned().chain([Rc::clone(&line)]);
                        if reached {
                            return WhyNotResult::Found(
                                lines().map(|line| line.to_string()).collect(),
                            );
                        }
                        if length < longest && self.seen.insert(hash_of(runner.session())) {
                            let session = runner.session().clone();
                            next.push(OpenPath {
                                session,
                                lines: lines().collect(),
                                is_plain: plain && path.is_plain,
                            });
                        }
                    }
                }
                is_cut |= budget == 0;
            }
            // Extend paths that changed the state or the data first, because most solutions are among them.
            next.sort_by_key(|path| {
                path.session.position.state == from.position.state
                    && path.session.slots == from.slots
            });
            level = next;
        }
        if is_cut {
            WhyNotResult::GivenUp(self.tried)
        } else {
            WhyNotResult::None(self.tried)
        }
    }

    /// The lines to try. On a plain path, these are every intent without data and every intent with the data that the
    /// state requires. The latter come first if the path is longer than one line. If `plain` is false, each value that
    /// conditions compare is also tried. After the first line, it is tried only with the informing intent, if any.
    /// Paths that are no longer plain also try the plain lines.
    fn candidates(
        &mut self,
        session: &Session,
        length: usize,
        plain: bool,
        is_plain: bool,
    ) -> Vec<Candidate> {
        let mut lines = Vec::new();
        let required = &self.machine.state(session.position.state).required;
        let missing = required
            .iter()
            .copied()
            .filter(|slot| !session.slots.get(*slot).filled());
        if plain == is_plain {
            let wanted = missing.clone().map(|slot| self.sample(slot)).joined(" ");
            let machine = self.machine;
            let intents = &self.intents;
            let mut with = Vec::new();
            if !wanted.is_empty() {
                let known = self.with_wanted.entry(wanted).or_insert_with_key(|wanted| {
                    let lines = intents.iter().map(|intent| format!("{intent} {wanted}"));
                    lines.filter_map(|line| candidate(line, machine)).collect()
                });
                with.clone_from(known);
            }
            let (first, second) = if length == 1 {
                (&self.plain, &with)
            } else {
                (&with, &self.plain)
            };
            lines.extend(first.iter().chain(second).cloned());
        }
        if !plain {
            let [all, only] = &self.with_values;
            lines.extend(if length == 1 { all } else { only }.iter().cloned());
            // A condition may need all missing data, with a specific value among them.
            let pairs = self.values.iter().filter(|_| length == 1);
            let pairs =
                pairs.flat_map(|(slot, values)| values.iter().map(move |value| (slot, value)));
            for (slot, value) in pairs {
                let others = missing
                    .clone()
                    .filter(|missing| missing != slot)
                    .map(|other| self.sample(other))
                    .joined(" ");
                let name = self.machine.names.slots.name(*slot);
                let intent = self.intents.first().copied().unwrap_or(INFORMING_INTENT);
                let line = format!("{intent} {others} {name}={value}");
                lines.extend(candidate(line, self.machine).filter(|_| !others.is_empty()));
            }
        }
        lines
    }

    /// A value for a slot: one with which a condition compares the slot, or else an allowed value or a word. `true` and
    /// `SOMETHING` only fill the slot.
    fn sample(&self, slot: SlotId) -> String {
        let name = self.machine.names.slots.name(slot);
        let value = self.values.get(&slot).and_then(|values| {
            let mut values = values.iter();
            values.find(|value| *value != "true" && *value != SOMETHING)
        });
        let allowed = self.machine.slot(slot).values.first();
        let allowed = allowed.map(word_of);
        let value = value.cloned().or(allowed).unwrap_or_else(|| {
            let is_contact = name.contains("contact");
            let word = if is_contact {
                "a@example.com"
            } else {
                SOMETHING
            };
            word.to_owned()
        });
        format!("{name}={value}")
    }
}

/// The turn that a line describes; `None` if the line is not a turn.
fn candidate(line: String, machine: &Machine) -> Option<Candidate> {
    match read_line(&line, machine, machine.initial, false) {
        Ok(InputLine::Turn(turn)) => Some((line.into(), Rc::new(*turn))),
        _ => None,
    }
}

fn hash_of(session: &Session) -> u64 {
    // The hasher has fixed keys, so that the hash is the same in every run.
    let mut hasher = DefaultHasher::new();
    session.hash(&mut hasher);
    hasher.finish()
}

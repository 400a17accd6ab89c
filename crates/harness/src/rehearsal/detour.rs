//! What would have led elsewhere: a search over what could have been typed.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use super::choices::INFORMING_INTENT;
use super::line::{InputLine, read_line};
use super::typed_turn::word_of;
use crate::limits::MAX_TRIED_TURNS;
use fsmsim_core::engine::{Machine, ScriptedTurn, Session, Settings};
use fsmsim_core::machine::{ActionId, SOMETHING, SlotId, StateId, compared_values};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::terminal::Joined;

/// Where somebody wants the dialogue to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetourGoal {
    /// Into a state.
    State(StateId),
    Action(ActionId),
}

/// What a search came to.
pub(super) enum Detour {
    /// These lines lead there, and no fewer do.
    Found(Vec<String>),
    /// No lines do, within the bound and among what is tried: so many turns.
    None(usize),
    /// None was found before the search was given up behind so many turns.
    GivenUp(usize),
}

/// A line, and the turn that it means.
type Candidate = (Rc<str>, Rc<ScriptedTurn>);

/// A way that goes on.
struct OpenWay {
    session: Session,
    lines: Vec<Rc<str>>,
    /// It brings no data beyond what states want.
    is_plain: bool,
}

/// A search from one session. Lines are tried as they would be typed, the plain ones first.
pub(super) struct DetourSearch<'m> {
    machine: &'m Arc<Machine>,
    settings: Settings,
    /// What conditions compare slots with, by slot.
    values: BTreeMap<SlotId, Vec<String>>,
    /// The intents in the order in which they are tried with data.
    intents: Vec<&'m str>,
    /// Every intent without data.
    plain: Vec<Candidate>,
    /// Every intent with each value with which a condition compares; and the same of the intent that only brings data.
    with_values: [Vec<Candidate>; 2],
    /// Every intent with what states want of data, by that.
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
        let mut intents: Vec<&str> = machine.names.intents.iter().collect();
        let plain = intents
            .iter()
            .filter_map(|name| candidate((*name).to_owned(), machine))
            .collect();
        // Of all that bring the same data, the intent that says nothing else is the one that people expect.
        intents.sort_by_key(|name| !informing(name));
        let only: Vec<&str> = intents.iter().copied().filter(informing).collect();
        Self {
            machine,
            settings: settings.clone(),
            plain,
            with_values: [all(&intents), all(&only)],
            values,
            intents,
            with_wanted: BTreeMap::new(),
            seen: BTreeSet::new(),
            tried: 0,
        }
    }

    /// The fewest lines, at most `longest`, that lead from a session to a goal. Of as many, those come first that bring no data
    /// beyond what states want.
    pub(super) fn find(&mut self, from: &Session, goal: DetourGoal, longest: usize) -> Detour {
        let begun = OpenWay {
            session: from.clone(),
            lines: Vec::new(),
            is_plain: true,
        };
        let mut level = vec![begun];
        (self.seen, self.tried) = (BTreeSet::from([hash_of(from)]), 0);
        let mut runner = DialogueRunner::new(self.machine, self.settings.clone(), from.clone());
        let mut is_cut = false;
        for length in 1..=longest {
            let mut next = Vec::new();
            for plain in [true, false] {
                let mut budget = MAX_TRIED_TURNS;
                for way in &level {
                    for (line, turn) in self.candidates(&way.session, length, plain, way.is_plain) {
                        let Some(left) = budget.checked_sub(1) else {
                            break;
                        };
                        budget = left;
                        self.tried += 1;
                        runner.restart(way.session.clone());
                        runner.play_unrecorded(&turn);
                        let position = &runner.session().position;
                        let reached = match goal {
                            DetourGoal::State(state) => position.state == state,
                            DetourGoal::Action(action) => position.action == Some(action),
                        };
                        let lines = || way.lines.iter().cloned().chain([Rc::clone(&line)]);
                        if reached {
                            return Detour::Found(lines().map(|line| line.to_string()).collect());
                        }
                        if length < longest && self.seen.insert(hash_of(runner.session())) {
                            let session = runner.session().clone();
                            next.push(OpenWay {
                                session,
                                lines: lines().collect(),
                                is_plain: plain && way.is_plain,
                            });
                        }
                    }
                }
                is_cut |= budget == 0;
            }
            // Those that came elsewhere, or know more, go on first: most ways lead through them.
            next.sort_by_key(|way| {
                way.session.position.state == from.position.state && way.session.slots == from.slots
            });
            level = next;
        }
        if is_cut {
            Detour::GivenUp(self.tried)
        } else {
            Detour::None(self.tried)
        }
    }

    /// What could be typed. Where the way is to be plain: every intent, without data and with what the state wants, that first
    /// where the way is long. Else: each value with which a condition compares, behind the first line only with whatever
    /// brings nothing but data; and all that is plain behind a way that was not.
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
            let (machine, intents, mut with) = (self.machine, &self.intents, Vec::new());
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
            // A condition can need all missing data with one certain value in it.
            let pairs = self.values.iter().filter(|_| length == 1);
            let pairs =
                pairs.flat_map(|(slot, values)| values.iter().map(move |value| (slot, value)));
            for (slot, value) in pairs {
                let others = missing.clone().filter(|missing| missing != slot);
                let others = others.map(|other| self.sample(other)).joined(" ");
                let name = self.machine.names.slots.name(*slot);
                let line = format!("{INFORMING_INTENT} {others} {name}={value}");
                lines.extend(candidate(line, self.machine).filter(|_| !others.is_empty()));
            }
        }
        lines
    }

    /// A value for a slot: one that a condition compares it with, else a word. `true` and `SOMETHING` only fill the slot.
    fn sample(&self, slot: SlotId) -> String {
        let name = self.machine.names.slots.name(slot);
        let value = self.values.get(&slot).and_then(|values| {
            let mut values = values.iter();
            values.find(|value| *value != "true" && *value != SOMETHING)
        });
        let value = value.map_or_else(
            || {
                if name.contains("contact") {
                    "a@example.com"
                } else {
                    SOMETHING
                }
            },
            String::as_str,
        );
        format!("{name}={value}")
    }
}

/// What a line means; nothing where it cannot be typed so.
fn candidate(line: String, machine: &Machine) -> Option<Candidate> {
    match read_line(&line, machine, machine.initial, false) {
        Ok(InputLine::Turn(turn)) => Some((line.into(), Rc::new(*turn))),
        _ => None,
    }
}

fn hash_of(session: &Session) -> u64 {
    // The same on every run: the keys of this hasher are fixed.
    let mut hasher = DefaultHasher::new();
    session.hash(&mut hasher);
    hasher.finish()
}

//! What a difference is put down to, so that the same change in many dialogues is told once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use crate::trace::{RuleMark, TracedTurn};

/// What a difference is put down to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseKey {
    /// Switches of the profiles: any one of them alone makes the difference, or (`together`) only all of them do.
    Switches {
        /// Their names.
        names: Vec<&'static str>,
        /// None of them makes it alone.
        together: bool,
        /// It is not the first difference of these dialogues, which is put down to something else.
        besides: bool,
    },
    /// A rule that was edited.
    Rule {
        /// Where it is written.
        place: String,
        /// The mixin that brought it in.
        mixin: Option<String>,
        /// It is the second side's: the first has no such rule.
        added: bool,
    },
    /// What decided there, for want of anything better.
    Decided(Box<Decided>),
}

/// What decided on each side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decided {
    /// What changed.
    pub change: Change,
    /// The class of both, where it is not the same.
    pub class: Option<(String, String)>,
    /// Who decided.
    pub by: (Option<String>, Option<String>),
    /// Why.
    pub why: (Vec<String>, Vec<String>),
    /// By which rule, where that is known.
    pub rule: (Option<String>, Option<String>),
}

/// A change of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What it is about.
    pub kind: DifferenceKind,
    /// The field; `turn` for a turn that only one side has.
    pub field: String,
    /// What it was.
    pub a: Option<String>,
    /// What it is now.
    pub b: Option<String>,
}

/// The differences that are put down to the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What they are put down to.
    pub key: CauseKey,
    /// What decided in the example.
    pub decided: Decided,
    /// The changes, with the numbers of dialogues: the most frequent first.
    pub changes: Vec<(Change, usize)>,
    /// The dialogues, in order. The first one is the example.
    pub dialogues: Vec<String>,
    /// The turn of the example in the first dialogue and in the second one.
    pub turns: (Option<u32>, Option<u32>),
}

impl Decided {
    /// What decided where two dialogues part.
    pub(super) fn of(divergence: &Divergence) -> Self {
        let change = Change::of(divergence);
        let class =
            |turn: &Option<TracedTurn>| turn.as_ref().and_then(|turn| turn.class.clone()).unwrap_or_default();
        let class = (class(&divergence.a), class(&divergence.b));
        let [(by_a, why_a, rule_a), (by_b, why_b, rule_b)] = [&divergence.a, &divergence.b].map(|turn| {
            let part = turn.as_ref().map(|turn| decider(turn, divergence.kind));
            part.unwrap_or_default()
        });
        Self {
            class: (class.0 != class.1).then_some(class),
            by: (by_a, by_b),
            why: (why_a, why_b),
            rule: (rule_a, rule_b),
            change,
        }
    }
}

impl Change {
    fn of(divergence: &Divergence) -> Self {
        let kind = divergence.kind;
        match divergence.fields.first() {
            Some(field) => {
                Self { kind, field: field.field.clone(), a: text_of(&field.a), b: text_of(&field.b) }
            }
            None => {
                let side = |turn: &Option<TracedTurn>| turn.as_ref().map(meant);
                Self { kind, field: "turn".to_owned(), a: side(&divergence.a), b: side(&divergence.b) }
            }
        }
    }
}

impl CauseKey {
    /// What a difference is put down to, where nothing but its turns is known.
    pub(super) fn of(divergence: &Divergence, decided: &Decided) -> Self {
        match edited(divergence) {
            Some((rule, added)) => Self::Rule { place: rule.place.clone(), mixin: rule.mixin.clone(), added },
            None => Self::Decided(Box::new(decided.clone())),
        }
    }
}

/// The edited rule that decided: of the kind of decision that differs before the other, and of the first side before the
/// second.
fn edited(divergence: &Divergence) -> Option<(&RuleMark, bool)> {
    let sides = [(&divergence.a, false), (&divergence.b, true)];
    let of_action =
        sides.map(|(turn, added)| (turn.as_ref().and_then(|turn| turn.rules.action.as_ref()), added));
    let of_move =
        sides.map(|(turn, added)| (turn.as_ref().and_then(|turn| turn.rules.transition.as_ref()), added));
    let order = match divergence.kind {
        DifferenceKind::Action => [of_action, of_move],
        _ => [of_move, of_action],
    };
    let rules = order.into_iter().flatten().filter_map(|(rule, added)| Some((rule?, added)));
    rules.into_iter().find(|(rule, _)| rule.edited)
}

/// Who decided about a kind of difference, why, and by which rule.
fn decider(turn: &TracedTurn, kind: DifferenceKind) -> (Option<String>, Vec<String>, Option<String>) {
    let place = |rule: &Option<RuleMark>| rule.as_ref().map(|rule| rule.place.clone());
    let (answered, moved) = (turn.by.action.is_some(), turn.by.transition.is_some());
    match kind {
        // Reasons are those of the action, then those of the move.
        DifferenceKind::Action => {
            let why = turn.why.iter().take(usize::from(answered)).cloned().collect();
            (turn.by.action.clone(), why, place(&turn.rules.action))
        }
        DifferenceKind::State | DifferenceKind::Phase => {
            let skipped = usize::from(answered && turn.why.len() > 1);
            let why = turn.why.iter().skip(skipped).filter(|_| moved).cloned().collect();
            (turn.by.transition.clone(), why, place(&turn.rules.transition))
        }
        _ => {
            let by: Vec<&str> =
                [&turn.by.action, &turn.by.transition].into_iter().filter_map(|by| by.as_deref()).collect();
            let rule = place(&turn.rules.transition).or_else(|| place(&turn.rules.action));
            ((!by.is_empty()).then(|| by.join(", ")), turn.why.clone(), rule)
        }
    }
}

/// What a turn was about: what was meant, else what was said.
fn meant(turn: &TracedTurn) -> String {
    let text = |key: &str| turn.input.get(key)?.as_str();
    let meant = text("intent").or_else(|| text("goto")).or_else(|| text("say"));
    meant.unwrap_or_else(|| turn.state()).to_owned()
}

/// A value for people; nothing for null.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

/// Differences by what they are put down to.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    by_key: BTreeMap<CauseKey, CauseDraft>,
}

#[derive(Clone, Debug)]
struct CauseDraft {
    decided: Decided,
    turns: (Option<u32>, Option<u32>),
    /// The numbers of the differences in their order.
    differences: Vec<(usize, Change)>,
}

impl Causes {
    /// Adds a difference, by its number.
    pub(super) fn push(&mut self, key: CauseKey, decided: Decided, divergence: &Divergence, number: usize) {
        let change = decided.change.clone();
        let turns = divergence.turns();
        let draft = self.by_key.entry(key);
        let draft = draft.or_insert_with(|| CauseDraft { decided, turns, differences: Vec::new() });
        draft.differences.push((number, change));
    }

    /// The causes so far.
    pub(super) fn keys(&self) -> BTreeSet<CauseKey> {
        self.by_key.keys().cloned().collect()
    }

    /// The causes, those of most dialogues first, each with the numbers of its differences; `name` tells the name of the
    /// dialogue of a difference.
    pub(super) fn finish(self, name: &dyn Fn(usize) -> String) -> Vec<(Cause, Vec<usize>)> {
        let mut causes: Vec<(Cause, Vec<usize>)> = Vec::new();
        for (key, draft) in self.by_key {
            let CauseDraft { decided, turns, differences } = draft;
            let mut counted: BTreeMap<Change, usize> = BTreeMap::new();
            let mut numbers = Vec::new();
            for (number, change) in differences {
                numbers.push(number);
                *counted.entry(change).or_default() += 1;
            }
            let mut changes: Vec<(Change, usize)> = counted.into_iter().collect();
            changes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let dialogues = numbers.iter().map(|number| name(*number)).collect();
            causes.push((Cause { key, decided, changes, dialogues, turns }, numbers));
        }
        // A stable sort: causes of equally many dialogues stay in the order of their keys.
        causes.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.len()));
        causes
    }
}

//! The recent turns of a dialogue and the signals derived from them (docs/src/explanation/sales-policy.md).

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use strum::IntoStaticStr;

use super::NOTHING_KNOWN;
use crate::engine::{Machine, Reads, Signals};
use crate::machine::{Float, Id, IntentId, Signal, StateId, Traits};

/// The number of turns in the window.
const SIZE: usize = 5;

/// The recent turns, and counts of all turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecentTurns {
    pub(crate) turns: SmallVec<[RecentTurn; SIZE]>,
    /// The number of turns in the complete dialogue.
    pub(crate) played: u32,
    /// The number of steps backward in the complete dialogue.
    pub(crate) setbacks: u32,
    /// The number of the first turn that went forward after a step backward.
    pub(crate) breakthrough: Option<u32>,
    /// The number of the last turns that started in the same state.
    pub(crate) stayed: u32,
}

/// A turn in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecentTurn {
    pub intent: IntentId,
    pub(crate) confidence: Float,
    /// The state before the turn.
    pub state: StateId,
    /// The distance along the funnel.
    pub(crate) delta: i64,
    pub(crate) words: u32,
    /// Whether the turn had data.
    pub has_data: bool,
    /// The effect of the turn on the dialogue.
    pub kind: TurnKind,
}

/// The effect of a turn on the dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TurnKind {
    /// The turn moved forward.
    Progress,
    /// The turn moved sideways.
    Sideways,
    /// The turn had no effect.
    Neutral,
    /// The turn was not understood, or did not move.
    Stuck,
    /// The turn moved backward.
    Setback,
}

impl TurnKind {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The data of a turn to add to the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnSummary<'a> {
    pub intent: IntentId,
    pub confidence: Float,
    pub from: StateId,
    pub to: StateId,
    pub say: &'a str,
    pub has_data: bool,
}

impl RecentTurns {
    /// Adds a decided turn.
    pub(crate) fn push(&mut self, turn: &TurnSummary<'_>, machine: &Machine) {
        let funnel = |state| machine.state(state).funnel;
        let delta = match (funnel(turn.from), funnel(turn.to)) {
            (Some(from), Some(to)) => to - from,
            _ => 0,
        };
        let kind = TurnKind::of(machine.intent(turn.intent).traits, delta);
        self.played += 1;
        match kind {
            TurnKind::Setback => self.setbacks += 1,
            TurnKind::Progress if self.setbacks > 0 => {
                self.breakthrough.get_or_insert(self.played);
            }
            _ => {}
        }
        self.stayed = match self.turns.last() {
            Some(last) if last.state == turn.from => self.stayed + 1,
            _ => 1,
        };
        if self.turns.len() == SIZE {
            self.turns.remove(0);
        }
        self.turns.push(RecentTurn {
            intent: turn.intent,
            confidence: turn.confidence,
            state: turn.from,
            delta,
            words: words(turn.say),
            has_data: turn.has_data,
            kind,
        });
    }

    /// The turns of the window, the latest first.
    pub fn latest(&self) -> impl Iterator<Item = &RecentTurn> {
        self.turns.iter().rev()
    }

    /// Clears what no signal in `reads` needs; `here` is the state after the last turn.
    pub(crate) fn reduce(&mut self, reads: &Reads, machine: &Machine, here: StateId) {
        let is_read = |signal| reads.signals.contains_key(&signal);
        let cap = |signal| reads.signals.get(&signal).copied().unwrap_or_default();
        let follows = is_read(Signal::HasBreakthrough) || is_read(Signal::TurnsSinceBreakthrough);
        let any = u32::from(follows && self.setbacks > 0);
        self.setbacks = cap(Signal::TotalObjections)
            .of_count(self.setbacks)
            .max(any);
        let since = self.breakthrough.filter(|_| follows);
        let since = since.map(|turn| self.played.saturating_sub(turn));
        self.breakthrough = since.map(|_| 0);
        self.played = cap(Signal::TurnsSinceBreakthrough).of_count(since.unwrap_or(0));
        let latest = || self.turns.iter().rev();
        let in_state = latest().take_while(|turn| turn.state == here).count();
        let first = latest().next().map(|turn| turn.intent);
        let in_row = latest()
            .take_while(|turn| Some(turn.intent) == first)
            .count();
        // The numbers of turns that the signals look back.
        let windows = [
            (Signal::IsStuck, 3),
            (Signal::HasOscillation, 4),
            (Signal::MomentumDirection, SIZE),
            (Signal::Momentum, SIZE),
            (Signal::EngagementLevel, SIZE),
            (Signal::RepeatedQuestion, SIZE),
            (Signal::ConfidenceTrend, 3),
            (Signal::UnclearCount, SIZE),
            (Signal::ConsecutiveSameState, in_state),
            (Signal::IsProgressing, 2),
        ];
        let window = windows.iter().filter(|(signal, _)| is_read(*signal));
        // One turn shows that the dialogue has begun.
        let window = window.map(|(_, turns)| (*turns).max(1)).max();
        let window =
            window.unwrap_or_else(|| usize::from(follows || is_read(Signal::TotalObjections)));
        self.stayed = match in_state {
            0 => 0,
            _ => cap(Signal::ConsecutiveSameState).of_count(self.stayed),
        };
        let surplus = self.turns.len().saturating_sub(window);
        self.turns.drain(..surplus);
        let momentum = is_read(Signal::Momentum) || is_read(Signal::MomentumDirection);
        let engagement = is_read(Signal::EngagementLevel);
        for (age, turn) in self.turns.iter_mut().rev().enumerate() {
            let traits = machine.intent(turn.intent).traits;
            let keeps_intent = is_read(Signal::IsStuck) && age < in_row.min(3)
                || is_read(Signal::HasOscillation)
                    && traits.intersects(Traits::POSITIVE | Traits::OBJECTION)
                || is_read(Signal::RepeatedQuestion) && traits.contains(Traits::QUESTION)
                || is_read(Signal::UnclearCount) && traits.contains(Traits::UNCLEAR);
            if !keeps_intent {
                turn.intent = IntentId::from_index(usize::MAX);
            }
            if !is_read(Signal::ConfidenceTrend) {
                turn.confidence = Float::new(1.0);
            }
            if !is_read(Signal::ConsecutiveSameState) || age >= in_state {
                turn.state = no_state();
            }
            if !is_read(Signal::IsProgressing) || age >= 2 {
                turn.delta = 0;
            }
            if !engagement {
                turn.words = 0;
                turn.has_data = false;
            }
            if !engagement && !momentum {
                turn.kind = TurnKind::Neutral;
            }
            turn.words = turn.words.min(10);
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The signals of a turn that starts in `state` with `intent`, before its decision. `objections` is the number of
    /// objections so far. `counts_all` counts the first turn of a dialogue, and turns before the window.
    pub(crate) fn derive<'a>(
        &self,
        state: StateId,
        intent: IntentId,
        objections: u32,
        counts_all: bool,
        machine: &'a Machine,
    ) -> Signals<'a> {
        let total_objections = if objections == 0 {
            self.setbacks
        } else {
            objections
        };
        if self.turns.is_empty() {
            return Signals {
                total_objections: i64::from(total_objections),
                consecutive_same_state: i64::from(counts_all),
                ..NOTHING_KNOWN
            };
        }
        let momentum = self.momentum();
        Signals {
            is_stuck: self.is_stuck(),
            has_oscillation: self.has_oscillation(machine),
            momentum_direction: match momentum {
                m if m > 0.2 => "positive",
                m if m < -0.2 => "negative",
                _ => "neutral",
            },
            momentum,
            engagement_level: match self.engagement() {
                e if e >= 0.7 => "high",
                e if e >= 0.5 => "medium",
                e if e >= 0.3 => "low",
                _ => "disengaged",
            },
            repeated_question: self
                .repeated_question(intent, machine)
                .map(|intent| machine.names.intents.name(intent)),
            confidence_trend: self.confidence_trend(),
            total_objections: i64::from(total_objections),
            has_breakthrough: self.breakthrough.is_some(),
            turns_since_breakthrough: self
                .breakthrough
                .map(|turn| i64::from(self.played) - i64::from(turn)),
            unclear_count: self.count(|turn| machine.intent(turn.intent).has(Traits::UNCLEAR)),
            consecutive_same_state: self.consecutive_same_state(state, counts_all),
            is_progressing: self
                .turns
                .iter()
                .rev()
                .take(2)
                .map(|turn| turn.delta)
                .sum::<i64>()
                > 0,
            ..NOTHING_KNOWN
        }
    }

    fn count(&self, test: impl Fn(&RecentTurn) -> bool) -> i64 {
        i64::try_from(self.turns.iter().filter(|turn| test(turn)).count()).unwrap_or(0)
    }

    /// The number of consecutive turns in `state`, including the current turn. The turn that entered the state does not
    /// count.
    fn consecutive_same_state(&self, state: StateId, counts_all: bool) -> i64 {
        let turns = self.turns.iter().rev();
        let run = turns.take_while(|turn| turn.state == state).count();
        let run = i64::try_from(run).unwrap_or(0);
        if counts_all && run > 0 {
            run.max(i64::from(self.stayed)) + 1
        } else {
            run + 1
        }
    }

    fn is_stuck(&self) -> bool {
        let mut last = self.turns.iter().rev().take(3).map(|turn| turn.intent);
        let first = last.next();
        self.turns.len() >= 3 && last.all(|intent| Some(intent) == first)
    }

    /// Whether there were two swings between agreement and objection in the last four turns.
    fn has_oscillation(&self, machine: &Machine) -> bool {
        let start = self.turns.len().saturating_sub(4);
        let last = self.turns.get(start..).unwrap_or_default();
        if last.len() < 3 {
            return false;
        }
        let swings = last.windows(2).filter(|pair| {
            let traits = |at: usize| {
                pair.get(at)
                    .map(|turn| machine.intent(turn.intent).traits)
                    .unwrap_or_default()
            };
            let swing = |a: Traits, b: Traits| {
                a.contains(Traits::POSITIVE) && b.contains(Traits::OBJECTION)
            };
            swing(traits(0), traits(1)) || swing(traits(1), traits(0))
        });
        swings.count() >= 2
    }

    /// The latest intent of the most frequent group of questions, if it was asked at least twice.
    fn repeated_question(&self, intent: IntentId, machine: &Machine) -> Option<IntentId> {
        let asked: SmallVec<[IntentId; SIZE + 1]> = self
            .turns
            .iter()
            .map(|turn| turn.intent)
            .chain([intent])
            .filter(|intent| machine.intent(*intent).has(Traits::QUESTION))
            .collect();
        let same = |a: IntentId, b: IntentId| {
            let group = |intent: IntentId| machine.intent(intent).repeat_group;
            a == b || (group(a).is_some() && group(a) == group(b))
        };
        let mut best: Option<(usize, IntentId)> = None;
        for first in &asked {
            let count = asked.iter().filter(|other| same(*first, **other)).count();
            if count >= 2 && best.is_none_or(|(most, _)| count > most) {
                best = Some((count, *first));
            }
        }
        let (_, first) = best?;
        asked
            .iter()
            .rev()
            .copied()
            .find(|other| same(first, *other))
    }

    fn confidence_trend(&self) -> &'static str {
        let start = self.turns.len().saturating_sub(3);
        let last = self.turns.get(start..).unwrap_or_default();
        let (Some(first), Some(end)) = (last.first(), last.last()) else {
            return "unknown";
        };
        if last.len() < 2 {
            return "unknown";
        }
        match end.confidence.get() - first.confidence.get() {
            change if change > 0.1 => "increasing",
            change if change < -0.1 => "decreasing",
            _ => "stable",
        }
    }

    /// The weighted mean of the effects of the turns; each turn weighs twice as much as the previous turn.
    fn momentum(&self) -> f64 {
        let mut sum = 0.0;
        let mut weights = 0.0;
        let mut weight = 1.0;
        for turn in &self.turns {
            sum += turn.kind.momentum() * weight;
            weights += weight;
            weight *= 2.0;
        }
        (sum / weights).clamp(-1.0, 1.0)
    }

    /// The mean engagement of the user, from 0 to 1.
    fn engagement(&self) -> f64 {
        let each = |turn: &RecentTurn| {
            let words = (f64::from(turn.words) / 10.0).min(1.0) * 0.3;
            let data = if turn.has_data { 0.2 } else { 0.0 };
            (0.5 + words + data + turn.kind.engagement()).clamp(0.0, 1.0)
        };
        let sum: f64 = self.turns.iter().map(each).sum();
        #[expect(clippy::cast_precision_loss, reason = "at most five turns")]
        let count = self.turns.len() as f64;
        sum / count
    }
}

/// A state that a reduced session does not store.
pub(crate) fn no_state() -> StateId {
    StateId::from_index(usize::MAX)
}

/// The number of words in a message, separated by whitespace. Nearly all texts contain only ASCII whitespace, whose
/// bytes are not part of other characters; such texts are counted in chunks.
fn words(text: &str) -> u32 {
    // The number of byte pairs whose count fits in one byte.
    const CHUNK: usize = 64;
    let bytes = text.as_bytes();
    // The first bytes of all non-ASCII whitespace.
    let other = |byte: &u8| matches!(byte, 0xc2 | 0xe1 | 0xe2 | 0xe3);
    if bytes.iter().fold(false, |found, byte| found | other(byte)) {
        return u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX);
    }
    let is_space = |byte: u8| (byte == b' ') | (byte.wrapping_sub(b'\t') < 5);
    let Some((first, rest)) = bytes.split_first() else {
        return 0;
    };
    let begin = |before: &[u8], here: &[u8]| {
        before
            .iter()
            .zip(here)
            .map(|(before, here)| u8::from(is_space(*before) & !is_space(*here)))
            .sum::<u8>()
    };
    let chunks = bytes.chunks(CHUNK).zip(rest.chunks(CHUNK));
    u32::from(!is_space(*first))
        + chunks
            .map(|(before, here)| u32::from(begin(before, here)))
            .sum::<u32>()
}

impl TurnKind {
    fn of(traits: Traits, delta: i64) -> Self {
        match traits {
            traits if traits.contains(Traits::SETBACK) => Self::Setback,
            traits if traits.contains(Traits::SIDEWAYS) => Self::Sideways,
            traits if traits.contains(Traits::STUCK) => Self::Stuck,
            traits if traits.contains(Traits::SOCIAL) => Self::Neutral,
            traits if traits.contains(Traits::ADVANCE) => Self::Progress,
            _ if delta > 0 => Self::Progress,
            _ if delta < 0 => Self::Setback,
            _ => Self::Neutral,
        }
    }

    fn momentum(self) -> f64 {
        match self {
            Self::Progress => 1.0,
            Self::Sideways => 0.2,
            Self::Neutral => 0.0,
            Self::Stuck => -0.3,
            Self::Setback => -1.0,
        }
    }

    fn engagement(self) -> f64 {
        match self {
            Self::Progress => 0.2,
            Self::Sideways => 0.1,
            Self::Neutral => 0.0,
            Self::Stuck => -0.1,
            Self::Setback => -0.2,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::words;

    proptest! {
        #[test]
        fn words_matches_split_whitespace(text in "[aж \t\u{b}\u{1c}\u{85}\u{a0}\u{2003}\u{3000}\u{1680}€]{0,12}") {
            prop_assert_eq!(words(&text) as usize, text.split_whitespace().count());
        }
    }
}

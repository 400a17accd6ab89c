//! The differences between an accepted snapshot and the current result, turn by turn.

use std::collections::BTreeMap;

use super::snapshot_text::SnapshotRecord;
use fsmsim_syntax::document::sequence_edits;

/// The turns in which an accepted snapshot differs from the current result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotDifference {
    pub turns: Vec<TurnDifference>,
}

/// The comparison of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnDifference {
    /// The number of the turn in the current result, or else in the accepted snapshot.
    pub turn: u32,
    pub intent: String,
    /// Which sides have the turn.
    pub presence: TurnPresence,
    /// Whether the turn is the same on both sides.
    pub is_same: bool,
    /// The lines that are the same on both sides.
    pub kept: Vec<String>,
    /// The lines that differ, in their accepted and their current version.
    pub lines: Vec<(Option<String>, Option<String>)>,
    /// The locations of the rules that decided when the snapshot was accepted, and now.
    pub rules: (Option<String>, Option<String>),
}

/// Which sides have a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnPresence {
    Both,
    /// Only the accepted snapshot has the turn.
    Accepted,
    /// Only the current result has the turn.
    Now,
}

/// A turn in the text of a snapshot.
#[derive(Default)]
struct TurnBlock<'t> {
    turn: u32,
    intent: &'t str,
    lines: Vec<&'t str>,
}

impl SnapshotDifference {
    /// Compares an accepted snapshot with the current result.
    pub(super) fn between(old: &SnapshotRecord, new: &SnapshotRecord) -> Self {
        let mut all = Self::dialogue(old, new);
        all.turns.retain(|turn| !turn.is_same);
        all
    }

    /// All turns, including unchanged turns.
    pub(super) fn dialogue(old: &SnapshotRecord, new: &SnapshotRecord) -> Self {
        let before = blocks(&old.text);
        let now = blocks(&new.text);
        let mut turns = Vec::new();
        for step in sequence_edits(&keys(&before), &keys(&now)) {
            let (_, a, b) = step.as_tag_tuple();
            let a = before.get(a).unwrap_or_default();
            let b = now.get(b).unwrap_or_default();
            if a.len() == b.len() {
                turns.extend(
                    a.iter()
                        .zip(b)
                        .map(|(a, b)| of(Some((a, &old.rules)), Some((b, &new.rules)))),
                );
            } else {
                turns.extend(a.iter().map(|block| of(Some((block, &old.rules)), None)));
                turns.extend(b.iter().map(|block| of(None, Some((block, &new.rules)))));
            }
        }
        Self {
            turns: turns.into_iter().flatten().collect(),
        }
    }
}

impl<'t> TurnBlock<'t> {
    /// The key that identifies a turn even if others are inserted before it: the intent and the input.
    fn key(&self) -> (&'t str, &'t str) {
        let input = self.lines.iter().find(|line| line.starts_with("input: "));
        (self.intent, input.copied().unwrap_or_default())
    }
}

type RuledTurn<'t> = (&'t TurnBlock<'t>, &'t BTreeMap<u32, String>);

fn of(a: Option<RuledTurn<'_>>, b: Option<RuledTurn<'_>>) -> Option<TurnDifference> {
    let presence = match (a, b) {
        (Some(_), Some(_)) => TurnPresence::Both,
        (Some(_), None) => TurnPresence::Accepted,
        (None, _) => TurnPresence::Now,
    };
    let shown = b.or(a)?.0;
    let is_same = a
        .zip(b)
        .is_some_and(|((a, _), (b, _))| a.intent == b.intent && a.lines == b.lines);
    let rule = |side: Option<RuledTurn<'_>>| {
        side.and_then(|(block, rules)| rules.get(&block.turn))
            .cloned()
    };
    let lines = |side: Option<RuledTurn<'_>>| {
        side.map(|(block, _)| {
            block
                .lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>()
        })
        .unwrap_or_default()
    };
    let old = lines(a);
    let new = lines(b);
    Some(TurnDifference {
        turn: shown.turn,
        intent: shown.intent.to_owned(),
        presence,
        is_same,
        kept: new
            .iter()
            .filter(|line| old.contains(line))
            .cloned()
            .collect(),
        lines: paired(old, new),
        rules: (rule(a), rule(b)),
    })
}

/// Pairs lines that are about the same field. Omits unchanged lines.
fn paired(a: Vec<String>, b: Vec<String>) -> Vec<(Option<String>, Option<String>)> {
    let field = |line: &str| {
        line.split_once(": ")
            .map_or(line, |(field, _)| field)
            .to_owned()
    };
    let mut now: Vec<Option<String>> = b.into_iter().map(Some).collect();
    let mut pairs = Vec::new();
    for line in a {
        let name = field(&line);
        let fitting = now
            .iter_mut()
            .find(|now| now.as_deref().is_some_and(|now| field(now) == name));
        let other = fitting.and_then(Option::take);
        if other.as_ref() != Some(&line) {
            pairs.push((Some(line), other));
        }
    }
    pairs.extend(now.into_iter().flatten().map(|line| (None, Some(line))));
    pairs
}

fn keys<'t>(blocks: &[TurnBlock<'t>]) -> Vec<(&'t str, &'t str)> {
    blocks.iter().map(TurnBlock::key).collect()
}

/// The turns in the text of a snapshot.
fn blocks(text: &str) -> Vec<TurnBlock<'_>> {
    let mut blocks: Vec<TurnBlock<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("- turn: ") {
            let (turn, intent) = head.split_once("  # ").unwrap_or((head, ""));
            blocks.push(TurnBlock {
                turn: turn.trim().parse().unwrap_or_default(),
                intent,
                lines: Vec::new(),
            });
        } else if let Some(block) = blocks.last_mut() {
            block.lines.push(line.trim());
        } else {
            // Text before the first turn is shown as a turn.
            blocks.push(TurnBlock {
                lines: vec![line.trim()],
                ..TurnBlock::default()
            });
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> SnapshotRecord {
        SnapshotRecord {
            text: text.to_owned(),
            rules: BTreeMap::from([(2, "f:9".to_owned())]),
        }
    }

    #[test]
    fn inserted_turn_leaves_the_other_turns_the_same() {
        let old = SnapshotRecord {
            text: "- turn: 1  # a\n  input: {x: 1}\n  state: s\n- turn: 2  # b\n  input: {}\n  state: t".to_owned(),
            ..SnapshotRecord::default()
        };
        let new = record(
            "- turn: 1  # a\n  input: {x: 1}\n  state: s\n- turn: 2  # c\n  input: {}\n  state: u\n- turn: 3  # b\n  input: {}\n  state: t",
        );
        let difference = SnapshotDifference::between(&old, &new);
        let [only] = difference.turns.as_slice() else {
            panic!("{difference:?}")
        };
        assert_eq!(
            (only.turn, &*only.intent, only.presence),
            (2, "c", TurnPresence::Now)
        );
        assert_eq!(only.rules, (None, Some("f:9".to_owned())));
    }
}

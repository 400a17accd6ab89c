//! The differences between an accepted snapshot and the current result, turn by turn.

use std::collections::BTreeMap;

use super::snapshot_text::SnapshotRecord;
use fsmsim_syntax::document::{sequence_edits, text_diff};

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
    /// The fields that differ, in their accepted and their current version.
    pub fields: Vec<(Option<String>, Option<String>)>,
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
    fields: Vec<String>,
}

impl TurnDifference {
    /// The lines of the fields that differ, as in [`text_diff`].
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let text = |side: &Option<String>| side.clone().unwrap_or_default();
        self.fields
            .iter()
            .flat_map(move |(old, new)| text_diff(&text(old), &text(new)))
    }
}

impl SnapshotDifference {
    /// Compares an accepted snapshot with the current result.
    pub(super) fn between(old: &SnapshotRecord, new: &SnapshotRecord) -> Self {
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

    /// Removes a field that differs in a turn, and returns its accepted value.
    pub fn take(&mut self, turn: u32, field: &str) -> Option<String> {
        let is_here =
            |other: &TurnDifference| other.turn == turn && other.presence != TurnPresence::Accepted;
        let at = self.turns.iter().position(is_here)?;
        let fields = &mut self.turns.get_mut(at)?.fields;
        let value = |side: &Option<String>| {
            let rest = side.as_deref()?.strip_prefix(field)?;
            Some(rest.strip_prefix(':')?.trim_start().to_owned())
        };
        let is_named = |(old, new): &(Option<String>, Option<String>)| {
            value(old).or_else(|| value(new)).is_some()
        };
        let found = fields.iter().position(is_named)?;
        let (old, _) = fields.remove(found);
        if fields.is_empty() {
            self.turns.remove(at);
        }
        Some(value(&old).unwrap_or_else(|| "nothing".to_owned()))
    }
}

impl TurnBlock<'_> {
    /// The key that identifies a turn even if others are inserted before it: the intent and the input.
    fn key(&self) -> (&str, &str) {
        let mut fields = self.fields.iter();
        let input = fields.find(|field| field.starts_with("input: "));
        (self.intent, input.map(String::as_str).unwrap_or_default())
    }
}

type RuledTurn<'t> = (&'t TurnBlock<'t>, &'t BTreeMap<u32, String>);

/// The comparison of a turn. `None` if the turn is the same on both sides.
fn of(a: Option<RuledTurn<'_>>, b: Option<RuledTurn<'_>>) -> Option<TurnDifference> {
    let presence = match (a, b) {
        (Some(_), Some(_)) => TurnPresence::Both,
        (Some(_), None) => TurnPresence::Accepted,
        (None, _) => TurnPresence::Now,
    };
    let shown = b.or(a)?.0;
    let is_same = |((a, _), (b, _)): (RuledTurn<'_>, RuledTurn<'_>)| {
        a.intent == b.intent && a.fields == b.fields
    };
    if a.zip(b).is_some_and(is_same) {
        return None;
    }
    let rule = |side: Option<RuledTurn<'_>>| {
        side.and_then(|(block, rules)| rules.get(&block.turn))
            .cloned()
    };
    let fields = |side: Option<RuledTurn<'_>>| {
        side.map(|(block, _)| block.fields.clone())
            .unwrap_or_default()
    };
    let old = fields(a);
    let new = fields(b);
    Some(TurnDifference {
        turn: shown.turn,
        intent: shown.intent.to_owned(),
        presence,
        fields: paired(old, new),
        rules: (rule(a), rule(b)),
    })
}

/// Pairs fields of the same name. Omits unchanged fields.
fn paired(a: Vec<String>, b: Vec<String>) -> Vec<(Option<String>, Option<String>)> {
    let name_of = |field: &str| {
        field
            .split_once(':')
            .map_or(field, |(name, _)| name)
            .to_owned()
    };
    let mut now: Vec<Option<String>> = b.into_iter().map(Some).collect();
    let mut pairs = Vec::new();
    for field in a {
        let name = name_of(&field);
        let fitting = now
            .iter_mut()
            .find(|now| now.as_deref().is_some_and(|now| name_of(now) == name));
        let other = fitting.and_then(Option::take);
        if other.as_ref() != Some(&field) {
            pairs.push((Some(field), other));
        }
    }
    pairs.extend(now.into_iter().flatten().map(|field| (None, Some(field))));
    pairs
}

fn keys<'t>(blocks: &'t [TurnBlock<'_>]) -> Vec<(&'t str, &'t str)> {
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
                fields: Vec::new(),
            });
        } else if let Some(block) = blocks.last_mut() {
            match block.fields.last_mut() {
                // The lines of a field after its first one have more indentation, or are empty.
                Some(field) if line.is_empty() || line.starts_with("    ") => {
                    field.extend(["\n", line.get(4..).unwrap_or_default()]);
                }
                _ => block.fields.push(line.trim().to_owned()),
            }
        } else {
            // Text before the first turn is shown as a turn.
            blocks.push(TurnBlock {
                fields: vec![line.trim().to_owned()],
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

    #[test]
    fn changed_line_of_a_reply_is_the_only_changed_line() {
        let text = |words: &str| {
            format!(
                "- turn: 1  # a\n  state: s\n  replies:\n    - |-\n      {words}\n\n      End\n  why: [b]"
            )
        };
        let difference = SnapshotDifference::between(&record(&text("One")), &record(&text("Two")));
        let lines: Vec<String> = difference
            .turns
            .iter()
            .flat_map(TurnDifference::lines)
            .collect();
        let expected = [
            "  replies:",
            "  - |-",
            "-   One",
            "+   Two",
            "  ",
            "    End",
        ];
        assert_eq!(lines, expected);
    }
}

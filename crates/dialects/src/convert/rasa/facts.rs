//! The facts that distinguish stories with different answers to the same message.

use std::cmp::Reverse;

use indexmap::IndexSet;

use crate::convert::flow_text::scalar;
use crate::limits::MAX_STORY_FACTS;

const KNOWN: &str = "known: true}";
const UNKNOWN: &str = "known: false}";

/// The conditions of a flow that hold at a point of a story, the most recent one last: `{slot: city, is: Rome}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StoryFacts {
    conditions: IndexSet<String>,
}

impl StoryFacts {
    /// Stores a value in YAML syntax. `kind` is `slot`, or `said` for an entity of the current turn.
    pub(super) fn set(&mut self, kind: &str, name: &str, value: Option<&str>) {
        let subject = format!("{{{kind}: {}, ", scalar(name));
        self.conditions.retain(|it| !it.starts_with(&subject));
        // Conditions do not compare lists.
        let equal = value.filter(|value| !value.starts_with(['[', '{']));
        let equal = equal.map(|value| format!("{subject}is: {value}}}"));
        self.conditions.extend(equal);
        // For a flag, the value matters.
        if kind == "said" || !matches!(value, Some("true" | "false")) {
            let presence = if value.is_some() { KNOWN } else { UNKNOWN };
            self.conditions.insert(subject + presence);
        }
        if self.conditions.len() > MAX_STORY_FACTS {
            self.conditions.shift_remove_index(0);
        }
    }

    /// The facts after the turn, without its entities.
    pub(super) fn after_turn(mut self) -> Self {
        self.conditions.retain(|it| !it.starts_with("{said"));
        self
    }

    /// The number of facts, except slots that are null.
    pub(super) fn weight(&self) -> usize {
        let conditions = self.conditions.iter();
        conditions.filter(|it| !it.ends_with(UNKNOWN)).count()
    }

    /// Whether a condition holds. A slot that no fact mentions is null.
    fn pass(&self, condition: &str) -> bool {
        let has = |it: &String, subject: &str| it.starts_with(subject) && !it.ends_with(UNKNOWN);
        match condition.strip_suffix(UNKNOWN) {
            Some(subject) => !self.conditions.iter().any(|it| has(it, subject)),
            None => self.conditions.contains(condition),
        }
    }

    /// Whether all conditions of the other facts hold.
    pub(super) fn include(&self, other: &Self) -> bool {
        other.conditions.iter().all(|it| self.pass(it))
    }
}

/// A story that takes an edge of the graph.
#[derive(Clone, Debug)]
pub(super) struct StoryWay {
    pub facts: StoryFacts,
    /// The number of the story.
    pub story: usize,
}

/// The branches for the edges of one intent: the conditions of each, and the number of its edge. The first branch whose
/// conditions hold is taken. Calls `conflict` for two edges whose stories nothing distinguishes; the first one wins.
pub(super) fn branches(
    edges: &[Vec<&StoryWay>],
    mut conflict: impl FnMut((usize, &StoryWay), (usize, &StoryWay)),
) -> Vec<(Vec<String>, usize)> {
    let mut branches: Vec<(Vec<String>, usize)> = Vec::new();
    let mut ways: Vec<(usize, &StoryWay)> = Vec::new();
    for (edge, of_edge) in edges.iter().enumerate() {
        ways.extend(of_edge.iter().map(|way| (edge, *way)));
    }
    // Facts that include other facts come first: their conditions exclude the others, but not the reverse.
    ways.sort_by_key(|(edge, way)| (Reverse(way.facts.weight()), *edge));
    for &(edge, way) in &ways {
        let mut when: Vec<String> = Vec::new();
        let mut others = ways.clone();
        others.retain(|(other, _)| *other != edge);
        loop {
            let excluded = |it: &str| others.iter().filter(|(_, way)| !way.facts.pass(it)).count();
            // The most recent one of the conditions that exclude equally many stories is the most natural.
            let best = way.facts.conditions.iter().max_by_key(|it| excluded(it));
            let Some(best) = best.filter(|it| excluded(it) > 0) else {
                break;
            };
            others.retain(|(_, way)| way.facts.pass(best));
            when.push(best.clone());
        }
        let mut same = others.iter();
        let same = same.find(|(other, it)| *other < edge && way.facts.include(&it.facts));
        if let Some(same) = same {
            conflict(*same, (edge, way));
        } else if branches.iter().all(|(known, _)| *known != when) {
            branches.push((when, edge));
        }
    }
    let default = branches.iter().position(|(when, _)| when.is_empty());
    branches.truncate(default.map_or(branches.len(), |default| default + 1));
    branches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(story: usize, facts: &[(&str, &str, &str)]) -> StoryWay {
        let mut way = StoryWay {
            facts: StoryFacts::default(),
            story,
        };
        for (kind, name, value) in facts {
            way.facts.set(kind, name, Some(*value));
        }
        way
    }

    fn conditions(ways: [&StoryWay; 2]) -> Vec<(String, usize)> {
        branches(&ways.map(|way| vec![way]), |_, _| {})
            .into_iter()
            .map(|(when, edge)| (when.join(" and "), edge))
            .collect()
    }

    #[test]
    fn story_without_the_entity_is_the_default() {
        let plain = way(0, &[]);
        let sized = way(1, &[("slot", "size", "big"), ("said", "size", "big")]);
        let expected = [("{said: size, known: true}", 1), ("", 0)];
        assert_eq!(
            conditions([&plain, &sized]),
            expected.map(|(when, edge)| (when.to_owned(), edge))
        );
    }

    #[test]
    fn values_distinguish_stories_with_the_same_slot() {
        let member = way(0, &[("slot", "member", "true")]);
        let other = way(1, &[("slot", "member", "false")]);
        let expected = [
            ("{slot: member, is: true}", 0),
            ("{slot: member, is: false}", 1),
        ];
        assert_eq!(
            conditions([&member, &other]),
            expected.map(|(when, edge)| (when.to_owned(), edge))
        );
    }

    #[test]
    fn equal_facts_are_a_conflict_and_the_first_story_wins() {
        let (first, second) = (way(0, &[]), way(1, &[]));
        let mut conflicts = Vec::new();
        let taken = branches(&[vec![&first], vec![&second]], |(_, first), (_, second)| {
            conflicts.push((first.story, second.story));
        });
        assert_eq!(taken.len(), 1);
        assert_eq!(conflicts, [(0, 1)]);
    }
}

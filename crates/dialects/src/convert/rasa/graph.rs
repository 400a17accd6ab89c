//! A graph of all stories. Stories share common beginnings and common endings.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::story::Story;
use crate::convert::names::{GivenNames, clean};
use crate::convert::omission::Omissions;
use crate::limits::MAX_STORY_ROUNDS;

/// A step of the stories: the actions before it, and the intents that can follow.
#[derive(Debug, Default)]
struct StoryPlace {
    /// The actions before this step.
    did: Vec<String>,
    next: IndexMap<String, (Vec<String>, usize)>,
}

/// An intent, the actions that follow, and the target state.
type StoryEdge<'g> = (&'g str, &'g [String], &'g str);

/// A graph of all stories.
#[derive(Debug)]
pub(super) struct StoryGraph {
    places: Vec<StoryPlace>,
    /// The state name of each step. Steps with equal continuations share a name.
    names: Vec<String>,
    /// The steps of each story, turn by turn, up to the first conflict with an earlier story.
    paths: Vec<Vec<usize>>,
}

impl StoryGraph {
    /// Merges the stories. If two stories answer the same intent with different actions, the first story wins.
    pub(super) fn of(stories: &[Story], left: &mut Omissions) -> Self {
        let mut graph = Self {
            places: vec![StoryPlace::default()],
            names: Vec::new(),
            paths: vec![Vec::new(); stories.len()],
        };
        let mut checkpoints: BTreeMap<&str, usize> = BTreeMap::new();
        let mut open: Vec<(usize, &Story)> = stories.iter().enumerate().collect();
        // A story that starts at a checkpoint can be added only after another story has reached the checkpoint.
        loop {
            let before = open.len();
            open.retain(|(number, story)| {
                let begin = match &story.from {
                    None => Some(0),
                    Some(checkpoint) => checkpoints.get(&**checkpoint).copied(),
                };
                if let Some(begin) = begin {
                    let path = graph.add_story(story, begin, &mut checkpoints, left);
                    if let Some(place) = graph.paths.get_mut(*number) {
                        *place = path;
                    }
                }
                begin.is_none()
            });
            if open.is_empty() || open.len() == before {
                break;
            }
        }
        for (_, story) in open {
            let checkpoint = story.from.as_deref().unwrap_or_default();
            left.add(
                story.span,
                format!(
                    "the story `{}`: no story reaches its checkpoint `{checkpoint}`",
                    story.title
                ),
            );
        }
        graph.name();
        graph
    }

    fn add_story<'s>(
        &mut self,
        story: &'s Story,
        begin: usize,
        checkpoints: &mut BTreeMap<&'s str, usize>,
        left: &mut Omissions,
    ) -> Vec<usize> {
        let mut path = vec![begin];
        let mut at = begin;
        for (number, turn) in story.turns.iter().enumerate() {
            let is_last = number + 1 == story.turns.len();
            let checkpoint = story
                .to
                .as_deref()
                .filter(|_| is_last)
                .and_then(|name| checkpoints.get(name).copied());
            let next = turn
                .intents
                .iter()
                .find_map(|intent| self.next(at, intent))
                .map(|(_, to)| *to)
                .or(checkpoint)
                .unwrap_or_else(|| {
                    self.places.push(StoryPlace {
                        did: turn.actions.clone(),
                        next: IndexMap::new(),
                    });
                    self.places.len() - 1
                });
            for intent in &turn.intents {
                match self.next(at, intent) {
                    Some((actions, _)) if *actions != turn.actions => {
                        let did = if actions.is_empty() {
                            "nothing".to_owned()
                        } else {
                            format!("`{}`", actions.join("`, `"))
                        };
                        let what = format!(
                            "the rest of the story `{}`: another story answers `{intent}` with {did}",
                            story.title
                        );
                        left.add(turn.span, what);
                        return path;
                    }
                    Some(_) => {}
                    None => {
                        if let Some(place) = self.places.get_mut(at) {
                            place
                                .next
                                .insert(intent.clone(), (turn.actions.clone(), next));
                        }
                    }
                }
            }
            at = next;
            path.push(at);
        }
        if let Some(name) = &story.to {
            checkpoints.entry(name).or_insert(at);
        }
        path
    }

    fn next(&self, place: usize, intent: &str) -> Option<&(Vec<String>, usize)> {
        self.places.get(place)?.next.get(intent)
    }

    /// Names each step by its last action. Merges steps with equal continuations.
    fn name(&mut self) {
        let mut classes: Vec<usize> = vec![0; self.places.len()];
        for round in 0..=MAX_STORY_ROUNDS {
            if round == MAX_STORY_ROUNDS {
                // Do not merge the endings of such long stories.
                classes = (0..self.places.len()).collect();
                break;
            }
            let mut known: BTreeMap<_, usize> = BTreeMap::new();
            let mut refined = Vec::with_capacity(classes.len());
            for (number, place) in self.places.iter().enumerate() {
                let next: BTreeSet<_> = place
                    .next
                    .iter()
                    .map(|(intent, (actions, to))| (intent, actions, classes.get(*to).copied()))
                    .collect();
                let fresh = known.len();
                refined.push(
                    *known
                        .entry((number == 0, &place.did, next))
                        .or_insert(fresh),
                );
            }
            let done = refined == classes;
            classes = refined;
            if done {
                break;
            }
        }
        let mut named: BTreeMap<usize, String> = BTreeMap::new();
        let mut given = GivenNames::default();
        for (number, (place, class)) in self.places.iter().zip(&classes).enumerate() {
            let name = named.get(class).cloned().unwrap_or_else(|| {
                let wanted = if number == 0 {
                    "start"
                } else {
                    place.did.last().map_or("silence", |action| &**action)
                };
                given.give(&clean(wanted, "state"))
            });
            named.insert(*class, name.clone());
            self.names.push(name);
        }
    }

    fn name_of(&self, place: usize) -> &str {
        self.names.get(place).map_or("", |name| &**name)
    }

    /// The state in which all stories start.
    pub(super) fn initial(&self) -> &str {
        self.name_of(0)
    }

    /// The states, each with its intents, and with the actions and the target state for each intent.
    pub(super) fn states(&self) -> impl Iterator<Item = (&str, Vec<StoryEdge<'_>>)> {
        let mut seen = BTreeSet::new();
        self.places
            .iter()
            .enumerate()
            .filter(move |(number, _)| seen.insert(self.name_of(*number)))
            .map(|(number, place)| {
                let edges = place.next.iter().map(|(intent, (actions, to))| {
                    (&**intent, actions.as_slice(), self.name_of(*to))
                });
                (self.name_of(number), edges.collect())
            })
    }

    /// The states of a story, turn by turn, up to the first conflict with an earlier story.
    pub(super) fn path(&self, story: usize) -> impl Iterator<Item = &str> {
        self.paths
            .get(story)
            .into_iter()
            .flatten()
            .map(|place| self.name_of(*place))
    }
}

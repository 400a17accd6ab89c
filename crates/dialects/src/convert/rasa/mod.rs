//! Imports Rasa stories, rules and test stories. Stories become a flow, and the utterances of test stories become
//! scenarios.

mod graph;
mod scenarios;
mod story;

use indexmap::IndexMap;

use self::graph::StoryGraph;
use self::story::{Story, StoryRule};
use super::flow_plan::{FlowPlan, StatePlan, TransitionPlan};
use super::names::clean;
use super::{ForeignText, Imported, ImportedFile, flow_text, unusable};
use fsmsim_syntax::document::parse_yaml;

/// Reads stories and converts them to a flow and scenarios.
pub(super) fn read(mut input: ForeignText<'_>, origin: &str) -> Option<Imported> {
    let root = parse_yaml(input.file, input.text, 0, input.found)?;
    let Some(map) = root
        .map()
        .filter(|map| map.get("stories").is_some() || map.get("rules").is_some())
    else {
        let label = "no `stories` or `rules`";
        return unusable("cannot find Rasa stories", root.span, label)
            .help("use a file with `stories:`, such as `data/stories.yml` or `tests/test_stories.yml`")
            .refuse(input.found);
    };
    input.leave_keys(&map.entries, &["version", "stories", "rules"], "");
    let stories: Vec<Story> = story::items(map, "stories", input.found)
        .iter()
        .filter_map(|node| Story::read(node, "story", &mut input))
        .collect();
    let rules: Vec<StoryRule> = story::items(map, "rules", input.found)
        .iter()
        .filter_map(|node| StoryRule::of(&Story::read(node, "rule", &mut input)?, &mut input))
        .collect();
    if input.found.has_errors() {
        return None;
    }
    if stories.iter().all(|story| story.turns.is_empty()) && rules.is_empty() {
        let title = "stories have no user messages";
        return unusable(title, root.span, "no step with `intent` or `user`")
            .help("add stories with steps `intent:` and `action:`")
            .refuse(input.found);
    }
    let graph = StoryGraph::of(&stories, &mut input.left);
    let mut plan = plan(&graph, &rules, &input.name);
    declare_data(&mut plan, &stories, &graph);
    let scenarios = scenarios::write(&stories, &graph, &input.name, origin);
    let mut imported = input.imported(flow_text::write(&plan, origin));
    imported.files.extend(scenarios.map(|text| ImportedFile {
        suffix: ".scenarios.yaml",
        text,
    }));
    Some(imported)
}

/// Declares the slots of the stories as optional data of their states, because scenarios can provide only declared
/// data.
fn declare_data(plan: &mut FlowPlan, stories: &[Story], graph: &StoryGraph) {
    for (number, story) in stories.iter().enumerate() {
        for (turn, state) in story.turns.iter().zip(graph.path(number)) {
            if let Some(state) = plan.states.get_mut(state) {
                state
                    .optional
                    .extend(turn.data.iter().map(|(slot, _)| slot.clone()));
            }
        }
    }
}

/// Converts a graph of stories to a flow. A rule applies in each state in which no story handles its intent.
fn plan(graph: &StoryGraph, rules: &[StoryRule], name: &str) -> FlowPlan {
    let mut plan = FlowPlan {
        name: clean(name, "flow"),
        initial: graph.initial().to_owned(),
        ..FlowPlan::default()
    };
    for (name, edges) in graph.states() {
        let mut state = StatePlan::default();
        for (intent, actions, target) in edges {
            if let Some(action) = actions.first() {
                state.rules.insert(intent.to_owned(), action.clone());
            }
            state
                .moves
                .insert(intent.to_owned(), vec![TransitionPlan::to(target)]);
        }
        for rule in rules {
            if !state.moves.contains_key(&rule.intent) {
                state
                    .rules
                    .entry(rule.intent.clone())
                    .or_insert_with(|| rule.action.clone());
            }
        }
        plan.states.insert(name.to_owned(), state);
    }
    if plan.states.is_empty() {
        plan.states = IndexMap::from([(graph.initial().to_owned(), StatePlan::default())]);
    }
    plan
}

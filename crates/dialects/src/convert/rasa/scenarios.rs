//! Converts test stories to scenarios.

use std::fmt::Write;

use super::graph::StoryGraph;
use super::story::Story;
use crate::convert::flow_text::scalar;
use fsmsim_syntax::terminal::Joined;

/// Converts all stories with utterances to scenarios. Returns `None` if no story contains an utterance.
pub(super) fn write(
    stories: &[Story],
    graph: &StoryGraph,
    name: &str,
    origin: &str,
) -> Option<String> {
    let documents: Vec<String> = stories
        .iter()
        .enumerate()
        .filter(|(_, story)| story.is_test)
        .filter_map(|(number, story)| one(story, number, graph, name))
        .collect();
    if documents.is_empty() {
        return None;
    }
    Some(format!(
        "# Imported from {origin}.\n\n{}",
        documents.join("---\n")
    ))
}

fn one(story: &Story, number: usize, graph: &StoryGraph, name: &str) -> Option<String> {
    let path: Vec<&str> = graph.path(number).collect();
    let begin = path.first()?;
    let mut text = format!(
        "scenario: {}\nmodel: {}\n",
        scalar(&story.title),
        scalar(&format!("./{name}.yaml"))
    );
    if *begin != graph.initial() {
        let _ = writeln!(text, "start: {{state: {}}}", scalar(begin));
    }
    text.push_str("turns:\n");
    let mut turns = 0;
    for (turn, state) in story.turns.iter().zip(path.iter().skip(1)) {
        let mut keys = Vec::new();
        keys.extend(turn.say.as_ref().map(|say| format!("say: {}", scalar(say))));
        keys.extend(
            turn.intents
                .first()
                .map(|intent| format!("intent: {}", scalar(intent))),
        );
        if !turn.data.is_empty() {
            let data = turn
                .data
                .iter()
                .map(|(slot, value)| format!("{}: {}", scalar(slot), scalar(value)));
            keys.push(format!("data: {{{}}}", data.joined(", ")));
        }
        let mut expected = vec![format!("state: {}", scalar(state))];
        expected.extend(
            turn.actions
                .first()
                .map(|action| format!("action: {}", scalar(action))),
        );
        keys.push(format!("expect: {{{}}}", expected.join(", ")));
        let _ = writeln!(text, "  - {{{}}}", keys.join(", "));
        turns += 1;
    }
    (turns > 0).then_some(text)
}

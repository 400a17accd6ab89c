//! Reads stories: user turns and the actions that follow.

use crate::convert::names::clean;
use crate::convert::{ForeignText, unusable};
use fsmsim_syntax::diagnostic::{Diagnostics, Span};
use fsmsim_syntax::document::{Map, Node, text_of, wrong_type};

#[derive(Debug)]
pub(super) struct Story {
    pub title: String,
    pub span: Span,
    /// The checkpoint at which the story starts.
    pub from: Option<String>,
    pub turns: Vec<StoryTurn>,
    /// The checkpoint at which the story ends.
    pub to: Option<String>,
    /// Whether the story contains utterances.
    pub is_test: bool,
}

#[derive(Clone, Debug)]
pub(super) struct StoryTurn {
    /// The possible intents of the turn.
    pub intents: Vec<String>,
    pub say: Option<String>,
    pub data: Vec<(String, String)>,
    pub actions: Vec<String>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct StoryRule {
    pub intent: String,
    pub action: String,
}

/// The items of an optional list.
pub(super) fn items<'n>(map: &'n Map, key: &str, found: &mut Diagnostics) -> &'n [Node] {
    let Some(node) = map.given(key) else {
        return &[];
    };
    if node.list().is_none() {
        wrong_type(node, &format!("`{key}` is a list"), found);
    }
    node.list().unwrap_or_default()
}

impl Story {
    /// Reads a story or a rule. Its title is the value of the key `kind`.
    pub(super) fn read(node: &Node, kind: &str, input: &mut ForeignText<'_>) -> Option<Self> {
        let Some(map) = node.map() else {
            let expected = format!("a {kind} is a map with `{kind}` and `steps`");
            wrong_type(node, &expected, input.found);
            return None;
        };
        let title = map
            .get(kind)
            .and_then(|node| text_of(node, kind, input.found))
            .unwrap_or(kind)
            .to_owned();
        let of = format!(" of the {kind} `{title}`");
        input.leave_keys(&map.entries, &[kind, "steps", "metadata"], &of);
        let mut story = Self {
            title,
            span: node.span,
            from: None,
            turns: Vec::new(),
            to: None,
            is_test: false,
        };
        for step in items(map, "steps", input.found) {
            story.step(step, input);
        }
        story.is_test = story.turns.iter().any(|turn| turn.say.is_some());
        Some(story)
    }

    fn step(&mut self, node: &Node, input: &mut ForeignText<'_>) {
        let Some(map) = node.map() else {
            wrong_type(node, "a step is a map like `intent: greet`", input.found);
            return;
        };
        let text = |key: &str| map.get(key).and_then(Node::text);
        if let Some(alternatives) = map.get("or") {
            let intents: Vec<String> = alternatives
                .items()
                .iter()
                .filter_map(|item| item.get("intent")?.text())
                .map(|intent| clean(intent, "intent"))
                .collect();
            self.turn(intents, None, Vec::new(), node.span);
        } else if map.get("intent").is_some() || map.get("user").is_some() {
            let utterance = text("user").map(|say| MarkedUtterance::read(say.trim()));
            let intent =
                text("intent").map(|intent| clean(intent.trim_start_matches('/'), "intent"));
            let Some(intent) = intent else {
                let title = "missing `intent` in a user step";
                unusable(title, node.span, "no `intent`")
                    .help("add the intent of the message")
                    .add_to(input.found);
                return;
            };
            let (say, mut data) = utterance.map_or((None, Vec::new()), |utterance| {
                (Some(utterance.text), utterance.data)
            });
            for item in map.get("entities").map(Node::items).unwrap_or_default() {
                for (key, value) in item.entries() {
                    match value
                        .text()
                        .filter(|_| !["role", "group"].contains(&&*key.text))
                    {
                        Some(value) if data.iter().all(|(known, _)| **known != *key.text) => {
                            data.push((key.text.to_string(), value.to_owned()));
                        }
                        Some(_) => {}
                        None => input.leave(key.span, format!("`{}` of an entity", key.text)),
                    }
                }
            }
            self.turn(vec![intent], say, data, node.span);
        } else if let Some(action) = text("action") {
            match self.turns.last_mut() {
                _ if action == "action_listen" => {}
                Some(turn) => {
                    if let Some(first) = turn.actions.first() {
                        input.leave(node.span, format!("the action `{action}` after `{first}`"));
                    }
                    turn.actions.push(clean(action, "action"));
                }
                None => input.leave(
                    node.span,
                    format!("the action `{action}` before the first user message"),
                ),
            }
        } else if let Some(checkpoint) = text("checkpoint") {
            if self.turns.is_empty() {
                &mut self.from
            } else {
                &mut self.to
            }
            .replace(checkpoint.to_owned());
        } else {
            let key = map.keys().next().unwrap_or_default();
            input.leave(node.span, format!("`{key}`"));
        }
    }

    fn turn(
        &mut self,
        intents: Vec<String>,
        say: Option<String>,
        data: Vec<(String, String)>,
        span: Span,
    ) {
        if !intents.is_empty() {
            self.turns.push(StoryTurn {
                intents,
                say,
                data,
                actions: Vec::new(),
                span,
            });
        }
    }
}

impl StoryRule {
    /// Reads a rule with one turn. Reports other rules as omitted.
    pub(super) fn of(story: &Story, input: &mut ForeignText<'_>) -> Option<Self> {
        let title = &story.title;
        let [turn] = story.turns.as_slice() else {
            let what = format!("the rule `{title}`: it does not have exactly one user turn");
            input.leave(story.span, what);
            return None;
        };
        let (Some(intent), Some(action)) = (turn.intents.first(), turn.actions.first()) else {
            input.leave(
                story.span,
                format!("the rule `{title}`, which has no intent or action"),
            );
            return None;
        };
        Some(Self {
            intent: intent.clone(),
            action: action.clone(),
        })
    }
}

/// An utterance of a test story and its annotated entities.
struct MarkedUtterance {
    text: String,
    data: Vec<(String, String)>,
}

impl MarkedUtterance {
    /// Parses `in [Rome](city)` or `in [Rome]{"entity": "city", "value": "roma"}`.
    fn read(text: &str) -> Self {
        let mut utterance = Self {
            text: String::new(),
            data: Vec::new(),
        };
        let mut rest = text;
        while let Some((before, marked)) = rest.split_once('[') {
            utterance.text.push_str(before);
            let Some((word, after)) = marked.split_once(']') else {
                utterance.text.push('[');
                rest = marked;
                continue;
            };
            let round = after
                .strip_prefix('(')
                .and_then(|after| after.split_once(')'));
            let curly = after
                .strip_prefix('{')
                .and_then(|after| after.split_once('}'));
            match (round, curly) {
                (Some((entity, after)), _) => {
                    utterance.text.push_str(word);
                    utterance.data.push((entity.to_owned(), word.to_owned()));
                    rest = after;
                }
                (_, Some((marks, after))) => {
                    utterance.text.push_str(word);
                    let marks: serde_json::Value =
                        serde_json::from_str(&format!("{{{marks}}}")).unwrap_or_default();
                    if let Some(entity) = marks.get("entity").and_then(serde_json::Value::as_str) {
                        let value = marks
                            .get("value")
                            .and_then(serde_json::Value::as_str)
                            .unwrap_or(word);
                        utterance.data.push((entity.to_owned(), value.to_owned()));
                    }
                    rest = after;
                }
                _ => {
                    utterance.text.push('[');
                    rest = marked;
                }
            }
        }
        utterance.text.push_str(rest);
        utterance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_extracted_from_an_utterance() {
        let utterance = MarkedUtterance::read(
            "from [Rome](city) to [NYC]{\"entity\": \"goal\", \"value\": \"new york\"} [now",
        );
        assert_eq!(utterance.text, "from Rome to NYC [now");
        let data: Vec<_> = utterance
            .data
            .iter()
            .map(|(key, value)| (&**key, &**value))
            .collect();
        assert_eq!(data, [("city", "Rome"), ("goal", "new york")]);
    }
}

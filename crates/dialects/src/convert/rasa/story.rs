//! A story as it is written: what a user says, and what is done about it.

use crate::convert::names::clean;
use crate::convert::{ForeignText, unusable};
use fsmsim_syntax::diagnostic::{Diagnostics, Span};
use fsmsim_syntax::document::{Map, Node, text_of, wrong_type};

#[derive(Debug)]
pub(super) struct Story {
    pub(super) title: String,
    pub(super) span: Span,
    /// The checkpoint with which it goes on.
    pub(super) from: Option<String>,
    pub(super) turns: Vec<StoryTurn>,
    /// The checkpoint at which others go on.
    pub(super) to: Option<String>,
    /// Whether it says what users say, in their words.
    pub(super) is_test: bool,
}

#[derive(Clone, Debug)]
pub(super) struct StoryTurn {
    /// The intents that may stand here.
    pub(super) intents: Vec<String>,
    pub(super) say: Option<String>,
    pub(super) data: Vec<(String, String)>,
    pub(super) actions: Vec<String>,
    pub(super) span: Span,
}

/// A rule of one turn.
#[derive(Debug)]
pub(super) struct StoryRule {
    pub(super) intent: String,
    pub(super) action: String,
}

/// The items of a list that may be missing.
pub(super) fn items<'n>(map: &'n Map, key: &str, found: &mut Diagnostics) -> &'n [Node] {
    let Some(node) = map.get(key).filter(|node| !node.is_null()) else {
        return &[];
    };
    if node.list().is_none() {
        wrong_type(node, &format!("`{key}` is a list"), found);
    }
    node.list().unwrap_or_default()
}

impl Story {
    /// Reads a story or a rule, which has its title under `kind`.
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
            wrong_type(
                node,
                "a step is a map, such as `intent: greet`",
                input.found,
            );
            return;
        };
        let text = |key: &str| map.get(key).and_then(Node::text);
        if let Some(alternatives) = map.get("or") {
            let intents = alternatives
                .items()
                .iter()
                .filter_map(|item| item.get("intent")?.text());
            let intents: Vec<String> = intents.map(|intent| clean(intent, "intent")).collect();
            self.turn(intents, None, Vec::new(), node.span);
        } else if map.get("intent").is_some() || map.get("user").is_some() {
            let said = text("user").map(|say| MarkedUtterance::read(say.trim()));
            let intent =
                text("intent").map(|intent| clean(intent.trim_start_matches('/'), "intent"));
            let Some(intent) = intent else {
                let title = "what a user says here has no `intent`";
                unusable(title, node.span, "no `intent`")
                    .help("give the intent that the words mean")
                    .add_to(input.found);
                return;
            };
            let (say, mut data) =
                said.map_or((None, Vec::new()), |said| (Some(said.text), said.data));
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
                        input.leave(node.span, format!("the action `{action}` behind `{first}`"));
                    }
                    turn.actions.push(clean(action, "action"));
                }
                None => input.leave(
                    node.span,
                    format!("the action `{action}` before anybody has said anything"),
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
    /// A rule of one turn; others are told.
    pub(super) fn of(story: &Story, input: &mut ForeignText<'_>) -> Option<Self> {
        let title = &story.title;
        let [turn] = story.turns.as_slice() else {
            let what = format!("the rule `{title}`: it is not about one turn of the user");
            input.leave(story.span, what);
            return None;
        };
        let (Some(intent), Some(action)) = (turn.intents.first(), turn.actions.first()) else {
            input.leave(
                story.span,
                format!("the rule `{title}`, which does nothing"),
            );
            return None;
        };
        Some(Self {
            intent: intent.clone(),
            action: action.clone(),
        })
    }
}

/// What a user says in a test story, and the entities that are marked in it.
struct MarkedUtterance {
    text: String,
    data: Vec<(String, String)>,
}

impl MarkedUtterance {
    /// Reads `in [Rome](city)`, or `in [Rome]{"entity": "city", "value": "roma"}`.
    fn read(text: &str) -> Self {
        let mut said = Self {
            text: String::new(),
            data: Vec::new(),
        };
        let mut rest = text;
        while let Some((before, marked)) = rest.split_once('[') {
            said.text.push_str(before);
            let Some((word, behind)) = marked.split_once(']') else {
                said.text.push('[');
                rest = marked;
                continue;
            };
            let round = behind
                .strip_prefix('(')
                .and_then(|behind| behind.split_once(')'));
            let curly = behind
                .strip_prefix('{')
                .and_then(|behind| behind.split_once('}'));
            match (round, curly) {
                (Some((entity, behind)), _) => {
                    said.text.push_str(word);
                    said.data.push((entity.to_owned(), word.to_owned()));
                    rest = behind;
                }
                (_, Some((marks, behind))) => {
                    said.text.push_str(word);
                    let marks: serde_json::Value =
                        serde_json::from_str(&format!("{{{marks}}}")).unwrap_or_default();
                    if let Some(entity) = marks.get("entity").and_then(serde_json::Value::as_str) {
                        let value = marks
                            .get("value")
                            .and_then(serde_json::Value::as_str)
                            .unwrap_or(word);
                        said.data.push((entity.to_owned(), value.to_owned()));
                    }
                    rest = behind;
                }
                _ => {
                    said.text.push('[');
                    rest = marked;
                }
            }
        }
        said.text.push_str(rest);
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_taken_out_of_what_is_said() {
        let said = MarkedUtterance::read(
            "from [Rome](city) to [NYC]{\"entity\": \"goal\", \"value\": \"new york\"} [now",
        );
        assert_eq!(said.text, "from Rome to NYC [now");
        let data: Vec<_> = said
            .data
            .iter()
            .map(|(key, value)| (&**key, &**value))
            .collect();
        assert_eq!(data, [("city", "Rome"), ("goal", "new york")]);
    }
}

//! Stories, rules and test stories: user turns, and the actions that follow.

use super::domain::RasaDomain;
use super::facts::StoryFacts;
use super::utterance::{NamedValues, intent_name, named_values, read_utterance};
use crate::convert::names::{clean, slot_name};
use crate::convert::omission::Omissions;
use fsmsim_syntax::diagnostic::{Diagnostics, Span};
use fsmsim_syntax::document::{Map, Node, wrong_type};

/// The context of a turn without the history of the dialogue: the active form, and the last action or checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoryContext {
    pub form: Option<String>,
    pub last: Option<String>,
}

#[derive(Debug)]
pub(super) struct Story {
    pub title: String,
    pub span: Span,
    pub is_rule: bool,
    /// Whether the rule applies only if no form is active.
    pub excludes_forms: bool,
    pub start: StoryContext,
    /// The slots that are set before the first turn.
    pub slots: NamedValues,
    pub turns: Vec<StoryTurn>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StoryTurn {
    /// The possible intents of the turn with their entities, or the event that ends a form.
    pub triggers: Vec<(String, NamedValues)>,
    /// The form that ends in this turn, without a message of the user.
    pub ended: Option<String>,
    pub say: Option<String>,
    /// The slots that are set in the turn, except those with the name of an entity.
    pub slots: NamedValues,
    pub actions: Vec<String>,
    /// The active form after the turn.
    pub form: Option<String>,
    /// The checkpoint after the turn.
    pub checkpoint: Option<String>,
}

/// The event that ends a form.
pub(super) fn end_of(form: &str) -> String {
    format!("{form}_done")
}

/// The name of several actions as one action of a flow.
pub(super) fn joined(actions: &[String]) -> String {
    actions.join(" + ")
}

impl StoryTurn {
    /// A turn in which a form ends.
    pub(super) fn end(form: &str) -> Self {
        Self {
            triggers: vec![(end_of(form), NamedValues::new())],
            ended: Some(form.to_owned()),
            ..Self::default()
        }
    }

    /// The facts in this turn, after its actions, if a trigger with these entities starts it.
    pub(super) fn facts(&self, entities: &NamedValues, before: &StoryFacts) -> StoryFacts {
        let mut facts = before.clone();
        // A flow stores all data, so an entity is also a slot.
        for (slot, value) in self.slots.iter().chain(entities) {
            facts.set("slot", slot, value.as_deref());
        }
        for (entity, value) in entities {
            facts.set("said", entity, value.as_deref());
        }
        facts
    }
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

/// A story that is being read.
pub(super) struct StoryReader<'r> {
    story: Story,
    /// The active form.
    form: Option<String>,
    domain: &'r mut RasaDomain,
    left: &'r mut Omissions,
    found: &'r mut Diagnostics,
}

impl<'r> StoryReader<'r> {
    /// Reads a story or a rule. `kind` is the key of its title.
    pub(super) fn read(
        node: &Node,
        kind: &'static str,
        domain: &'r mut RasaDomain,
        left: &'r mut Omissions,
        found: &'r mut Diagnostics,
    ) -> Option<Story> {
        let Some(map) = node.map() else {
            let expected = format!("a {kind} is a map with `{kind}` and `steps`");
            wrong_type(node, &expected, found);
            return None;
        };
        let title = map.get(kind);
        let story = Story {
            title: title.and_then(Node::text).unwrap_or(kind).to_owned(),
            span: title.map_or(node.span, |title| title.span),
            is_rule: kind == "rule",
            excludes_forms: false,
            start: StoryContext::default(),
            slots: NamedValues::new(),
            turns: Vec::new(),
        };
        for (key, _) in &map.entries {
            if ![
                kind,
                "condition",
                "steps",
                "metadata",
                "wait_for_user_input",
            ]
            .contains(&&*key.text)
            {
                left.count("key of a story or rule", key.span, &key.text);
            }
        }
        let steps = items(map, "condition", found).iter();
        let steps = steps.chain(items(map, "steps", found));
        let mut reader = Self {
            story,
            form: None,
            domain,
            left,
            found,
        };
        for step in steps {
            reader.step(step);
        }
        Some(reader.story)
    }

    fn step(&mut self, node: &Node) {
        let Some(map) = node.map() else {
            // In a rule, dots represent any steps.
            if node.text() != Some("...") {
                wrong_type(node, "a step is a map like `intent: greet`", self.found);
            }
            return;
        };
        if map.get("or").or_else(|| map.get("intent")).is_some() || map.get("user").is_some() {
            self.user(
                node,
                map.get("or")
                    .map_or(std::slice::from_ref(node), Node::items),
            );
        } else if let Some(action) = map.get("action").and_then(Node::text) {
            self.action(action);
        } else if let Some(form) = map.get("active_loop") {
            self.activate(form.text().map(|name| clean(name, "action")));
        } else if let Some(slots) = map.get("slot_was_set") {
            self.slots(slots);
        } else if let Some(checkpoint) = map.get("checkpoint").and_then(Node::text) {
            let last = match self.story.turns.last_mut() {
                Some(turn) => &mut turn.checkpoint,
                None => &mut self.story.start.last,
            };
            *last = Some(format!("checkpoint {checkpoint}"));
        } else if let Some(key) = map.keys().next() {
            self.left.count("step of a story", node.span, key);
        }
    }

    fn user(&mut self, node: &Node, alternatives: &[Node]) {
        let user = node.get("user").and_then(Node::text);
        let read = user.map(|text| read_utterance(text.trim()));
        let (said, entities) = read.unwrap_or_default();
        let mut turn = StoryTurn {
            say: user.map(|_| said),
            form: self.form.clone(),
            ..StoryTurn::default()
        };
        for item in alternatives {
            let mut all = entities.clone();
            let entities = item.get("entities").map(named_values);
            for (name, value) in entities.unwrap_or_default() {
                if !["role", "group"].contains(&name) {
                    all.entry(slot_name(name, "entity")).or_insert(value);
                }
            }
            for entity in all.keys() {
                self.domain.slots.entry(entity.clone()).or_default();
            }
            let intent = item.get("intent").and_then(Node::text);
            turn.triggers
                .extend(intent.map(|it| (intent_name(it), all)));
        }
        if turn.triggers.is_empty() {
            let kind = "rest of a story after a step without an intent";
            self.left.count(kind, node.span, &self.story.title);
        }
        self.story.turns.push(turn);
    }

    fn action(&mut self, action: &str) {
        if action == "action_listen" {
            return;
        }
        let action = clean(action, "action");
        if self.domain.forms.contains_key(&action) {
            self.activate(Some(action.clone()));
        }
        match self.story.turns.last_mut() {
            Some(turn) => turn.actions.push(action),
            None => self.story.start.last = Some(action),
        }
    }

    /// Activates a form, or ends the active one. A form ends in a turn of its own, unless another action ends it.
    fn activate(&mut self, form: Option<String>) {
        match &form {
            Some(form) => {
                self.domain.forms.entry(form.clone()).or_default();
            }
            None => self.story.excludes_forms |= self.story.turns.is_empty(),
        }
        let ended = std::mem::replace(&mut self.form, form).filter(|_| self.form.is_none());
        let Some(turn) = self.story.turns.last_mut() else {
            let start = &mut self.story.start;
            match ended.filter(|ended| start.last.as_ref().is_none_or(|last| last == ended)) {
                // A form is always the last action before its end.
                Some(ended) => {
                    start.last = None;
                    self.story.turns.push(StoryTurn::end(&ended));
                }
                None => start.form.clone_from(&self.form),
            }
            return;
        };
        match ended.filter(|ended| turn.actions.last() == Some(ended)) {
            Some(ended) => self.story.turns.push(StoryTurn::end(&ended)),
            None => turn.form.clone_from(&self.form),
        }
    }

    fn slots(&mut self, slots: &Node) {
        for (name, value) in named_values(slots) {
            let name = slot_name(name, "slot");
            // This slot is null if a form has ended.
            if name == "requested_slot" && value.is_none() {
                continue;
            }
            self.domain.slots.entry(name.clone()).or_default();
            let Some(turn) = self.story.turns.last_mut() else {
                self.story.slots.insert(name, value);
                continue;
            };
            let mut triggers = turn.triggers.iter();
            if !triggers.any(|(_, entities)| entities.contains_key(&name)) {
                turn.slots.insert(name, value);
            }
        }
    }
}

//! Resolved states into the machine: placeholders filled in, names minted, rules and targets checked.

use std::borrow::Cow;
use std::rc::Rc;

use super::nodes;
use super::placeholder::{Filled, unfilled};
use super::rules::Gives;
use super::state_lowering::{FlowDraft, StateLowering};
use crate::dialect::ops;
use fsmsim_core::machine::{ActionId, PhaseId, RuleId, SlotId, Target, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::document::{
    Atom, Content, Map, Node, boolean_of, count_of, integer_of, text_of, wrong_type,
};
use fsmsim_syntax::shapes;

impl<'a> StateLowering<'a, '_> {
    /// Declares a state and mints its slots, so that names come in the order of the file.
    pub(super) fn declare(&mut self, draft: &FlowDraft<'a>) {
        let id = self.builder.state(draft.name);
        let required = self.slots(draft, "required_data");
        let optional = self.slots(draft, "optional_data");
        let arrival = self
            .builder
            .action(&format!("transition_to_{}", draft.name));
        let state = &mut self.builder.states[id];
        state.declared = true;
        state.span = Some(draft.span);
        state.arrival = Some(arrival);
        state.required = required.into();
        state.optional = optional.into();
    }

    /// Everything else of a state; all states are declared by now.
    pub(super) fn complete(&mut self, draft: &FlowDraft<'a>) {
        let id = self.builder.state(draft.name);
        self.builder.states[id].goal = self.text(draft, "goal").map(Into::into);
        self.builder.states[id].is_final = self.is_final(draft);
        if !self.switches.dag && nodes::is_node(draft) {
            self.builder.well_known.idle_node.get_or_insert(id);
        }
        if self.switches.dag {
            self.builder.states[id].node = self.node(draft).map(Box::new);
            self.builder.states[id].history = self.history(draft);
            self.builder.states[id].region = self.region(draft);
        }
        let max_turns = self.integer(draft, "max_turns_in_state").unwrap_or(0);
        self.builder.states[id].max_turns = max_turns;
        self.builder.states[id].simulation_visits =
            self.count(draft, "max_simulation_visits").unwrap_or(0);
        let consecutive = self
            .count(draft, "max_simulation_consecutive")
            .unwrap_or_else(|| {
                // A state that is left by force after so many turns is stuck one turn later.
                u32::try_from(max_turns)
                    .ok()
                    .filter(|turns| *turns > 0)
                    .map_or(0, |turns| turns.saturating_add(1))
            });
        self.builder.states[id].simulation_consecutive = consecutive;
        let threshold = self
            .integer(draft, "phase_exhaust_threshold")
            .unwrap_or(self.phase_exhaust);
        self.builder.states[id].exhaust_threshold = threshold;
        let fallback = draft.resolved.fields.get("max_turns_fallback");
        self.builder.states[id].fallback =
            fallback.map_or(Target::None, |entry| self.target(draft, entry, true));
        let (enter_action, set_flags, entry) = self.on_enter(draft);
        self.builder.states[id].enter_action = enter_action;
        self.builder.states[id].entry = entry;
        self.builder.states[id].set_flags = set_flags.into();
        self.builder.states[id].rules = self.table(draft, Gives::Action);
        self.builder.states[id].transitions = self.table(draft, Gives::State);
        let mut named = |name: &str| {
            let entry = draft.resolved.transitions.get(name);
            entry.map_or(Target::None, |entry| self.target(draft, entry, false))
        };
        let (go_back, data_complete, any) =
            (named("go_back"), named("data_complete"), named("any"));
        let state = &mut self.builder.states[id];
        (state.go_back, state.data_complete, state.any) = (go_back, data_complete, any);
        self.check_keys(draft);
    }

    /// Whether branches are started: not under a profile that takes forks for places.
    pub(super) fn has_branches(&self) -> bool {
        self.has_forks && self.switches.dag
    }

    /// The phase that a state gives itself.
    pub(super) fn own_phase(&mut self, draft: &FlowDraft<'a>) -> Option<PhaseId> {
        let name = ["phase", "spin_phase"]
            .into_iter()
            .find_map(|key| self.text(draft, key).filter(|name| !name.is_empty()));
        name.map(|name| self.builder.phase(&name))
    }

    fn slots(&mut self, draft: &FlowDraft<'a>, key: &str) -> Vec<SlotId> {
        let Some(node) = Self::field(draft, key) else {
            return Vec::new();
        };
        let mut slots = Vec::new();
        for item in node.items().iter().filter(|item| !item.is_null()) {
            if let Some(name) = self.name_in(draft, item, key) {
                slots.push(self.builder.slot(&name));
            }
        }
        slots
    }

    /// The value of a field, its placeholder filled in where it is nothing else.
    pub(super) fn field(draft: &FlowDraft<'a>, key: &str) -> Option<&'a Node> {
        let node = draft.resolved.fields.get(key)?.value.node()?;
        let node = match node.text().map(|text| draft.parameters.fill(text)) {
            Some(Filled::Value(value)) if !has_placeholder(value) => value,
            _ => node,
        };
        (!node.is_null()).then_some(node)
    }

    fn text(&mut self, draft: &FlowDraft<'a>, key: &str) -> Option<Cow<'a, str>> {
        let node = Self::field(draft, key)?;
        self.name_in(draft, node, key)
    }

    /// The text of a scalar with its placeholders filled in; a finding where it is none or one is left over.
    pub(super) fn name_in<'n>(
        &mut self,
        draft: &FlowDraft<'a>,
        node: &'n Node,
        what: &str,
    ) -> Option<Cow<'n, str>>
    where
        'a: 'n,
    {
        let text = text_of(node, what, self.found)?;
        match draft.parameters.fill(text) {
            Filled::Text(text) => {
                if text.contains('{') {
                    self.left_over(draft, &text, node.span);
                }
                Some(text)
            }
            Filled::Value(value) => {
                if value.text().is_none() {
                    let expected =
                        format!("`{what}` is a text, and `{text}` stands for this value");
                    wrong_type(value, &expected, self.found);
                }
                if has_placeholder(value) {
                    self.nested(draft, text, value, node.span);
                }
                value.text().map(Cow::Borrowed)
            }
            Filled::TooLarge => {
                let finding =
                    Diagnostic::error(Code::TooDeep, "placeholders make a text longer than 64 KiB");
                self.issues.add(
                    finding
                        .at(node.span, "grows too large")
                        .help("shorten the values"),
                    draft.name,
                );
                None
            }
        }
    }

    /// Reports the placeholders that are left in a text.
    fn left_over(&mut self, draft: &FlowDraft<'a>, text: &str, span: Span) {
        for name in unfilled(text) {
            let title = format!("the placeholder `{{{{{name}}}}}` has no value");
            let otherwise =
                format!("define `{name}` in the flow's `variables` or in the state's `parameters`");
            let finding =
                Diagnostic::error(Code::UnresolvedPlaceholder, title).at(span, "no value");
            self.issues.add(
                finding.near(name, draft.parameters.names(), otherwise),
                draft.name,
            );
        }
    }

    /// Reports a placeholder whose value is again one: values are not filled in themselves.
    fn nested(&mut self, draft: &FlowDraft<'a>, text: &str, value: &Node, span: Span) {
        let inner = value.text().unwrap_or_default();
        let title = format!("`{text}` stands for `{inner}`, which stays as it is");
        let finding = Diagnostic::error(Code::UnresolvedPlaceholder, title)
            .at(span, "not filled in")
            .at(value.span, "its value")
            .help(format!(
                "write `{inner}` where `{text}` is used, or give the parameter a plain value"
            ));
        self.issues.add(finding, draft.name);
    }

    /// Whether the state ends the dialogue. Under `reference` any value that is not empty is a yes.
    fn is_final(&mut self, draft: &FlowDraft<'a>) -> bool {
        match Self::field(draft, "is_final") {
            None => false,
            Some(node) if self.switches.strict_load => {
                boolean_of(node, "is_final", self.found).unwrap_or(false)
            }
            Some(node) => Value::from(node).truthy(),
        }
    }

    fn integer(&mut self, draft: &FlowDraft<'a>, key: &'static str) -> Option<i64> {
        let node = Self::field(draft, key)?;
        integer_of(node, key, self.found)
    }

    fn count(&mut self, draft: &FlowDraft<'a>, key: &'static str) -> Option<u32> {
        let node = Self::field(draft, key)?;
        count_of(node, key, self.found)
    }

    /// `on_enter`: an action, or a map with `action`, `set_flags` and operations.
    fn on_enter(
        &mut self,
        draft: &FlowDraft<'a>,
    ) -> (Option<ActionId>, Vec<(SlotId, Value)>, Option<RuleId>) {
        let Some(node) = Self::field(draft, "on_enter") else {
            return (None, Vec::new(), None);
        };
        let Some(map) = node.map() else {
            let action = self.name_in(draft, node, "on_enter");
            return (
                action.map(|name| self.builder.action(&name)),
                Vec::new(),
                None,
            );
        };
        shapes::ON_ENTER.check(map, self.found);
        let action = map
            .get("action")
            .filter(|node| !node.is_null())
            .and_then(|node| self.name_in(draft, node, "action"));
        let action = action
            .filter(|name| !name.is_empty())
            .map(|name| self.builder.action(&name));
        let flags = map.get("set_flags").into_iter().flat_map(Node::entries);
        let flags = flags.map(|(key, node)| {
            let value = self.value(draft, node);
            (self.builder.slot(&key.text), value)
        });
        let flags = flags.collect();
        let origin = self.own_origin(draft);
        let ops = map
            .entries
            .iter()
            .filter(|(key, _)| ops::KEYS.contains(&&*key.text));
        let ops: Vec<_> = ops
            .flat_map(|(key, node)| self.ops(draft, &key.text, node, origin))
            .collect();
        let entry = (!ops.is_empty()).then(|| {
            let rule = self.builder.rule(node.span, origin);
            self.builder.give_ops(rule, ops);
            rule
        });
        (action, flags, entry)
    }

    /// A value with the placeholders in its texts filled in.
    fn value(&mut self, draft: &FlowDraft<'a>, node: &'a Node) -> Value {
        match &node.content {
            Content::Scalar(scalar) => match scalar.atom() {
                Atom::Text(text) if text.contains("{{") => match draft.parameters.fill(text) {
                    Filled::Value(value) if !has_placeholder(value) => Value::from(value),
                    _ => self
                        .name_in(draft, node, "a value")
                        .map_or(Value::Null, |text| Value::text(&text)),
                },
                _ => Value::from(node),
            },
            Content::List(items) => {
                Value::List(items.iter().map(|item| self.value(draft, item)).collect())
            }
            Content::Map(map) => Value::Map(
                map.entries
                    .iter()
                    .map(|(key, item)| ((*key.text).into(), self.value(draft, item)))
                    .collect(),
            ),
        }
    }

    /// A value as it is written, with the placeholders in its texts filled in.
    pub(super) fn filled(&mut self, draft: &FlowDraft<'a>, node: &Node) -> Node {
        let content = match &node.content {
            Content::Scalar(scalar) if scalar.text.contains("{{") => {
                match draft.parameters.fill(&scalar.text) {
                    Filled::Value(value) if !has_placeholder(value) => return value.clone(),
                    _ => {
                        let text = self.name_in(draft, node, "a value").unwrap_or_default();
                        return Node::quoted(&text, node.span);
                    }
                }
            }
            Content::Scalar(scalar) => Content::Scalar(scalar.clone()),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.filled(draft, item)).collect())
            }
            Content::Map(map) => {
                let entries = map
                    .entries
                    .iter()
                    .map(|(key, item)| (key.clone(), self.filled(draft, item)));
                Content::Map(Map {
                    entries: entries.collect(),
                })
            }
        };
        Node {
            span: node.span,
            content,
        }
    }

    /// Tells the keys that a state does not have, and finds placeholders in the fields that nothing reads.
    fn check_keys(&mut self, draft: &FlowDraft<'a>) {
        let resolved = Rc::clone(&draft.resolved);
        for (name, entry) in &resolved.fields {
            if shapes::FLOW_STATE.key(name).is_some() {
                continue;
            }
            let finding = || shapes::FLOW_STATE.unknown_key(entry.key);
            if let Some(finding) = self.found.key_error(name, entry.key.span, finding) {
                self.issues.add(finding, draft.name);
            }
            if let Some(node) = entry.value.node() {
                self.check_texts(draft, node);
            }
        }
    }

    fn check_texts(&mut self, draft: &FlowDraft<'a>, node: &'a Node) {
        match &node.content {
            Content::Scalar(scalar) if scalar.text.contains("{{") => {
                match draft.parameters.fill(&scalar.text) {
                    Filled::Text(text) => self.left_over(draft, &text, node.span),
                    Filled::Value(value) if has_placeholder(value) => {
                        self.nested(draft, &scalar.text, value, node.span);
                    }
                    _ => {}
                }
            }
            Content::Scalar(_) => {}
            Content::List(items) => items.iter().for_each(|item| self.check_texts(draft, item)),
            Content::Map(map) => map
                .entries
                .iter()
                .for_each(|(_, item)| self.check_texts(draft, item)),
        }
    }
}

/// Whether a value is a text with a placeholder in it.
fn has_placeholder(value: &Node) -> bool {
    value
        .text()
        .is_some_and(|text| unfilled(text).next().is_some())
}

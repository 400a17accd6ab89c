//! Lowers resolved states to the machine: fills placeholders, declares names, and checks rules and targets.

use std::borrow::Cow;

use super::nodes;
use super::placeholder::{Filled, unfilled};
use super::rules::Gives;
use super::state_lowering::StateLowering;
use fsmsim_core::machine::{ActionId, PhaseId, RuleId, SlotId, State, Switches, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{
    Content, Map, Node, boolean_of, count_of, integer_of, text_of, wrong_type,
};
use fsmsim_syntax::shapes;

impl<'a> StateLowering<'a, '_> {
    /// Declares a state and its slots first, so that names have the order of the file.
    pub(super) fn declare(&mut self) {
        let id = self.builder.state(self.draft.name);
        let required = self.slots("required_data");
        let optional = self.slots("optional_data");
        let arrival = self
            .builder
            .action(&format!("transition_to_{}", self.draft.name));
        let state = &mut self.builder.states[id];
        state.declared = true;
        state.span = Some(self.draft.span);
        state.arrival = Some(arrival);
        state.required = required.into();
        state.optional = optional.into();
    }

    /// Completes a state. All states must already be declared.
    pub(super) fn complete(&mut self) {
        let draft = self.draft;
        let id = self.builder.state(draft.name);
        let goal = self.text("goal").map(Into::into);
        let is_final = self.field("is_final");
        let is_final = is_yes(is_final, "is_final", self.switches, self.found);
        let aside = self.field("aside");
        let aside = is_yes(aside, "aside", self.switches, self.found).then_some(id);
        let (mut node, mut history, mut region) = (None, None, None);
        if self.switches.dag {
            node = self.node().map(Box::new);
            history = self.history();
            region = self.region();
        } else if nodes::is_node(draft) {
            self.builder.well_known.unused_node.get_or_insert(id);
        }
        let max_turns = self.integer("max_turns_in_state").unwrap_or(0);
        // A state with a limit of N turns counts as stuck after N + 1 turns.
        let stuck = match u32::try_from(max_turns) {
            Ok(turns @ 1..) => turns.saturating_add(1),
            _ => 0,
        };
        let simulation_visits = self.count("max_simulation_visits").unwrap_or(0);
        let consecutive = self.count("max_simulation_consecutive");
        let threshold = self.integer("phase_exhaust_threshold");
        let fallback = draft.resolved.fields.get("max_turns_fallback");
        let fallback = self.target(fallback, true);
        let (enter_action, set_flags, entry) = self.on_enter();
        let transitions = &draft.resolved.transitions;
        let is_sales = self.is_sales;
        let go_back = transitions.get("go_back").filter(|_| is_sales);
        let state = State {
            goal,
            is_final,
            node,
            history,
            region,
            aside,
            max_turns,
            simulation_visits,
            simulation_consecutive: consecutive.unwrap_or(stuck),
            exhaust_threshold: threshold.unwrap_or(self.phase_exhaust),
            fallback,
            enter_action,
            set_flags: set_flags.into(),
            entry,
            rules: self.table(&draft.resolved.rules, Gives::Action),
            transitions: self.table(transitions, Gives::State),
            go_back: self.target(go_back, false),
            data_complete: self.target(transitions.get("data_complete"), false),
            any: self.target(transitions.get("any"), false),
            // The other fields of the declared state are moved last, because the steps above use them.
            ..std::mem::take(&mut self.builder.states[id])
        };
        self.builder.states[id] = state;
        self.check_keys();
    }

    /// Whether the flow has branches. Some profiles treat forks as ordinary states.
    pub(super) fn has_branches(&self) -> bool {
        self.has_forks && self.switches.dag
    }

    /// The phase that the definition of the state sets.
    pub(super) fn own_phase(&mut self) -> Option<PhaseId> {
        let name = ["phase", "spin_phase"]
            .into_iter()
            .find_map(|key| self.text(key).filter(|name| !name.is_empty()));
        name.map(|name| self.builder.phase(&name))
    }

    fn slots(&mut self, key: &str) -> Vec<SlotId> {
        let Some(node) = self.field(key) else {
            return Vec::new();
        };
        let mut slots = Vec::new();
        for item in node.items().iter().filter(|item| !item.is_null()) {
            if let Some(name) = self.name_in(item, "a slot") {
                slots.push(self.builder.slot(&name));
            }
        }
        slots
    }

    /// The value of a field, or the value of the placeholder if the field contains only a placeholder.
    pub(super) fn field(&self, key: &str) -> Option<&'a Node> {
        let node = self.draft.resolved.fields.get(key)?.node()?;
        let node = match node.text().map(|text| self.draft.parameters.fill(text)) {
            Some(Filled::Value(value)) if !has_placeholder(value) => value,
            _ => node,
        };
        (!node.is_null()).then_some(node)
    }

    fn text(&mut self, key: &str) -> Option<Cow<'a, str>> {
        let node = self.field(key)?;
        self.name_in(node, key)
    }

    /// The text of a scalar, with placeholders filled. Reports other values and unknown placeholders.
    pub(super) fn name_in<'n>(&mut self, node: &'n Node, what: &str) -> Option<Cow<'n, str>>
    where
        'a: 'n,
    {
        let text = text_of(node, what, self.found)?;
        match self.draft.parameters.fill(text) {
            Filled::Text(text) => {
                if text.contains('{') {
                    self.left_over(&text, node.span);
                }
                Some(text)
            }
            Filled::Value(value) => {
                if value.text().is_none() {
                    wrong_type(value, &format!("`{text}` is a string"), self.found);
                }
                if has_placeholder(value) {
                    self.nested(text, value, node.span);
                }
                value.text().map(Cow::Borrowed)
            }
            Filled::TooLarge => {
                let finding = Diagnostic::error(
                    Code::TooDeep,
                    "text with filled placeholders is too large: limit 64 KiB",
                );
                self.issue(
                    finding
                        .at(node.span, "too large")
                        .help("shorten the values of the placeholders"),
                );
                None
            }
        }
    }

    /// Reports the unknown placeholders of a text.
    fn left_over(&mut self, text: &str, span: Span) {
        for name in unfilled(text) {
            let title = format!("unknown placeholder `{{{{{name}}}}}`");
            let otherwise = format!(
                "define `{name}` in `variables` of the flow or in `parameters` of the state"
            );
            let finding =
                Diagnostic::error(Code::UnresolvedPlaceholder, title).at(span, "no value");
            self.issue(finding.near(
                name,
                self.draft.parameters.values.keys().copied(),
                otherwise,
            ));
        }
    }

    /// Reports a placeholder whose value contains a placeholder, because placeholders in values are not filled.
    fn nested(&mut self, text: &str, value: &Node, span: Span) {
        let inner = value.text().unwrap_or_default();
        let finding = Diagnostic::error(
            Code::UnresolvedPlaceholder,
            format!("the value of `{text}` contains the placeholder `{inner}`"),
        )
        .at(span, "not filled")
        .at(value.span, "its value")
        .help(format!(
            "use `{inner}` instead of `{text}`, or set a value without placeholders"
        ));
        self.issue(finding);
    }

    fn integer(&mut self, key: &'static str) -> Option<i64> {
        integer_of(self.field(key)?, key, self.found)
    }

    fn count(&mut self, key: &'static str) -> Option<u32> {
        count_of(self.field(key)?, key, self.found)
    }

    /// Reads `on_enter`: an action, or a map with `action`, `set_flags` and operations.
    fn on_enter(&mut self) -> (Option<ActionId>, Vec<(SlotId, Value)>, Option<RuleId>) {
        let Some(node) = self.field("on_enter") else {
            return (None, Vec::new(), None);
        };
        let Some(map) = node.map() else {
            let action = self.name_in(node, "on_enter");
            return (
                action.map(|name| self.builder.action(&name)),
                Vec::new(),
                None,
            );
        };
        shapes::ON_ENTER.check(map, self.found);
        let action = map
            .given("action")
            .and_then(|node| self.name_in(node, "action"))
            .filter(|name| !name.is_empty())
            .map(|name| self.builder.action(&name));
        let flags = map
            .get("set_flags")
            .into_iter()
            .flat_map(Node::entries)
            .map(|(key, node)| {
                let value = Value::from(&self.filled(node));
                (self.builder.slot(&key.text), value)
            })
            .collect();
        let origin = self.origin(self.draft.name, None);
        let ops = self.all_ops(map, origin);
        let entry = (!ops.is_empty()).then(|| {
            let rule = self.builder.rule(node.span, origin);
            self.builder.give_ops(rule, ops);
            rule
        });
        (action, flags, entry)
    }

    /// Copies a value and fills its placeholders.
    pub(super) fn filled(&mut self, node: &Node) -> Node {
        let content = match &node.content {
            Content::Scalar(scalar) if scalar.text.contains("{{") => {
                match self.draft.parameters.fill(&scalar.text) {
                    Filled::Value(value) if !has_placeholder(value) => return value.clone(),
                    _ => {
                        let text = self.name_in(node, "value").unwrap_or_default();
                        return Node::quoted(&text, node.span);
                    }
                }
            }
            Content::Scalar(scalar) => Content::Scalar(scalar.clone()),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.filled(item)).collect())
            }
            Content::Map(map) => {
                let entries = map
                    .entries
                    .iter()
                    .map(|(key, item)| (key.clone(), self.filled(item)));
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

    /// Reports unknown keys of the state, and placeholders in fields that no reader uses.
    fn check_keys(&mut self) {
        for (name, entry) in &self.draft.resolved.fields {
            if shapes::FLOW_STATE.key(name).is_some() {
                continue;
            }
            let finding = || shapes::FLOW_STATE.unknown_key(entry.key);
            if let Some(finding) = self.found.key_error(name, entry.key.span, finding) {
                self.issue(finding);
            }
            if let Some(node) = entry.node() {
                self.check_texts(node);
            }
        }
    }

    fn check_texts(&mut self, node: &'a Node) {
        match &node.content {
            Content::Scalar(scalar) if scalar.text.contains("{{") => {
                match self.draft.parameters.fill(&scalar.text) {
                    Filled::Text(text) => self.left_over(&text, node.span),
                    Filled::Value(value) if has_placeholder(value) => {
                        self.nested(&scalar.text, value, node.span);
                    }
                    _ => {}
                }
            }
            Content::Scalar(_) => {}
            Content::List(items) => items.iter().for_each(|item| self.check_texts(item)),
            Content::Map(map) => map
                .entries
                .iter()
                .for_each(|(_, item)| self.check_texts(item)),
        }
    }
}

/// Whether the value of a key is true. In the profile `reference`, any truthy value counts as true.
pub(super) fn is_yes(
    node: Option<&Node>,
    key: &str,
    switches: Switches,
    found: &mut Diagnostics,
) -> bool {
    match node.filter(|node| !node.is_null()) {
        None => false,
        Some(node) if switches.strict_load => boolean_of(node, key, found).unwrap_or(false),
        Some(node) => Value::from(node).truthy(),
    }
}

/// Whether a value is a string that contains a placeholder.
fn has_placeholder(value: &Node) -> bool {
    value
        .text()
        .is_some_and(|text| unfilled(text).next().is_some())
}

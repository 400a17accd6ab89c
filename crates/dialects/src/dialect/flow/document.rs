//! The definition of a flow in its two layouts, with keys under `flow` or at the top level, and single files.

use crate::dialect::NameTable;
use crate::dialect::contract::ContractText;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use fsmsim_syntax::document::{Fields, Key, Map, Node, text_of, unknown_key, wrong_type};
use fsmsim_syntax::shapes;

/// The base flow, which every flow extends.
const BASE: &str = "_base";

/// The entry points with a defined meaning.
const ENTRY_POINTS: [&str; 3] = ["default", "escalation", "hot_lead"];

/// A flow before inheritance is resolved.
#[derive(Debug, Default)]
pub(super) struct FlowDocument<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) version: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    /// Values of placeholders.
    pub(super) variables: &'a [(Key, Node)],
    pub(super) phases: Option<Phases<'a>>,
    /// The states of the entry points by name.
    pub(super) entry_points: NameTable<'a, &'a Node>,
    /// Overrides of the priority table, or a separate table.
    pub(super) priorities: Option<&'a Node>,
    /// The name of a table in `priorities.yaml`.
    pub(super) priorities_profile: Option<&'a Node>,
    /// The states in this file.
    pub(super) states: Option<&'a Node>,
    pub(super) constants: Option<&'a Node>,
    pub(super) feature_flags: Option<&'a Node>,
    pub(super) mixins: Option<&'a Map>,
    pub(super) conditions: Option<&'a Map>,
    pub(super) defaults: Option<&'a Map>,
    /// The texts of actions.
    pub(super) replies: &'a [(Key, Node)],
    /// Descriptions of intents.
    pub(super) intents: Option<&'a Node>,
    /// The contract and the tables of the flow.
    pub(super) contract: ContractText<'a>,
}

#[derive(Debug, Default)]
pub(super) struct Phases<'a> {
    pub(super) order: Vec<&'a str>,
    /// The nodes of `order`.
    pub(super) order_items: &'a [Node],
    /// Maps phases to states.
    pub(super) mapping: &'a [(Key, Node)],
    pub(super) post_phases_state: Option<&'a Node>,
    /// Maps intents to phases.
    pub(super) progress_intents: &'a [(Key, Node)],
    /// Maps phases to names of conditions.
    pub(super) skip_conditions: &'a [(Key, Node)],
}

impl<'a> FlowDocument<'a> {
    /// Reads the file. Keys under `flow:` or `meta:` can also be at the top level.
    pub(super) fn read(root: &'a Node, found: &mut Diagnostics) -> Option<Self> {
        let mut flow = Self::default();
        let mut fields = Fields::of(root, &shapes::FLOW_FILE, found)?;
        flow.states = fields.node("states");
        flow.constants = fields.node("constants");
        flow.feature_flags = fields.node("feature_flags");
        flow.mixins = fields.map("mixins");
        flow.conditions = fields.map("conditions");
        flow.defaults = fields.map("defaults");
        flow.contract = ContractText::read(&mut fields);
        // `extends` is read later; it must be the base flow.
        let inner = ["flow", "meta"].map(|key| fields.node(key));
        flow.read_fields(&mut fields);
        fields.finish();
        for node in inner.into_iter().flatten() {
            let mut fields = Fields::of(node, &shapes::FLOW_INSIDE, found)?;
            flow.read_fields(&mut fields);
            let base = fields.text("extends");
            fields.finish();
            if let Some(name) = base.filter(|name| *name != BASE) {
                Diagnostic::warning(
                    Code::UnreadBase,
                    format!("a flow extends `{BASE}` and nothing else, not `{name}`"),
                )
                .at(node.get("extends").unwrap_or(node).span, "not looked at")
                .help(format!(
                    "write `{BASE}`, or take it out: the base is read where there is one"
                ))
                .add_to(found);
            }
        }
        Some(flow)
    }

    fn read_fields(&mut self, fields: &mut Fields<'a, '_>) {
        self.name = fields.text("name").or(self.name);
        self.version = fields.text("version").or(self.version);
        self.description = fields.text("description").or(self.description);
        if let Some(map) = fields.map("variables") {
            self.variables = &map.entries;
        }
        if let Some(map) = fields.map("replies") {
            self.replies = &map.entries;
        }
        if let Some(node) = fields.node("phases") {
            self.phases = Phases::read(node, self.phases.take(), fields.found());
        }
        // In the document layout, the skip conditions are not inside the phases.
        if let Some(map) = fields.map("skip_conditions") {
            self.phases.get_or_insert_default().skip_conditions = &map.entries;
        }
        if let Some(map) = fields.map("entry_points") {
            for (key, _) in map
                .entries
                .iter()
                .filter(|(key, _)| !ENTRY_POINTS.contains(&&*key.text))
            {
                // Other names are allowed.
                if let Some(near) = nearest(&key.text, ENTRY_POINTS) {
                    unknown_key(key, "`entry_points`", &[near], fields.found());
                }
            }
            self.entry_points = map
                .entries
                .iter()
                .map(|(key, node)| (&*key.text, node))
                .collect();
        }
        self.intents = fields.node("intents").or(self.intents);
        self.priorities = fields.node("priorities").or(self.priorities);
        self.priorities_profile = fields
            .node("priorities_profile")
            .or(self.priorities_profile);
    }
}

impl<'a> Phases<'a> {
    fn read(node: &'a Node, before: Option<Self>, found: &mut Diagnostics) -> Option<Self> {
        let mut phases = before.unwrap_or_default();
        let mut fields = Fields::of(node, &shapes::PHASES, found)?;
        phases.order = fields.texts("order");
        phases.order_items = fields.node("order").map(Node::items).unwrap_or_default();
        phases.mapping = fields.entries("mapping");
        phases.post_phases_state = fields.node("post_phases_state");
        phases.progress_intents = fields.entries("progress_intents");
        if let Some(map) = fields.map("skip_conditions") {
            phases.skip_conditions = &map.entries;
        }
        fields.finish();
        phases.check_names(found);
        Some(phases)
    }
}

impl Phases<'_> {
    /// Reports phases that are similar to one of the order. Other names are allowed and come after the order.
    fn check_names(&self, found: &mut Diagnostics) {
        let keys = self
            .mapping
            .iter()
            .chain(self.skip_conditions)
            .map(|(key, _)| (&*key.text, key.span));
        let values: Vec<_> = self
            .progress_intents
            .iter()
            .filter_map(|(intent, node)| Some((text_of(node, &intent.text, found)?, node.span)))
            .collect();
        for (name, span) in keys
            .chain(values)
            .filter(|(name, _)| !self.order.contains(name))
        {
            if let Some(near) = nearest(name, self.order.iter().copied()) {
                Diagnostic::error(
                    Code::UnknownPhase,
                    format!("there is no phase `{name}` in the order"),
                )
                .at(span, "not known")
                .suggest(Some(near), "")
                .add_to(found);
            }
        }
    }
}

/// The states of a `states:` map. Reports values that are not maps.
pub(super) fn states_of<'a>(
    node: &'a Node,
    found: &mut Diagnostics,
) -> NameTable<'a, (&'a Key, &'a Map)> {
    let mut states = NameTable::default();
    if node.map().is_none() && !node.is_null() {
        wrong_type(node, "`states` is a map", found);
    }
    for (key, value) in node.entries() {
        match value.map() {
            Some(state) => {
                states.insert(&*key.text, (key, state));
            }
            None => wrong_type(value, &format!("the state `{}` is a map", key.text), found),
        }
    }
    states
}

//! Reads the definition of a flow, as a single file or with separate states. Keys can be under `flow` or at the top
//! level.

use crate::dialect::NameTable;
use crate::dialect::contract::{ContractText, has_phrases};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use fsmsim_syntax::document::{Fields, Key, Map, Node, one_of, text_of, unknown_key, wrong_type};
use fsmsim_syntax::shapes;

/// The base flow, which every flow extends.
const BASE: &str = "_base";

/// The values of `policy`: whether the flow has the sales policy.
const POLICIES: [(bool, &str); 2] = [(false, "plain"), (true, "sales")];

/// The entry points with a defined meaning.
const ENTRY_POINTS: [&str; 3] = ["default", "escalation", "hot_lead"];

/// A flow before inheritance is resolved.
#[derive(Debug, Default)]
pub(super) struct FlowDocument<'a> {
    pub name: Option<&'a str>,
    pub version: Option<&'a str>,
    pub description: Option<&'a str>,
    /// Whether the flow says that it has the sales policy, or that it does not.
    pub is_sales: Option<bool>,
    /// Transitions that hold in every state.
    pub everywhere: Option<&'a Node>,
    /// Values of placeholders.
    pub variables: &'a [(Key, Node)],
    pub phases: Option<Phases<'a>>,
    /// The states of the entry points by name.
    pub entry_points: NameTable<'a, &'a Node>,
    /// Overrides of the priority table, or a table that replaces it.
    pub priorities: Option<&'a Node>,
    /// The name of a table in `priorities.yaml`.
    pub priorities_profile: Option<&'a Node>,
    /// The states in this file.
    pub states: Option<&'a Node>,
    pub constants: Option<&'a Node>,
    pub feature_flags: Option<&'a Node>,
    pub mixins: Option<&'a Map>,
    pub conditions: Option<&'a Map>,
    pub defaults: Option<&'a Map>,
    /// The texts of actions.
    pub replies: &'a [(Key, Node)],
    /// Descriptions of intents, and their phrases.
    pub intents: Option<&'a Node>,
    /// The contract and the tables of the flow.
    pub contract: ContractText<'a>,
}

#[derive(Debug, Default)]
pub(super) struct Phases<'a> {
    pub order: Vec<&'a str>,
    /// The nodes of `order`.
    pub order_items: &'a [Node],
    /// Maps phases to states.
    pub mapping: &'a [(Key, Node)],
    pub post_phases_state: Option<&'a Node>,
    /// Maps intents to phases.
    pub progress_intents: &'a [(Key, Node)],
    /// Maps phases to names of conditions.
    pub skip_conditions: &'a [(Key, Node)],
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
        // `extends` is read later; it can name only the base flow.
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
                    Code::IgnoredBase,
                    format!("cannot extend `{name}`: only `{BASE}` is supported"),
                )
                .at(node.get("extends").unwrap_or(node).span, "ignored")
                .help(format!(
                    "write `{BASE}`, or remove the key: an existing base flow is always read"
                ))
                .add_to(found);
            }
        }
        if let Some(map) = flow.intents.and_then(Node::map)
            && map.entries.iter().any(|(_, node)| has_phrases(node))
        {
            flow.contract
                .set_intents(Some(map), &shapes::DESCRIBED_INTENT);
        }
        Some(flow)
    }

    fn read_fields(&mut self, fields: &mut Fields<'a, '_>) {
        self.name = fields.text("name").or(self.name);
        self.version = fields.text("version").or(self.version);
        self.description = fields.text("description").or(self.description);
        self.everywhere = fields.node("everywhere").or(self.everywhere);
        if let Some(node) = fields.node("policy") {
            let policy = text_of(node, "policy", fields.found());
            let known = policy.map(|name| one_of(name, node.span, &POLICIES));
            self.is_sales = known.and_then(|known| fields.found().take(known));
        }
        if let Some(map) = fields.map("variables") {
            self.variables = &map.entries;
        }
        if let Some(map) = fields.map("replies") {
            self.replies = &map.entries;
        }
        if let Some(node) = fields.node("phases") {
            self.phases = Phases::read(node, self.phases.take(), fields.found());
        }
        // `skip_conditions` can also be outside of `phases`.
        if let Some(map) = fields.map("skip_conditions") {
            self.phases.get_or_insert_default().skip_conditions = &map.entries;
        }
        if let Some(map) = fields.map("entry_points") {
            for (key, _) in map
                .entries
                .iter()
                .filter(|(key, _)| !ENTRY_POINTS.contains(&&*key.text))
            {
                // Other entry points are allowed.
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
        Some(phases)
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

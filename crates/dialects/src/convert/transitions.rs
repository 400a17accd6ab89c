//! Imports configurations of the Python library `transitions`.

use std::collections::BTreeMap;

use super::statechart::{ChartEdge, ChartTrigger, GuardTerm, NodeId, NodeKind, Statechart};
use super::{ForeignText, unusable};
use crate::limits::{MAX_DEPTH, MAX_IMPORTED_EDGES};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::document::{Map, Node, parse_yaml, text_of, wrong_type};

/// Replaces the possible separators between parents and children by an underscore.
fn plain(name: &str) -> String {
    name.replace(['.', '/', '\u{21a6}'], "_")
}

/// Keys of a machine that are imported or do not affect the transitions.
const KNOWN: [&str; 11] = [
    "states",
    "transitions",
    "initial",
    "name",
    "model",
    "queued",
    "send_event",
    "auto_transitions",
    "ignore_invalid_triggers",
    "model_attribute",
    "use_pygraphviz",
];

/// The keys of an edge, in the order of the list form of an edge.
const EDGE: [&str; 8] = [
    "trigger",
    "source",
    "dest",
    "conditions",
    "unless",
    "before",
    "after",
    "prepare",
];

/// Reads a machine as a statechart.
pub(super) fn read(input: &mut ForeignText<'_>) -> Option<Statechart> {
    // JSON can be indented with tabs, which YAML forbids.
    let text = if input.text.trim_start().starts_with('{') {
        input.text.replace('\t', " ")
    } else {
        input.text.to_owned()
    };
    let root = parse_yaml(input.file, &text, 0, input.found)?;
    let Some(map) = root.map() else {
        wrong_type(
            &root,
            "a `transitions` machine is a map with `states` and `transitions`",
            input.found,
        );
        return None;
    };
    if map.get("states").and_then(Node::list).is_none() {
        return unusable("missing list `states` in a `transitions` machine", root.span, "no list of states")
            .help("add `states` as a list of names or maps, and `transitions` as a list of `[trigger, source, dest]`")
            .refuse(input.found);
    }
    let name = map
        .get("name")
        .and_then(Node::text)
        .unwrap_or(&input.name)
        .to_owned();
    let mut reader = MachineReader {
        chart: Statechart::new(&name, root.span),
        paths: BTreeMap::new(),
        edges: 0,
        input,
    };
    let mut inner = Vec::new();
    reader.states(Statechart::ROOT, map, 0, &mut inner);
    for id in reader
        .chart
        .nodes
        .ids()
        .filter(|id| *id != Statechart::ROOT)
    {
        reader
            .paths
            .entry(plain(&reader.chart.path(id)))
            .or_insert(id);
    }
    reader.input.leave_keys(&map.entries, &KNOWN, "");
    inner.insert(0, (Statechart::ROOT, map));
    for (node, map) in inner {
        reader.initial(node, map);
        reader.edges(node, map);
    }
    Some(reader.chart)
}

struct MachineReader<'r, 't> {
    chart: Statechart,
    /// The states by their full names, which include the names of their ancestors.
    paths: BTreeMap<String, NodeId>,
    edges: usize,
    input: &'r mut ForeignText<'t>,
}

impl MachineReader<'_, '_> {
    /// Reads the child states of a state. Edges are read after all states are known.
    fn states<'n>(
        &mut self,
        id: NodeId,
        map: &'n Map,
        depth: usize,
        inner: &mut Vec<(NodeId, &'n Map)>,
    ) {
        for (key, node) in ["states", "children", "parallel"]
            .map(|key| (key, map.given(key)))
            .into_iter()
            .filter_map(|(key, node)| Some((key, node?)))
        {
            if key == "parallel" {
                self.chart[id].kind = NodeKind::Parallel;
            }
            if depth > MAX_DEPTH {
                let title = format!("states are nested too deeply: limit {MAX_DEPTH} levels");
                self.input.refuse(node.span, title, "flatten the machine");
                return;
            }
            for item in node.items() {
                let Some(map) = item.map() else {
                    if let Some(name) = text_of(item, "an item of `states`", self.input.found) {
                        self.chart.add(name, item.span, id);
                    }
                    continue;
                };
                let Some(name) = map
                    .get("name")
                    .and_then(|node| text_of(node, "name", self.input.found))
                else {
                    self.input
                        .refuse(item.span, "missing `name` in a state", "add `name`");
                    continue;
                };
                let child = self.chart.add(
                    name,
                    map.get("name").map_or(item.span, |node| node.span),
                    id,
                );
                self.states(child, map, depth + 1, inner);
                if map.get("final").and_then(Node::boolean) == Some(true) {
                    self.chart[child].kind = NodeKind::Final;
                }
                for (key, value) in &map.entries {
                    let read = [
                        "name",
                        "states",
                        "children",
                        "parallel",
                        "initial",
                        "transitions",
                        "final",
                        "ignore_invalid_triggers",
                    ];
                    if !read.contains(&&*key.text) && !value.is_null() {
                        self.input
                            .leave(key.span, format!("`{}` of the state `{name}`", key.text));
                    }
                }
                inner.push((child, map));
            }
        }
    }

    fn initial(&mut self, id: NodeId, map: &Map) {
        match map.given("initial") {
            Some(node) if node.list().is_some() => {
                let title = "several initial states are not supported";
                self.input.refuse(node.span, title, "use one initial state");
            }
            Some(node) => self.chart[id].initial = self.state(id, node),
            None if id == Statechart::ROOT => self.input.leave_beginning(&self.chart, "initial"),
            None => {}
        }
    }

    /// Finds the state with this name, starting the search inside the state `around`.
    fn state(&mut self, around: NodeId, node: &Node) -> Option<NodeId> {
        let name = text_of(node, "state", self.input.found)?;
        let found = self.named(around, name);
        if found.is_none() {
            let names = self.chart.nodes.iter().map(|node| &*node.name);
            unusable(format!("unknown state `{name}`"), node.span, "not defined")
                .near(
                    name,
                    names,
                    "use a name from `states`; write a substate as `PARENT_CHILD`",
                )
                .add_to(self.input.found);
        }
        found
    }

    fn named(&self, around: NodeId, name: &str) -> Option<NodeId> {
        let name = plain(name);
        self.chart.outward(around).find_map(|around| {
            let path = if around == Statechart::ROOT {
                name.clone()
            } else {
                format!("{}_{name}", plain(&self.chart.path(around)))
            };
            self.paths.get(&path).copied()
        })
    }

    fn edges(&mut self, around: NodeId, map: &Map) {
        let Some(list) = map.given("transitions") else {
            return;
        };
        let Some(items) = list.list() else {
            wrong_type(list, "`transitions` is a list", self.input.found);
            return;
        };
        for item in items {
            self.edge(around, item);
        }
    }

    /// Reads an edge: `[trigger, source, dest]`, or a map with these keys and optional ones.
    fn edge(&mut self, around: NodeId, item: &Node) {
        if self.edges > MAX_IMPORTED_EDGES {
            return;
        }
        let at = |key: &str| match item.map() {
            Some(map) => map.get(key),
            None => item
                .list()?
                .get(EDGE.iter().position(|known| *known == key)?),
        };
        // A map without `dest` is an internal transition, as `MarkupMachine` writes it.
        let dest = at("dest");
        let has_dest = dest.is_some() || item.map().is_some();
        let (Some(trigger), Some(source), true) = (at("trigger"), at("source"), has_dest) else {
            self.input.refuse(
                item.span,
                "expected `[trigger, source, dest]` for a transition",
                "add all three, as a list or a map",
            );
            return;
        };
        let Some(event) = text_of(trigger, "trigger", self.input.found) else {
            return;
        };
        let mut guard = self.guards(at("conditions"), true);
        guard.extend(self.guards(at("unless"), false));
        for key in ["before", "after", "prepare"] {
            if let Some(node) = at(key).filter(|node| !node.is_null()) {
                let names: Vec<&str> = node.items().iter().filter_map(Node::text).collect();
                self.input
                    .leave(node.span, format!("`{key}`: `{}`", names.join("`, `")));
            }
        }
        self.input
            .leave_keys(item.entries(), &EDGE, " of a transition");
        let sources: Vec<NodeId> = if source.text() == Some("*") {
            self.chart
                .nodes
                .ids()
                .filter(|id| *id != around && self.chart.is_inside(*id, around))
                .collect()
        } else {
            source
                .items()
                .iter()
                .filter_map(|node| self.state(around, node))
                .collect()
        };
        let target = match dest.filter(|dest| !dest.is_null() && dest.text() != Some("=")) {
            None => None,
            Some(dest) => match self.state(around, dest) {
                Some(target) => Some(target),
                None => return,
            },
        };
        self.edges += sources.len();
        if self.edges > MAX_IMPORTED_EDGES {
            Diagnostic::error(
                Code::TooDeep,
                format!("machine is too large: limit {MAX_IMPORTED_EDGES} transitions"),
            )
            .at(item.span, "exceeds the limit")
            .help("split the machine; `*` counts for each state")
            .add_to(self.input.found);
            return;
        }
        for source in sources {
            let trigger = ChartTrigger::Event(event.to_owned());
            self.chart[source].edges.push(ChartEdge {
                trigger,
                guard: guard.clone(),
                target,
                span: item.span,
            });
        }
    }

    fn guards(&mut self, node: Option<&Node>, holds: bool) -> Vec<GuardTerm> {
        node.filter(|node| !node.is_null())
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(|item| text_of(item, "an item of `conditions`", self.input.found))
            .map(|name| GuardTerm {
                name: name.to_owned(),
                holds,
            })
            .collect()
    }
}

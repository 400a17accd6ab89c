//! Reads states and edges.

use super::target::TargetNames;
use crate::convert::flow_text::scalar;
use crate::convert::names::word;
use crate::convert::statechart::{
    ChartEdge, ChartTrigger, GuardTerm, NodeId, NodeKind, Statechart,
};
use crate::convert::{ForeignText, unusable};

use fsmsim_core::machine::History;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{
    Atom, Fields, Key, Map, Node, entries_of, json_place, json_reason, parse_json_or, parse_yaml,
    text_of, wrong_type,
};
use fsmsim_syntax::terminal::Joined;

/// Keys of a state that are imported or do not affect the transitions.
const KNOWN: [&str; 26] = [
    "id",
    "initial",
    "type",
    "parallel",
    "states",
    "on",
    "always",
    "after",
    "onDone",
    "invoke",
    "history",
    "transitions",
    "target",
    "description",
    "context",
    "$schema",
    "key",
    "order",
    "version",
    "strict",
    "schema",
    "schemas",
    "types",
    "tsTypes",
    "predictableActionArguments",
    "preserveActionOrder",
];

/// Keys of a state that a flow cannot represent.
const OMITTED: [&str; 10] = [
    "entry",
    "exit",
    "onEntry",
    "onExit",
    "activities",
    "actions",
    "meta",
    "tags",
    "output",
    "data",
];

/// The start of the events of timers in `JSON.stringify(machine)`.
const AFTER: &str = "xstate.after.";

/// The export of a machine with the names of its functions, or with their code if they have none.
const EXPORT: &str = r#"export the machine with `JSON.stringify(machine.config, (key, f) => typeof f !== "function" ? f : f.name && f.name !== key ? f.name : String(f), 2)`"#;

/// Reads a machine as a statechart.
pub(in crate::convert) fn read(input: &mut ForeignText<'_>) -> Option<Statechart> {
    let root = parse(input)?;
    let Some(map) = root.map() else {
        wrong_type(
            &root,
            "an XState machine is a map with `initial` and `states`",
            input.found,
        );
        return None;
    };
    if map.get("states").is_none() {
        let title = "missing `states` in an XState machine";
        return unusable(title, root.span, "no states")
            .help("use the configuration that is passed to `createMachine(…)`")
            .refuse(input.found);
    }
    let id = map
        .get("id")
        .and_then(Node::text)
        .unwrap_or(&input.name)
        .to_owned();
    let mut reader = Reader {
        chart: Statechart::new(&id, root.span),
        targets: TargetNames::default(),
        input,
    };
    let mut states = Vec::new();
    if let Some((key, _)) = map.entry("transitions") {
        let what = "`always`, which `JSON.stringify(machine)` does not write: use `machine.config`";
        reader.input.leave(key.span, what);
    }
    reader.state(Statechart::ROOT, &root, &mut states);
    let id = map.get("id").and_then(Node::text).unwrap_or("(machine)");
    reader.targets.name(id, Statechart::ROOT);
    for (node, map) in states {
        reader.edges(node, map);
    }
    reader.ends();
    Some(reader.chart)
}

/// Parses the text. Tabs between values become spaces, because YAML forbids tabs.
fn parse(input: &mut ForeignText<'_>) -> Option<Node> {
    let text = input.text;
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        return not_json(input, &error).refuse(input.found);
    }
    let text = text.replace('\t', " ");
    let mut trial = Diagnostics::default();
    match parse_yaml(input.file, &text, 0, &mut trial) {
        Some(node) if !trial.has_errors() => Some(node),
        // Some JSON is invalid as YAML, such as surrogate pairs.
        _ if trial
            .items()
            .iter()
            .all(|item| item.code == Code::YamlSyntax) =>
        {
            parse_json_or(
                input.file,
                &text,
                0,
                "export the machine as JSON again",
                input.found,
            )
        }
        _ => {
            input.found.extend(trial);
            None
        }
    }
}

/// The finding about a file that is not JSON: JSON with a syntax error, or another format.
fn not_json(input: &ForeignText<'_>, error: &serde_json::Error) -> Diagnostic {
    let text = input.text;
    if text.trim_start().starts_with(['{', '[']) {
        let at = json_place(text, error);
        let title = format!("invalid JSON: {}", json_reason(error));
        return unusable(title, Span::new(input.file, at, at + 1), "")
            .help("fix the JSON, or export the machine again");
    }
    let code = ["createMachine", "setup(", "export ", "import ", "const "];
    let yaml = || parse_yaml(input.file, text, 0, &mut Diagnostics::default());
    let (found, help) = if code.iter().any(|word| text.contains(word)) {
        ("code", EXPORT)
    } else if yaml().is_some_and(|root| root.map().is_some()) {
        (
            "YAML",
            "convert the file to JSON, or choose a format with YAML, such as `transitions`",
        )
    } else {
        ("text", "use the configuration of a machine as JSON")
    };
    let title = format!("expected JSON, found {found}");
    unusable(title, Span::start_of(input.file), "not JSON").help(help)
}

struct Reader<'r, 't> {
    chart: Statechart,
    targets: TargetNames,
    input: &'r mut ForeignText<'t>,
}

impl Reader<'_, '_> {
    /// Reads a state and its children. Edges are read after all states are known.
    fn state<'n>(&mut self, id: NodeId, node: &'n Node, states: &mut Vec<(NodeId, &'n Map)>) {
        let Some(map) = node.map() else {
            wrong_type(node, "a state is a map", self.input.found);
            return;
        };
        states.push((id, map));
        let Some(mut fields) = Fields::open(node, "a state", self.input.found) else {
            return;
        };
        let kind = fields.text("type");
        let parallel = fields.node("parallel");
        let initial = fields.node("initial");
        let own_id = fields.text("id");
        let goal = fields.text("description");
        let history = fields.node("history");
        let inside = fields.map("states");
        if let Some(own_id) = own_id {
            self.targets.name(own_id, id);
        }
        self.chart[id].goal = goal.map(str::to_owned);
        let history_kind = match history.and_then(Node::text) {
            Some("deep") => History::Deep,
            _ => History::Shallow,
        };
        let is_history = history.is_some_and(|node| {
            node.boolean() == Some(true) || matches!(node.text(), Some("shallow" | "deep"))
        });
        self.chart[id].kind = match kind {
            Some("final") => NodeKind::Final,
            Some("parallel") => NodeKind::Parallel,
            Some("history") => NodeKind::Remembered(history_kind),
            None if parallel.and_then(Node::boolean) == Some(true) => NodeKind::Parallel,
            None if is_history && inside.is_none() => NodeKind::Remembered(history_kind),
            None | Some("atomic" | "compound") => NodeKind::Place,
            Some(other) => {
                let span = map.get("type").map_or(node.span, |node| node.span);
                let known = ["atomic", "compound", "parallel", "final", "history"];
                Diagnostic::undefined(Code::ForeignFormat, "state type", other, span)
                    .offer(other, "types", known)
                    .add_to(self.input.found);
                NodeKind::Place
            }
        };
        for (key, value) in inside.into_iter().flat_map(|map| &map.entries) {
            let child = self.chart.add(&key.text, key.span, id);
            self.state(child, value, states);
        }
        self.initial(id, node, initial);
        self.keys(map);
    }

    /// Sets the initial state of a composite state.
    fn initial(&mut self, id: NodeId, node: &Node, initial: Option<&Node>) {
        if self.chart[id].children.is_empty() || self.chart.is_parallel(id) {
            return;
        }
        let shown = self.chart.shown(id);
        let Some(initial) = initial else {
            let title = format!("missing `initial` in {shown}");
            unusable(title, node.span, "no initial state")
                .help("add `\"initial\": \"NAME\"`")
                .add_to(self.input.found);
            return;
        };
        if let Some(actions) = initial.get("actions").filter(|node| !is_nothing(node)) {
            self.input
                .leave(actions.span, "actions of the initial transition");
        }
        let initial = initial.get("target").unwrap_or(initial);
        let initial = initial.items().first().unwrap_or(initial);
        let Some(name) = text_of(initial, "initial", self.input.found) else {
            return;
        };
        let found = if name.starts_with('#') {
            self.targets.resolve(&self.chart, id, name)
        } else {
            TargetNames::inside(&self.chart, id, name.trim_start_matches('.'))
        };
        if found.is_none() {
            let names = self.chart[id]
                .children
                .iter()
                .map(|child| &*self.chart[*child].name);
            let title = format!("unknown initial state `{name}` in {shown}");
            unusable(title, initial.span, "not defined")
                .near(name, names, "use one of its substates")
                .add_to(self.input.found);
        }
        self.chart[id].initial = found;
    }

    /// Reports the omitted keys of a state.
    fn keys(&mut self, map: &Map) {
        for (key, value) in &map.entries {
            if is_nothing(value) || KNOWN.contains(&&*key.text) {
                continue;
            }
            let what = if OMITTED.contains(&&*key.text) {
                format!("`{}`{}", key.text, named(value))
            } else {
                format!("the unknown key `{}`", key.text)
            };
            self.input.leave(key.span, what);
        }
    }

    fn edges(&mut self, id: NodeId, map: &Map) {
        if let Some(node) = map.given("on") {
            for (key, value) in entries_of(node, "on", self.input.found) {
                self.event(id, key, value);
            }
        }
        let remembers = matches!(self.chart[id].kind, NodeKind::Remembered(_));
        let target = map.get("target").filter(|_| remembers);
        for node in map.get("always").into_iter().chain(target) {
            self.transitions(id, &ChartTrigger::Always, node, node.span);
        }
        if let Some(node) = map.get("onDone") {
            self.transitions(id, &ChartTrigger::Done, node, node.span);
        }
        self.timers(id, map);
        for invoked in map.get("invoke").map(Node::items).unwrap_or_default() {
            self.invoked(id, invoked);
        }
        if id == Statechart::ROOT {
            self.context(map);
        } else if let Some((key, _)) = map.entry("context") {
            self.input.leave(key.span, "`context` of a state");
        }
    }

    /// Adds an edge for the end of each composite state without `onDone`. In XState, the edges for any event (`*`) also
    /// handle this end.
    fn ends(&mut self) {
        let ends = |id: &NodeId| {
            let mut edges = self.chart[*id].on(&ChartTrigger::Done);
            *id != Statechart::ROOT && self.chart.has_end(*id) && edges.next().is_none()
        };
        let ending: Vec<NodeId> = self.chart.nodes.ids().filter(ends).collect();
        for id in ending {
            let is_within = |around: &NodeId| !self.chart.is_parallel(*around);
            let any = |around: NodeId| {
                self.chart[around]
                    .on(&ChartTrigger::Any)
                    .cloned()
                    .collect::<Vec<_>>()
            };
            let edges = self
                .chart
                .outward(id)
                .take_while(is_within)
                .map(any)
                .find(|edges| !edges.is_empty());
            for mut edge in edges.into_iter().flatten() {
                edge.trigger = ChartTrigger::Done;
                self.chart[id].edges.push(edge);
            }
        }
    }

    fn event(&mut self, id: NodeId, key: &Key, value: &Node) {
        // `JSON.stringify(machine)` writes the ends of states and services, and timers, as events.
        let end_of_service = [
            ("xstate.done.actor.", "done"),
            ("xstate.error.actor.", "error"),
        ]
        .into_iter()
        .find_map(|(start, end)| Some(format!("{}_{end}", word(key.text.strip_prefix(start)?))));
        let trigger = match &*key.text {
            name if name.starts_with(AFTER) => return,
            name if name.starts_with("xstate.done.state.") => ChartTrigger::Done,
            "" => ChartTrigger::Always,
            "*" => ChartTrigger::Any,
            name if name.ends_with(".*") => {
                self.input
                    .leave(key.span, format!("the transitions for the events `{name}`"));
                return;
            }
            name => {
                self.chart.events.extend(end_of_service.clone());
                ChartTrigger::Event(end_of_service.unwrap_or_else(|| name.to_owned()))
            }
        };
        self.transitions(id, &trigger, value, key.span);
    }

    /// Reads delayed edges. The event `timeout` triggers the edge with the shortest delay; the others are omitted.
    fn timers(&mut self, id: NodeId, map: &Map) {
        let after = map.given("after");
        if let Some(after) = after.filter(|node| node.map().is_none() && node.list().is_none()) {
            wrong_type(after, "`after` is a map", self.input.found);
        }
        let of_map = after.map(Node::entries).unwrap_or_default();
        let of_list = after.and_then(Node::list).unwrap_or_default();
        let of_events = map.get("on").map(Node::entries).unwrap_or_default();
        let mut timers: Vec<(&str, &Node, Span)> = of_map
            .iter()
            .map(|(key, node)| (&*key.text, node, key.span))
            .collect();
        timers.extend(of_list.iter().map(|item| {
            let delay = item.get("delay").and_then(Node::text).unwrap_or("?");
            (delay, item, item.span)
        }));
        timers.extend(of_events.iter().filter_map(|(key, node)| {
            let delay = key.text.strip_prefix(AFTER)?;
            Some((delay.split('.').next()?, node, key.span))
        }));
        timers.sort_by_key(|(delay, ..)| delay.parse::<u64>().unwrap_or(u64::MAX));
        let shortest = timers.first().map(|(delay, ..)| *delay);
        for (delay, node, span) in timers {
            if Some(delay) == shortest {
                self.input.leave(
                    span,
                    format!("the delay `{delay}`: the event `timeout` triggers its transition"),
                );
                self.transitions(id, &ChartTrigger::Event("timeout".to_owned()), node, span);
            } else {
                self.input.leave(
                    span,
                    format!("the transition after `{delay}`: a state can have only one `timeout`"),
                );
            }
        }
    }

    /// Reads an invoked service. The end of the service becomes an event.
    fn invoked(&mut self, id: NodeId, node: &Node) {
        let Some(map) = node.map() else {
            self.input
                .leave(node.span, format!("`invoke`{}", named(node)));
            return;
        };
        let text = |key: &str| map.get(key).and_then(name_of);
        let name = text("id")
            .or(text("src"))
            .map(word)
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "invoked".to_owned());
        let mut ends = Vec::new();
        for (key, end) in [("onDone", "done"), ("onError", "error")] {
            if let Some(node) = map.given(key) {
                let event = format!("{name}_{end}");
                self.chart.events.insert(event.clone());
                ends.push(format!("`{event}`"));
                self.transitions(id, &ChartTrigger::Event(event), node, node.span);
            }
        }
        let ends = match ends.as_slice() {
            [] => String::new(),
            ends => format!(": the event {} reports its end", ends.join(" or ")),
        };
        self.input
            .leave(node.span, format!("`invoke` `{name}`{ends}"));
        if let Some((key, _)) = map.entry("onSnapshot") {
            self.input.leave(key.span, "`onSnapshot`");
        }
    }

    /// Reads `context` as the initial data of a dialogue.
    fn context(&mut self, map: &Map) {
        let Some((key, context)) = map.entry("context") else {
            return;
        };
        let Some(context) = context.map() else {
            self.input.leave(key.span, "`context`");
            return;
        };
        for (key, value) in &context.entries {
            let shown = match value.atom() {
                Some(Atom::Bool(value)) => value.to_string(),
                Some(Atom::Int(value)) => value.to_string(),
                Some(Atom::Float(value)) if value.is_finite() => value.to_string(),
                Some(Atom::Text(text)) => scalar(text),
                Some(Atom::Null) => continue,
                _ => {
                    self.input.leave(
                        key.span,
                        format!("`{}` of the context: {}", key.text, value.kind()),
                    );
                    continue;
                }
            };
            self.chart.data.push((key.text.to_string(), shown));
        }
    }

    /// Reads the edges of a trigger: a target, a map, or a list of these. An empty value is an edge that does not
    /// change the state.
    fn transitions(&mut self, id: NodeId, trigger: &ChartTrigger, node: &Node, span: Span) {
        let stays = matches!(trigger, ChartTrigger::Event(_) | ChartTrigger::Any);
        if node.is_null() || node.list().is_some_and(<[Node]>::is_empty) {
            if stays {
                self.chart[id].edges.push(ChartEdge {
                    trigger: trigger.clone(),
                    guard: Vec::new(),
                    target: None,
                    span,
                });
            }
            return;
        }
        for item in node.items() {
            let (target, guard) = match item.map() {
                None => (Some(item), Vec::new()),
                Some(map) => (map.get("target"), self.way(map)),
            };
            let first = target.and_then(Node::list).and_then(<[Node]>::first);
            if let Some(others) = target
                .and_then(Node::list)
                .filter(|targets| targets.len() > 1)
            {
                let span = others.get(1).map_or(item.span, |node| node.span);
                self.input
                    .leave(span, "all targets of a transition but the first");
            }
            let target = first.or(target).filter(|node| !node.is_null());
            let span = if item.map().is_some() {
                item.span
            } else {
                span
            };
            let target = match target {
                None => None,
                Some(node) => {
                    let Some(name) = text_of(node, "target", self.input.found) else {
                        continue;
                    };
                    let target = self.targets.resolve(&self.chart, id, name);
                    if target.is_none() {
                        let names = self.chart.nodes.iter().map(|node| &*node.name);
                        let title = format!("unknown state `{name}`");
                        let help = "use a sibling state, `.NAME` for a substate, or `#ID`";
                        unusable(title, node.span, "transition target")
                            .near(name, names, help)
                            .add_to(self.input.found);
                        continue;
                    }
                    target
                }
            };
            self.chart[id].edges.push(ChartEdge {
                trigger: trigger.clone(),
                guard,
                target,
                span,
            });
        }
        self.lost_guards(id, trigger);
    }

    /// Reports the edges of a list that follow an edge without a guard. No machine has such edges on purpose.
    fn lost_guards(&mut self, id: NodeId, trigger: &ChartTrigger) {
        let mut edges = self.chart[id].on(trigger);
        let Some(first) = edges.find(|edge| edge.guard.is_empty()) else {
            return;
        };
        let lost: Vec<Span> = edges.map(|edge| edge.span).collect();
        if lost.is_empty() {
            return;
        }
        let title = "transitions after one without a guard are never taken";
        Diagnostic::warning(Code::ForeignFormat, title)
            .at_each(lost, "never taken")
            .at(first.span, "no guard")
            .note("JSON contains no functions, so a guard that is a function is lost")
            .help(EXPORT)
            .add_to(self.input.found);
    }

    /// Reads the guard of an edge. Reports other keys as omitted.
    fn way(&mut self, map: &Map) -> Vec<GuardTerm> {
        let mut guard = Vec::new();
        for (key, value) in &map.entries {
            match &*key.text {
                "target" | "internal" | "reenter" | "description" | "delay" | "source"
                | "eventType" => {}
                _ if is_nothing(value) => {}
                "guard" | "cond" => guard.push(self.guard(key, value)),
                "in" => {
                    let name = format!("in_{}", word(value.text().unwrap_or_default()));
                    self.input.leave(
                        key.span,
                        format!("`in`: the transition applies if the slot `{name}` is true"),
                    );
                    guard.push(GuardTerm::holds(name));
                }
                "actions" | "meta" => {
                    self.input
                        .leave(key.span, format!("`{}`{}", key.text, named(value)));
                }
                other => self
                    .input
                    .leave(key.span, format!("the unknown key `{other}`")),
            }
        }
        guard
    }

    fn guard(&mut self, key: &Key, value: &Node) -> GuardTerm {
        let name = name_of(value).or_else(|| value.get("name")?.text());
        for (part, node) in value.entries() {
            if !matches!(&*part.text, "type" | "name") && !is_nothing(node) {
                self.input
                    .leave(part.span, format!("`{}` of a guard", part.text));
            }
        }
        let is_name = |name: &&str| {
            name.chars()
                .all(|c| c.is_alphanumeric() || "_-. /".contains(c))
        };
        let code = name.map(str::trim);
        if let Some(name) = code.filter(is_name) {
            return GuardTerm::holds(name);
        }
        // A guard that is not a valid name is code.
        let name = code.map_or_else(|| "guard".to_owned(), word);
        self.input.leave(
            key.span,
            format!("the code of a guard: the transition applies if the slot `{name}` is true"),
        );
        GuardTerm::holds(if name.is_empty() {
            "guard".to_owned()
        } else {
            name
        })
    }
}

/// Whether a value is empty.
fn is_nothing(node: &Node) -> bool {
    node.is_null()
        || node.list().is_some_and(<[Node]>::is_empty)
        || node.map().is_some_and(|map| map.entries.is_empty())
}

/// The name of an action or a guard.
fn name_of(node: &Node) -> Option<&str> {
    node.text().or_else(|| node.get("type")?.text())
}

/// The names of the first few actions, for display.
fn named(node: &Node) -> String {
    let names = node
        .items()
        .iter()
        .filter_map(name_of)
        .take(4)
        .map(|name| format!("`{name}`"))
        .joined(", ");
    if names.is_empty() {
        String::new()
    } else {
        format!(": {names}")
    }
}

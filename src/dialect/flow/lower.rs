//! Resolved states into the machine: placeholders filled in, names minted, rules and targets checked.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::inherit::{Entry, Merged, Resolved};
use super::issues::Issues;
use super::placeholder::{Filled, Parameters, unfilled};
use crate::diagnostic::{Code, Diagnostics, Span};
use crate::dialect::condition::Conditions;
use crate::document::{Atom, Content, Key, Map, Node};
use crate::machine::{
    ChainTable, Clause, GuardId, MachineBuilder, Origin, OriginId, Outcome, PhaseId, SlotId,
    StateId, StateKind, Switches, Target, Value,
};

/// A state on its way into the machine.
pub(super) struct Draft<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    pub(super) resolved: Rc<Resolved<'a>>,
    pub(super) parameters: Parameters<'a>,
}

/// What lowering needs beside the state.
pub(super) struct Lowering<'a, 'b> {
    pub(super) builder: &'b mut MachineBuilder,
    pub(super) conditions: &'b mut Conditions<'a>,
    pub(super) issues: &'b mut Issues<'a>,
    pub(super) found: &'b mut Diagnostics,
    pub(super) switches: Switches,
    /// How bad an unknown target is: for the profile and the shape of the flow.
    pub(super) targets_must_exist: bool,
    pub(super) guards: FxHashMap<Box<str>, GuardId>,
    pub(super) origins: FxHashMap<(&'a str, Option<&'a str>), OriginId>,
}

/// Which kind of name a rule gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Action,
    State,
}

/// Where a rule stands.
struct Site {
    span: Span,
    origin: OriginId,
    gives: Gives,
    /// The running loader does not check the target here.
    lenient: bool,
}

/// Keys of a state that are read here; a near miss of one of them is a finding.
const KNOWN_KEYS: [&str; 33] = [
    "extends", "mixins", "abstract", "goal", "description", "phase", "spin_phase", "required_data", "optional_data", "rules",
    "transitions", "parameters", "on_enter", "is_final", "max_turns_in_state", "phase_exhaust_threshold",
    "max_turns_fallback", "max_simulation_visits", "max_simulation_consecutive", "type", "choices", "default", "branches",
    "join_at", "join_condition", "expects_branches", "on_join", "regions", "exit_when", "history", "branch", "kb_categories",
    "priority",
];

impl<'a> Lowering<'a, '_> {
    /// Declares a state and mints its slots, so that names come in the order of the file.
    pub(super) fn declare(&mut self, draft: &Draft<'a>) {
        let id = self.builder.state(draft.name);
        let required = self.slots(draft, "required_data");
        let optional = self.slots(draft, "optional_data");
        let arrival = self.builder.action(&format!("transition_to_{}", draft.name));
        let state = &mut self.builder.states[id];
        state.declared = true;
        state.span = Some(draft.span);
        state.arrival = Some(arrival);
        state.required = required.into();
        state.optional = optional.into();
    }

    /// Everything else of a state; all states are declared by now.
    pub(super) fn complete(&mut self, draft: &Draft<'a>) {
        let id = self.builder.state(draft.name);
        let goal = self.text(draft, "goal");
        let is_final = self.field(draft, "is_final").is_some_and(|value| Value::from(value).truthy());
        let kind = self.kind(draft);
        let max_turns = self.integer(draft, "max_turns_in_state").unwrap_or(0);
        let exhaust_threshold = self.integer(draft, "phase_exhaust_threshold").unwrap_or(self.builder.vocabulary.thresholds.phase_exhaust);
        let fallback = match draft.resolved.fields.get("max_turns_fallback") {
            Some(entry) => self.target(draft, entry, true),
            None => Target::None,
        };
        let (enter_action, set_flags) = self.on_enter(draft);
        let rules = self.table(draft, Gives::Action);
        let transitions = self.table(draft, Gives::State);
        let mut named = |name: &str| {
            let entry = draft.resolved.transitions.get(name).cloned();
            entry.map_or(Target::None, |entry| self.target(draft, &entry, false))
        };
        let (go_back, data_complete, any) = (named("go_back"), named("data_complete"), named("any"));
        let state = &mut self.builder.states[id];
        state.goal = goal;
        state.is_final = is_final;
        state.kind = kind;
        state.max_turns = max_turns;
        state.exhaust_threshold = exhaust_threshold;
        state.fallback = fallback;
        state.enter_action = enter_action;
        state.set_flags = set_flags.into();
        state.rules = rules;
        state.transitions = transitions;
        state.go_back = go_back;
        state.data_complete = data_complete;
        state.any = any;
        self.check_keys(draft);
    }

    /// The phase that a state gives itself.
    pub(super) fn own_phase(&mut self, draft: &Draft<'a>) -> Option<PhaseId> {
        let name = ["phase", "spin_phase"].into_iter().find_map(|key| self.text(draft, key).filter(|name| !name.is_empty()));
        name.map(|name| self.builder.phase(&name))
    }

    fn slots(&mut self, draft: &Draft<'a>, key: &str) -> Vec<SlotId> {
        let Some(node) = self.field(draft, key) else {
            return Vec::new();
        };
        let items = node.list().unwrap_or(std::slice::from_ref(node));
        let mut slots = Vec::new();
        for item in items.iter().filter(|item| !item.is_null()) {
            if let Some(name) = self.name_in(draft, item, key) {
                slots.push(self.builder.slot(&name));
            }
        }
        slots
    }

    /// The value of a field, its placeholder filled in where it is nothing else.
    fn field(&mut self, draft: &Draft<'a>, key: &str) -> Option<&'a Node> {
        let node = draft.resolved.fields.get(key)?.value.node()?;
        let node = match node.text().map(|text| draft.parameters.fill(text)) {
            Some(Filled::Value(value)) => value,
            _ => node,
        };
        (!node.is_null()).then_some(node)
    }

    fn text(&mut self, draft: &Draft<'a>, key: &str) -> Option<Box<str>> {
        let node = self.field(draft, key)?;
        self.name_in(draft, node, key)
    }

    /// The text of a scalar with its placeholders filled in; a finding where it is none or one is left over.
    fn name_in(&mut self, draft: &Draft<'a>, node: &Node, what: &str) -> Option<Box<str>> {
        let Some(text) = node.text() else {
            crate::document::wrong_type(node, &format!("`{what}` is a text"), self.found);
            return None;
        };
        match draft.parameters.fill(text) {
            Filled::Text(text) => {
                if text.contains("{{") {
                    self.left_over(draft, &text, node.span);
                }
                Some(text.into())
            }
            Filled::Value(value) => match value.text() {
                Some(text) => Some(text.into()),
                None => {
                    crate::document::wrong_type(value, &format!("`{what}` is a text, and `{text}` stands for this value"), self.found);
                    None
                }
            },
            Filled::TooLarge => {
                self.issues.add(
                    Code::TooDeep,
                    true,
                    "placeholders make a text longer than 64 KiB".to_owned(),
                    node.span,
                    "grows too large",
                    Some("shorten the values".to_owned()),
                    draft.name,
                );
                None
            }
        }
    }

    /// Reports the placeholders that are left in a text.
    fn left_over(&mut self, draft: &Draft<'a>, text: &str, span: Span) {
        for name in unfilled(text) {
            let near = crate::diagnostic::nearest(name, draft.parameters.names());
            let help = match near {
                Some(near) => format!("did you mean `{{{{{near}}}}}`?"),
                None => format!("define `{name}` in the flow's `variables` or in the state's `parameters`"),
            };
            self.issues.add(
                Code::UnresolvedPlaceholder,
                true,
                format!("the placeholder `{{{{{name}}}}}` has no value"),
                span,
                "no value",
                Some(help),
                draft.name,
            );
        }
    }

    fn integer(&mut self, draft: &Draft<'a>, key: &'static str) -> Option<i64> {
        let node = self.field(draft, key)?;
        crate::document::integer_of(node, key, self.found)
    }

    fn kind(&mut self, draft: &Draft<'a>) -> StateKind {
        match self.text(draft, "type").as_deref() {
            Some("choice") => StateKind::Choice,
            Some("fork") => StateKind::Fork,
            Some("join") => StateKind::Join,
            Some("parallel") => StateKind::Parallel,
            _ => StateKind::Simple,
        }
    }

    /// `on_enter`: an action, or a map with `action` and `set_flags`.
    fn on_enter(&mut self, draft: &Draft<'a>) -> (Option<crate::machine::ActionId>, Vec<(SlotId, Value)>) {
        let Some(node) = self.field(draft, "on_enter") else {
            return (None, Vec::new());
        };
        let Some(map) = node.map() else {
            let action = self.name_in(draft, node, "on_enter");
            return (action.map(|name| self.builder.action(&name)), Vec::new());
        };
        let action = map.get("action").filter(|node| !node.is_null()).and_then(|node| self.name_in(draft, node, "action"));
        let action = action.filter(|name| !name.is_empty()).map(|name| self.builder.action(&name));
        let flags: &'a [_] = map.get("set_flags").and_then(Node::map).map_or(&[], |map: &'a Map| map.entries.as_slice());
        let flags = flags
            .iter()
            .map(|(key, node)| {
                let value = self.value(draft, node);
                (self.builder.slot(&key.text), value)
            })
            .collect();
        (action, flags)
    }

    /// A value with the placeholders in its texts filled in.
    fn value(&mut self, draft: &Draft<'a>, node: &'a Node) -> Value {
        match &node.content {
            Content::Scalar(scalar) => match scalar.atom() {
                Atom::Text(text) if text.contains("{{") => match draft.parameters.fill(text) {
                    Filled::Value(value) => Value::from(value),
                    _ => self.name_in(draft, node, "a value").map_or(Value::Null, |text| Value::text(&text)),
                },
                _ => Value::from(node),
            },
            Content::List(items) => Value::List(items.iter().map(|item| self.value(draft, item)).collect()),
            Content::Map(map) => {
                Value::Map(map.entries.iter().map(|(key, item)| ((*key.text).into(), self.value(draft, item))).collect())
            }
        }
    }

    fn table(&mut self, draft: &Draft<'a>, gives: Gives) -> ChainTable {
        let resolved = Rc::clone(&draft.resolved);
        let section = match gives {
            Gives::Action => &resolved.rules,
            Gives::State => &resolved.transitions,
        };
        let mut pairs = Vec::with_capacity(section.len());
        for (intent, entry) in section {
            let intent = self.builder.intent(intent);
            if let Some(clauses) = self.clauses(draft, entry, gives, false) {
                pairs.push((intent, self.builder.chain(clauses)));
            }
        }
        ChainTable::new(pairs)
    }

    /// A target outside the intents: a state, or a list of alternatives.
    fn target(&mut self, draft: &Draft<'a>, entry: &Entry<'a>, lenient: bool) -> Target {
        let Some(clauses) = self.clauses(draft, entry, Gives::State, lenient) else {
            return Target::None;
        };
        let plain = entry.value.node().is_some_and(|node| node.text().is_some());
        match clauses.first() {
            None => Target::None,
            Some(Clause {
                then: Outcome::State(state),
                rule,
                ..
            }) if plain => Target::State(*state, *rule),
            Some(_) => Target::Chain(self.builder.chain(clauses)),
        }
    }

    /// The alternatives of an entry; `None` where it is nothing at all.
    fn clauses(&mut self, draft: &Draft<'a>, entry: &Entry<'a>, gives: Gives, lenient: bool) -> Option<Vec<Clause>> {
        let mut site = Site {
            span: entry.key.span,
            origin: self.origin(entry),
            gives,
            lenient,
        };
        let mut clauses = Vec::new();
        if let Some(items) = entry.value.node().and_then(Node::list) {
            for item in items {
                site.span = item.span;
                clauses.extend(self.clause(draft, &Merged::Node(item), &site));
            }
            return Some(clauses);
        }
        if let Some(node) = entry.value.node() {
            if node.is_null() {
                return None;
            }
            site.span = node.span;
        }
        // The running loader does not look into a rule that is one map.
        site.lenient |= entry.value.pairs().is_some();
        clauses.extend(self.clause(draft, &entry.value, &site));
        Some(clauses)
    }

    /// One alternative; `None` where it gives nothing.
    fn clause(&mut self, draft: &Draft<'a>, value: &Merged<'a>, site: &Site) -> Option<Clause> {
        let (when, then) = match value.pairs() {
            None => (None, value.node()?),
            Some(pairs) => {
                let (when, then) = self.parts(draft, &pairs, site)?;
                (Some(when), then)
            }
        };
        if then.is_null() {
            return None;
        }
        let name = self.name_in(draft, then, "a rule").filter(|name| !name.is_empty())?;
        let when = when.map(|node| self.guard(draft, &node));
        let then = match site.gives {
            Gives::Action => Outcome::Action(self.builder.action(&name)),
            Gives::State => Outcome::State(self.state(draft, &name, then.span, site.lenient)),
        };
        let rule = self.builder.rule(site.span, site.origin);
        Some(Clause { when, then, rule })
    }

    /// `when` and `then` of an alternative; a finding where one is missing or another key is there.
    fn parts(&mut self, draft: &Draft<'a>, pairs: &[(&'a Key, Merged<'a>)], site: &Site) -> Option<(Node, &'a Node)> {
        let strict = self.switches.strict_load;
        let mut when = None;
        let mut then = None;
        for (key, value) in pairs {
            match &*key.text {
                "when" => when = Some(materialise(value, site.span)).filter(|node| !node.is_null()),
                "then" => then = value.node(),
                "description" => {}
                other => {
                    let near = crate::diagnostic::nearest(other, ["when", "then"]);
                    let help = near.map_or("a rule has `when` and `then`".to_owned(), |name| format!("did you mean `{name}`?"));
                    let title = format!("a rule has no key `{other}`");
                    self.issues.add(Code::BadRule, strict, title, key.span, "not known here", Some(help), draft.name);
                }
            }
        }
        if let (Some(when), Some(then)) = (when, then) {
            return Some((when, then));
        }
        let title = "a rule with conditions needs both `when` and `then`".to_owned();
        let help = Some("write `{when: CONDITION, then: NAME}`".to_owned());
        self.issues.add(Code::BadRule, strict, title, site.span, "incomplete", help, draft.name);
        None
    }

    /// The guard of a `when`; plain names are compiled once.
    fn guard(&mut self, draft: &Draft<'a>, node: &Node) -> GuardId {
        if node.text().is_none() {
            return self.conditions.compile_when(node, !self.switches.composite_conditions, self.builder, self.found);
        }
        let name = self.name_in(draft, node, "when").unwrap_or_default();
        if let Some(guard) = self.guards.get(&name) {
            return *guard;
        }
        let plain = !name.starts_with("custom:") || self.switches.composite_conditions;
        let guard = match self.conditions.resolve(&name, self.builder).filter(|_| plain) {
            Some(id) => self.builder.guard(crate::machine::Guard::Named(id)),
            None => {
                let near = crate::diagnostic::nearest(&name, self.conditions.names()).map(str::to_owned);
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "define it under `conditions:`, or use a built-in one".to_owned(),
                };
                let strict = self.switches.strict_load;
                let title = format!("there is no condition `{name}`");
                self.issues.add(Code::UnknownCondition, strict, title, node.span, "not known", Some(help), draft.name);
                let why = format!("there is no condition `{name}`");
                return self.builder.guard(crate::machine::Guard::Broken(why.into()));
            }
        };
        self.guards.insert(name, guard);
        guard
    }

    /// The state a rule leads to; a finding where it is not defined.
    fn state(&mut self, draft: &Draft<'a>, name: &str, span: Span, lenient: bool) -> StateId {
        let id = self.builder.state(name);
        if !self.builder.states[id].declared && !name.contains("{{") {
            let declared: Vec<&str> = self
                .builder
                .states
                .pairs()
                .filter(|(_, state)| state.declared)
                .map(|(id, _)| self.builder.names.states.name(id))
                .collect();
            let help = match crate::diagnostic::nearest(name, declared.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("define the state `{name}`, or lead to one of the {} that exist", declared.len()),
            };
            let title = format!("there is no state `{name}` to go to");
            let error = self.targets_must_exist && (self.switches.strict_load || !lenient);
            self.issues.add(Code::UnknownState, error, title, span, "no such state", Some(help), draft.name);
        }
        id
    }

    fn origin(&mut self, entry: &Entry<'a>) -> OriginId {
        let builder = &mut *self.builder;
        *self.origins.entry((entry.state, entry.mixin)).or_insert_with(|| {
            builder.origin(Origin {
                state: entry.state.into(),
                mixin: entry.mixin.map(Into::into),
            })
        })
    }

    /// Warns about keys that look like slips of the finger, and finds placeholders in the fields that nothing reads.
    fn check_keys(&mut self, draft: &Draft<'a>) {
        let resolved = Rc::clone(&draft.resolved);
        for (name, entry) in &resolved.fields {
            if KNOWN_KEYS.contains(name) {
                continue;
            }
            if let Some(near) = crate::diagnostic::nearest(name, KNOWN_KEYS) {
                self.issues.add(
                    Code::UnknownKey,
                    false,
                    format!("a state has no key `{name}`"),
                    entry.key.span,
                    "nobody reads this",
                    Some(format!("did you mean `{near}`?")),
                    draft.name,
                );
            }
            if let Some(node) = entry.value.node() {
                self.check_texts(draft, node);
            }
        }
    }

    fn check_texts(&mut self, draft: &Draft<'a>, node: &'a Node) {
        match &node.content {
            Content::Scalar(scalar) if scalar.text.contains("{{") => {
                if let Filled::Text(text) = draft.parameters.fill(&scalar.text) {
                    self.left_over(draft, &text, node.span);
                }
            }
            Content::Scalar(_) => {}
            Content::List(items) => items.iter().for_each(|item| self.check_texts(draft, item)),
            Content::Map(map) => map.entries.iter().for_each(|(_, item)| self.check_texts(draft, item)),
        }
    }
}

/// A merged value as one node.
fn materialise(value: &Merged<'_>, span: Span) -> Node {
    match value {
        Merged::Node(node) => (*node).clone(),
        Merged::Map(pairs) => Node {
            span,
            content: Content::Map(Map {
                entries: pairs.iter().map(|(key, value)| ((*key).clone(), materialise(value, span))).collect(),
            }),
        },
    }
}

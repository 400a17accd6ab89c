//! Exports a flow as an XState machine in JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::names::GivenNames;
use super::omission::{Omission, Omissions};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{
    Alternative, Condition, ConditionId, Consequent, ControlNode, State, StateId, Target,
};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Span};

/// An exported flow.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The content of the file.
    pub text: String,
    /// The omitted parts, which XState cannot represent.
    pub left_out: Vec<Omission>,
}

/// Exports the states and transitions of a machine for XState 5.
///
/// # Errors
/// Returns a finding if the machine has no transition to export.
pub fn export_xstate(machine: &Machine) -> Checked<Exported> {
    let mut exporter = Exporter {
        machine,
        names: BTreeMap::new(),
        left: Omissions::default(),
        unnamed: BTreeMap::new(),
        edges: 0,
    };
    exporter.name_states();
    let states: Map<String, Value> = machine
        .declared_states()
        .filter_map(|(id, state)| {
            let name = exporter.names.get(&id)?.clone();
            Some((name, exporter.state(id, state)))
        })
        .collect();
    exporter.whole();
    if exporter.edges == 0 {
        return Diagnostic::error(
            Code::ForeignFormat,
            format!(
                "cannot export `{}` to XState: no intent has a transition",
                machine.header.name
            ),
        )
        .about(machine.header.source.clone())
        .help("use a flow with `transitions`; contracts and state sets cannot be exported")
        .fail();
    }
    let initial = exporter
        .names
        .get(&machine.initial)
        .cloned()
        .unwrap_or_default();
    let config =
        json!({"id": machine.header.name.replace('.', "_"), "initial": initial, "states": states});
    let text = serde_json::to_string_pretty(&config).unwrap_or_default() + "\n";
    Ok(Exported {
        text,
        left_out: exporter.left.all(),
    })
}

struct Exporter<'m> {
    machine: &'m Machine,
    /// The exported names of the states.
    names: BTreeMap<StateId, String>,
    left: Omissions,
    /// The conditions without a name, each with the number in its generated name.
    unnamed: BTreeMap<ConditionId, usize>,
    /// The number of exported edges.
    edges: usize,
}

impl Exporter<'_> {
    /// Assigns names to the states. In XState, a dot separates names and `#` starts an ID.
    fn name_states(&mut self) {
        let mut names = GivenNames::default();
        for (id, state) in self.machine.declared_states() {
            if state.is_target_only() {
                continue;
            }
            let own = self.machine.names.states.name(id);
            let mut name = own.replace(['.', '\\'], "_");
            if name.starts_with('#') {
                name.replace_range(..1, "_");
            }
            let name = names.give(&name);
            if name != own {
                self.left.add(
                    state.span,
                    format!("the name `{own}`: the state is renamed to `{name}`"),
                );
            }
            self.names.insert(id, name);
        }
    }

    fn state(&mut self, id: StateId, state: &State) -> Value {
        let mut out = Map::new();
        let machine = self.machine;
        let own = machine.names.states.name(id).to_owned();
        if let Some(goal) = &state.goal {
            out.insert("description".to_owned(), Value::from(&**goal));
        }
        self.node(&own, state, &mut out);
        let mut on = Map::new();
        if !state.is_final {
            let any = match state.any {
                Target::None => Vec::new(),
                Target::State(next, rule) => {
                    let then = Consequent::State(next);
                    let when = None;
                    self.ways(&[Alternative { when, then, rule }], &own)
                }
                Target::Chain(chain) => self.ways(machine.alternatives(chain), &own),
            };
            for (intent, chain) in state.transitions.iter() {
                let name = machine.names.intents.name(intent);
                if matches!(name, "any" | "data_complete") {
                    continue;
                }
                let mut ways = self.ways(machine.alternatives(chain), &own);
                if ways.iter().all(|way| way.get("guard").is_some()) && !ways.is_empty() {
                    // In a flow, `any` also applies if the intent has transitions and none of their conditions is true.
                    ways.extend(any.iter().cloned());
                }
                let event = if name == "*" || name.ends_with(".*") {
                    name.replace('*', "_")
                } else {
                    name.to_owned()
                };
                insert(&mut on, event, ways);
            }
            insert(&mut on, "*".to_owned(), any);
        } else if !state.transitions.is_empty() {
            self.left.add(
                state.span,
                format!("outgoing transitions of the final state `{own}`"),
            );
        }
        self.edges += on.len();
        if !on.is_empty() {
            out.insert("on".to_owned(), Value::Object(on));
        }
        if state.is_final {
            out.insert("type".to_owned(), Value::from("final"));
        }
        self.rest(id, &own, state);
        Value::Object(out)
    }

    /// Exports a choice as edges that are taken immediately. Reports forks and joins.
    fn node(&mut self, own: &str, state: &State, out: &mut Map<String, Value>) {
        match state.node.as_deref() {
            Some(ControlNode::Choice { ways, default }) => {
                let ways: Vec<Value> = ways
                    .iter()
                    .map(|way| (Some(way.when), way.next, Some(way.rule)))
                    .chain(default.map(|next| (None, next, None)))
                    .filter_map(|(when, next, rule)| {
                        let span =
                            rule.map_or(state.span, |rule| Some(self.machine.rules[rule].span));
                        self.way(when, next, span, own)
                    })
                    .collect();
                self.edges += ways.len();
                out.insert("always".to_owned(), short(ways));
            }
            Some(ControlNode::Fork(_)) => self
                .left
                .add(state.span, format!("the branches of `{own}`")),
            Some(ControlNode::Join(_)) => {
                self.left
                    .add(state.span, format!("the join of branches in `{own}`"));
            }
            Some(ControlNode::BranchEnd | ControlNode::Resume) | None => {}
        }
    }

    /// Reports the omitted parts of a state.
    fn rest(&mut self, id: StateId, own: &str, state: &State) {
        let mut left = |is: bool, what: &str| {
            if is {
                self.left.add(state.span, format!("{what} of `{own}`"));
            }
        };
        left(!state.rules.is_empty(), "the rules (actions)");
        left(state.data_complete.is_some(), "`data_complete`");
        left(
            !state.required.is_empty() && !state.data_complete.is_some(),
            "the required data",
        );
        left(state.max_turns > 0, "the turn limit");
        left(
            state.enter_action.is_some() || state.entry.is_some() || !state.set_flags.is_empty(),
            "`on_enter`",
        );
        left(state.history.is_some(), "the history");
        left(state.aside == Some(id), "`aside`");
    }

    fn ways(&mut self, alternatives: &[Alternative], own: &str) -> Vec<Value> {
        let mut ways = Vec::new();
        for alternative in alternatives {
            let Consequent::State(next) = alternative.then else {
                continue;
            };
            let span = self.machine.rules[alternative.rule].span;
            if !self.machine.ops(alternative.rule).is_empty() {
                self.left.add(
                    span,
                    format!("operations and effects of a transition from `{own}`"),
                );
            }
            ways.extend(self.way(alternative.when, next, Some(span), own));
        }
        ways
    }

    /// Exports an edge. Returns `None` if its target is not exported.
    fn way(
        &mut self,
        when: Option<ConditionId>,
        next: StateId,
        span: Option<Span>,
        own: &str,
    ) -> Option<Value> {
        let Some(target) = self.names.get(&next) else {
            let name = self.machine.names.states.name(next);
            self.left.add(
                span,
                format!("the transition from `{own}` to `{name}`, which is not exported"),
            );
            return None;
        };
        // A transition to the same state does not exit and enter the state again.
        let Some(when) = when else {
            return Some(json!({"target": target}));
        };
        let target = target.clone();
        let guard = self.guard(when);
        self.left.add(
            span,
            format!("the implementation of the guard `{guard}`: pass it to `createMachine`"),
        );
        Some(json!({"target": target, "guard": guard}))
    }

    /// Returns the name of a condition, or a numbered name for a condition without a name.
    fn guard(&mut self, when: ConditionId) -> String {
        if let Condition::Named(name) = &self.machine.conditions[when] {
            return self.machine.names.conditions.name(*name).to_owned();
        }
        let next = self.unnamed.len() + 1;
        format!("guard_{}", *self.unnamed.entry(when).or_insert(next))
    }

    /// Reports the omitted parts of the machine.
    fn whole(&mut self) {
        let machine = self.machine;
        let mut left = |count: usize, what: &str| {
            if count > 0 {
                self.left.add(None, format!("{what} ({count})"));
            }
        };
        left(machine.properties.len(), "the properties");
        left(machine.effects.len(), "the effects");
        left(machine.ordered_phases, "the phases");
        left(machine.initial_data.len(), "the initial data");
    }
}

/// Adds the edges of an event, if there are any.
fn insert(on: &mut Map<String, Value>, event: String, ways: Vec<Value>) {
    if !ways.is_empty() {
        on.insert(event, short(ways));
    }
}

/// Shortens a list of edges: a single edge without a guard becomes its target as a string.
fn short(ways: Vec<Value>) -> Value {
    match ways.as_slice() {
        [Value::Object(way)] if way.len() == 1 => way.get("target").cloned().unwrap_or_default(),
        _ => Value::Array(ways),
    }
}

//! Finds states that were probably renamed: one name was removed, another was added, and both have the same position in
//! the graph.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::sides::Sides;
use super::state_renames::StateRenames;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{ChainId, Consequent, ControlNode, StateId, Target};

/// The number of steps to compare around a state. This is enough for chains of states that were all renamed.
const ROUNDS: usize = 8;

/// A state that was probably renamed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RenameOffer {
    /// The name on the first side.
    pub from: String,
    /// The name on the second side.
    pub to: String,
}

/// The transitions of a state, each with its trigger and the state at the other end.
#[derive(Default)]
struct Edges {
    out: Vec<(String, StateId)>,
    into: Vec<(String, StateId)>,
}

impl RenameOffer {
    /// The states of two machines that were probably renamed, except for the known renames.
    pub(super) fn of(machines: Sides<&Machine>, renames: &StateRenames) -> Vec<Self> {
        let names = machines.map(|machine| machine.declared_names().collect::<BTreeSet<_>>());
        let others: Sides<BTreeSet<&str>> = Sides::each(|side| {
            let own = names.of(side).difference(names.of(side.other()));
            own.filter(|name| !renames.names(side, name))
                .copied()
                .collect()
        });
        if others.a.is_empty() || others.b.is_empty() {
            return Vec::new();
        }
        let places = Sides {
            a: places(machines.a, &others.a, &|name| {
                renames.new_name(name).unwrap_or(name)
            }),
            b: places(machines.b, &others.b, &|name| name),
        };
        let alone = |(place, names): (u64, Vec<&str>)| match names.as_slice() {
            [name] => Some((place, (*name).to_owned())),
            _ => None,
        };
        let new: BTreeMap<u64, String> = places.b.into_iter().filter_map(alone).collect();
        let mut offers: Vec<Self> = places
            .a
            .into_iter()
            .filter_map(alone)
            .filter_map(|(place, from)| {
                Some(Self {
                    from,
                    to: new.get(&place)?.clone(),
                })
            })
            .collect();
        offers.sort();
        offers
    }
}

/// The states that only one side has, grouped by a hash of their positions in the graph. States that both sides have
/// are identified by name, and other states by properties and connections. A state without connections has no position.
fn places<'m>(
    machine: &'m Machine,
    others: &BTreeSet<&'m str>,
    common: &dyn Fn(&'m str) -> &'m str,
) -> BTreeMap<u64, Vec<&'m str>> {
    let name = |state: StateId| machine.names.states.name(state);
    let hash = |parts: &[&str]| xxh3_64(parts.join("\0").as_bytes());
    let mut hashes: BTreeMap<StateId, u64> = BTreeMap::new();
    let mut edges: BTreeMap<StateId, Edges> = BTreeMap::new();
    for (id, state) in machine.declared_states() {
        let phase = state
            .phase
            .map_or("", |phase| machine.names.phases.name(phase));
        let node = state.node.as_deref().map(std::mem::discriminant);
        let own = format!(
            "{phase}\0{node:?}\0{}\0{}",
            state.is_final,
            id == machine.initial
        );
        let hash_value = if others.contains(name(id)) {
            hash(&["?", &own])
        } else {
            hash(&["=", common(name(id))])
        };
        hashes.insert(id, hash_value);
        for (label, to) in edges_out(machine, id) {
            edges.entry(to).or_default().into.push((label.clone(), id));
            edges.entry(id).or_default().out.push((label, to));
        }
    }
    let is_other = |id: StateId| others.contains(name(id));
    for _ in 0..ROUNDS.min(others.len()) {
        let mut next = hashes.clone();
        for (id, Edges { out, into }) in edges.iter().filter(|(id, _)| is_other(**id)) {
            let seen = |edges: &[(String, StateId)]| {
                let mut seen: Vec<String> = edges
                    .iter()
                    .map(|(label, state)| format!("{label}\0{:?}", hashes.get(state)))
                    .collect();
                seen.sort_unstable();
                seen.join("\u{1}")
            };
            let hash_value = hashes.get(id).copied().unwrap_or_default();
            next.insert(
                *id,
                hash(&[&hash_value.to_string(), &seen(out), &seen(into)]),
            );
        }
        hashes = next;
    }
    let mut places: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let connected = |(id, edges): (&StateId, &Edges)| {
        edges
            .out
            .iter()
            .chain(&edges.into)
            .any(|(_, state)| state != id)
    };
    for edge in edges
        .iter()
        .filter(|edge| is_other(*edge.0))
        .filter(|edge| connected(*edge))
    {
        places
            .entry(hashes.get(edge.0).copied().unwrap_or_default())
            .or_default()
            .push(name(*edge.0));
    }
    places
}

/// The explicit transitions from a state, each with its trigger.
fn edges_out(machine: &Machine, id: StateId) -> Vec<(String, StateId)> {
    let state = machine.state(id);
    let mut edges = Vec::new();
    let chain = |label: &str, chain: ChainId, edges: &mut Vec<(String, StateId)>| {
        for (number, alternative) in machine.alternatives(chain).iter().enumerate() {
            if let Consequent::State(to) = alternative.then {
                edges.push((
                    format!("{label} {number} {}", alternative.when.is_some()),
                    to,
                ));
            }
        }
    };
    for (kind, table) in [("rule", &state.rules), ("move", &state.transitions)] {
        for (intent, of) in table.iter() {
            chain(
                &format!("{kind} {}", machine.names.intents.name(intent)),
                of,
                &mut edges,
            );
        }
    }
    let targets = [
        ("back", state.go_back),
        ("data", state.data_complete),
        ("any", state.any),
        ("force", state.fallback),
    ];
    for (label, target) in targets {
        match target {
            Target::None => {}
            Target::State(to, _) => edges.push((label.to_owned(), to)),
            Target::Chain(of) => chain(label, of, &mut edges),
        }
    }
    edges.extend(state.allowed_go_back.map(|to| ("allowed".to_owned(), to)));
    edges.extend(state.region.map(|to| ("inside".to_owned(), to)));
    let targets_of_node = state
        .node
        .as_deref()
        .map(ControlNode::leads)
        .unwrap_or_default();
    edges.extend(
        targets_of_node
            .into_iter()
            .enumerate()
            .map(|(number, to)| (format!("edge {number}"), to)),
    );
    edges.extend(
        machine
            .policies
            .lead_from(machine, id)
            .into_iter()
            .map(|edge| ("policy".to_owned(), edge.target)),
    );
    edges.retain(|(_, to)| machine.is_declared(*to));
    edges
}

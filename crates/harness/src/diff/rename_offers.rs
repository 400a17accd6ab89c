//! States that seem to have another name on the second side: one is gone, one is new, and both have the same place in the
//! graph.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::sides::{DiffSide, Sides};
use super::state_renames::StateRenames;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{ChainId, Consequent, ControlNode, StateId, Target};

/// Steps that are looked at around a state: enough for stretches of states that were all renamed.
const ROUNDS: usize = 8;

/// A state that seems to have another name on the second side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RenameOffer {
    /// Its name on the first side.
    pub from: String,
    /// Its name on the second side.
    pub to: String,
}

/// The ways of a state, each with what takes it and the state at its other end.
#[derive(Default)]
struct Ways {
    out: Vec<(String, StateId)>,
    into: Vec<(String, StateId)>,
}

impl RenameOffer {
    /// The states of two machines that seem to be the same by other names, without those of which that is said already.
    pub(super) fn of(machines: Sides<&Machine>, renames: &StateRenames) -> Vec<Self> {
        let names = machines.map(|machine| machine.declared_names().collect::<BTreeSet<_>>());
        let others = Sides {
            a: names
                .a
                .difference(&names.b)
                .filter(|name| !renames.names(DiffSide::A, name))
                .copied()
                .collect(),
            b: names
                .b
                .difference(&names.a)
                .filter(|name| !renames.names(DiffSide::B, name))
                .copied()
                .collect(),
        };
        let others: Sides<BTreeSet<&str>> = others;
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
        let gone = places.a.into_iter().filter_map(alone);
        let mut offers: Vec<Self> = gone
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

/// The states that only one side has, by their places in its graph. States that both have are known by their names; the
/// others by what they are and by what they are connected with. What is connected with nothing has no place.
fn places<'m>(
    machine: &'m Machine,
    others: &BTreeSet<&'m str>,
    common: &dyn Fn(&'m str) -> &'m str,
) -> BTreeMap<u64, Vec<&'m str>> {
    let name = |state: StateId| machine.names.states.name(state);
    let hash = |parts: &[&str]| xxh3_64(parts.join("\0").as_bytes());
    let mut colours: BTreeMap<StateId, u64> = BTreeMap::new();
    let mut ways: BTreeMap<StateId, Ways> = BTreeMap::new();
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
        let colour = if others.contains(name(id)) {
            hash(&["?", &own])
        } else {
            hash(&["=", common(name(id))])
        };
        colours.insert(id, colour);
        for (label, to) in ways_out(machine, id) {
            ways.entry(to).or_default().into.push((label.clone(), id));
            ways.entry(id).or_default().out.push((label, to));
        }
    }
    let is_other = |id: StateId| others.contains(name(id));
    for _ in 0..ROUNDS.min(others.len()) {
        let mut next = colours.clone();
        for (id, Ways { out, into }) in ways.iter().filter(|(id, _)| is_other(**id)) {
            let seen = |ways: &[(String, StateId)]| {
                let mut seen: Vec<String> = ways
                    .iter()
                    .map(|(label, state)| format!("{label}\0{:?}", colours.get(state)))
                    .collect();
                seen.sort_unstable();
                seen.join("\u{1}")
            };
            let colour = colours.get(id).copied().unwrap_or_default();
            next.insert(*id, hash(&[&colour.to_string(), &seen(out), &seen(into)]));
        }
        colours = next;
    }
    let mut places: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let connected = |(id, ways): (&StateId, &Ways)| {
        ways.out
            .iter()
            .chain(&ways.into)
            .any(|(_, state)| state != id)
    };
    for way in ways
        .iter()
        .filter(|way| is_other(*way.0))
        .filter(|way| connected(*way))
    {
        places
            .entry(colours.get(way.0).copied().unwrap_or_default())
            .or_default()
            .push(name(*way.0));
    }
    places
}

/// The ways out of a state that are written, each with what takes it.
fn ways_out(machine: &Machine, id: StateId) -> Vec<(String, StateId)> {
    let state = machine.state(id);
    let mut ways = Vec::new();
    let chain = |label: &str, chain: ChainId, ways: &mut Vec<(String, StateId)>| {
        for (number, clause) in machine.clauses(chain).iter().enumerate() {
            if let Consequent::State(to) = clause.then {
                ways.push((format!("{label} {number} {}", clause.when.is_some()), to));
            }
        }
    };
    for (kind, table) in [("rule", &state.rules), ("move", &state.transitions)] {
        for (intent, of) in table.iter() {
            chain(
                &format!("{kind} {}", machine.names.intents.name(intent)),
                of,
                &mut ways,
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
            Target::State(to, _) => ways.push((label.to_owned(), to)),
            Target::Chain(of) => chain(label, of, &mut ways),
        }
    }
    ways.extend(state.allowed_go_back.map(|to| ("allowed".to_owned(), to)));
    ways.extend(state.region.map(|to| ("inside".to_owned(), to)));
    let led = state
        .node
        .as_deref()
        .map(ControlNode::leads)
        .unwrap_or_default();
    ways.extend(
        led.into_iter()
            .enumerate()
            .map(|(number, to)| (format!("way {number}"), to)),
    );
    ways.extend(
        machine
            .policies
            .lead_from(machine, id)
            .into_iter()
            .map(|way| ("policy".to_owned(), way.target)),
    );
    ways.retain(|(_, to)| machine.is_declared(*to));
    ways
}

//! Choices, forks, joins, routing and synchronization, if the recorded interfaces have a counterpart: the branch of a
//! choice, the started branches of a fork, the readiness of a join, and the branch of a turn. Vectors about history
//! stacks are skipped, because their flags have no counterpart in our dialogues.

use std::collections::BTreeMap;
use std::sync::Arc;

use fsmsim_core::engine::{
    ActiveBranches, Branch, Input, Machine, OpenFork, ScriptedTurn, Session, Status, Symbol,
    TurnData,
};
use fsmsim_core::machine::{ControlNode, Profile, Quorum};
use fsmsim_dialects::dialect::Loader;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::{Diagnostics, render};
use serde_json::{Map, Value, json};

use super::{report, texts, value, vectors};
use crate::support::Project;

/// A flow with these states, in the profile that runs control nodes.
fn machine(states: &Map<String, Value>) -> Arc<Machine> {
    let conditions = json!({
        "p": {"slot": "p"}, "q": {"slot": "q"}, "r": {"slot": "r"}, "unknown_c": {"slot": "never"},
    });
    let flow = json!({
        "flow": {"name": "vector", "policy": "sales"}, "conditions": conditions, "states": states,
    });
    let project = Project::new().file("flow.yaml", flow.to_string());
    let (mut loader, mut found) = (Loader::default(), Diagnostics::default());
    let machine = loader.load(
        &project.path().join("flow.yaml"),
        Profile::Documented,
        None,
        &mut found,
    );
    Arc::new(
        machine.unwrap_or_else(|| panic!("{}\n{flow}", render(&found, &loader.sources, false))),
    )
}

/// The state after one turn of `go` with this data, and the active branches.
fn play(machine: &Arc<Machine>, data: &Value) -> (String, Vec<String>) {
    let names = &machine.names;
    let data = data.as_object().into_iter().flatten();
    let data = data
        .map(|(name, data)| (Symbol::of(name, &names.slots), value(data)))
        .collect();
    let input = Input {
        intent: Some(Symbol::of("go", &names.intents)),
        data: TurnData::Given(data),
        ..Input::default()
    };
    let mut runner =
        DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
    runner.play(&ScriptedTurn {
        input,
        ..ScriptedTurn::default()
    });
    let session = runner.session();
    let active = session
        .branches
        .branches
        .iter()
        .filter(|branch| branch.status == Status::Active);
    let active = active
        .map(|branch| names.branches.name(branch.id).to_owned())
        .collect();
    (
        session
            .state_name(session.position.state, machine)
            .to_owned(),
        active,
    )
}

/// The states that a node of a vector needs. Incomplete parts are omitted: the running system ignores them, and our
/// loader rejects them.
fn around(name: &str, node: &Value) -> Map<String, Value> {
    let mut states = Map::new();
    states.insert(
        "greeting".to_owned(),
        json!({"transitions": {"go": name}, "optional_data": ["p", "q", "r", "never"]}),
    );
    let mut targets: Vec<&Value> = vec![&node["default"], &node["join_at"]];
    for list in ["choices", "branches"] {
        targets.extend(
            node[list]
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|item| [&item["next"], &item["start_at"]]),
        );
    }
    let end = if node["type"] == "choice" {
        json!({})
    } else {
        json!({"done": "_branch_complete"})
    };
    for target in targets.into_iter().filter_map(Value::as_str) {
        states.insert(target.to_owned(), json!({"transitions": end}));
    }
    if let Some(join) = node["join_at"].as_str() {
        states.insert(join.to_owned(), json!({"type": "join"}));
    }
    let mut node = node.clone();
    for (list, needs) in [
        ("choices", ["condition", "next"]),
        ("branches", ["id", "start_at"]),
    ] {
        if let Some(items) = node.get_mut(list).and_then(Value::as_array_mut) {
            items.retain(|item| needs.iter().all(|key| item.get(key).is_some()));
        }
    }
    states.insert(name.to_owned(), node);
    states
}

/// Whether no part of a node is complete and no default exists.
fn incomplete(node: &Value, list: &str, needs: &str) -> bool {
    let items = node[list].as_array().into_iter().flatten();
    let complete = items.filter(|item| {
        item.get(needs).is_some()
            && ["condition", "id"]
                .iter()
                .any(|key| item.get(key).is_some())
    });
    complete.count() == 0 && node.get("default").is_none()
}

/// A join condition by its name. The join of the running system ignores the number and accepts half as a majority.
fn quorum(name: &str) -> Quorum {
    match name {
        "any_complete" => Quorum::Any,
        "majority" | "n_of_m" => Quorum::Majority,
        "all_complete" => Quorum::All,
        other => panic!("unknown join condition {other}"),
    }
}

/// The number of these branches that have completed, by the recorded branches before the operation.
fn completed_count(expected: &[&str], before: &Value) -> usize {
    let over = |id: &&&str| {
        let branch = before["active"]
            .get(**id)
            .or_else(|| before["completed"].get(**id));
        branch.is_some_and(|branch| branch[0] == "completed" || branch[0] == "skipped")
    };
    expected.iter().filter(over).count()
}

/// The branch to which our engine routes a turn.
fn routed(vector: &Value, operation: &Value, before: &Value, calls: u32) -> Option<String> {
    let active = before["active"].as_object().unwrap();
    let plans: Vec<Value> = active
        .keys()
        .map(|id| {
            let handles = operation["handlers"].get(id).cloned().unwrap_or(json!([]));
            let priority = vector["priorities"].get(id).cloned().unwrap_or(json!(0));
            json!({"id": id, "start_at": "at", "handles": handles, "priority": priority})
        })
        .collect();
    let routing = match vector["strategy"].as_str().unwrap() {
        known @ ("priority" | "first_match") => known,
        _ => "round_robin",
    };
    let fork = json!({"type": "fork", "branches": plans, "join_at": "join", "routing": routing});
    let mut states = around("fork", &fork);
    states.insert("join".to_owned(), json!({"type": "join"}));
    let machine = machine(&states);
    let fork = machine.state_id("fork").unwrap();
    let Some(ControlNode::Fork(plan)) = machine.state(fork).node.as_deref() else {
        panic!("a fork")
    };
    let branches = plan
        .branches
        .iter()
        .zip(active.values())
        .map(|(plan, branch)| {
            let mut running = Branch::new(plan, fork, true);
            if branch[0] != "active" {
                running.status = Status::Completed;
            }
            running
        });
    let dag = ActiveBranches {
        forks: vec![OpenFork {
            state: fork,
            parent: None,
            turns: 0,
        }],
        branches: branches.collect(),
        routed: calls,
        ..ActiveBranches::default()
    };
    let intent = machine
        .names
        .intents
        .id(operation["intent"].as_str().unwrap());
    let at = dag.route(intent, &machine, false)?;
    Some(machine.names.branches.name(dag.branches[at].id).to_owned())
}

#[test]
fn nodes_match_recorded_results() {
    let Some(vectors) = vectors("_vec_dag.jsonl") else {
        return;
    };
    let nothing = json!({"active": {}, "completed": {}});
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for vector in vectors.iter().filter(|vector| vector["kind"] == "exec") {
        let mut before = &nothing;
        let mut calls = 0;
        for operation in vector["ops"].as_array().unwrap() {
            let result = &operation["res"];
            let node = operation["node"].as_str().unwrap_or_default();
            let (what, expected, got) = match (operation["op"].as_str().unwrap(), node) {
                // The loader rejects a choice or a fork without branches.
                ("exec", "choice") if incomplete(&vector["states"][node], "choices", "next") => {
                    ("empty", result["action"].clone(), json!("dag_error"))
                }
                ("exec", "fork") if incomplete(&vector["states"][node], "branches", "start_at") => {
                    ("empty", result["active"].clone(), json!([]))
                }
                ("exec", "choice") => {
                    let to = play(
                        &machine(&around(node, &vector["states"][node])),
                        &operation["data"],
                    )
                    .0;
                    ("choice", result["primary"].clone(), json!(to))
                }
                ("exec", "fork") => {
                    let mut fork = vector["states"][node].clone();
                    fork["join_condition"] = json!("all_complete");
                    let (to, active) = play(&machine(&around(node, &fork)), &operation["data"]);
                    (
                        "fork",
                        json!([result["primary"], result["active"]]),
                        json!([to, active]),
                    )
                }
                ("exec", "join") => {
                    let join = &vector["states"][node];
                    let waits_for = join["expects_branches"]
                        .as_array()
                        .map_or(vec![], |_| texts(&join["expects_branches"]));
                    let condition = join["join_condition"].as_str().unwrap_or("all_complete");
                    let ready = quorum(condition).is_met(
                        completed_count(&waits_for, before),
                        waits_for.len(),
                        false,
                    );
                    (
                        "join",
                        json!(result["action"] != "join_waiting"),
                        json!(ready),
                    )
                }
                ("route", _)
                    if before["active"]
                        .as_object()
                        .is_some_and(|active| !active.is_empty()) =>
                {
                    let branch = routed(vector, operation, before, calls);
                    if result[2] == "round_robin" {
                        calls += 1;
                    }
                    ("route", result[0].clone(), json!(branch))
                }
                _ => {
                    before = &operation["after"];
                    continue;
                }
            };
            *compared.entry(what).or_default() += 1;
            if expected != got {
                wrong.push(format!(
                    "{what} {operation}: expected {expected}, got {got}"
                ));
            }
            before = &operation["after"];
        }
    }
    assert!(
        ["choice", "fork", "join", "route"]
            .iter()
            .all(|what| compared.get(what).is_some_and(|count| *count > 50)),
        "{compared:?}"
    );
    report("nodes", compared.values().sum(), &wrong);
}

#[test]
fn synchronization_matches_recorded_results() {
    let Some(vectors) = vectors("_vec_dag.jsonl") else {
        return;
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for vector in vectors.iter().filter(|vector| vector["kind"] == "sync") {
        let expected = texts(&vector["expected"]);
        let quorum = match vector["strategy"].as_str().unwrap() {
            "all_complete" => Quorum::All,
            "any_complete" => Quorum::Any,
            "majority" => Quorum::Majority,
            "n_of_m" => {
                Quorum::AtLeast(u32::try_from(vector["n_required"].as_u64().unwrap()).unwrap())
            }
            // A synchronization point that only has a timeout is never met by arrivals.
            _ => continue,
        };
        for operation in vector["ops"].as_array().unwrap() {
            let result = &operation["res"];
            if !["arrive", "status"].contains(&operation["op"].as_str().unwrap())
                || result[4] == "timeout"
            {
                continue;
            }
            let arrived = texts(&result[1])
                .into_iter()
                .filter(|branch| expected.contains(branch))
                .count();
            compared += 1;
            if quorum.is_met(arrived, expected.len(), true) != result[0].as_bool().unwrap() {
                wrong.push(format!("{} {operation}", vector["strategy"]));
            }
        }
    }
    report("synchronization", compared, &wrong);
}

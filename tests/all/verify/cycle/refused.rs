//! What another system lets into shared memory and what not, row by row: what it refuses is refused here too, whoever asks, and
//! what it lets in from anybody but the node of COMMIT is refused besides.

use serde_json::{Value, json};

use super::recording::Units;
use crate::support::{Project, recordings, text};

/// In whose name the recording lets somebody write. Here the name is nothing: the turn of the node is.
const NODE_OF_COMMIT: &str = "commit_node";

/// A dialogue in which this is asked for, where the asker is: at the node of COMMIT with a task that is validated as the row has
/// it, else at that of EXECUTE.
fn dialogue(row: &Value) -> String {
    let is_commit = row["caller"] == NODE_OF_COMMIT;
    let state = if is_commit { "commit" } else { "execute" };
    let data = json!({
        "task_id": "t", "plan": ["write it"], "results": ["written"], "plan_done": true, "is_validated": row["is_validated"],
        "validation_report": "good",
    });
    let write = json!({
        "type": row["memory_type"], "scope": row["scope"], "content": "pages are easy", "caller": row["caller"],
        "relationship_type": row["relationship_type"], "is_validated": true,
    });
    let work = if is_commit {
        json!({"write": write})
    } else {
        json!({"result": "written", "write": write})
    };
    format!(
        "{}\n",
        json!({"id": format!("row_{}", row["n"]), "start": {"state": state, "data": data}, "turns": [{"tick": work}]})
    )
}

/// Whether what was asked for came into shared memory.
fn was_let_in(turn: &Value) -> bool {
    let effects = turn["effects"].as_array().unwrap().iter();
    let asked = |effect: &&Value| {
        effect["effect"] == "share" && effect["payload"]["content"] == "pages are easy"
    };
    effects
        .filter(asked)
        .any(|effect| effect["verdict"] == "allowed")
}

#[test]
fn what_another_gate_refuses_is_refused_and_more() {
    let Some(folder) = recordings() else { return };
    let units = Units::read(&folder.join("cycle"));
    let rows: Vec<&Value> = units.table("commit_to_shared").collect();
    let turns: String = rows.iter().map(|row| dialogue(row)).collect();
    let project = Project::new()
        .file("agent_cycle.yaml", text("flows/agent_cycle.yaml"))
        .file("turns.jsonl", turns);
    let trace = project
        .fsmsim(["trace", "agent_cycle.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    let played: Vec<Value> = crate::support::turns(&trace);
    assert_eq!((rows.len(), played.len()), (80, 80));
    let mut let_in = (0, 0);
    for (row, turn) in rows.iter().zip(&played) {
        let (theirs, ours) = (row["allowed"] == true, was_let_in(turn));
        assert!(theirs || !ours, "{row}\n{turn}");
        assert!(
            !ours || row["caller"] == NODE_OF_COMMIT && row["scope"] == "shared",
            "{row}"
        );
        let_in = (let_in.0 + u32::from(theirs), let_in.1 + u32::from(ours));
    }
    // They take what is no knowledge, and what was to stay private, and make it shared.
    assert_eq!(let_in, (16, 4));
}

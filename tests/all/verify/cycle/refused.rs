//! Recorded decisions of another system about writes to shared memory. Whatever it denied is denied here too. In addition, all
//! writes by other nodes than COMMIT are denied.

use serde_json::{Value, json};

use super::recording::Units;
use crate::support::{Project, recordings, text};

/// The caller that the recorded system accepts. Our model ignores the caller: the current node decides.
const NODE_OF_COMMIT: &str = "commit_node";

/// A dialogue that requests the write of a row: in the COMMIT node for that caller, otherwise in the EXECUTE node.
fn dialogue(row: &Value) -> String {
    let is_commit = row["caller"] == NODE_OF_COMMIT;
    let state = if is_commit { "commit" } else { "execute" };
    let data = json!({
        "task_id": "t", "plan": ["write it"], "results": ["pages are easy"], "plan_done": true, "is_validated": row["is_validated"],
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

/// Whether the requested write to shared memory was allowed.
fn was_allowed(turn: &Value) -> bool {
    let effects = turn["effects"].as_array().unwrap().iter();
    let requested = |effect: &&Value| {
        effect["effect"] == "share" && effect["payload"]["content"] == "pages are easy"
    };
    effects
        .filter(requested)
        .any(|effect| effect["verdict"] == "allowed")
}

#[test]
fn writes_denied_by_the_recorded_system_are_denied() {
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
    let mut allowed = (0, 0);
    for (row, turn) in rows.iter().zip(&played) {
        let (theirs, ours) = (row["allowed"] == true, was_allowed(turn));
        assert!(theirs || !ours, "{row}\n{turn}");
        assert!(
            !ours || row["caller"] == NODE_OF_COMMIT && row["scope"] == "shared",
            "{row}"
        );
        allowed = (allowed.0 + u32::from(theirs), allowed.1 + u32::from(ours));
    }
    // The recorded system also shares episodic memory and private entries.
    assert_eq!(allowed, (16, 4));
}

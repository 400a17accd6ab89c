//! Read-only queries of the memory and the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::task_registry::TaskRegistry;
use super::task_reply::CalledTask;
use super::tool_calls::TaskId;
use crate::mcp::argument_schema::{listed, shown};
use fsmsim_adapters::stores::{
    Artifact, Audit, AuditCheck, EffectKey, Explanation, Found, Memory, RecallQuery, Recalled,
    SessionId, SqliteAudit, SqliteMemory,
};
use fsmsim_core::machine::Value;
use fsmsim_reports::report::{explanation_json, write_explanation};
use fsmsim_syntax::diagnostic::Diagnostic;

/// The default number of audit entries in a result.
const ENTRIES: u32 = 100;

/// Searches the semantic and procedural memory of all tasks for words. With `task_id`, also searches the episodic
/// memory of that task.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchMemoryCall {
    /// Words to search for, in any grammatical form.
    #[schemars(length(min = 1, max = 1000))]
    query: String,
    /// Kinds of memory to search (default: both).
    #[serde(default)]
    #[schemars(length(max = 2))]
    kinds: Vec<SharedKind>,
    /// Also search the episodic memory of this task.
    task_id: Option<TaskId>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SharedKind {
    Semantic,
    Procedural,
}

/// Searches the shared memory for words; with a task, also the memory of that task.
pub(super) fn search(
    call: &SearchMemoryCall,
    registry: &TaskRegistry,
) -> Result<CalledTask, String> {
    let slot = call.task_id.as_ref().map(|id| registry.find(&id.0));
    let status = slot.transpose()?.map(|slot| slot.status());
    let session = status.as_ref().map(|status| &*status.session);
    let mut kinds = match &call.kinds[..] {
        [] => vec![json!("semantic"), json!("procedural")],
        kinds => kinds.iter().map(|kind| json!(kind)).collect(),
    };
    kinds.extend(session.map(|_| json!("episodic")));
    let query = Value::from(json!({"kinds": kinds, "task": call.query}));
    let session = SessionId::of(session.unwrap_or_default());
    let key = EffectKey {
        session: &session,
        turn: u32::MAX,
        effect: "search",
        index: 0,
    };
    let Recalled::Found(found) =
        SqliteMemory::new(registry.service.memory.clone()).recall(&key, &RecallQuery::of(&query))
    else {
        return Err("The memory is unavailable. Try again.".to_owned());
    };
    let line = |artifact: &Artifact| {
        let kind: &str = artifact.kind.into();
        format!(
            "- {} ({kind}, of `{}`): {}",
            artifact.id,
            artifact.task,
            artifact.words()
        )
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let text = if lines.is_empty() {
        "No artifacts found.".to_owned()
    } else {
        lines.join("\n")
    };
    let found: Vec<Json> = found.iter().map(Artifact::found).collect();
    Ok(CalledTask::done(text, json!({"found": found}), false))
}

/// Shows the provenance of an artifact: its task, plan, tests and report, and the cause of the task.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryWhyCall {
    /// ID of the artifact, or the start of the ID.
    #[schemars(length(min = 4, max = 100))]
    artifact: String,
}

/// Shows the provenance of an artifact.
pub(super) fn why(call: &MemoryWhyCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let id = &*call.artifact;
    match Explanation::find(&registry.service.memory, id).map_err(|finding| failed(&finding))? {
        Found::One(explanation) => {
            let mut text = Vec::new();
            // Writing to memory cannot fail.
            let _ = write_explanation(&explanation, &mut text);
            let text = String::from_utf8_lossy(&text).into_owned();
            let parts = explanation_json(&explanation);
            Ok(CalledTask::done(text, parts, false))
        }
        Found::Several(ids) => Err(format!(
            "The IDs of several artifacts start with `{}`: {}. Give more characters of the ID.",
            shown(id),
            listed(&ids)
        )),
        Found::Nothing(ids) if ids.is_empty() => Err(format!(
            "Unknown artifact `{}`: the shared memory has no artifacts yet.",
            shown(id)
        )),
        Found::Nothing(ids) => Err(format!(
            "Unknown artifact `{}`. Most recently shared: {}.",
            shown(id),
            listed(&ids)
        )),
    }
}

/// Lists the audit entries of tasks, and checks the hash chain of all entries.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AuditCall {
    /// Only entries of this task.
    task_id: Option<TaskId>,
    /// Only entries after this number.
    #[serde(default)]
    behind: u64,
    /// Maximum number of entries (default: 100).
    #[schemars(range(min = 1, max = 1000))]
    most: Option<u32>,
}

/// Lists audit entries and checks the hash chain.
pub(super) fn audit(call: &AuditCall, registry: &TaskRegistry) -> Result<CalledTask, String> {
    let file = &registry.service.memory;
    let mut audit = SqliteAudit::new(file.clone());
    let task = call.task_id.as_ref().map(|id| &*id.0);
    let entries = audit
        .entries(task, call.behind, call.most.unwrap_or(ENTRIES))
        .map_err(|finding| failed(&finding))?;
    let head = audit.head().map_err(|finding| failed(&finding))?;
    drop(audit);
    let check = AuditCheck::of(file).map_err(|finding| failed(&finding))?;
    let line = |entry: &Json| {
        let part = |key: &str| {
            entry.get(key).map(|part| {
                part.as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            })
        };
        let part = |key: &str| part(key).unwrap_or_default();
        format!(
            "{} {} `{}` {} {}",
            part("number"),
            part("kind"),
            part("task"),
            part("state"),
            part("what")
        )
    };
    let mut lines: Vec<String> = entries.iter().map(line).collect();
    lines.push(match &check.fault {
        None => format!(
            "The audit chain is intact: {} entries, last hash {}.",
            head.entries, head.hash
        ),
        Some(fault) => format!("The audit chain is damaged: {}.", fault.why),
    });
    let fault = check
        .fault
        .map(|fault| json!({"entry": fault.entry, "why": fault.why}));
    let parts = json!({
        "entries": entries,
        "head": {"entries": head.entries, "hash": head.hash},
        "whole": fault.is_none(),
        "fault": fault,
    });
    Ok(CalledTask::done(lines.join("\n"), parts, false))
}

/// The error if the memory cannot be read.
fn failed(finding: &Diagnostic) -> String {
    format!(
        "{}. Try again, or stop the server and check its files.",
        finding.title
    )
}

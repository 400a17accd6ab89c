//! What is asked of memory and audit: nothing is written by it.

use serde_json::{Value as Json, json};

use super::task_reply::TaskReply;
use super::tool_arguments::ToolArguments;
use crate::mcp::argument_schema::shown;
use fsmsim_adapters::world::{
    Artifact, Audit, AuditCheck, EffectKey, Explanation, Found, Memory, MemoryFile, RecallQuery,
    Recalled, SessionId, SqliteAudit, SqliteMemory,
};
use fsmsim_core::machine::Value;
use fsmsim_reports::report::{explanation_json, write_explanation};
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::terminal::Joined;

/// Entries of the audit that are told, unless said.
const ENTRIES: u64 = 100;

/// What is known, by its words; what a session remembers of itself besides.
pub(super) fn search(
    file: &MemoryFile,
    session: Option<&str>,
    given: &ToolArguments,
) -> Result<TaskReply, String> {
    let mut kinds = match given.value("kinds") {
        Json::Array(kinds) if !kinds.is_empty() => kinds,
        _ => vec![json!("semantic"), json!("procedural")],
    };
    kinds.extend(session.map(|_| json!("episodic")));
    let query = Value::from(json!({"kinds": kinds, "task": given.value("query")}));
    let session = SessionId::of(session.unwrap_or_default());
    let key = EffectKey {
        session: &session,
        turn: u32::MAX,
        effect: "search",
        index: 0,
    };
    let Recalled::Found(found) =
        SqliteMemory::new(file.clone()).recall(&key, &RecallQuery::of(&query))
    else {
        return Err("The memory does not answer. Try again.".to_owned());
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
        "Nothing is known of that.".to_owned()
    } else {
        lines.join("\n")
    };
    let found: Vec<Json> = found.iter().map(Artifact::found).collect();
    Ok(TaskReply {
        text,
        parts: json!({"found": found}),
        is_refused: false,
    })
}

/// Why something is known.
pub(super) fn why(file: &MemoryFile, given: &ToolArguments) -> Result<TaskReply, String> {
    let id = given.text("artifact").unwrap_or_default();
    let listed = |ids: &[String]| ids.iter().map(|id| format!("`{id}`")).joined(", ");
    match Explanation::find(file, id).map_err(|finding| failed(&finding))? {
        Found::One(explanation) => {
            let mut text = Vec::new();
            // Writing to memory cannot fail.
            let _ = write_explanation(&explanation, &mut text);
            let text = String::from_utf8_lossy(&text).into_owned();
            Ok(TaskReply {
                text,
                parts: explanation_json(&explanation),
                is_refused: false,
            })
        }
        Found::Several(ids) => Err(format!(
            "Several artifacts begin with `{}`: {}. Write more of the id.",
            shown(id),
            listed(&ids)
        )),
        Found::Nothing(ids) if ids.is_empty() => Err(format!(
            "There is no artifact `{}`: nothing is shared yet. search_memory tells what is known.",
            shown(id)
        )),
        Found::Nothing(ids) => Err(format!(
            "There is no artifact `{}`. Shared last: {}.",
            shown(id),
            listed(&ids)
        )),
    }
}

/// What tasks did, and whether that is told whole.
pub(super) fn audit(file: &MemoryFile, given: &ToolArguments) -> Result<TaskReply, String> {
    let most = u32::try_from(given.number("most").unwrap_or(ENTRIES)).unwrap_or(u32::MAX);
    let mut audit = SqliteAudit::new(file.clone());
    let behind = given.number("behind").unwrap_or(0);
    let entries = audit
        .entries(given.text("task_id"), behind, most)
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
            "The audit is whole: {} entries, up to {}.",
            head.entries, head.hash
        ),
        Some(fault) => format!("The audit is not whole: {}.", fault.why),
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
    Ok(TaskReply {
        text: lines.join("\n"),
        parts,
        is_refused: false,
    })
}

/// What a client is told of a memory that cannot be read.
fn failed(finding: &Diagnostic) -> String {
    format!(
        "{}. Try again, or end the server and look after its files.",
        finding.title
    )
}

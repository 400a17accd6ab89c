//! The result of an audit check, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use fsmsim_adapters::stores::AuditCheck;
use fsmsim_syntax::diagnostic::Code;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// Writes whether an audit is intact, or where it is damaged.
pub fn write_audit(file: &str, check: &AuditCheck, out: &mut impl Write) -> io::Result<()> {
    let file = printable(file);
    let entries = match check.head.entries {
        1 => "1 entry".to_owned(),
        more => format!("{more} entries"),
    };
    let Some(fault) = &check.fault else {
        let artifacts = plural(check.artifacts, "artifact");
        return writeln!(
            out,
            "{file}: the audit is intact: {entries}, {artifacts}\n  last hash {}",
            check.head.hash
        );
    };
    let place = fault
        .entry
        .map_or_else(|| "memory".to_owned(), |entry| format!("entry {entry}"));
    writeln!(
        out,
        "{file}: the audit is damaged [{}]: {place}: {}",
        Code::BrokenAudit,
        printable(&fault.why)
    )?;
    writeln!(
        out,
        "  intact before that: {entries}, last hash {}",
        check.head.hash
    )
}

/// The result as JSON.
pub fn audit_json(file: &str, check: &AuditCheck) -> Json {
    let fault = check.fault.as_ref();
    json!({
        "audit": file,
        "whole": fault.is_none(),
        "entries": check.head.entries,
        "artifacts": check.artifacts,
        "hash": check.head.hash,
        "code": fault.map(|_| Code::BrokenAudit.as_str()),
        "entry": fault.and_then(|fault| fault.entry),
        "why": fault.map(|fault| &fault.why),
    })
}

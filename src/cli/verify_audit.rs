//! `fsmsim verify --audit`: whether an audit is whole.

use std::path::Path;

use super::exit::{Exit, Stop};
use super::verify_args::VerifyFormat;

/// Walks the chain of an audit.
#[cfg(feature = "sqlite")]
pub(super) fn run(file: &Path, format: VerifyFormat) -> Result<Exit, Stop> {
    use std::io::Write;

    use fsmsim_adapters::world::{AuditCheck, MemoryFile};
    use fsmsim_reports::report::{audit_json, write_audit};
    use fsmsim_syntax::terminal::{Escaping, stream};

    let file = MemoryFile::new(file);
    let check = AuditCheck::of(&file)?;
    let mut out = stream(match format {
        VerifyFormat::Text => Escaping::of_text(),
        VerifyFormat::Json | VerifyFormat::Jsonl => Escaping::Json,
    });
    match format {
        VerifyFormat::Text => write_audit(&file.shown(), &check, &mut out)?,
        VerifyFormat::Json | VerifyFormat::Jsonl => {
            writeln!(out, "{}", audit_json(&file.shown(), &check))?;
        }
    }
    out.flush()?;
    Ok(Exit::of([(Exit::Failed, check.fault.is_some())]))
}

/// There is no audit.
#[cfg(not(feature = "sqlite"))]
pub(super) fn run(_: &Path, _: VerifyFormat) -> Result<Exit, Stop> {
    Err(super::session::not_kept("no audit is kept").into())
}

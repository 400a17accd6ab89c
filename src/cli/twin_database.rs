//! `--twin` with a database.

use std::path::Path;

use super::context::Context;
use crate::diagnostic::{Diagnostic, escape_control};
use crate::world::{MemoryTwin, Readiness, SqliteTwin, Twin, TwinFile, TwinSpec};

/// Opens a database, in which what is written stays, filled from a file where one is given.
///
/// # Errors
/// The finding about what cannot be used.
pub(super) fn open(
    spec: &TwinSpec,
    from: Option<&Path>,
    context: &mut Context,
) -> Result<Box<dyn Twin>, Box<Diagnostic>> {
    let (file, user) = (TwinFile::new(&spec.path), spec.user());
    let source = from.map(|from| MemoryTwin::load_object(from).map(|source| (source, from))).transpose()?;
    match file.ready()? {
        Readiness::There => {}
        Readiness::Created => {
            eprintln!("note: `{}` was not there and is created", escape_control(&file.shown()));
        }
        Readiness::Silent(finding) => {
            context.report_one(*finding);
        }
    }
    if let Some((source, from)) = source {
        file.fill(user, &source)?;
        eprintln!(
            "note: `{}` has the data of `{}` now",
            escape_control(user),
            escape_control(&from.display().to_string())
        );
    }
    Ok(Box::new(SqliteTwin::new(file, user)))
}

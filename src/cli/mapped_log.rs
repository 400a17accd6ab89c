//! Opens the log of another system as a trace of this program.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::help;
use super::{CommandResult, Context};
use fsmsim_harness::verify::import::{ObservedReader, TraceMap, write_own_trace};
use fsmsim_runtime::project::temporary_folder;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{InputStream, read_start};

/// The map of a log.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct LogArgs {
    #[arg(long, value_name = "FILE", help = help::MAP)]
    pub map: Option<PathBuf>,
}

/// A trace of this program, possibly converted from a log. A temporary file is deleted when the value is dropped.
pub(super) struct MappedLog {
    pub path: PathBuf,
    /// The name of the log in messages.
    pub name: String,
    folder: Option<PathBuf>,
}

impl LogArgs {
    /// Converts a log if a map is given, unless it is a trace of this program. `model` is the path of its model.
    pub(super) fn convert(
        &self,
        log: &Path,
        model: Option<&str>,
        context: &mut Context,
    ) -> CommandResult<MappedLog> {
        let is_own =
            || read_start(log, 16).is_ok_and(|start| start.starts_with(b"{\"fsmsim_trace\""));
        let map = self.map.as_ref();
        let Some(map) = map.filter(|_| log == Path::new("-") || !is_own()) else {
            return Ok(MappedLog {
                path: log.to_owned(),
                name: log.display().to_string(),
                folder: None,
            });
        };
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let map = TraceMap::load(map, &mut sources, &mut found);
        let map = context.usable(map, &found, &sources)?;
        let (input, name) = InputStream::open(log)?;
        let folder = temporary_folder()?;
        let mapped = MappedLog {
            path: folder.join("log.jsonl"),
            name: name.clone(),
            folder: Some(folder),
        };
        context.rename(&[(mapped.path.display().to_string(), name.clone())]);
        let mut out = BufWriter::new(File::create(&mapped.path)?);
        let reader = ObservedReader::new(input, &name, Some(Arc::new(map)));
        write_own_trace(reader, model, &mut out, &mut found, &mut sources)?;
        out.flush()?;
        context.usable(Some(mapped), &found, &sources)
    }
}

impl Drop for MappedLog {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // The system deletes what remains of temporary files.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

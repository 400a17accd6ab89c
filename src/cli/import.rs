//! `fsmsim import`: converts a file of another tool into a flow.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::output::write_file;
use super::{CommandResult, Context, Exit};
use fsmsim_dialects::convert::{ImportFormat, import};
use fsmsim_reports::report::left_out_list;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::files::InputFiles;
use fsmsim_syntax::terminal::{Escaping, print_message, stream};

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Format of the file
    #[arg(value_enum)]
    format: ImportFormat,
    /// File to convert, or directory of a Rasa project
    file: PathBuf,
    /// Write to this file or directory [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long, requires = "output")]
    force: bool,
}

/// Runs the command.
pub(super) fn run(args: &ImportArgs, context: &mut Context) -> CommandResult {
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let output = args.output.as_deref().filter(|output| is_file(output));
    let stem = output
        .and_then(Path::file_stem)
        .map(|stem| stem.to_string_lossy());
    let imported = import(
        args.format,
        &args.file,
        stem.as_deref(),
        &mut sources,
        &mut found,
    );
    let imported = context.usable(imported, &found, &sources)?;
    let mut out = stream(Escaping::Plain);
    match &args.output {
        None => {
            for (number, file) in imported.files.iter().enumerate() {
                // A stream of YAML documents: the flow, then its scenarios.
                out.write_all(if number == 0 { b"" } else { b"---\n" })?;
                out.write_all(file.text.as_bytes())?;
            }
        }
        Some(output) => {
            let begin = begin_of(output, &imported.name);
            let paths: Vec<PathBuf> = imported
                .files
                .iter()
                .map(|file| PathBuf::from(format!("{begin}{}", file.suffix)))
                .collect();
            for path in &paths {
                InputFiles::check(path).map_err(|error| Diagnostic::unwritten(path, &error))?;
            }
            if let Some(path) = paths.iter().find(|path| path.exists() && !args.force) {
                return Err(Diagnostic::error(
                    Code::CannotWrite,
                    format!("`{}` already exists", path.display()),
                )
                .about(path.display().to_string())
                .help("name another directory with `-o`, or overwrite files with `--force`")
                .into());
            }
            for (file, path) in imported.files.iter().zip(&paths) {
                write_file(path, &file.text)?;
                writeln!(out, "{}", path.display())?;
            }
        }
    }
    out.flush()?;
    print_message(&left_out_list(&imported.left_out, &sources));
    Ok(Exit::Ok)
}

/// The common prefix of all paths.
fn begin_of(output: &Path, name: &str) -> String {
    if is_file(output) {
        output.with_extension("")
    } else {
        output.join(name)
    }
    .display()
    .to_string()
}

fn is_file(output: &Path) -> bool {
    output
        .extension()
        .is_some_and(|end| end == "yaml" || end == "yml")
}

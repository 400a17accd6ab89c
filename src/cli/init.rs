//! `fsmsim init`: a small project that passes.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::write_file;
use super::{CommandResult, Exit};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::terminal::{Escaping, results};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The folder of the project; it may be there already
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// The language of its texts and comments
    #[arg(long, value_enum, default_value_t = ProjectLanguage::En, value_name = "LANGUAGE")]
    lang: ProjectLanguage,
}

/// The language of a new project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProjectLanguage {
    /// English
    En,
    /// Russian
    Ru,
}

/// A file of a new project: its path, and its text.
type NewFile = (&'static str, &'static str);

/// The model of a new project.
const MODEL: &str = "flows/booking.yaml";

impl ProjectLanguage {
    fn files(self) -> [NewFile; 4] {
        let (project, flow, scenarios, talk) = match self {
            Self::En => (
                include_str!("init/en/fsmsim.toml"),
                include_str!("init/en/flow.yaml"),
                include_str!("init/en/scenario.yaml"),
                include_str!("init/en/transcript.md"),
            ),
            Self::Ru => (
                include_str!("init/ru/fsmsim.toml"),
                include_str!("init/ru/flow.yaml"),
                include_str!("init/ru/scenario.yaml"),
                include_str!("init/ru/transcript.md"),
            ),
        };
        [
            ("fsmsim.toml", project),
            (MODEL, flow),
            ("scenarios/booking.yaml", scenarios),
            ("scenarios/booking_talk.md", talk),
        ]
    }
}

/// Runs the command.
pub(super) fn run(args: &InitArgs) -> CommandResult {
    let files = args.lang.files();
    // All are looked for before any is written, so that nothing is left half done.
    for (path, _) in &files {
        let path = args.folder.join(path);
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Diagnostic::unwritten(&path, &error).into()),
            Ok(_) => {
                let path = path.display().to_string();
                let finding =
                    Diagnostic::error(Code::CannotWrite, format!("`{path}` is there already"))
                        .about(path);
                return Err(finding
                    .help("nothing was written; name another folder: `fsmsim init DIR`")
                    .into());
            }
        }
    }
    let mut out = results(Escaping::of_text());
    for (path, text) in &files {
        let path = args.folder.join(path);
        write_file(&path, text)?;
        writeln!(out, "{}", path.display())?;
    }
    writeln!(out, "\nPlay its scenarios, then the dialogue by hand:\n")?;
    if args.folder != Path::new(".") {
        writeln!(out, "    cd {}", args.folder.display())?;
    }
    writeln!(out, "    fsmsim test\n    fsmsim run {MODEL}")?;
    out.flush()?;
    Ok(Exit::Ok)
}

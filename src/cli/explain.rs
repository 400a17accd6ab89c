//! `fsmsim explain`: explains finding codes and built-in names.

use std::io::Write;

use clap::Args;

use super::{CommandResult, Exit};
use fsmsim_dialects::reference::all;
use fsmsim_reports::report::{write_explained, write_reference};
use fsmsim_syntax::diagnostic::Code;
use fsmsim_syntax::terminal::{Escaping, stream};

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A code, such as FS0101; the name of something built in, such as `unclear_escalates` or `StallGuard`; or a kind of them:
    /// intents, categories, conditions, flags, limits, sources, states, actions, signals. Without it, all codes are listed
    name: Option<String>,
    /// All that is built in, as the page `docs/reference.md`
    #[arg(long, conflicts_with = "name")]
    page: bool,
}

/// Runs the command.
pub(super) fn run(args: &ExplainArgs) -> CommandResult {
    let mut out = stream(Escaping::of_text());
    let builtins = all();
    match &args.name {
        None if args.page => write_reference(&builtins, &mut out)?,
        None => {
            for code in Code::ALL {
                writeln!(out, "{code}  {}", code.title())?;
            }
        }
        Some(name) => write_explained(name, &builtins, &mut out)??,
    }
    out.flush()?;
    Ok(Exit::Ok)
}

//! `fsmsim explain`: explains finding codes and built-in names.

use std::io::Write;

use clap::Args;

use super::{CommandResult, Context, Exit};
use fsmsim_dialects::reference::all;
use fsmsim_harness::verify::import::trace_map_preset;
use fsmsim_reports::report::write_explained;
use fsmsim_syntax::diagnostic::Code;
use fsmsim_syntax::terminal::{Escaping, stream};

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// Code (`FS0101`), built-in (`unclear_escalates`) or kind of built-ins (`conditions`) [default: list all codes]
    ///
    /// The kinds are intents, categories, conditions, flags, limits, sources, states, actions and signals.
    /// `map:otel` prints the trace map `otel`; others are `langfuse`, `openai-chat` and `rasa`
    name: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &ExplainArgs, _: &mut Context) -> CommandResult {
    let mut out = stream(Escaping::of_text());
    match &args.name {
        None => {
            for code in Code::ALL {
                writeln!(out, "{code}  {}", code.title())?;
            }
        }
        Some(name) => match name.strip_prefix("map:") {
            Some(name) => out.write_all(trace_map_preset(name)?.as_bytes())?,
            None => write_explained(name, &all(), &mut out)??,
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
}

//! `fsmsim run`: play a dialogue by hand.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::context::Context;
use super::exit::Exit;
use super::llm::{outside, tell_usage};
use crate::drive::Library;
use crate::llm::Occasion;
use crate::repl::{Repl, talk};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The model: a folder with `flow.yaml`, or a file; `PATH@PROFILE` fixes the profile
    model: String,
    /// The profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// How the dialogue starts, as under `start` of a scenario: `{state: close, flags: {circular_flow: true}}`
    #[arg(long, value_name = "YAML", default_value = "")]
    start: String,
    /// Who reads plain text: `mock:FILE`, `live`, the models of the project, or `bank`, the examples of the model
    #[arg(long, value_name = "WHO")]
    llm: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &RunArgs, context: &mut Context) -> io::Result<Exit> {
    let mut library = Library::new(args.config.clone());
    let Some(machine) = context.load(&args.model, args.profile.as_deref(), &mut library) else {
        return Ok(Exit::Unusable);
    };
    let Ok(outside) = outside(args.llm.as_deref(), &mut library, context) else {
        return Ok(Exit::Unusable);
    };
    let mut repl = match Repl::new(machine.clone(), &args.start) {
        Ok(repl) => repl,
        Err(findings) => {
            eprintln!("{findings}");
            return Ok(Exit::Unusable);
        }
    };
    if let Some(outside) = &outside {
        repl = repl.asking(outside.answerer(&Occasion { seed: 0, dialogue: "repl", number: 0 }));
    }
    let played = talk(repl, machine)?;
    tell_usage(outside.as_ref());
    Ok(if played { Exit::Ok } else { Exit::Unusable })
}

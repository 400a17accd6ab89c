//! `fsmsim run`: play a dialogue by hand.

use std::io::IsTerminal;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::llm::tell_usage;
use super::rehearse::{OpenedRehearsal, rehearse};
use super::run_args::{RunArgs, RunFormat};
use crate::repl::{Repl, ReplFormat, run_loop};
use fsmsim_harness::rehearsal::ScenarioShelf;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The arguments with what the scenario says that they begin from.
fn from_scenario(args: &RunArgs, shelf: &ScenarioShelf) -> Result<RunArgs, Stop> {
    let mut args = args.clone();
    if let Some(from) = &args.from {
        let begun = shelf.beginning(from).map_err(|why| Stop::told(&why))?;
        if args.model.is_empty() {
            args.model = begun.model;
        }
        args.start = begun.start;
        args.permissive |= begun.with_stubs;
    }
    Ok(args)
}

/// Runs the command.
pub(super) fn run(args: &RunArgs, context: &mut Context) -> Result<Exit, Stop> {
    let shelf = ScenarioShelf::of(&context.project, args.options.config.clone());
    let args = &from_scenario(args, &shelf)?;
    let is_typed = args.format == RunFormat::Text && std::io::stdin().is_terminal();
    let OpenedRehearsal {
        rehearsal,
        answerers,
    } = rehearse(args, is_typed, context)?;
    let loaded = args
        .from
        .as_ref()
        .map(|from| shelf.load(from, rehearsal.dialogue().machine()));
    let loaded = loaded.transpose().map_err(|why| Stop::told(&why))?;
    let rehearsal = rehearsal.loading(Box::new(move |wanted, machine| shelf.load(wanted, machine)));
    let mut repl = Repl::over(rehearsal);
    if let Some(loaded) = loaded {
        repl = repl.beginning_with(loaded);
    }
    let format = if args.format == RunFormat::Jsonl {
        ReplFormat::JsonLines
    } else {
        ReplFormat::Text
    };
    let understood = run_loop(&mut repl, format)?;
    let mut diagnostics = Diagnostics::default();
    repl.finish(&mut diagnostics);
    context.report(&diagnostics, &SourceMap::default());
    tell_usage(answerers.as_ref());
    Ok(if !understood || diagnostics.has_errors() {
        Exit::Unusable
    } else if diagnostics.is_empty() {
        Exit::Ok
    } else {
        // The cassette had no answer.
        Exit::Unavailable
    })
}

//! `fsmsim test`: run scenarios.

use super::context::Context;
use super::exit::{Exit, Stop};
use super::test_args::TestArgs;
use super::test_run::run_scenarios;
use super::watch::watch;

/// Runs the command.
pub(super) fn run(args: &TestArgs, context: &mut Context) -> Result<Exit, Stop> {
    args.check()?;
    if args.watch {
        watch(args, context)
    } else {
        run_scenarios(args, context, &|_| true, None)
    }
}

//! `fsmsim sessions`: manages saved sessions.

#[cfg(not(feature = "sqlite"))]
use super::session::not_kept;
use super::sessions_args::SessionsArgs;
use super::{CommandResult, Context};
#[cfg(feature = "sqlite")]
use super::{session_export, session_shelf, sessions_args::SessionsVerb};

/// Runs the command.
#[cfg(feature = "sqlite")]
pub(super) fn run(args: &SessionsArgs, context: &mut Context) -> CommandResult {
    match &args.verb {
        SessionsVerb::List { format } => session_shelf::list(*format, context),
        SessionsVerb::Show { name, format } => session_shelf::show(name, *format, context),
        SessionsVerb::Export(args) => session_export::export(args, context),
        SessionsVerb::Delete { name } => session_shelf::delete(name, context),
    }
}

/// A build without databases has no sessions.
#[cfg(not(feature = "sqlite"))]
pub(super) fn run(_: &SessionsArgs, _: &mut Context) -> CommandResult {
    Err(not_kept("no sessions are kept").into())
}

//! `fsmsim sessions`: manages saved sessions.

#[cfg(not(feature = "sqlite"))]
use super::session::not_kept;
use super::sessions_args::SessionsArgs;
use super::{CommandResult, Context};
#[cfg(feature = "sqlite")]
use super::{session_commands, session_export, sessions_args::SessionsVerb};

/// Runs the command.
#[cfg(feature = "sqlite")]
pub(super) fn run(args: &SessionsArgs, context: &mut Context) -> CommandResult {
    match &args.verb {
        SessionsVerb::List { format } => session_commands::list(*format, context),
        SessionsVerb::Show { name, format } => session_commands::show(name, *format, context),
        SessionsVerb::Export(args) => session_export::export(args, context),
        SessionsVerb::Delete { name } => session_commands::delete(name, context),
    }
}

/// A build without databases has no sessions.
#[cfg(not(feature = "sqlite"))]
pub(super) fn run(_: &SessionsArgs, _: &mut Context) -> CommandResult {
    Err(not_kept("manage sessions").into())
}

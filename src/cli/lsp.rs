//! `fsmsim lsp`: starts the language server.

use clap::Args;

use super::{CommandResult, Context, Exit, refuse_as};
use fsmsim_server::lsp::{ServerEnd, serve};
use fsmsim_syntax::diagnostic::Code;

/// Arguments of `lsp`.
#[derive(Debug, Args)]
pub(super) struct LspArgs {
    /// Use standard input and output; editors pass this option, and it is the default
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub(super) fn run(args: &LspArgs, _: &mut Context) -> CommandResult {
    let LspArgs { stdio: _ } = args;
    match serve() {
        Ok(ServerEnd::Shutdown) => Ok(Exit::Ok),
        // The protocol requires this: an exit without `shutdown` is an error.
        Ok(ServerEnd::Abandoned) => Ok(Exit::Failed),
        Err(why) => refuse_as(
            Code::ConnectionFailed,
            format!("the connection failed: {why}"),
            "connect a client of the Language Server Protocol",
        ),
    }
}

//! `fsmsim lsp`: starts the language server.

use clap::Args;

use super::{CommandResult, Exit, refuse};
use fsmsim_server::lsp::{ServerEnd, serve};

/// Arguments of `lsp`.
#[derive(Debug, Args)]
pub(super) struct LspArgs {
    /// Over standard input and output, which is the only way; editors say so
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub(super) fn run(args: &LspArgs) -> CommandResult {
    let LspArgs { stdio: _ } = args;
    match serve() {
        Ok(ServerEnd::Shutdown) => Ok(Exit::Ok),
        // Required by the protocol: an exit without `shutdown` is an error.
        Ok(ServerEnd::Abandoned) => Ok(Exit::Failed),
        Err(why) => refuse(
            format!("the connection has failed: {why}"),
            "speak the Language Server Protocol",
        ),
    }
}

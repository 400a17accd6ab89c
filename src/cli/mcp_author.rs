//! `fsmsim mcp --author`: serves the authoring tools to a coding assistant.

use std::path::{Path, PathBuf};

use super::docs_pages::PAGES;
use super::mcp_args::McpArgs;
use super::{CommandResult, Context, Stop};
use fsmsim_server::mcp::{AuthorService, Served, serve_author};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::files::ReadSandbox;

/// Serves the project in the working directory, or in another folder.
pub(super) fn run(args: &McpArgs, folder: &Path, context: &Context) -> CommandResult {
    // In a subfolder of a project, the complete project is served.
    let root = if folder == Path::new(".") {
        &*context.project.root
    } else {
        folder
    };
    let config = args.options.config.as_deref().map(absolute).transpose()?;
    // Assistants use paths relative to the project.
    if !root.as_os_str().is_empty() {
        std::env::set_current_dir(root).map_err(|error| {
            Diagnostic::error(
                Code::FileUnreadable,
                format!("cannot serve `{}`: {error}", root.display()),
            )
            .help("name a project directory")
        })?;
    }
    ReadSandbox::raise(Path::new("."));
    if let Some(config) = &config {
        // The user who starts the server can select a configuration folder elsewhere.
        ReadSandbox::widen(config);
    }
    let service = AuthorService {
        config,
        writes: args.write,
        trusts: context.trusts,
        pages: PAGES,
    };
    super::mcp_access::ended(Served {
        connections: serve_author(service)?,
        traces: Ok(()),
    })
}

/// A path that does not depend on the working directory.
fn absolute(path: &Path) -> CommandResult<PathBuf> {
    std::path::absolute(path).map_err(Stop::from)
}

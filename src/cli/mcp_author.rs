//! `fsmsim mcp --author`: serve the workbench to a coding assistant.

use std::path::{Path, PathBuf};

use super::docs_pages::PAGES;
use super::mcp_args::McpArgs;
use super::{CommandResult, Context, Stop};
use fsmsim_server::mcp::{AuthorService, Served, serve_author};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::files::ReadFence;

/// Serves a project: that of the working directory, or the folder that is named.
pub(super) fn run(args: &McpArgs, folder: &Path, context: &Context) -> CommandResult {
    // Whoever stands somewhere in a project means the whole of it.
    let root = if folder == Path::new(".") {
        &*context.project.root
    } else {
        folder
    };
    let config = args.options.config.as_deref().map(absolute).transpose()?;
    // All paths are seen from the project, as assistants see them.
    if !root.as_os_str().is_empty() {
        std::env::set_current_dir(root).map_err(|error| {
            let title = format!("`{}` cannot be served: {error}", root.display());
            Diagnostic::error(Code::FileUnreadable, title).help("name the folder of a project")
        })?;
    }
    ReadFence::raise(Path::new("."));
    if let Some(config) = &config {
        // Whoever starts the server may name a folder elsewhere.
        ReadFence::widen(config);
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

/// A path that means the same wherever the process stands.
fn absolute(path: &Path) -> CommandResult<PathBuf> {
    std::path::absolute(path).map_err(Stop::from)
}

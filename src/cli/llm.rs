//! `--llm`: whom a run asks.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::drive::Library;
use crate::llm::{Link, LinkSpec, Outside};
use crate::report::usage_lines;

/// Whom `--llm` names, where it is given: `mock:FILE`; `live`, the chain of the project; or `bank`, the examples of the
/// model. Several, with commas, are asked one after the other.
///
/// # Errors
/// Nothing, once the findings are told.
pub(super) fn outside(
    who: Option<&str>,
    library: &mut Library,
    context: &mut Context,
) -> Result<Option<Outside>, ()> {
    let Some(who) = who else { return Ok(None) };
    let mut links = Vec::new();
    for who in who.split(',') {
        if let Some(path) = who.strip_prefix("mock:") {
            links.push(mock(Path::new(path), library, context)?);
        } else if who == "live" {
            links.extend(chain(library, context)?);
        } else if who == "bank" {
            links.push(Link::Bank);
        } else {
            let title = "`--llm` names nobody who could be asked";
            let help = "write `--llm mock:FILE`, `--llm live` or `--llm bank`";
            context.refuse(Diagnostic::error(Code::BadArguments, title).help(help));
            return Err(());
        }
    }
    Ok(Some(Outside::new(links)))
}

/// A mock, by its file.
fn mock(path: &Path, library: &mut Library, context: &mut Context) -> Result<Link, ()> {
    let script = library.mock(path);
    context.tell_of_mock(library, path);
    script.map(Link::Mock).ok_or(())
}

/// The chain of the project.
fn chain(library: &mut Library, context: &mut Context) -> Result<Vec<Link>, ()> {
    let chain = context.project.chain.clone();
    if chain.links.is_empty() {
        let help = "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md";
        let finding = Diagnostic::error(Code::BadArguments, "the project names no live model").help(help);
        context.refuse(finding);
        return Err(());
    }
    let budget = Arc::new(chain.budget());
    let mut links = Vec::new();
    let mut whole = true;
    for link in &chain.links {
        let link = match link {
            LinkSpec::Mock(path) => mock(path, library, context),
            LinkSpec::Live(provider) => Link::live(provider, chain.seed, &budget).map_err(|finding| {
                context.refuse(*finding);
            }),
            LinkSpec::Bank => Ok(Link::Bank),
        };
        // All that is wrong is told, not only the first of it.
        match link {
            Ok(link) => links.push(link),
            Err(()) => whole = false,
        }
    }
    if whole { Ok(links) } else { Err(()) }
}

/// Tells on standard error what a run used of live models.
pub(super) fn tell_usage(outside: Option<&Outside>) {
    let lines = outside.map(|outside| usage_lines(&outside.usage())).unwrap_or_default();
    // Where standard error is closed there is nobody to tell.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

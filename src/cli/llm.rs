//! `--llm`: whom a run asks.

use std::io::Write;
use std::path::Path;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::drive::Library;
use crate::llm::{Link, Outside};
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
            let path = Path::new(path);
            let script = library.mock(path);
            context.tell_of_mock(library, path);
            links.push(Link::Mock(script.ok_or(())?));
        } else if who == "live" {
            links.extend(chain(context)?);
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

/// The chain of the project.
fn chain(context: &mut Context) -> Result<Vec<Link>, ()> {
    let (title, help) = if cfg!(not(feature = "live")) {
        ("this program was built without live models", "build it with the feature `live`")
    } else if context.project.chain.is_empty() {
        ("the project names no live model", "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md")
    } else {
        return Ok(context.project.chain.iter().filter_map(Link::live).collect());
    };
    context.refuse(Diagnostic::error(Code::BadArguments, title).help(help));
    Err(())
}

/// Tells on standard error what a run used of live models.
pub(super) fn tell_usage(outside: Option<&Outside>) {
    let lines = outside.map(|outside| usage_lines(&outside.usage())).unwrap_or_default();
    // Where standard error is closed there is nobody to tell.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

//! `--llm`: whom a run asks.

use std::path::Path;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::drive::Library;
use crate::llm::Outside;

/// Whom `--llm` names: `mock:FILE`, or `live`, the chain of the project.
///
/// # Errors
/// Nothing, once the findings are told.
pub(super) fn outside(who: &str, library: &mut Library, context: &mut Context) -> Result<Outside, ()> {
    if let Some(path) = who.strip_prefix("mock:") {
        let path = Path::new(path);
        let script = library.mock(path);
        if let Some(found) = library.mock_findings(path) {
            context.tell(found, library.sources());
        }
        return script.map(Outside::Mock).ok_or(());
    }
    let (title, help) = match who {
        "live" if cfg!(not(feature = "live")) => {
            ("this program was built without live models", "build it with the feature `live`")
        }
        "live" if context.project.chain.is_empty() => {
            ("the project names no live model", "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md")
        }
        "live" => return Ok(Outside::Live(context.project.chain.clone().into())),
        _ => ("`--llm` names nobody who could be asked", "write `--llm mock:FILE` or `--llm live`"),
    };
    context.refuse(Diagnostic::error(Code::BadArguments, title).help(help));
    Err(())
}

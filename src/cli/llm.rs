//! `--llm`: whom a run asks.

use std::path::Path;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::drive::Library;
use crate::llm::Outside;

/// Whom `--llm` names, where it is given: `mock:FILE`; `live`, the chain of the project; or `bank`, the
/// examples of the model.
///
/// # Errors
/// Nothing, once the findings are told.
pub(super) fn outside(
    who: Option<&str>,
    library: &mut Library,
    context: &mut Context,
) -> Result<Option<Outside>, ()> {
    let Some(who) = who else { return Ok(None) };
    if let Some(path) = who.strip_prefix("mock:") {
        let path = Path::new(path);
        let script = library.mock(path);
        context.tell_of_mock(library, path);
        return script.map(|script| Some(Outside::Mock(script))).ok_or(());
    }
    let (title, help) = match who {
        "live" if cfg!(not(feature = "live")) => {
            ("this program was built without live models", "build it with the feature `live`")
        }
        "live" if context.project.chain.is_empty() => {
            ("the project names no live model", "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md")
        }
        "live" => return Ok(Some(Outside::Live(context.project.chain.clone().into()))),
        "bank" => return Ok(Some(Outside::Bank)),
        _ => (
            "`--llm` names nobody who could be asked",
            "write `--llm mock:FILE`, `--llm live` or `--llm bank`",
        ),
    };
    context.refuse(Diagnostic::error(Code::BadArguments, title).help(help));
    Err(())
}

//! Files of other tools, which are no definitions but can be made one.

use std::path::Path;

use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::document::Node;

/// The finding about a file whose name tells that another tool wrote it.
pub(super) fn by_name(path: &Path) -> Option<Diagnostic> {
    let end = path.extension()?.to_str()?;
    ["mmd", "mermaid"]
        .contains(&end)
        .then(|| finding(path, "a diagram of Mermaid", "mermaid"))
}

/// The finding about a document that another tool wrote.
pub(super) fn by_content(path: &Path, root: &Node) -> Option<Diagnostic> {
    let has = |key: &str| root.get(key).is_some();
    if has("flow") || has("kind") {
        return None;
    }
    let states = root.get("states");
    if states.is_some_and(|states| states.list().is_some()) {
        return Some(finding(
            path,
            "a machine of Python's `transitions`",
            "transitions",
        ));
    }
    if states.is_some_and(|states| states.map().is_some()) && (has("initial") || has("id")) {
        return Some(finding(path, "a machine of XState", "xstate"));
    }
    let is_list = |key: &str| root.get(key).is_some_and(|node| node.list().is_some());
    (is_list("stories") || has("version") && is_list("rules"))
        .then(|| finding(path, "stories of Rasa", "rasa-stories"))
}

fn finding(path: &Path, what: &str, format: &str) -> Diagnostic {
    let shown = path.display();
    Diagnostic::error(
        Code::UnknownModel,
        format!("`{shown}` is no dialogue definition; it looks like {what}"),
    )
    .about(shown.to_string())
    .help(format!(
        "make a flow of it: `fsmsim import {format} {shown} -o flows`"
    ))
}

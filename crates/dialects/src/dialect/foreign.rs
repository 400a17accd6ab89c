//! Detects files that are not definitions: dialogues, and files that can be imported.

use std::path::Path;

use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::document::Node;

/// The finding about a file that is a trace or a diagram, judging by its extension.
pub(super) fn by_name(path: &Path) -> Option<Diagnostic> {
    match path.extension()?.to_str()? {
        "mmd" | "mermaid" => Some(finding(path, "a Mermaid diagram", "mermaid")),
        "jsonl" => Some(dialogue(path, "a trace")),
        _ => None,
    }
}

/// The finding about a scenario, or about a file of another tool.
pub(super) fn by_content(path: &Path, root: &Node) -> Option<Diagnostic> {
    let has = |key: &str| root.get(key).is_some();
    if has("flow") || has("kind") {
        return None;
    }
    if has("scenario") || has("turns") {
        return Some(dialogue(path, "a scenario"));
    }
    let states = root.get("states");
    if states.is_some_and(|states| states.list().is_some()) {
        return Some(finding(
            path,
            "a machine of the Python library `transitions`",
            "transitions",
        ));
    }
    if states.is_some_and(|states| states.map().is_some()) && (has("initial") || has("id")) {
        return Some(finding(path, "an XState machine", "xstate"));
    }
    let is_list = |key: &str| root.get(key).is_some_and(|node| node.list().is_some());
    (is_list("stories") || has("version") && is_list("rules"))
        .then(|| finding(path, "Rasa stories", "rasa-stories"))
}

fn finding(path: &Path, what: &str, format: &str) -> Diagnostic {
    let shown = path.display();
    similar(path, what).help(format!(
        "import it as a flow: `fsmsim import {format} {shown} -o flows`"
    ))
}

/// The finding about a dialogue. It can be exported only in the REPL, because `fsmsim export` exports models.
fn dialogue(path: &Path, what: &str) -> Diagnostic {
    let shown = path.display();
    similar(path, what).help(format!(
        "run it with `fsmsim run --from {shown}`; in the REPL, `:export FILE` writes a transcript"
    ))
}

fn similar(path: &Path, what: &str) -> Diagnostic {
    let shown = path.display();
    Diagnostic::error(
        Code::UnknownModel,
        format!("expected a model, found {what}: `{shown}`"),
    )
    .about(shown.to_string())
}

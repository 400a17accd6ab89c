//! Detects files that are not definitions: dialogues, and files that can be imported.

use std::path::Path;

use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::document::Node;

/// The finding about a file whose extension is that of a trace or a diagram.
pub(super) fn by_name(path: &Path) -> Option<Diagnostic> {
    match path.extension()?.to_str()? {
        "mmd" | "mermaid" => Some(finding(path, "a diagram of Mermaid", "mermaid")),
        "jsonl" => Some(dialogue(path, "a trace")),
        _ => None,
    }
}

/// The finding about a document that is a scenario or a file of another tool.
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
    similar(path, what).help(format!(
        "make a flow of it: `fsmsim import {format} {shown} -o flows`"
    ))
}

/// The finding about a dialogue. It can be exported only in the REPL, because `fsmsim export` exports models.
fn dialogue(path: &Path, what: &str) -> Diagnostic {
    let shown = path.display();
    similar(path, what).help(format!(
        "play it: `fsmsim run --from {shown}`; there, `:export FILE` writes the dialogue for people"
    ))
}

fn similar(path: &Path, what: &str) -> Diagnostic {
    let shown = path.display();
    Diagnostic::error(
        Code::UnknownModel,
        format!("`{shown}` is no dialogue definition; it looks like {what}"),
    )
    .about(shown.to_string())
}

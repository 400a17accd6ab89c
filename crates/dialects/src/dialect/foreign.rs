//! Detects files that are not definitions: dialogues, files that can be imported, and files that no command can use.

use std::path::Path;

use crate::limits::MAX_FOREIGN_FILE;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::document::{Node, read_start};

/// The formats that no command can read, one per line: the start of a file, two texts that it contains, a description,
/// and what to use instead. After `^`, a text must be a complete line: `#me` is also the start of `"#menu"`.
const UNSUPPORTED: &str = include_str!("unsupported.txt");

/// The finding about a file in a format that no command can read.
pub fn unsupported_file(path: &Path, text: &str) -> Option<Diagnostic> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (what, instead) = UNSUPPORTED.lines().find_map(|row| {
        let row: Vec<&str> = row.split('|').collect();
        let &[start, one, other, what, instead] = row.as_slice() else {
            return None;
        };
        let has = |part: &str| match part.strip_prefix('^') {
            Some(line) => text.lines().any(|other| other.trim() == line),
            None => text.contains(part),
        };
        let is_it = text.starts_with(start) && has(one) && has(other);
        is_it.then_some((what, instead))
    })?;
    let shown = path.display();
    let title = format!("cannot use `{shown}`: {what} is not a supported format");
    let finding = Diagnostic::error(Code::UnsupportedFormat, title);
    Some(finding.about(shown.to_string()).help(instead))
}

/// The same finding about a file that is not a model.
pub(super) fn by_start(path: &Path) -> Option<Diagnostic> {
    let bytes = read_start(path, MAX_FOREIGN_FILE).ok()?;
    unsupported_file(path, &String::from_utf8_lossy(&bytes))
}

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
        .then(|| finding(path, "Rasa stories", "rasa"))
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

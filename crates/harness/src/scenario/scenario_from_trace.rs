//! Dialogues in a trace, as scenarios. They replay the recorded inputs and answers, and expect the recorded results.
//!
//! A recorded dialogue becomes the same tree as a YAML scenario, so later stages do not distinguish them.

use std::ops::Range;
use std::path::Path;

use fsmsim_core::machine::NeedKind;
use fsmsim_core::trace::{TracedEnd, check_version, read_json};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Atom, Content, Map, Node, parse_json, unpacked_path};

/// The fields whose values must be the same as in the trace.
const SAME: [&str; 11] = [
    "state",
    "phase",
    "path",
    "action",
    "class",
    "contract_class",
    "carryover",
    "effects",
    "why",
    "return_state",
    "violations",
];
/// How the header of a dialogue starts.
const HEADER: &str = "{\"fsmsim_trace\"";
/// How the last line of a dialogue starts.
const END: &str = "{\"end\"";

/// Whether a file is a trace, judged by its extension or, if it has none (for example, a pipe), by its text.
pub(crate) fn is_trace(path: &Path, text: &str) -> bool {
    match unpacked_path(path).extension() {
        Some(extension) => extension.eq_ignore_ascii_case("jsonl"),
        None => text.starts_with(HEADER),
    }
}

/// The byte ranges of the dialogues in a trace. Each range extends from a header to the next one.
pub(super) fn dialogues(text: &str) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = lines(text, 0)
        .filter(|(_, line)| line.starts_with(HEADER))
        .map(|(at, _)| at)
        .collect();
    // Text before the first header belongs to no dialogue. The parser reports it.
    if let Some((first, _)) = lines(text, 0)
        .next()
        .filter(|(first, _)| starts.first() != Some(first))
    {
        starts.insert(0, first);
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

/// The non-empty lines of a text, each with its offset in the file.
fn lines(text: &str, base: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = base;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        (!line.is_empty()).then_some((start, line))
    })
}

/// Reads a dialogue as a scenario tree. Returns `None`, with findings, if the dialogue is invalid.
pub(super) fn parse_recorded(
    file: FileId,
    text: &str,
    base: usize,
    found: &mut Diagnostics,
) -> Option<Node> {
    let errors = found.error_count();
    let mut lines = lines(text, base);
    let (at, line) = lines.next()?;
    let mut header = parse_json(file, line, at, found)?.into_map()?;
    let span = Span::new(file, at, at + line.len());
    let version = header.take("fsmsim_trace");
    let Some(id) = header.take("dialogue").filter(|_| version.is_some()) else {
        return Diagnostic::error(Code::BadLine, "missing header line of the dialogue")
            .at(span, "not a header")
            .help("use a trace that `fsmsim trace` wrote; to run turns, use `fsmsim trace MODEL --turns FILE`")
            .refuse(found);
    };
    let readable = match version.as_ref().and_then(Node::atom) {
        Some(Atom::Int(version)) => check_version(version),
        _ => Err("the version is not an integer".to_owned()),
    };
    if let Err(reason) = readable {
        return Diagnostic::error(
            Code::BadTrace,
            format!("cannot read a dialogue of the trace: {reason}"),
        )
        .at(span, "")
        .help("record the trace again")
        .refuse(found);
    }
    let name = id.text().unwrap_or_default().to_owned();
    let mut machine = header
        .take("machine")
        .and_then(Node::into_map)
        .unwrap_or_default();
    let mut scenario = Map::default();
    scenario.put("scenario", Some(id));
    scenario.put("model", machine.take("source"));
    scenario.put("profile", machine.take("profile"));
    scenario.put("signals", header.take("signals"));
    scenario.put("start", header.take("start"));
    let mut turns = Vec::new();
    let mut end = None;
    let mut last = span;
    for (at, line) in lines {
        last = Span::new(file, at, at + 1);
        // Only the last line starts with `end`.
        if line.starts_with(END)
            && let Ok(read) = read_json::<TracedEnd>(line)
        {
            end = Some(read);
            continue;
        }
        if let Some(node) = parse_json(file, line, at, found) {
            let span = node.span;
            match node.into_map().and_then(|record| turn(record, span)) {
                Some(turn) => turns.push(turn),
                None => {
                    Diagnostic::error(Code::BadLine, "missing `input` in a line of the trace")
                        .at(span, "not a turn")
                        .help("use a trace that `fsmsim trace` wrote")
                        .add_to(found);
                }
            }
        }
    }
    if let Some(finding) = TracedEnd::check(end.as_ref(), &name, turns.len()) {
        found.push(finding.at(last, ""));
    }
    scenario.put(
        "turns",
        Some(Node {
            span,
            content: Content::List(turns),
        }),
    );
    found.no_errors_since(errors).then(|| scenario.at(span))
}

/// Converts the record of a turn into a scenario turn.
fn turn(mut record: Map, span: Span) -> Option<Node> {
    let mut turn = record.take("input")?.into_map()?;
    let scripted = turn.get("answer").is_some();
    if turn.get("answers").is_none() {
        let answers = record.take("answers");
        let answers = answers.as_ref().and_then(Node::list).unwrap_or_default();
        let given: Vec<Node> = answers
            .iter()
            .filter_map(|answer| given(answer, scripted))
            .collect();
        turn.put(
            "answers",
            (!given.is_empty()).then_some(Node {
                span,
                content: Content::List(given),
            }),
        );
    }
    let mut expected = Map::default();
    for name in SAME {
        expected.put(
            name,
            record.take(name).map(|value| as_recorded(name, value)),
        );
    }
    turn.put("expect", Some(expected.at(span)));
    Some(turn.at(span))
}

/// The expectation of a recorded value. Maps in it have no other keys, except the changes of states, which are compared
/// as a whole.
fn as_recorded(name: &str, value: Node) -> Node {
    let is_change = matches!(name, "state" | "phase");
    if is_change || !value.items().iter().any(|item| item.map().is_some()) {
        return value;
    }
    let span = value.span;
    let mut exactly = Map::default();
    exactly.put("exactly", Some(value));
    exactly.at(span)
}

/// An answer given in a turn, unless the input already contains it.
fn given(answer: &Node, scripted: bool) -> Option<Node> {
    let need = answer.get("need")?;
    if scripted && !need.text().is_some_and(NeedKind::is_of_world) {
        return None;
    }
    let mut given = Map::default();
    given.put("need", Some(need.clone()));
    given.put("effect", answer.get("effect").cloned());
    given.put("index", answer.get("index").cloned());
    given.put("failed", answer.get("failed").cloned());
    given.put("answer", answer.get("answer").cloned());
    Some(given.at(answer.span))
}

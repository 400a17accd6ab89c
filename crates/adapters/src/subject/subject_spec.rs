//! `subject:` of a scenario.

use std::collections::BTreeSet;
use std::time::Duration;

use super::answer_map::AnswerMap;
use super::answer_path::AnswerPath;
use super::http_spec::HttpSpec;
use super::mcp_spec::McpSpec;
use crate::limits::MAX_SUBJECT_SECONDS;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{
    Fields, Key, Map, Node, each_placeholder, is_of_placeholder, number_of, one_of, text_of,
};
use fsmsim_syntax::shapes;

/// The key in a scenario that specifies the system under test.
pub const SUBJECT: &str = "subject";

/// Placeholders that every system under test has.
const PLACEHOLDERS: [&str; 6] = ["say", "session", "history", "turn", "data", "intent"];
/// Placeholders that contain the input of a turn.
const INPUTS: [&str; 4] = ["say", "history", "data", "intent"];
/// Default timeout of a turn, in seconds.
const TIMEOUT: f64 = 30.0;

/// `subject:` of a scenario: an external dialogue system that runs instead of the model.
#[derive(Clone, Debug)]
pub struct SubjectSpec {
    /// The kind of connection.
    pub kind: SubjectKind,
    /// The mapping of its answers.
    pub map: AnswerMap,
    /// Values of answers to store for later turns, by placeholder name.
    pub keep: Vec<(Box<str>, AnswerPath)>,
    /// The timeout of a turn.
    pub timeout: Duration,
    /// Whether to compare the dialogue with a replay of the model, in addition to checking it against the model.
    pub replays: bool,
    /// The location in the scenario.
    pub span: Span,
}

/// The kind of connection.
#[derive(Clone, Debug)]
pub enum SubjectKind {
    /// An HTTP request.
    Http(HttpSpec),
    /// A call of an MCP tool.
    Mcp(McpSpec),
}

impl SubjectSpec {
    /// Parses a system under test. Returns `None`, with findings, if it is invalid.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        const KINDS: [(bool, &str); 2] = [(false, "http"), (true, "mcp")];
        let errors = found.error_count();
        let help = "write `subject: {http: {url: …, body: …, map: …}}` or `subject: {mcp: {command: …, tool: …, arguments: …, map: …}}`";
        let outer = Fields::of(node, &shapes::SUBJECT, found)?;
        let entries: &[(Key, Node)] = node.map().map_or(&[], |map| &map.entries);
        let Some(((key, inner), is_mcp)) = entries.iter().find_map(|entry| {
            let kind = KINDS
                .into_iter()
                .find(|(_, name)| *name == &*entry.0.text)?;
            Some((entry, kind.0))
        }) else {
            outer.finish();
            if found.no_errors_since(errors) {
                Diagnostic::error(Code::BadSubject, "missing `http` or `mcp` in `subject`")
                    .at(node.span, "here")
                    .help(help)
                    .add_to(found);
            }
            return None;
        };
        outer.finish();
        if let Some((other, _)) = entries.iter().find(|(other, _)| {
            other.text != key.text && KINDS.iter().any(|(_, name)| *name == &*other.text)
        }) {
            Diagnostic::error(Code::BadSubject, "cannot use `http` with `mcp`")
                .at(other.span, "second connection")
                .help(help)
                .add_to(found);
        }
        let known = subject_placeholders(node);
        let shape = if is_mcp {
            &shapes::MCP_SUBJECT
        } else {
            &shapes::HTTP_SUBJECT
        };
        let mut fields = Fields::of(inner, shape, found)?;
        let map = fields.required("map");
        let keep = fields.entries("keep");
        let [timeout, verify] = fields.nodes(["timeout", "verify"]);
        let kind = if is_mcp {
            McpSpec::read(&mut fields, &known).map(SubjectKind::Mcp)
        } else {
            HttpSpec::read(&mut fields, &known).map(SubjectKind::Http)
        };
        fields.finish();
        let map = map.and_then(|map| AnswerMap::read(map, found));
        let keep = keep
            .iter()
            .filter_map(|kept| read_kept(kept, found))
            .collect();
        let timeout = timeout.map_or(Some(TIMEOUT), |node| read_timeout(node, found));
        let replays = match verify {
            None => false,
            Some(node) => {
                let name = text_of(node, "verify", found)?;
                found.take(one_of(
                    name,
                    node.span,
                    &[(false, "structure"), (true, "replay")],
                ))?
            }
        };
        let mut has_input = false;
        each_placeholder(inner, &mut |name, _| has_input |= INPUTS.contains(&name));
        if !has_input && found.no_errors_since(errors) {
            Diagnostic::error(
                Code::BadSubject,
                "the request does not contain the input of the turn",
            )
            .at(
                key.span,
                "no `{{say}}`, `{{history}}`, `{{intent}}` or `{{data}}`",
            )
            .help("put `\"{{say}}\"` where the subject expects the utterance")
            .add_to(found);
        }
        if found.error_count() > errors {
            return None;
        }
        let timeout = Duration::try_from_secs_f64(timeout?).ok()?;
        Some(Self {
            kind: kind?,
            map: map?,
            keep,
            timeout,
            replays,
            span: inner.span,
        })
    }
}

/// The placeholders of a system under test: the common ones, and the values that it stores.
pub fn subject_placeholders(subject: &Node) -> BTreeSet<String> {
    let kept = subject
        .map()
        .map_or(&[][..], |map| &map.entries)
        .iter()
        .filter_map(|(_, kind)| kind.get("keep")?.map())
        .flat_map(Map::keys);
    PLACEHOLDERS
        .into_iter()
        .chain(kept)
        .map(str::to_owned)
        .collect()
}

fn read_kept((key, node): &(Key, Node), found: &mut Diagnostics) -> Option<(Box<str>, AnswerPath)> {
    let wrong = if PLACEHOLDERS.contains(&&*key.text) {
        Some(format!(
            "the placeholder `{{{{{}}}}}` is built in",
            key.text
        ))
    } else if key.text.is_empty() || !key.text.chars().all(is_of_placeholder) {
        Some(format!("invalid placeholder name `{}`", key.text))
    } else {
        None
    };
    if let Some(title) = wrong {
        return Diagnostic::error(Code::BadSubject, title)
            .at(key.span, "placeholder name")
            .help("use another name of letters, digits and `_`")
            .refuse(found);
    }
    Some((key.text.clone(), AnswerPath::read(node, false, found)?))
}

fn read_timeout(node: &Node, found: &mut Diagnostics) -> Option<f64> {
    let seconds = number_of(node, "timeout", found)?;
    if seconds > 0.0 && seconds <= MAX_SUBJECT_SECONDS {
        return Some(seconds);
    }
    Diagnostic::error(
        Code::OutOfRange,
        format!(
            "expected more than 0 and at most {MAX_SUBJECT_SECONDS} seconds for `timeout`, found {seconds}"
        ),
    )
    .at(node.span, "out of range")
    .help("write the time limit of a turn in seconds, for example `30`")
    .refuse(found)
}

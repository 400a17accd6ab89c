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

/// The key of a scenario.
pub const SUBJECT: &str = "subject";

/// What placeholders stand for in every subject.
const PLACEHOLDERS: [&str; 6] = ["say", "session", "history", "turn", "data", "intent"];
/// Those that bring what a turn is about.
const TELLING: [&str; 4] = ["say", "history", "data", "intent"];
/// How long a turn may take if nothing is said, in seconds.
const TIMEOUT: f64 = 30.0;

/// `subject:` of a scenario: somebody else's dialogue system, which plays in the place of the model.
#[derive(Clone, Debug)]
pub struct SubjectSpec {
    /// How it is asked.
    pub kind: SubjectKind,
    /// How its answer becomes a turn.
    pub map: AnswerMap,
    /// What is kept of its answers for later turns, by the name of its placeholder.
    pub keep: Vec<(Box<str>, AnswerPath)>,
    /// How long it may take to answer in a turn.
    pub timeout: Duration,
    /// Its dialogue is held against what the model does with the same input, and not only against what it declares.
    pub replays: bool,
    /// Where it is written.
    pub span: Span,
}

/// How a subject is asked.
#[derive(Clone, Debug)]
pub enum SubjectKind {
    /// By a request.
    Http(HttpSpec),
    /// By a call of a tool.
    Mcp(McpSpec),
}

impl SubjectSpec {
    /// Reads a subject. `None`, with findings, where it cannot be asked.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        const WAYS: [(bool, &str); 2] = [(false, "http"), (true, "mcp")];
        let errors = found.error_count();
        let help = "write `subject: {http: {url: …, body: …, map: …}}` or `subject: {mcp: {command: …, tool: …, arguments: …, map: …}}`";
        let outer = Fields::of(node, &shapes::SUBJECT, found)?;
        let entries: &[(Key, Node)] = node.map().map_or(&[], |map| &map.entries);
        let Some(((key, inner), is_mcp)) = entries.iter().find_map(|entry| {
            let way = WAYS.into_iter().find(|(_, name)| *name == &*entry.0.text)?;
            Some((entry, way.0))
        }) else {
            outer.finish();
            if found.no_errors_since(errors) {
                Diagnostic::error(Code::BadSubject, "it is not said how the subject is asked")
                    .at(node.span, "here")
                    .help(help)
                    .add_to(found);
            }
            return None;
        };
        outer.finish();
        if let Some((other, _)) = entries.iter().find(|(other, _)| {
            other.text != key.text && WAYS.iter().any(|(_, name)| *name == &*other.text)
        }) {
            Diagnostic::error(Code::BadSubject, "a subject is asked in one way")
                .at(other.span, "a second one")
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
        let (map, keep) = (fields.required("map"), fields.entries("keep"));
        let (timeout, verify) = (fields.node("timeout"), fields.node("verify"));
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
        let mut tells = false;
        each_placeholder(inner, &mut |name, _| tells |= TELLING.contains(&name));
        if !tells && found.no_errors_since(errors) {
            Diagnostic::error(Code::BadSubject, "nothing of a turn is sent to the subject")
                .at(
                    key.span,
                    "has neither `{{say}}` nor `{{history}}`, `{{intent}}` or `{{data}}`",
                )
                .help("put `\"{{say}}\"` where the subject expects what the user says")
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

/// The names that placeholders have in a subject: those of every subject, and what it keeps of answers.
pub fn subject_placeholders(subject: &Node) -> BTreeSet<String> {
    let ways = subject.map().map_or(&[][..], |map| &map.entries);
    let kept = ways
        .iter()
        .filter_map(|(_, way)| way.get("keep")?.map())
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
            "`{{{{{}}}}}` stands for something else already",
            key.text
        ))
    } else if key.text.is_empty() || !key.text.chars().all(is_of_placeholder) {
        Some(format!("`{}` is no name of a placeholder", key.text))
    } else {
        None
    };
    if let Some(title) = wrong {
        return Diagnostic::error(Code::BadSubject, title)
            .at(key.span, "here")
            .help("give it another name, of letters, digits and `_`")
            .refuse(found);
    }
    Some((key.text.clone(), AnswerPath::read(node, found)?))
}

fn read_timeout(node: &Node, found: &mut Diagnostics) -> Option<f64> {
    let seconds = number_of(node, "timeout", found)?;
    if seconds > 0.0 && seconds <= MAX_SUBJECT_SECONDS {
        return Some(seconds);
    }
    Diagnostic::error(
        Code::OutOfRange,
        format!(
            "`timeout` is a number of seconds up to {MAX_SUBJECT_SECONDS}, so {seconds} cannot be"
        ),
    )
    .at(node.span, "out of range")
    .help("write how long the subject may take in a turn, such as `30`")
    .refuse(found)
}

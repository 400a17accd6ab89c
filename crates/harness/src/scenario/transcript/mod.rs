//! Transcripts: dialogues in Markdown documents that are read as scenarios.
//!
//! A transcript becomes the same tree as a YAML scenario, so later stages do not distinguish them.

mod call;
mod chat;
mod dialogue;
mod lines;
mod notes;
mod speakers;
mod turns;

use std::collections::BTreeSet;
use std::path::Path;

use super::shared::DEFAULTS;
use chat::with_messages;
use dialogue::{TranscriptReader, is_spoken};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span, nearest};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, Key, Node, front_of, parse_yaml, read_start, text_of, unpacked_path,
    wrong_type,
};
use lines::{Heading, Item, items};
use speakers::{SpeakerLabel, Speakers};

/// Whether a file has a Markdown extension.
pub(crate) fn is_markdown(path: &Path) -> bool {
    unpacked_path(path)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The front matter keys that identify a transcript.
const FRONT: [&str; 5] = ["scenario", "model", "start", "speakers", "section"];

/// Whether the front matter of a Markdown file, even if it is broken, identifies it as a transcript. An unreadable file
/// counts as a transcript, so that it is reported.
pub(super) fn is_transcript(path: &Path) -> bool {
    let Ok(bytes) = read_start(path, DEFINITION_LIMIT) else {
        return true;
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (front, body) = front_of(text).unwrap_or_else(|| {
        // Unclosed front matter ends at an empty line. The text that follows its opening mark can be a dialogue.
        let lines = text
            .split_inclusive('\n')
            .take_while(|line| !line.trim().is_empty());
        (0..lines.map(str::len).sum(), 0)
    });
    let keys = front_keys(text.get(front).unwrap_or_default());
    // A document with a state machine can have `section`, too.
    let is_marked = keys
        .iter()
        .any(|key| FRONT.contains(&&**key) && key != "section");
    let has_front = text.starts_with("---");
    // A typo in one of these keys is reported instead of ignored.
    let has_typo = || keys.iter().any(|key| nearest(key, FRONT).is_some());
    // The defaults of the directory can set the model.
    let has_defaults = || {
        path.ancestors()
            .skip(1)
            .any(|folder| folder.join(DEFAULTS).is_file())
    };
    let may_be = is_marked || has_front && (has_typo() || has_defaults());
    is_marked && has_front || may_be && speaks(&items(text, body))
}

/// The keys of front matter. If it is invalid YAML, the beginnings of its lines.
fn front_keys(front: &str) -> Vec<String> {
    let file = SourceMap::default().add("", front);
    match parse_yaml(file, front, 0, &mut Diagnostics::default()) {
        Some(node) => node
            .entries()
            .iter()
            .map(|(key, _)| key.text.to_string())
            .collect(),
        None => {
            let keys = front.lines().filter_map(|line| line.split_once(':'));
            keys.map(|(key, _)| key.trim().to_owned()).collect()
        }
    }
}

/// Whether a known speaker has a line, or several lines seem to have an unknown one.
fn speaks(items: &[Item<'_>]) -> bool {
    let speakers = Speakers::default();
    let spoken = |item: &Item<'_>| matches!(item, Item::Line(line) if is_spoken(line, &speakers));
    items.iter().any(spoken) || unknown_speakers(items, &speakers, true).nth(1).is_some()
}

/// The labels of lines that seem to have an unknown speaker. If not `surely`, also labels such as `Ann Lee:`.
fn unknown_speakers<'i, 't>(
    items: &'i [Item<'t>],
    speakers: &'i Speakers,
    surely: bool,
) -> impl Iterator<Item = &'i str> + use<'i, 't> {
    items.iter().filter_map(move |item| {
        let name = match item {
            Item::Said(message) => &*message.name,
            Item::Line(line) if line.leads => {
                let label = SpeakerLabel::of(line.text.get(line.bullet..)?)?;
                let is_name = !surely && label.name.starts_with(char::is_uppercase);
                (label.certain || is_name).then_some(label.name)?
            }
            _ => return None,
        };
        speakers.who(name).is_none().then_some(name)
    })
}

/// Reads a transcript as a scenario tree. Returns `None`, with findings, if the transcript is invalid.
pub fn parse_transcript(
    file: FileId,
    path: &Path,
    text: &str,
    found: &mut Diagnostics,
) -> Option<Node> {
    let errors = found.error_count();
    let Some((front, body)) = front_of(text) else {
        let open = text
            .lines()
            .next()
            .is_some_and(|line| line.trim_end() == "---");
        let (wrong, place) = if open {
            ("the front matter is not closed", "opening `---`")
        } else {
            ("missing front matter", "no `---`")
        };
        return Diagnostic::error(Code::NoTranscript, format!("invalid transcript: {wrong}"))
            .at(Span::start_of(file), place)
            .help("start the file with a line `---`, then `model: PATH`, then a line `---`")
            .refuse(found);
    };
    let yaml = text.get(front.clone()).unwrap_or_default();
    let node = parse_yaml(file, yaml, front.start, found)?;
    let front_span = Span::new(file, front.start, front.start + yaml.trim_end().len());
    if node.map().is_none() && !node.is_null() {
        wrong_type(&node, "the front matter is a map", found);
        return None;
    }
    let mut head = node.into_map().unwrap_or_default();
    if let Some((key, _)) = head.entry("turns") {
        Diagnostic::error(Code::UnknownKey, "unknown key `turns` in a transcript")
            .at(key.span, "unknown key")
            .help("write the turns as lines of the dialogue, or use a YAML file")
            .add_to(found);
    }
    let mut take = |key: &str| head.take(key).filter(|node| !node.is_null());
    let speakers = take("speakers");
    let section = take("section");
    let speakers = Speakers::read(speakers.as_ref(), found);
    let all = items(text, body);
    let part = match &section {
        Some(node) => below(node, &all, found)?,
        None => &all,
    };
    let messages = with_messages(part, text, &speakers);
    let part = messages.as_deref().unwrap_or(part);
    let turns = TranscriptReader::new(file, text, &speakers, section.is_some()).read(part, found);
    let surely = !turns.is_empty();
    let mut names: Vec<&str> = unknown_speakers(part, &speakers, surely).collect();
    let is_of_chat = messages.is_some() && !names.is_empty();
    if found.no_errors_since(errors) && (is_of_chat || !turns.has_user()) {
        let known = &mut BTreeSet::new();
        names.retain(|name| known.insert(*name));
        // If the assistant is known, the others are users. Otherwise, the first speaker probably is the user.
        let (title, count) = if turns.is_empty() {
            ("invalid transcript: no line has a known speaker", 1)
        } else if turns.has_user() {
            ("the transcript has unknown speakers", 0)
        } else {
            ("the user never speaks in the transcript", usize::MAX)
        };
        let (users, others) = names.split_at(names.len().min(count));
        let place = section.as_ref().map_or(front_span, |node| node.span);
        let help = if names.is_empty() {
            "start each line with its speaker: `User:`, `**User:**`, `[USER]`, `Пользователь:`; define others with `speakers: {user: [NAME]}`. Tables with speakers, JSON messages (`role`, `content`), and texts of WhatsApp and Telegram are read, too; convert other exports".to_owned()
        } else {
            format!(
                "add to the front matter: `speakers: {{user: {users:?}, assistant: {others:?}}}`"
            )
        };
        Diagnostic::error(Code::NoTranscript, title)
            .at(place, "transcript")
            .help(help)
            .add_to(found);
    }
    if head.get("scenario").is_none_or(Node::is_null) {
        let _ = head.take("scenario");
        let entry = title(file, path, headings(part).next().or(headings(&all).next()));
        head.entries.insert(0, entry);
    }
    head.put("turns", Some(turns.finish(found)));
    found.no_errors_since(errors).then(|| head.at(front_span))
}

fn headings<'i, 't>(items: &'i [Item<'t>]) -> impl Iterator<Item = Heading<'t>> + use<'i, 't> {
    items.iter().filter_map(|item| match item {
        Item::Heading(heading) => Some(*heading),
        _ => None,
    })
}

/// The title of a scenario without the key `scenario`: a heading, or the file name.
fn title(file: FileId, path: &Path, heading: Option<Heading<'_>>) -> (Key, Node) {
    let (text, span) = match heading.filter(|heading| !heading.text.is_empty()) {
        Some(heading) => (
            heading.text.into(),
            Span::new(file, heading.at, heading.at + heading.text.len()),
        ),
        None => (
            path.file_stem().unwrap_or_default().to_string_lossy(),
            Span::start_of(file),
        ),
    };
    (
        Key {
            text: "scenario".into(),
            span,
        },
        Node::quoted(&text, span),
    )
}

/// The section below the heading that `node` names. Reports an error if no heading, or more than one, has this text.
fn below<'i, 't>(
    node: &Node,
    items: &'i [Item<'t>],
    found: &mut Diagnostics,
) -> Option<&'i [Item<'t>]> {
    let name = text_of(node, "section", found)?.trim();
    let mut places = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| match item {
            Item::Heading(heading) if heading.text == name => Some((at, heading.level)),
            _ => None,
        });
    let (Some((start, depth)), None) = (places.next(), places.next()) else {
        let several = headings(items).any(|heading| heading.text == name);
        let wrong = if several {
            "ambiguous heading"
        } else {
            "unknown heading"
        };
        let near =
            nearest(name, headings(items).map(|heading| heading.text)).filter(|near| *near != name);
        return Diagnostic::error(Code::NoTranscript, format!("{wrong} `{name}`"))
            .at(node.span, "must match one heading")
            .suggest(near, "write the text of one heading, without its `#`")
            .refuse(found);
    };
    let rest = items.get(start..)?;
    let ends = |item: &Item<'_>| matches!(item, Item::Heading(heading) if heading.level <= depth);
    let length = rest.iter().skip(1).position(ends);
    rest.get(..length.map_or(rest.len(), |length| length + 1))
}

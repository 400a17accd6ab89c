//! Transcripts: dialogues in Markdown documents that are read as scenarios.
//!
//! A transcript becomes the same tree as a YAML scenario, so later stages do not distinguish them.

mod call;
mod dialogue;
mod lines;
mod notes;
mod speakers;
mod turns;

use std::path::Path;

use super::shared::DEFAULTS;
use dialogue::{TranscriptReader, is_spoken};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span, nearest};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, Key, Node, front_of, parse_yaml, read_bytes, text_of, unpacked_path,
    wrong_type,
};
use lines::{Heading, Item, items};
use speakers::Speakers;

/// Whether a file has a Markdown extension.
pub(crate) fn is_markdown(path: &Path) -> bool {
    unpacked_path(path)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The front matter keys that identify a transcript.
const FRONT: [&str; 2] = ["scenario", "model"];

/// Whether the front matter of a Markdown file identifies it as a transcript. An unreadable file counts as a
/// transcript, so that it is reported.
pub(super) fn is_transcript(path: &Path) -> bool {
    let Ok(bytes) = read_bytes(path, DEFINITION_LIMIT) else {
        return true;
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some((front, body)) = front_of(text) else {
        return false;
    };
    let front = text.get(front).unwrap_or_default();
    let has = |key: &str| front.lines().any(|line| line.starts_with(key));
    let speaks = || {
        let speakers = Speakers::default();
        let spoken =
            |item: &Item<'_>| matches!(item, Item::Line(line) if is_spoken(line, &speakers));
        items(text, body).iter().any(spoken)
    };
    // A typo in one of these keys is reported instead of ignored.
    let is_nearly = |key: &str| !FRONT.contains(&key) && nearest(key, FRONT).is_some();
    let keys = || {
        front
            .lines()
            .filter_map(|line| Some(line.split_once(':')?.0))
    };
    let has_typo = || keys().any(is_nearly) && speaks();
    // The defaults of the directory can set the model.
    let has_defaults = || {
        path.ancestors()
            .skip(1)
            .any(|folder| folder.join(DEFAULTS).is_file())
    };
    has("scenario:")
        || (has("model:") && (has("speakers:") || has("section:") || speaks()))
        || has_typo()
        || (speaks() && has_defaults())
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
    let turns = TranscriptReader::new(file, text, &speakers, section.is_some()).read(part, found);
    if found.no_errors_since(errors) && !turns.has_user() {
        let title = if turns.is_empty() {
            "invalid transcript: no line has a speaker"
        } else {
            "the user never speaks in the transcript"
        };
        let place = section.as_ref().map_or(front_span, |node| node.span);
        found.push(Diagnostic::error(Code::NoTranscript, title).at(place, "transcript").help(
            "start each line with its speaker: `User:`, `**User:**`, `[USER]`, `Пользователь:`; define others with `speakers: {user: [NAME]}`",
        ));
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

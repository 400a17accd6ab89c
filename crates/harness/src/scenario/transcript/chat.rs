//! Chats in other notations than `Name: text`: tables, JSON messages, and logs with dates.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Deserializer, Value};

use super::dialogue::is_spoken;
use super::lines::{Heading, Item, Line, TranscriptMessage};
use super::speakers::Speakers;

/// The keys of the speaker and of the text in a JSON message.
const KEYS: [&str; 2] = [
    "role from speaker sender author name",
    "content text message value",
];

/// A line of a log with a date.
static LOGGED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(include_str!("chat.regex")).ok());

/// Replaces the lines of a chat by messages. Returns `None` if there are fewer than two messages, or if some line is
/// `Name: text` with a known speaker: then tables and JSON are parts of the document.
pub(super) fn with_messages<'t>(
    items: &[Item<'t>],
    text: &str,
    speakers: &Speakers,
) -> Option<Vec<Item<'t>>> {
    let is_said = |item: &Item<'_>| matches!(item, Item::Line(line) if is_spoken(line, speakers));
    if items.iter().any(is_said) {
        return None;
    }
    let mut out: Vec<Item<'t>> = Vec::new();
    let mut header = Vec::new();
    let mut skipped = 0;
    for item in items {
        let line = match item {
            Item::Line(line) if line.at < skipped => continue,
            Item::Line(line) if line.leads => line,
            Item::Heading(heading) if speakers.who(heading.text).is_some() => {
                out.push(said(heading.text, "", heading.at));
                continue;
            }
            other => {
                out.push(other.clone());
                if !header.is_empty() || matches!(other, Item::Close) {
                    // The text after a table or a block is not said.
                    out.push(Item::Rule);
                }
                header.clear();
                continue;
            }
        };
        let cells = cells(line);
        if !header.is_empty() && !cells.is_empty() {
            out.extend(of_row(line.at, &header, &cells, speakers));
        } else if let Some((messages, end)) = of_json(line, text) {
            out.extend(messages);
            out.push(Item::Rule);
            skipped = end;
        } else {
            header = cells;
            out.push(of_line(line, speakers));
        }
    }
    // One heading or line with the name of a speaker is not a chat.
    let mut messages = out.iter().filter(|item| matches!(item, Item::Said(_)));
    messages.nth(1).is_some().then_some(out)
}

fn said<'t>(name: &str, text: &str, at: usize) -> Item<'t> {
    Item::Said(TranscriptMessage {
        name: name.to_owned(),
        text: text.to_owned(),
        at,
    })
}

/// A line with a date and a speaker, or with nothing but a known speaker. Other lines continue the message before.
fn of_line<'t>(line: &Line<'t>, speakers: &Speakers) -> Item<'t> {
    let text = line.text.get(line.bullet..).unwrap_or_default();
    let found = LOGGED.as_ref().and_then(|pattern| pattern.captures(text));
    let part = |name| Some(found.as_ref()?.name(name)?.as_str());
    let message = part("name").zip(part("text"));
    let message = message.or_else(|| part("writer").zip(part("said")));
    let alone = || speakers.who(text).map(|_| (text, ""));
    match message.or_else(alone) {
        Some((name, text)) => said(name, text, line.at + line.text.len() - text.len()),
        None if found.is_some() => Item::Blank,
        None => Item::Line(Line {
            leads: false,
            ..*line
        }),
    }
}

/// The cells of a row of a table.
fn cells(line: &Line<'_>) -> Vec<String> {
    let Some(row) = line.text.strip_prefix('|') else {
        return Vec::new();
    };
    let row = row.trim_end_matches('|').replace("\\|", "\0");
    let cells = row.split('|').map(|cell| cell.trim().replace('\0', "|"));
    cells.collect()
}

/// The messages of a row. A table has one column for each speaker, or a column of speakers.
fn of_row<'t>(
    at: usize,
    header: &[String],
    cells: &[String],
    speakers: &Speakers,
) -> Vec<Item<'t>> {
    let is_speaker = |name: &&String| speakers.who(name).is_some();
    let mut said_by: Vec<_> = header.iter().zip(cells).collect();
    said_by.retain(|(name, _)| is_speaker(name));
    if said_by.len() < 2 {
        let is_name = |cell: &&String| cell.contains(char::is_alphabetic);
        let name = cells.iter().find(is_speaker);
        let name = name.or_else(|| cells.iter().find(is_name));
        let others = cells.iter().filter(|cell| Some(*cell) != name);
        let text = others.max_by_key(|cell| cell.len());
        said_by = name.zip(text).into_iter().collect();
    }
    said_by
        .into_iter()
        .filter(|(_, text)| text.contains(char::is_alphanumeric))
        .map(|(name, text)| said(name, text, at))
        .collect()
}

/// The messages of JSON values that start at a line, and the offset of their end. A value is a message, or the list of
/// the messages of one dialogue.
fn of_json<'t>(line: &Line<'_>, text: &str) -> Option<(Vec<Item<'t>>, usize)> {
    let rest = text
        .get(line.at..)
        .filter(|rest| rest.starts_with(['{', '[']))?;
    let mut values = Deserializer::from_str(rest).into_iter::<Value>();
    let mut items = Vec::new();
    let mut end = 0;
    loop {
        let raw = rest.get(values.byte_offset()..)?.trim_start();
        let at = line.at + rest.len() - raw.len();
        let Some(Ok(value)) = values.next() else {
            break;
        };
        let list = value.get("messages").unwrap_or(&value).as_array();
        let before = items.len();
        if list.is_some() && before > 0 {
            let text = "";
            items.push(Item::Heading(Heading { level: 6, text, at }));
        }
        let messages = list.map_or(std::slice::from_ref(&value), Vec::as_slice);
        items.extend(messages.iter().filter_map(|message| {
            let [name, text] = KEYS.map(|keys| {
                let mut keys = keys.split(' ');
                keys.find_map(|key| text_of_json(message.get(key)?))
            });
            Some(said(&name?, &text.filter(|text| !text.is_empty())?, at))
        }));
        if items.len() == before {
            break;
        }
        end = line.at + values.byte_offset();
    }
    (end > 0).then_some((items, end))
}

/// A text, or the texts of the parts of a message.
fn text_of_json(value: &Value) -> Option<String> {
    if let Some(parts) = value.as_array() {
        return Some(parts.iter().filter_map(text_of_json).collect());
    }
    let text = value.as_str().or_else(|| value.get("text")?.as_str())?;
    Some(text.to_owned())
}

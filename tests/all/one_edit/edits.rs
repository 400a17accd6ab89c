//! Edits at one position of a file: typical typos.

use std::sync::LazyLock;

use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::parse_yaml;
use regex::Regex;

/// Keys whose values are prose: a typo there changes only the wording.
const PROSE: [&str; 18] = [
    "description",
    "goal",
    "about",
    "say",
    "says",
    "title",
    "label",
    "text",
    "texts",
    "questions",
    "hints",
    "scenario",
    "name",
    "version",
    "examples",
    "role",
    "keywords",
    "any_keyword",
];
/// Keys of a scenario with expectations or with free content: a wrong value there fails, or has no effect.
const EXPECTED: [&str; 4] = ["expect", "end", "tags", "meta"];

static KEY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s{\[,])([A-Za-z_][A-Za-z0-9_]*):(?:\s|$)").unwrap());
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[:,]\s+|[\[{]|-\s+)([a-z][a-z0-9_]{3,})\s*(?:[,\]}]|$)").unwrap()
});
/// Names in the text of a Markdown file.
static MARKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"`([\p{L}_][\p{L}\p{N}_]{2,})`|: "([a-z_]{3,})""#).unwrap());
/// The keyword of a heading.
static HEADING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^##? ([\p{L}]{3,})").unwrap());
static TOML_KEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|\{ ?|, )([A-Za-z_][A-Za-z0-9_]*) ?= ?|^\[\[?([a-z.]+)\]").unwrap()
});
static TOML_NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""([a-z_][A-Za-z0-9_]{2,})""#).unwrap());
static TOML_SCALAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"([A-Za-z_][A-Za-z0-9_]*) ?= ?("[^"]*"|[a-z0-9.]+)"#).unwrap());
static PAIR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([A-Za-z_][A-Za-z0-9_]*): [A-Za-z0-9_.]+(?:, |\}|$)").unwrap());
static SCALAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([A-Za-z_][A-Za-z0-9_]*): ([A-Za-z0-9_.]+)(?:,|\}|$)").unwrap());

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A definition in YAML.
    Yaml,
    /// Scenarios in YAML, with expectations.
    Scenarios,
    /// Front matter, headings, and names in backticks.
    Markdown,
    Toml,
}

/// The kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EditKind {
    LetterOfKey,
    LetterOfName,
    KeyRemoved,
    Indentation,
    OtherKind,
}

/// A file with one edit.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) kind: EditKind,
    pub(super) line: usize,
    /// The change, such as `agreement becomes agreemnt`.
    pub(super) what: String,
    pub(super) text: String,
}

/// A deterministic random number generator.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// A random edit of a random line. `None` if that line is prose or cannot be edited in that way.
pub(super) fn edit(text: &str, format: Format, dice: &mut Dice) -> Option<Edit> {
    let lines: Vec<&str> = text.lines().collect();
    let line = dice.below(lines.len());
    let content = *lines.get(line)?;
    let format = match format {
        // Front matter has the keys of a scenario.
        Format::Markdown if is_front_matter(&lines, line) => Format::Scenarios,
        format => format,
    };
    let free = match format {
        Format::Yaml | Format::Scenarios => prose(&lines, format),
        Format::Markdown | Format::Toml => vec![false; lines.len()],
    };
    let open = open_part(content, format);
    let is_comment = format != Format::Markdown && open.trim_start().starts_with('#');
    if free[line] || open.trim().is_empty() || is_comment || open.trim() == "---" {
        return None;
    }
    let kinds = [
        EditKind::LetterOfKey,
        EditKind::LetterOfName,
        EditKind::KeyRemoved,
        EditKind::Indentation,
        EditKind::OtherKind,
    ];
    let kind = kinds[dice.below(kinds.len())];
    let (keys, names, scalars) = match format {
        Format::Yaml | Format::Scenarios => (&*KEY, &*NAME, &*SCALAR),
        Format::Markdown => (&*HEADING, &*MARKED, &*SCALAR),
        Format::Toml => (&*TOML_KEY, &*TOML_NAME, &*TOML_SCALAR),
    };
    // Names are quoted in these formats.
    let is_quoting = matches!(format, Format::Markdown | Format::Toml);
    let (edited, what) = match kind {
        EditKind::LetterOfKey => typo(content, &places(keys, open, false), dice)?,
        EditKind::LetterOfName => {
            let names = places(names, open, is_quoting);
            let names: Vec<_> = names
                .into_iter()
                .filter(|(at, _)| !is_prose_before(&open[..*at]))
                .collect();
            typo(content, &names, dice)?
        }
        EditKind::KeyRemoved if is_quoting => {
            // The title of a state only repeats the name of its file.
            let (_, what) = places(keys, open, false)
                .into_iter()
                .next()
                .filter(|_| !open.starts_with("# "))?;
            let mut all: Vec<&str> = lines.clone();
            all.remove(line);
            return Some(Edit {
                kind,
                line: line + 1,
                what,
                text: all.join("\n") + "\n",
            });
        }
        EditKind::KeyRemoved => return removed(&lines, line, open, dice),
        EditKind::Indentation if is_quoting => return None,
        EditKind::Indentation => {
            let (deeper, indent) = (
                dice.below(2) == 0,
                content.len() - content.trim_start().len(),
            );
            if indent < 2 || line == 0 {
                return None;
            }
            let edited = if deeper {
                format!("  {content}")
            } else {
                content[2..].to_owned()
            };
            let what = if deeper {
                "two spaces more"
            } else {
                "two spaces less"
            };
            (edited, what.to_owned())
        }
        EditKind::OtherKind if format == Format::Markdown => return None,
        EditKind::OtherKind => {
            let found = scalars
                .captures_iter(open)
                .map(|found| (found.get(1).unwrap(), found.get(2).unwrap()));
            let is_open = |(key, _): &(regex::Match<'_>, _)| is_unquoted(open, key.start());
            let found: Vec<_> = found
                .filter(is_open)
                .filter(|(key, _)| !PROSE.contains(&key.as_str()))
                .collect();
            let (key, value) = *found.get(dice.below(found.len()))?;
            let other = match (value.as_str(), format, dice.below(3)) {
                ("true" | "false", _, 0) => "7",
                (_, Format::Toml, 1) => "{ x = 1 }",
                (_, Format::Toml, _) => "[[1]]",
                (number, _, 0) if number.parse::<f64>().is_ok() => "several",
                (_, _, 1) => "{x: 1}",
                _ => "[{x: 1}]",
            };
            let edited = format!(
                "{}{other}{}",
                &content[..value.start()],
                &content[value.end()..]
            );
            (
                edited,
                format!("{}: {} becomes {other}", key.as_str(), value.as_str()),
            )
        }
    };
    let mut all: Vec<&str> = lines.clone();
    all[line] = &edited;
    Some(Edit {
        kind,
        line: line + 1,
        what,
        text: all.join("\n") + "\n",
    })
}

/// The documents of a text as values. `None` if it is not valid YAML.
pub(super) fn tree(text: &str) -> Option<Vec<Value>> {
    let mut found = Diagnostics::default();
    let file = SourceMap::default().add("a.yaml", text);
    let documents = text
        .split("\n---\n")
        .map(|part| Some(Value::from(&parse_yaml(file, part, 0, &mut found)?)));
    documents
        .collect::<Option<Vec<Value>>>()
        .filter(|_| !found.has_errors())
}

/// The part of a line that can be edited: the text before a comment and before a key with expectations.
fn open_part(content: &str, format: Format) -> &str {
    let expects = places(&KEY, content, false)
        .into_iter()
        .find(|(_, key)| EXPECTED.contains(&key.as_str()));
    let end = expects
        .filter(|_| format == Format::Scenarios)
        .map_or(content.len(), |(at, _)| at);
    let comment = content
        .find(" #")
        .filter(|_| format != Format::Markdown)
        .unwrap_or(content.len());
    &content[..end.min(comment)]
}

fn is_front_matter(lines: &[&str], line: usize) -> bool {
    let end = lines
        .iter()
        .skip(1)
        .position(|line| *line == "---")
        .map_or(0, |at| at + 1);
    lines.first() == Some(&"---") && line > 0 && line < end
}

/// Marks the lines that are prose or part of an expectation.
fn prose(lines: &[&str], format: Format) -> Vec<bool> {
    let mut free = Vec::new();
    let mut below: Option<usize> = None;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let is_blank = line.trim().is_empty();
        if below.is_some_and(|depth| indent <= depth && !is_blank) {
            below = None;
        }
        free.push(below.is_some());
        let key = line
            .trim_start()
            .trim_start_matches("- ")
            .split(':')
            .next()
            .unwrap_or_default();
        let opens = line.trim_end().ends_with([':', '|', '>']);
        let dash = if line.trim_start().starts_with("- ") {
            2
        } else {
            0
        };
        if below.is_none()
            && opens
            && (PROSE.contains(&key) || format == Format::Scenarios && EXPECTED.contains(&key))
        {
            below = Some(indent + dash);
        }
    }
    free
}

/// Whether the value of a key consists of prose only.
fn is_prose(value: &Value, key: &str) -> bool {
    match value {
        _ if PROSE.contains(&key) => true,
        Value::Map(pairs) => pairs.iter().all(|(key, value)| is_prose(value, key)),
        _ => false,
    }
}

/// Whether the value after this text is prose, judging by the last key.
fn is_prose_before(before: &str) -> bool {
    let keys = places(&KEY, before, false);
    keys.last()
        .is_some_and(|(_, key)| PROSE.contains(&key.as_str()))
}

/// The matches of a pattern with their offsets. Ignores matches in quotes unless `is_quoting`.
fn places(pattern: &Regex, text: &str, is_quoting: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    // A match can end with the character that the next one starts with.
    while let Some(captures) = pattern.captures_at(text, from) {
        let name = captures.iter().skip(1).flatten().next().unwrap();
        if is_quoting || is_unquoted(text, name.start()) {
            found.push((name.start(), name.as_str().to_owned()));
        }
        from = name.end();
    }
    found
}

fn is_unquoted(text: &str, at: usize) -> bool {
    ['"', '\'']
        .iter()
        .all(|mark| text[..at].matches(*mark).count().is_multiple_of(2))
}

/// Replaces, removes, doubles or swaps one character of one of the words.
fn typo(line: &str, words: &[(usize, String)], dice: &mut Dice) -> Option<(String, String)> {
    let (at, word) = words.get(dice.below(words.len()))?;
    let characters: Vec<char> = word.chars().collect();
    let position = dice.below(characters.len());
    let mut changed = characters.clone();
    match dice.below(4) {
        0 => {
            changed[position] = if characters[position] == 'x' {
                'y'
            } else {
                'x'
            }
        }
        1 if characters.len() > 1 => {
            changed.remove(position);
        }
        2 => changed.insert(position, characters[position]),
        _ if position + 1 < characters.len() => changed.swap(position, position + 1),
        _ => return None,
    }
    let changed: String = changed.into_iter().collect();
    if changed == *word || changed.is_empty() {
        return None;
    }
    let edited = format!("{}{changed}{}", &line[..*at], &line[at + word.len()..]);
    Some((edited, format!("{word} becomes {changed}")))
}

/// Removes a key with its value: the complete block below it, or its pair in braces.
fn removed(lines: &[&str], line: usize, open: &str, dice: &mut Dice) -> Option<Edit> {
    let content = lines[line];
    let indent = content.len() - content.trim_start().len();
    let first = KEY.captures(content).and_then(|found| found.get(1));
    let is_block =
        first.is_some_and(|key| key.start() == indent) && !PROSE.contains(&first?.as_str());
    let pairs: Vec<_> = PAIR.captures_iter(open).collect();
    let kind = EditKind::KeyRemoved;
    if is_block && (dice.below(2) == 0 || pairs.is_empty()) {
        let deeper = |other: &&&str| {
            other.trim().is_empty() || other.len() - other.trim_start().len() > indent
        };
        let count = 1 + lines[line + 1..].iter().take_while(deeper).count();
        let block = lines[line..line + count].join("\n");
        if tree(&block).is_some_and(|block| block.iter().all(|block| is_prose(block, ""))) {
            return None;
        }
        let mut all: Vec<&str> = lines.to_vec();
        all.drain(line..line + count);
        return Some(Edit {
            kind,
            line: line + 1,
            what: first?.as_str().to_owned(),
            text: all.join("\n") + "\n",
        });
    }
    let pair = pairs.get(dice.below(pairs.len()))?;
    let (whole, key) = (pair.get(0)?, pair.get(1)?);
    if PROSE.contains(&key.as_str()) || whole.start() == indent {
        return None;
    }
    let tail = if whole.as_str().ends_with('}') {
        "}"
    } else {
        ""
    };
    let edited = format!(
        "{}{tail}{}",
        &content[..whole.start()],
        &content[whole.end()..]
    );
    let mut all: Vec<&str> = lines.to_vec();
    all[line] = &edited;
    Some(Edit {
        kind,
        line: line + 1,
        what: whole.as_str().to_owned(),
        text: all.join("\n") + "\n",
    })
}

//! Edits of one place of a file: what a slip of the hand does.

use std::sync::LazyLock;

use regex::Regex;

/// Keys whose values are words for people: a slip there is a slip in the text.
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
/// Keys below which a scenario says what it expects, and what is free: what is wrong there fails, or means nothing.
const EXPECTED: [&str; 4] = ["expect", "end", "tags", "meta"];

static KEY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|[\s{\[,])([A-Za-z_][A-Za-z0-9_]*):(?:\s|$)").unwrap());
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:[:,]\s+|[\[{]|-\s+)([a-z][a-z0-9_]{3,})\s*(?:[,\]}]|$)").unwrap());
static PAIR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([A-Za-z_][A-Za-z0-9_]*): [A-Za-z0-9_.]+(?:, |\}|$)").unwrap());
static SCALAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([A-Za-z_][A-Za-z0-9_]*): ([A-Za-z0-9_.]+)(?:,|\}|$)").unwrap());

/// What is done at one place.
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
    /// What stood there, and what stands there now.
    pub(super) what: String,
    pub(super) text: String,
}

/// Numbers that are the same in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// An edit of a line that is no prose, at a place that the dice choose; nothing where they choose none.
pub(super) fn edit(text: &str, dice: &mut Dice) -> Option<Edit> {
    let lines: Vec<&str> = text.lines().collect();
    let free = prose(&lines);
    let line = dice.below(lines.len());
    let content = *lines.get(line)?;
    // What stands behind `expect` in a line is expected.
    let expects = places(&KEY, content).into_iter().find(|(_, key)| EXPECTED.contains(&key.as_str()));
    let end = expects.map_or(content.len(), |(at, _)| at);
    let comment = content.find(" #").unwrap_or(content.len());
    let open = &content[..end.min(comment)];
    if free[line] || open.trim().is_empty() || open.trim_start().starts_with('#') || open.trim() == "---" {
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
    let (edited, what) = match kind {
        EditKind::LetterOfKey => slip(content, &places(&KEY, open), dice)?,
        EditKind::LetterOfName => {
            let names = places(&NAME, open);
            let names: Vec<_> = names.into_iter().filter(|(at, _)| !is_prose_before(&open[..*at])).collect();
            slip(content, &names, dice)?
        }
        EditKind::KeyRemoved => return removed(&lines, line, open, dice),
        EditKind::Indentation => {
            let (deeper, blanks) = (dice.below(2) == 0, content.len() - content.trim_start().len());
            if blanks < 2 || line == 0 {
                return None;
            }
            let edited = if deeper { format!("  {content}") } else { content[2..].to_owned() };
            let what = if deeper { "two blanks more" } else { "two blanks less" };
            (edited, what.to_owned())
        }
        EditKind::OtherKind => {
            let found: Vec<_> =
                SCALAR.captures_iter(open).map(|found| (found.get(1).unwrap(), found.get(2).unwrap())).collect();
            let found: Vec<_> = found.into_iter().filter(|(key, _)| !PROSE.contains(&key.as_str())).collect();
            let (key, value) = *found.get(dice.below(found.len()))?;
            let other = match (value.as_str(), dice.below(3)) {
                ("true" | "false", 0) => "7",
                (number, 0) if number.parse::<f64>().is_ok() => "several",
                (_, 1) => "{x: 1}",
                _ => "[{x: 1}]",
            };
            let edited = format!("{}{other}{}", &content[..value.start()], &content[value.end()..]);
            (edited, format!("{}: {} becomes {other}", key.as_str(), value.as_str()))
        }
    };
    let mut all: Vec<&str> = lines.clone();
    all[line] = &edited;
    Some(Edit { kind, line: line + 1, what, text: all.join("\n") + "\n" })
}

/// Lines that are prose, or below what is expected.
fn prose(lines: &[&str]) -> Vec<bool> {
    let mut free = Vec::new();
    let mut below: Option<usize> = None;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let is_blank = line.trim().is_empty();
        if below.is_some_and(|depth| indent <= depth && !is_blank) {
            below = None;
        }
        free.push(below.is_some());
        let key = line.trim_start().trim_start_matches("- ").split(':').next().unwrap_or_default();
        let opens = line.trim_end().ends_with([':', '|', '>']);
        let dash = if line.trim_start().starts_with("- ") { 2 } else { 0 };
        if below.is_none() && opens && (EXPECTED.contains(&key) || PROSE.contains(&key)) {
            below = Some(indent + dash);
        }
    }
    free
}

/// Whether the key before a value has words for people.
fn is_prose_before(before: &str) -> bool {
    let keys = places(&KEY, before);
    keys.last().is_some_and(|(_, key)| PROSE.contains(&key.as_str()))
}

fn places(pattern: &Regex, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    // One may end where the next begins.
    while let Some(captures) = pattern.captures_at(text, from) {
        let name = captures.get(1).unwrap();
        let closed = |mark: char| text[..name.start()].matches(mark).count().is_multiple_of(2);
        if closed('"') && closed('\'') {
            found.push((name.start(), name.as_str().to_owned()));
        }
        from = name.end();
    }
    found
}

/// A letter of one of the words is another one, is not there, is there twice, or has changed places with the next.
fn slip(line: &str, words: &[(usize, String)], dice: &mut Dice) -> Option<(String, String)> {
    let (at, word) = words.get(dice.below(words.len()))?;
    let letters: Vec<char> = word.chars().collect();
    let place = dice.below(letters.len());
    let mut slipped = letters.clone();
    match dice.below(4) {
        0 => slipped[place] = if letters[place] == 'x' { 'y' } else { 'x' },
        1 if letters.len() > 1 => {
            slipped.remove(place);
        }
        2 => slipped.insert(place, letters[place]),
        _ if place + 1 < letters.len() => slipped.swap(place, place + 1),
        _ => return None,
    }
    let slipped: String = slipped.into_iter().collect();
    if slipped == *word || slipped.is_empty() {
        return None;
    }
    let edited = format!("{}{slipped}{}", &line[..*at], &line[at + word.len()..]);
    Some((edited, format!("{word} becomes {slipped}")))
}

/// A key is gone with what belongs to it: the whole block below it, or its pair in braces.
fn removed(lines: &[&str], line: usize, open: &str, dice: &mut Dice) -> Option<Edit> {
    let content = lines[line];
    let indent = content.len() - content.trim_start().len();
    let first = KEY.captures(content).and_then(|found| found.get(1));
    let is_block = first.is_some_and(|key| key.start() == indent) && !PROSE.contains(&first?.as_str());
    let pairs: Vec<_> = PAIR.captures_iter(open).collect();
    let kind = EditKind::KeyRemoved;
    if is_block && (dice.below(2) == 0 || pairs.is_empty()) {
        let deeper = |other: &&&str| other.trim().is_empty() || other.len() - other.trim_start().len() > indent;
        let count = 1 + lines[line + 1..].iter().take_while(deeper).count();
        let mut all: Vec<&str> = lines.to_vec();
        all.drain(line..line + count);
        return Some(Edit { kind, line: line + 1, what: first?.as_str().to_owned(), text: all.join("\n") + "\n" });
    }
    let pair = pairs.get(dice.below(pairs.len()))?;
    let (whole, key) = (pair.get(0)?, pair.get(1)?);
    if PROSE.contains(&key.as_str()) || whole.start() == indent {
        return None;
    }
    let tail = if whole.as_str().ends_with('}') { "}" } else { "" };
    let edited = format!("{}{tail}{}", &content[..whole.start()], &content[whole.end()..]);
    let mut all: Vec<&str> = lines.to_vec();
    all[line] = &edited;
    Some(Edit { kind, line: line + 1, what: whole.as_str().to_owned(), text: all.join("\n") + "\n" })
}

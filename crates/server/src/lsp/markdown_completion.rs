//! What may stand at a cursor in markdown: states where they are gone to, headings, and what the front matter says.

use lsp_types::{CompletionItem, CompletionItemKind};

use super::completion_offer::CompletionOffer;
use super::file_format::FileFormat;
use super::markdown_cursor::MarkdownCursor;
use super::named_kind::NamedKind;
use super::path_pattern::PathPatterns;
use fsmsim_runtime::project::KNOWN_HEADINGS;

/// The keys of the front matter of a state.
const STATE_KEYS: [&str; 5] = ["state", "reads", "writes", "phase", "final"];
/// The keys of the front matter of `instructions/system.md`.
const SYSTEM_KEYS: [&str; 4] = ["initial", "consent", "without_data", "limits"];

/// What may stand at an offset of a text.
pub(super) fn of_markdown(
    offer: &mut CompletionOffer<'_>,
    text: &str,
    offset: usize,
    format: FileFormat,
) -> Vec<CompletionItem> {
    match MarkdownCursor::of(text, offset) {
        Some(MarkdownCursor::Heading { rest, level })
            if format == FileFormat::Markdown && offer.is_in_set() =>
        {
            offer.replace(&rest);
            headings(offer, text, level)
        }
        None | Some(MarkdownCursor::Heading { .. }) => Vec::new(),
        Some(MarkdownCursor::Target { word, is_quoted }) => {
            if format == FileFormat::Markdown && !offer.is_in_set() {
                return Vec::new();
            }
            offer.replace(&word);
            let names = offer.names(NamedKind::State);
            let mark = if is_quoted { "" } else { "`" };
            names
                .iter()
                .map(|name| offer.marked(name, NamedKind::State, mark))
                .collect()
        }
        Some(MarkdownCursor::Front(context)) => {
            offer.replace(&context.word);
            let path: Vec<&str> = context.path.iter().map(String::as_str).collect();
            if format == FileFormat::Transcript {
                let patterns = PathPatterns::of(format);
                let at = path
                    .iter()
                    .fold(patterns.begin(), |at, key| patterns.enter(&at, key));
                let kind = patterns
                    .value(&at)
                    .filter(|_| context.may_be_value)
                    .map(|(kind, _)| kind);
                return names(offer, kind);
            }
            if !offer.is_in_set() {
                return Vec::new();
            }
            let is_system = offer.file.ends_with("instructions/system.md");
            if path.is_empty() && context.may_be_key {
                let keys = if is_system {
                    &SYSTEM_KEYS[..]
                } else {
                    &STATE_KEYS[..]
                };
                return keys.iter().map(|key| offer.key_named(key)).collect();
            }
            match (is_system, path.as_slice()) {
                _ if !context.may_be_value => Vec::new(),
                (true, ["initial" | "consent" | "without_data"] | ["limits", "states"]) => {
                    names(offer, Some(NamedKind::State))
                }
                (false, ["reads"]) => names(offer, Some(NamedKind::Slot)),
                (false, ["phase"]) => names(offer, Some(NamedKind::Phase)),
                (false, ["writes"]) => offer.schemas(),
                _ => Vec::new(),
            }
        }
    }
}

fn names(offer: &CompletionOffer<'_>, kind: Option<NamedKind>) -> Vec<CompletionItem> {
    let names = kind
        .into_iter()
        .flat_map(|kind| offer.names(kind).into_iter().map(move |name| (name, kind)));
    names
        .map(|(name, kind)| offer.name(&name, kind, false))
        .collect()
}

/// The headings that are known: those of the language of the text first, and that of the state where the heading is a whole one.
fn headings(offer: &CompletionOffer<'_>, text: &str, level: usize) -> Vec<CompletionItem> {
    let is_russian = text
        .chars()
        .any(|letter| matches!(letter, 'а'..='я' | 'А'..='Я'));
    let mut items = Vec::new();
    for (number, (english, russian)) in KNOWN_HEADINGS.iter().enumerate() {
        let is_fitting = (number == 0) == (level == 1);
        for (title, is_own) in [(english, !is_russian), (russian, is_russian)] {
            let sort_text = format!("{}{}{number}", u8::from(!is_fitting), u8::from(!is_own));
            let item = offer.item(&format!(" {title}"), false);
            items.push(CompletionItem {
                label: title.trim_end_matches([':', ' ']).to_owned(),
                kind: Some(CompletionItemKind::KEYWORD),
                sort_text: Some(sort_text),
                ..item
            });
        }
    }
    items
}

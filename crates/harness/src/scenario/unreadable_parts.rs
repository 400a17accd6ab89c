//! Parts of a scenario whose names cannot be checked, because their text has errors.

use fsmsim_adapters::subject::SUBJECT;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Severity, nearest};
use fsmsim_syntax::document::{Content, Map, Node};
use fsmsim_syntax::shapes::Shape;

/// The keys that decide which model and which names a scenario uses.
const SETTINGS: [&str; 5] = ["model", "profile", "llm", "start", SUBJECT];
/// Errors that leave a value as it was meant.
const HARMLESS: [Code; 2] = [Code::DuplicateKey, Code::YamlSlip];

/// The parts that a scenario lacks because of errors. The errors are reported; errors that follow from them are not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnreadableParts {
    /// It lacks turns, so it cannot run.
    pub turns: bool,
    /// Its model or its names are unknown.
    pub settings: bool,
}

impl UnreadableParts {
    /// Removes unreadable values from a scenario, except its title.
    pub(super) fn remove(map: &mut Map, is_unreadable: impl Fn(&Node) -> bool) -> Self {
        let mut lost = Self::default();
        map.entries.retain_mut(|(key, value)| {
            let name = &*key.text;
            if let ("turns", Content::List(turns)) = (name, &mut value.content) {
                let count = turns.len();
                turns.retain(|turn| !is_unreadable(turn));
                lost.turns |= turns.len() < count;
                return true;
            }
            let is_lost = name != "scenario" && is_unreadable(value);
            lost.turns |= is_lost && name == "turns";
            lost.settings |= is_lost && SETTINGS.contains(&name);
            !is_lost
        });
        lost
    }
}

/// Whether one of the findings is an error inside a value.
pub(super) fn has_error(node: &Node, found: &[Diagnostic]) -> bool {
    let is_inside = |finding: &Diagnostic| {
        let mut labels = finding.labels.iter();
        labels.any(|label| node.span.contains(label.span))
    };
    let mut errors = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error && !HARMLESS.contains(&finding.code));
    errors.any(is_inside)
}

/// Whether a map has an unknown key that is probably a setting.
pub(super) fn misspells_setting(map: &Map, shape: &Shape) -> bool {
    let mut unknown = map.keys().filter(|key| shape.key(key).is_none());
    unknown.any(|key| nearest(key, shape.key_names()).is_some_and(|near| SETTINGS.contains(&near)))
}

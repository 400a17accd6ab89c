//! Parts of a scenario whose names cannot be checked, because the text has errors.

use fsmsim_adapters::subject::SUBJECT;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Severity, nearest};
use fsmsim_syntax::document::{Content, Map, Node};
use fsmsim_syntax::shapes::Shape;

/// The keys that determine which model a scenario uses, and which names.
const SETTINGS: [&str; 5] = ["model", "profile", "llm", "start", SUBJECT];
/// Errors despite which a value still has its intended meaning.
const HARMLESS: [Code; 2] = [Code::DuplicateKey, Code::YamlSlip];

/// The parts that a scenario lacks because of errors. The errors themselves are reported, but not those that follow
/// from them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnreadableParts {
    /// Turns are missing, so the scenario cannot run.
    pub turns: bool,
    /// The model, or the names that may be used, are unknown.
    pub settings: bool,
}

impl UnreadableParts {
    /// Removes unreadable values from a scenario, but keeps its title.
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

/// Whether any of the findings is an error inside this value.
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

/// Whether a map has an unknown key that is probably a misspelled setting.
pub(super) fn misspells_setting(map: &Map, shape: &Shape) -> bool {
    let mut unknown = map.keys().filter(|key| shape.key(key).is_none());
    unknown.any(|key| nearest(key, shape.key_names()).is_some_and(|near| SETTINGS.contains(&near)))
}

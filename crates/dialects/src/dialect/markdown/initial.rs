//! Selects the initial state.

use rustc_hash::FxHashSet;

use super::draft::{SetShape, StateSet};
use super::targets::Targets;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// The default name of the initial state.
pub(super) const INITIAL: &str = "init";

/// The maximum number of candidates that a finding lists.
const MAX_CANDIDATES: usize = 10;

/// The initial state: the configured state, otherwise `init`, otherwise the only state without incoming transitions.
/// `led_to` contains the indexes of the states with transitions from other states.
pub(super) fn choose<'s>(
    set: &'s StateSet,
    targets: &Targets<'_>,
    led_to: &FxHashSet<usize>,
    path: &str,
    found: &mut Diagnostics,
) -> Option<&'s str> {
    if let Some(name) = &set.base.initial {
        return targets.named(name, "initial", found);
    }
    if targets.place(INITIAL).is_some() {
        return Some(INITIAL);
    }
    let all: Vec<&str> = set.states.iter().map(|state| &*state.name.text).collect();
    let free: Vec<&str> = all
        .iter()
        .enumerate()
        .filter(|(place, _)| !led_to.contains(place))
        .map(|(_, name)| *name)
        .collect();
    if let [only] = free[..] {
        return Some(only);
    }
    let remedy = match set.shape {
        SetShape::Folder => {
            "rename one of them to `init`, or add `initial: NAME` to the front matter of `instructions/system.md`"
        }
        SetShape::Document => {
            "rename one of them to `init`, or add `initial: NAME` to the front matter of the document"
        }
    };
    // If every state has incoming transitions, all are candidates.
    let (why, candidates) = if free.is_empty() {
        ("every state has incoming transitions", all)
    } else {
        ("several states have no incoming transition", free)
    };
    let mut listed: Vec<String> = candidates
        .iter()
        .take(MAX_CANDIDATES)
        .map(|name| format!("`{name}`"))
        .collect();
    if candidates.len() > MAX_CANDIDATES {
        listed.push(format!("and {} more", candidates.len() - MAX_CANDIDATES));
    }
    Diagnostic::error(
        Code::NoInitialState,
        format!("missing initial state: {why}"),
    )
    .about(path)
    .note(format!("candidates: {}", listed.join(", ")))
    .help(remedy)
    .refuse(found)
}

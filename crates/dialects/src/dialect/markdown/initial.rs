//! Where a dialogue starts.

use super::draft::{SetShape, StateDraft};
use super::plain::NamedText;
use super::targets::Targets;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// The state that is the initial one if nothing else is said.
pub(super) const INITIAL: &str = "init";

/// How many candidates a finding names.
const LISTED: usize = 10;

/// The initial state: the one that is named, else `init`, else the only one that nobody leads to. `led_to` tells of each
/// state whether another leads to it.
pub(super) fn choose(
    said: Option<&NamedText>,
    states: &[StateDraft],
    targets: &Targets<'_>,
    led_to: &[bool],
    shape: SetShape,
    path: &str,
    found: &mut Diagnostics,
) -> Option<usize> {
    if let Some(name) = said {
        return targets.named(name, "initial", found);
    }
    if let Some(place) = targets.place(INITIAL) {
        return Some(place);
    }
    let free: Vec<usize> = (0..states.len())
        .filter(|at| led_to.get(*at) == Some(&false))
        .collect();
    if let [only] = free[..] {
        return Some(only);
    }
    let remedy = match shape {
        SetShape::Folder => {
            "call one of them `init`, or write `initial: NAME` in the front matter of `instructions/system.md`"
        }
        SetShape::Document => {
            "call one of them `init`, or write `initial: NAME` in the front matter of the document"
        }
    };
    // Where all are led to, all may be it.
    let (why, candidates) = if free.is_empty() {
        ("every state is led to", (0..states.len()).collect())
    } else {
        ("several states are led to by no other", free)
    };
    let names = candidates.iter().filter_map(|at| states.get(*at));
    let mut listed: Vec<String> = names
        .take(LISTED)
        .map(|state| format!("`{}`", state.name.text))
        .collect();
    if candidates.len() > LISTED {
        listed.push(format!("and {} more", candidates.len() - LISTED));
    }
    Diagnostic::error(
        Code::NoInitialState,
        format!("no state is the initial one: {why}"),
    )
    .about(path)
    .note(format!("candidates: {}", listed.join(", ")))
    .help(remedy)
    .refuse(found)
}

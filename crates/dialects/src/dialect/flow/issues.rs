//! Findings about lines that several states inherit. There is one finding per line, which lists the states.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, listed};
use fsmsim_syntax::document::{Key, Map};

/// The identity of a finding: its code, location and title.
type Same = (Code, Option<Span>, String);

/// The maximum number of states that a finding lists.
const MAX_STATES: usize = 4;

/// Findings of all states.
#[derive(Default)]
pub(super) struct Issues<'a> {
    items: IndexMap<Same, (Diagnostic, Vec<&'a str>), FxBuildHasher>,
}

impl<'a> Issues<'a> {
    /// Whether another finding would be displayed.
    pub(super) fn shows_more(&self) -> bool {
        self.items.len() < fsmsim_syntax::limits::MAX_FINDINGS
    }

    /// Adds a finding for `state`. If it already exists, only the state is added.
    pub(super) fn add(&mut self, finding: Diagnostic, state: &'a str) {
        let span = finding.labels.first().map(|label| label.span);
        let key = (finding.code, span, finding.title.clone());
        let (_, states) = self
            .items
            .entry(key)
            .or_insert_with(|| (finding, Vec::new()));
        if !states.contains(&state) {
            states.push(state);
        }
    }

    /// Reports the findings. Each lists the states that inherit the line.
    pub(super) fn report(
        self,
        definition: impl Fn(&str) -> Option<(&'a Key, &'a Map)>,
        found: &mut Diagnostics,
    ) {
        for ((_, span, _), (finding, states)) in self.items {
            let inherits = |name: &&str| {
                let own = definition(name).map(|(key, map)| {
                    let last = map.entries.last().map_or(key.span, |(_, value)| value.span);
                    key.span.to(last)
                });
                !own.zip(span).is_some_and(|(own, span)| own.contains(span))
            };
            let inheriting: Vec<&str> = states.into_iter().filter(inherits).collect();
            found.push(match inheriting.len() {
                0 => finding,
                count => {
                    let noun = if count == 1 {
                        "the state"
                    } else {
                        "the states"
                    };
                    let named = listed(inheriting.into_iter(), MAX_STATES);
                    finding.note(format!("the line is inherited by {noun} {named}"))
                }
            });
        }
    }
}

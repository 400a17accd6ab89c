//! Findings about lines that several states inherit: one finding a line, naming the states that have it.

use indexmap::IndexMap;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::document::{Key, Map};

/// How many inheriting states a finding names.
const NAMED: usize = 4;

/// Findings collected over all states.
#[derive(Default)]
pub(super) struct Issues<'a> {
    items: IndexMap<(Code, Span, String), Issue<'a>>,
}

struct Issue<'a> {
    error: bool,
    label: &'static str,
    help: Option<String>,
    states: Vec<&'a str>,
}

impl<'a> Issues<'a> {
    /// Notes a finding at `span` for `state`; the same finding for another state adds only its name.
    #[expect(clippy::too_many_arguments, reason = "the fields of a finding, each of another type or meaning")]
    pub(super) fn add(
        &mut self,
        code: Code,
        error: bool,
        title: String,
        span: Span,
        label: &'static str,
        help: Option<String>,
        state: &'a str,
    ) {
        let issue = self.items.entry((code, span, title)).or_insert_with(|| Issue {
            error,
            label,
            help,
            states: Vec::new(),
        });
        if !issue.states.contains(&state) {
            issue.states.push(state);
        }
    }

    /// Makes the findings. A state is named where the line does not stand in its own definition.
    pub(super) fn report(
        self,
        definition: impl Fn(&str) -> Option<(&'a Key, &'a Map)>,
        found: &mut Diagnostics,
    ) {
        for ((code, span, title), issue) in self.items {
            let mut finding = if issue.error {
                Diagnostic::error(code, title)
            } else {
                Diagnostic::warning(code, title)
            }
            .at(span, issue.label);
            let inheriting: Vec<&str> = issue
                .states
                .iter()
                .copied()
                .filter(|name| {
                    let own = definition(name).and_then(|(key, map)| {
                        let last = map.entries.last().map_or(key.span, |(_, value)| value.span);
                        Some(key.span.to(last)).filter(|_| key.span.file == span.file)
                    });
                    !own.is_some_and(|own| own.start <= span.start && span.end <= own.end)
                })
                .collect();
            if !inheriting.is_empty() {
                let named: Vec<String> =
                    inheriting.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
                let more = inheriting.len().saturating_sub(NAMED);
                let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
                let noun = if inheriting.len() == 1 { "the state" } else { "the states" };
                finding = finding.note(format!("the line is inherited by {noun} {}{rest}", named.join(", ")));
            }
            if let Some(help) = issue.help {
                finding = finding.help(help);
            }
            found.push(finding);
        }
    }
}

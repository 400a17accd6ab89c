//! Resolves targets to states.

use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::{StateDraft, StateSet, TargetText, Written};
use super::plain::NamedText;
use crate::dialect::state_declaration::check_reserved;
use crate::limits::MAX_SUGGESTIONS;
use fsmsim_core::machine::RESUME;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, nearest};

/// The states of a set by name.
pub(super) struct Targets<'s> {
    states: &'s [StateDraft],
    places: FxHashMap<&'s str, usize>,
    /// Whether any state is an aside, so that `resume` leads back.
    has_asides: bool,
    unknown: usize,
}

/// The index of the target `resume`, which is not a state of the set.
const RESUME_PLACE: usize = usize::MAX;

impl<'s> Targets<'s> {
    /// Indexes the states of a set by name. Reports duplicate names; the first state keeps the name.
    pub(super) fn new(states: &'s [StateDraft], found: &mut Diagnostics) -> Self {
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        for state in states {
            check_reserved(&state.name.text, state.name.span, &[], found);
        }
        for (number, state) in states.iter().enumerate() {
            let first = *places.entry(&state.name.text).or_insert(number);
            if let Some(other) = states.get(first).filter(|_| first != number) {
                Diagnostic::error(
                    Code::DuplicateState,
                    format!("state `{}` is defined twice", state.name.text),
                )
                .at(state.name.span, "second definition")
                .at(other.name.span, "first definition")
                .help("rename one of them, in its heading and in all transitions to it")
                .add_to(found);
            }
        }
        Self {
            states,
            places,
            has_asides: states.iter().any(|state| state.is_aside),
            unknown: 0,
        }
    }

    /// The index of a state.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The name of a state.
    pub(super) fn name(&self, place: usize) -> &'s str {
        if place == RESUME_PLACE {
            return RESUME;
        }
        self.states.get(place).map_or("", |state| &*state.name.text)
    }

    /// The state with this name.
    pub(super) fn state(&self, name: &str) -> Option<&'s StateDraft> {
        self.states.get(self.place(name)?)
    }

    /// The states that a target names: the state with the complete text as its name, or all states whose names are
    /// words of the text. Reports a target without a state, unless it can be a remark.
    pub(super) fn resolve(&mut self, target: &TargetText, found: &mut Diagnostics) -> Vec<usize> {
        let text = &*target.name.text;
        if let Some(place) = self.place(text) {
            return vec![place];
        }
        if text == RESUME && self.has_asides {
            return vec![RESUME_PLACE];
        }
        if target.written != Written::Quoted {
            let mut named: Vec<usize> = text
                .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))
                .filter_map(|word| self.place(word))
                .collect();
            named.dedup();
            if !named.is_empty() || target.written == Written::Remark {
                return named;
            }
        }
        self.unknown += 1;
        let near = if self.unknown <= MAX_SUGGESTIONS {
            self.near(text)
        } else {
            None
        };
        Diagnostic::unknown(Code::UnknownState, "state", text)
            .at(target.name.span, "transition target")
            .suggest(near, "define the state, or use an existing one")
            .add_to(found);
        Vec::new()
    }

    /// The state that a setting names, or a finding.
    pub(super) fn named<'n>(
        &self,
        name: &'n NamedText,
        key: &str,
        found: &mut Diagnostics,
    ) -> Option<&'n str> {
        if self.place(&name.text).is_some() {
            return Some(&name.text);
        }
        Diagnostic::error(
            Code::UnknownState,
            format!("unknown state `{}` in `{key}`", name.text),
        )
        .at(name.span, "not defined")
        .suggest(self.near(&name.text), "use an existing state")
        .refuse(found)
    }

    /// The name of the state that is most similar to an unknown name.
    pub(super) fn near(&self, name: &str) -> Option<&'s str> {
        nearest(name, self.states.iter().map(|state| &*state.name.text))
    }
}

/// Adds a stub for each unknown target of a set under construction. The errors become warnings.
pub(super) fn add_stubs(set: &mut StateSet, found: &mut Diagnostics) {
    let mut stubs: Vec<StateDraft> = Vec::new();
    let mut named = FxHashSet::default();
    // Duplicate names are reported when the set is lowered.
    let mut targets = Targets::new(&set.states, &mut Diagnostics::default());
    for (_, target) in set.states.iter().flat_map(StateDraft::targets) {
        let mut missing = Diagnostics::default();
        targets.resolve(target, &mut missing);
        for finding in missing.items() {
            let mut finding = finding.clone();
            finding.severity = Severity::Warning;
            found.push(finding.note("a stub replaces the state: no text and no transitions"));
            if named.insert(&*target.name.text) {
                let mut stub = StateDraft::named(target.name.clone());
                // A missing transition of a stub is not reported.
                stub.moves_lost = true;
                stubs.push(stub);
            }
        }
    }
    set.states.extend(stubs);
}

//! The rules of good states (docs/src/explanation/state-sets.md), for machines with instructions: one goal, explicit
//! transitions, degradation, minimization.

use crate::engine::Machine;
use crate::engine::policy::guidance::StateOutline;
use crate::engine::policy::{Guidance, Guide};
use crate::limits::MAX_SHOWN_GOALS;
use crate::machine::StateId;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};

/// Checks all states against the rules.
pub(super) fn check(
    guidance: &Guidance,
    machine: &Machine,
    permissive: bool,
    found: &mut Vec<Diagnostic>,
) {
    for (id, state) in machine.declared_states() {
        let (Some(guide), Some(span)) = (guidance.of(id), state.span) else {
            continue;
        };
        let design = Design {
            machine,
            guidance,
            id,
            guide,
            span,
        };
        design.degradation(found);
        let Some(outline) = guide.outline.as_deref() else {
            continue;
        };
        design.one_goal(outline, found);
        if !permissive {
            design.explicit_moves(outline, found);
        }
        design.minimization(outline, found);
    }
    consent(machine, guidance, found);
}

/// A state to check.
struct Design<'m> {
    machine: &'m Machine,
    guidance: &'m Guidance,
    id: StateId,
    guide: &'m Guide,
    span: Span,
}

impl Design<'_> {
    fn name(&self) -> &str {
        self.machine.names.states.name(self.id)
    }

    /// A state has exactly one goal.
    fn one_goal(&self, outline: &StateOutline, found: &mut Vec<Diagnostic>) {
        match &*outline.goals {
            [] => found.push(
                Diagnostic::warning(Code::NoGoal, format!("state `{}` has no goal", self.name()))
                    .at(self.span, "state")
                    .help("describe the purpose of the state in one sentence under `## Goal` (`## Цель`)"),
            ),
            [_] => {}
            [first, second, rest @ ..] => {
                let title = format!("state `{}` has {} goals", self.name(), outline.goals.len());
                let finding = Diagnostic::warning(Code::SeveralGoals, title)
                    .at(*second, "another goal")
                    .at(*first, "first goal")
                    .at_each(rest.iter().copied().take(MAX_SHOWN_GOALS), "another goal")
                    .help("split the state, or write one goal");
                found.push(finding);
            }
        }
    }

    /// Explicit transitions: targets in the text must be declared.
    fn explicit_moves(&self, outline: &StateOutline, found: &mut Vec<Diagnostic>) {
        let has_data = !self.guide.reads.is_empty() || self.guide.writes.is_some();
        for (target, span) in &outline.leads {
            // If data is read or written, the dialogue enters the interruption and returns automatically.
            let is_automatic = has_data && self.guidance.is_aside(*target);
            if is_automatic || self.guide.move_to(*target).is_some() {
                continue;
            }
            let name = self.name();
            let target = self.machine.names.states.name(*target);
            found.push(
                Diagnostic::warning(
                    Code::UndeclaredMove,
                    format!("the text of state `{name}` names the target `{target}`, which its transitions do not declare"),
                )
                .at(*span, "undeclared target")
                .at(self.span, "in this state")
                .help(format!(
                    "add `{target}` to the transitions, or remove the backticks if it is not a target"
                )),
            );
        }
    }

    /// Degradation: a state that needs data also works without it.
    fn degradation(&self, found: &mut Vec<Diagnostic>) {
        let reads = &self.guide.reads;
        if reads.is_empty()
            || self.guide.degradation.is_some()
            || self.guidance.no_data_state.is_some()
        {
            return;
        }
        let keys: Vec<String> = reads
            .iter()
            .map(|slot| format!("`{}`", self.machine.names.slots.name(*slot)))
            .collect();
        let title = format!(
            "state `{}` reads data and has no fallback without data",
            self.name()
        );
        found.push(
            Diagnostic::warning(Code::NoFallback, title)
                .at(self.span, "state")
                .note(format!("the state reads {}", keys.join(", ")))
                .help("add `## Degradation` (`## Деградация`) with one to three questions that replace the data"),
        );
    }

    /// Minimization: requested data must be used.
    fn minimization(&self, outline: &StateOutline, found: &mut Vec<Diagnostic>) {
        for ask in outline.asks.iter().filter(|ask| !ask.named) {
            let key = self.machine.names.slots.name(ask.slot);
            found.push(
                Diagnostic::warning(
                    Code::UnusedData,
                    format!(
                        "state `{}` reads `{key}`, but its text does not use it",
                        self.name()
                    ),
                )
                .at(ask.span, "unused data")
                .help(format!(
                    "write `{key}` in backticks in the text, or remove it from `reads`"
                )),
            );
        }
    }
}

/// Checks that a state asks for consent if data is read. Reported once per state set, at the first state that reads
/// data.
fn consent(machine: &Machine, guidance: &Guidance, found: &mut Vec<Diagnostic>) {
    if guidance.consent.is_some() {
        return;
    }
    let reads = |id: StateId| guidance.of(id).is_some_and(|guide| !guide.reads.is_empty());
    let mut readers = machine.declared_states().filter(|(id, _)| reads(*id));
    let Some((id, state)) = readers.next() else {
        return;
    };
    let name = machine.names.states.name(id);
    let title = match readers.count() {
        0 => format!("state `{name}` reads data, but no state asks for consent"),
        1 => format!("state `{name}` and 1 more state read data, but no state asks for consent"),
        more => format!(
            "state `{name}` and {more} more states read data, but no state asks for consent"
        ),
    };
    found.push(
        Diagnostic::warning(Code::NoConsentState, title)
            .at_each(state.span, "reads data")
            .help("add a state `dt_consent` that asks for consent, or set `consent: NAME` to an existing state"),
    );
}

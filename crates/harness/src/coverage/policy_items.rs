//! Finds what policies and effects are counted by: what a policy names, and gates.

use super::coverage_kind::CoverageKind;
use super::coverage_map::{CoverageMap, FoundItem};
use super::coverage_set::CoverageEvent;
use super::reach::Reach;
use fsmsim_core::engine::policy::ItemMark;
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{EffectId, OpKind};
use fsmsim_syntax::diagnostic::Span;

/// Counts what policies name, and gates.
pub(super) fn collect(machine: &Machine, map: &mut CoverageMap) {
    let mut add = |kind, name: String, span, seen: CoverageEvent| {
        let (way, reach) = (String::new(), Reach::Possible);
        map.add(
            machine,
            FoundItem {
                kind,
                name,
                span,
                way,
                shown_by: &[seen],
                reach,
            },
        );
    };
    let items = machine.policies.coverage_items(machine);
    // Intents are counted with those of states.
    for item in items.filter(|item| !matches!(item.mark, ItemMark::Intent(_))) {
        if let Ok(kind) = item.kind.parse() {
            add(kind, item.name, item.span, CoverageEvent::of(item.mark));
        }
    }
    for (id, effect) in machine.effects.pairs() {
        let name = machine.names.effects.name(id);
        for (gate, number) in effect.gates.iter().zip(0..) {
            // A gate is written where its condition is, else where the effect is used.
            let span = machine
                .condition_span(gate.holds)
                .or_else(|| first_use(machine, id));
            for (passes, did) in [(true, "passes"), (false, "stops")] {
                let seen = CoverageEvent::Watched(WatchEvent::Gate(id, number, passes));
                add(
                    CoverageKind::Gates,
                    format!("{name}[{}] {did}", number + 1),
                    span,
                    seen,
                );
            }
        }
    }
}

/// Where an effect is used first.
fn first_use(machine: &Machine, effect: EffectId) -> Option<Span> {
    let uses = machine
        .all_ops()
        .iter()
        .filter(|op| matches!(&op.kind, OpKind::Effect(used) if used.effect == effect));
    uses.map(|op| machine.rules[op.rule].span).next()
}

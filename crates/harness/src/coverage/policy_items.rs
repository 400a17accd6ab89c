//! Finds what contracts, interviews and effects are counted by: classes, what they carry over, points, gates.

use super::coverage_kind::CoverageKind;
use super::coverage_map::{CoverageMap, FoundItem};
use super::coverage_set::CoverageEvent;
use super::reach::Reach;
use fsmsim_core::engine::policy::contract::Depth;
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{EffectId, OpKind};
use fsmsim_syntax::diagnostic::Span;

/// Counts classes and what they carry over, points, and gates.
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
    for (id, class) in machine
        .contract()
        .into_iter()
        .flat_map(|contract| contract.classes.pairs())
    {
        let span = Some(machine.rules[class.rule].span);
        add(
            CoverageKind::Classes,
            class.name.to_string(),
            span,
            CoverageEvent::Class(id),
        );
        if class.depth != Depth::NONE {
            let name = format!("{} carries {}", class.name, class.depth.name());
            add(
                CoverageKind::Carryover,
                name,
                span,
                CoverageEvent::Carried(id),
            );
        }
        for (number, preserved) in class.preserves.iter().enumerate() {
            let name = format!(
                "{} preserves {}",
                class.name,
                machine.names.slots.name(preserved.slot)
            );
            let span = Some(machine.rules[preserved.rule].span);
            add(
                CoverageKind::Carryover,
                name,
                span,
                CoverageEvent::Preserved(id, number),
            );
        }
    }
    for (number, point) in machine
        .agenda()
        .into_iter()
        .flat_map(|agenda| agenda.points.iter().enumerate())
    {
        let span = machine.state(point.first).span;
        add(
            CoverageKind::Points,
            point.id.to_string(),
            span,
            CoverageEvent::Point(number),
        );
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

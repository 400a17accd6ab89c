//! Finds the switches that cause a difference between two profiles.

use super::cause::CauseKey;
use super::divergence::Divergence;
use super::trace_comparison::JudgedDivergence;
use fsmsim_core::machine::SwitchSet;

/// Finds the smallest cause of a divergence between two profiles that differ in the switches `all`. The cause is every
/// switch that makes the difference alone, or else a minimal set that does so together. Also adds the switches that
/// make other differences. `turned` toggles some switches and returns how the dialogue then diverges from its original
/// run.
pub(super) fn by_switches(
    divergence: Divergence,
    all: SwitchSet,
    turned: &dyn Fn(SwitchSet) -> Option<Divergence>,
) -> JudgedDivergence {
    let found: Vec<(SwitchSet, Divergence)> = all
        .singles()
        .filter_map(|single| Some((single, turned(single)?)))
        .collect();
    let alone = |alike: &dyn Fn(&Divergence) -> bool| -> Vec<&'static str> {
        let good = found.iter().filter(|(_, found)| alike(found));
        good.flat_map(|(single, _)| single.names()).collect()
    };
    // Toggling a single switch may change other fields of the same turn, for example the name of its action.
    let exactly = alone(&|found| divergence.is_like(found));
    let names = if exactly.is_empty() {
        alone(&|found| divergence.is_alike_in_kind(found))
    } else {
        exactly
    };
    let together = names.is_empty();
    let names = if together {
        let makes_it =
            |switches: SwitchSet| turned(switches).is_some_and(|found| divergence.is_like(&found));
        let needed = all.singles().fold(all, |needed, single| {
            let fewer = needed.without(single);
            if makes_it(fewer) { fewer } else { needed }
        });
        needed.names().collect()
    } else {
        names
    };
    let others = found
        .into_iter()
        .filter(|(single, _)| single.names().all(|name| !names.contains(&name)));
    let main = CauseKey::Switches {
        names: names.clone(),
        together,
        more_causes: false,
    };
    let more_causes = others.map(|(single, divergence)| {
        let key = CauseKey::Switches {
            names: single.names().collect(),
            together: false,
            more_causes: true,
        };
        (key, divergence)
    });
    let causes = [(main, divergence.clone())].into_iter().chain(more_causes);
    JudgedDivergence {
        causes: causes.collect(),
        divergence,
    }
}

//! Looks for the switches of two profiles that make a difference.

use std::path::Path;

use super::cause::CauseKey;
use super::divergence::Divergence;
use super::model_diff::ModelDiff;
use super::trace_scenario::trace_scenario;
use crate::scenario::ScenarioText;
use fsmsim_core::machine::{SwitchSet, Variant};
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Looks for the switches of two profiles that make a difference.
pub(super) struct SwitchSearch<'s> {
    pub(super) diff: &'s ModelDiff<'s>,
    pub(super) scenario: &'s ScenarioText<'s>,
    pub(super) file: &'s Path,
    /// The dialogue as the first side plays it.
    pub(super) turns: &'s [TurnReport],
    /// How the first side plays it.
    pub(super) from: Variant,
}

impl SwitchSearch<'_> {
    /// The smallest reason for a divergence between two profiles: the switches each of which makes it alone; else the
    /// fewest that make it together. Then the other switches that make a difference of their own.
    pub(super) fn cause(
        &self,
        to: Variant,
        divergence: &Divergence,
    ) -> (CauseKey, Vec<(CauseKey, Divergence)>) {
        let all = self.from.switches().differing(to.switches());
        let found: Vec<(SwitchSet, Divergence)> = all
            .singles()
            .filter_map(|single| Some((single, self.divergence(single)?)))
            .collect();
        let alone = |alike: &dyn Fn(&Divergence) -> bool| -> Vec<&'static str> {
            let good = found.iter().filter(|(_, found)| alike(found));
            good.flat_map(|(single, _)| single.names()).collect()
        };
        // Another switch may change more of the same turn, as the name of its action.
        let exactly = alone(&|found| divergence.is_like(found));
        let names = if exactly.is_empty() {
            alone(&|found| divergence.is_alike_in_kind(found))
        } else {
            exactly
        };
        let together = names.is_empty();
        let names = if together {
            self.fewest(all, divergence)
        } else {
            names
        };
        let others = found
            .into_iter()
            .filter(|(single, _)| single.names().all(|name| !names.contains(&name)));
        let besides = others.map(|(single, divergence)| {
            (
                CauseKey::Switches {
                    names: single.names().collect(),
                    together: false,
                    besides: true,
                },
                divergence,
            )
        });
        let besides = besides.collect();
        (
            CauseKey::Switches {
                names,
                together,
                besides: false,
            },
            besides,
        )
    }

    /// The fewest of these switches that together make a divergence.
    fn fewest(&self, all: SwitchSet, divergence: &Divergence) -> Vec<&'static str> {
        let mut needed = all;
        for single in all.singles() {
            let fewer = needed.without(single);
            if self
                .divergence(fewer)
                .is_some_and(|found| divergence.is_like(&found))
            {
                needed = fewer;
            }
        }
        needed.names().collect()
    }

    /// Where the dialogue diverges from itself when these switches are turned over.
    fn divergence(&self, turned: SwitchSet) -> Option<Divergence> {
        let variant = Variant {
            turned,
            ..self.from
        };
        let path = &self.diff.candidates.a.path;
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let runner = self.diff.runner;
        let prepared = runner
            .prepare_with(self.scenario, self.file, (path, variant), None, &mut found)
            .ok()?;
        let traced = trace_scenario(&prepared, "", None, &mut found);
        let mut turns = traced.dialogue.turns("", &mut found, &mut sources)?;
        self.diff.renames.rename(&mut turns);
        Divergence::find(self.turns, &turns, self.diff.only, 0)
    }
}

//! A machine that is searched.

use std::collections::BTreeSet;

use super::inputs::{Inputs, Refinement};
use super::projection::KeyProjection;
use fsmsim_core::engine::{Machine, Reads, Session, Settings};
use fsmsim_core::machine::{
    Condition, ConditionId, OpKind, PropertyKind, Subject, Test, ValueSource,
};

/// A machine that is searched: what its turns read, and the inputs that they get.
#[derive(Debug)]
pub struct SearchedModel<'m> {
    pub(crate) machine: &'m Machine,
    pub(crate) settings: Settings,
    pub(crate) projection: KeyProjection,
    pub(crate) inputs: Inputs,
    /// For each property, whether it is checked on the product of the states and the slots that it reads.
    pub(crate) is_carried: Vec<bool>,
    /// The reasons why results do not hold for all dialogues.
    pub loose: BTreeSet<Box<str>>,
}

impl<'m> SearchedModel<'m> {
    /// Finds out what the turns of a machine read.
    pub fn new(machine: &'m Machine, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        // A model chooses the next state of some states.
        settings.model |= machine.states.ids().any(|id| machine.is_decided(id));
        let turns = machine.reads(&settings, |_| false);
        let mut carried = Reads::default();
        let mut is_carried = Vec::new();
        for property in &machine.properties {
            let reads = machine.reads_of(&settings, property);
            let can = can_carry(machine, &turns, &reads)
                && is_local(machine, property.condition)
                && match property.kind {
                    PropertyKind::LeadsTo { after, .. } => is_local(machine, after),
                    _ => true,
                };
            is_carried.push(can);
            if can {
                for (slot, tests) in reads.slots {
                    let known = carried.slots.entry(slot).or_default();
                    known.tests.extend(tests.tests);
                }
            }
        }
        let observed = |number: usize| is_carried.get(number) == Some(&false);
        let own = machine.reads(&settings, observed);
        let all = machine.reads(&settings, |_| true);
        let inputs = Inputs::new(machine, &settings, &all);
        let mut loose = own.loose.clone();
        loose.extend(inputs.loose.iter().cloned());
        Self {
            machine,
            projection: KeyProjection::new(own, &carried, machine, &settings),
            settings,
            inputs,
            is_carried,
            loose,
        }
    }

    /// Also tries the inputs that only another model distinguishes.
    pub(crate) fn refine(&mut self, other: Refinement) {
        let all = self.machine.reads(&self.settings, |_| true);
        self.inputs = Inputs::refined(self.machine, &self.settings, &all, other);
        self.loose.extend(self.inputs.loose.iter().cloned());
    }

    /// The key of a session; `None` if one of its parts never occurred in the search. Changes the session.
    pub fn key(&self, session: &mut Session) -> Option<Vec<u32>> {
        session.reduce(&self.projection.reads, self.machine, &self.settings);
        let mut key = Vec::new();
        self.projection.find(session, &mut key).map(|()| key)
    }

    /// The key of a session, whose parts are added. Changes the session.
    pub fn learn(&mut self, session: &mut Session) -> Vec<u32> {
        session.reduce(&self.projection.reads, self.machine, &self.settings);
        let mut key = Vec::new();
        self.projection
            .learn(session, &mut key, self.machine, &self.settings);
        key
    }
}

/// Whether no turn reads what a property reads, and turns set its slots only to constants.
fn can_carry(machine: &Machine, turns: &Reads, property: &Reads) -> bool {
    let reads_only_slots = property.counters.is_empty()
        && property.signals.is_empty()
        && property.loose.is_empty()
        && property.intent_streaks.is_empty()
        && property.category_streaks.is_empty()
        && property.intent_totals.is_empty()
        && property.category_totals.is_empty()
        && !property.current_streak.is_read()
        && !property.current_total.is_read()
        && !property.go_backs.is_read()
        && !property.consent
        && property.said.is_empty();
    let is_constant = |slot| {
        machine.frames.field(slot).is_none()
            && machine
                .all_ops()
                .iter()
                .filter(|op| op.slot() == Some(slot))
                .all(|op| {
                    let constant = matches!(op.source(), None | Some(ValueSource::Constant(_)));
                    constant && !matches!(op.kind, OpKind::Append(..))
                })
    };
    reads_only_slots
        && machine.well_known.branch_results.is_none()
        && machine.policies.inquiry().is_none()
        && property.slots.iter().all(|(slot, reads)| {
            !reads.exact && (turns.slots.contains_key(slot) || is_constant(*slot))
        })
}

/// Whether each test of a condition reads only the state, one slot or the number of the turn.
fn is_local(machine: &Machine, condition: ConditionId) -> bool {
    match &machine.conditions[condition] {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().all(|part| is_local(machine, *part))
        }
        Condition::Not(part) => is_local(machine, *part),
        Condition::Named(named) => is_local(machine, machine.named_conditions[*named].condition),
        Condition::States(_) | Condition::Flag(_) => true,
        Condition::Test(subject, test) => {
            let is_simple = !matches!(test, Test::SameAs(_) | Test::Within(_) | Test::Later(..));
            is_simple
                && matches!(
                    subject,
                    Subject::Slot(_)
                        | Subject::Length(_)
                        | Subject::State
                        | Subject::Phase
                        | Subject::Turn
                )
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    use super::SearchedModel;
    use crate::search::player::Player;
    use fsmsim_core::engine::Session;
    use fsmsim_core::machine::Profile;
    use fsmsim_runtime::project::{ModelCache, Project};
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

    /// The models of the repository, and those of a reference tree if `FSMSIM_REFERENCE` names its flows.
    fn models() -> Vec<PathBuf> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let reference = std::env::var_os("FSMSIM_REFERENCE").map(PathBuf::from);
        let folders = [home.join("flows"), home.join("states")]
            .into_iter()
            .chain(reference);
        let entries = folders
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flatten();
        let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        all.sort();
        all
    }

    #[test]
    fn sessions_with_equal_keys_have_equal_turns() {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let project = Project::at(&home, &mut sources, &mut found);
        let mut models = ModelCache::new(&project, None);
        let full = std::env::var("FSMSIM_CI").is_ok_and(|mode| mode == "full");
        let walks = if full { 600 } else { 12 };
        let (mut checked, mut compared) = (0, 0);
        for (path, profile) in models_and_profiles() {
            let Some(machine) = models.load(&path, profile) else {
                continue;
            };
            checked += 1;
            let mut searched = SearchedModel::new(&machine, machine.settings());
            let mut random = oorandom::Rand32::new(7);
            let mut known: HashMap<Vec<u32>, Session> = HashMap::new();
            for _ in 0..walks {
                let mut session = Session::new(&machine);
                for _ in 0..12 {
                    let Some((next, _)) = turn(&searched, &session, random.rand_u32()) else {
                        break;
                    };
                    let key = searched.learn(&mut next.clone());
                    session = next;
                    let Some(twin) = known.get(&key).filter(|twin| **twin != session) else {
                        known.insert(key, session.clone());
                        continue;
                    };
                    for _ in 0..3 {
                        let chosen = random.rand_u32();
                        let results = [
                            turn(&searched, &session, chosen),
                            turn(&searched, twin, chosen),
                        ];
                        let [one, other] = results.map(|result| {
                            result.map(|(mut after, sight)| (searched.learn(&mut after), sight))
                        });
                        compared += 1;
                        assert_eq!(
                            one,
                            other,
                            "{} in {profile:?}: {session:?}\n{twin:?}",
                            path.display()
                        );
                    }
                }
            }
        }
        assert!(
            checked > 20 && compared > 300,
            "{checked} models, {compared} pairs"
        );
    }

    fn models_and_profiles() -> Vec<(PathBuf, Profile)> {
        let profiles = [Profile::default(), Profile::Reference];
        models()
            .into_iter()
            .flat_map(|path| profiles.map(|profile| (path.clone(), profile)))
            .collect()
    }

    /// The session after a random turn, and what is observed.
    fn turn(
        searched: &SearchedModel<'_>,
        from: &Session,
        chosen: u32,
    ) -> Option<(Session, super::super::sight::Sight)> {
        let sees = (searched.projection.reads.actions, &*searched.is_carried);
        let mut player = Player::new(searched.machine, &searched.settings, sees);
        let inputs = searched.inputs.of(from.position.state);
        let input = inputs.get(chosen as usize % inputs.len().max(1))?;
        let mut ends = Vec::new();
        player.play(from, input, &searched.inputs.values, |after, sight, _| {
            ends.push((after.clone(), sight));
        });
        let at = (chosen >> 16) as usize % ends.len().max(1);
        (at < ends.len()).then(|| ends.swap_remove(at))
    }
}

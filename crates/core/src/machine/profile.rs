//! Profiles and variants: the behavior of the engine where the sales bot differs from its specification
//! (docs/profiles.md).

use strum::{EnumString, IntoStaticStr};

macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The named switches of a profile. Sources and stages of the turn test a switch, never the name of a
        /// profile.
        ///
        /// Each is `true` in the profile `documented` and `false` in the profile `reference` (docs/profiles.md).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Switches { $($(#[$doc])* pub $name: bool,)* }

        impl Switches {
            /// The names of all switches.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Sets all switches to `documented`.
            fn all(documented: bool) -> Self {
                Self { $($name: documented),* }
            }

            /// The switches as a list, in the order of the names.
            fn list(&mut self) -> [&mut bool; Self::NAMES.len()] {
                [$(&mut self.$name),*]
            }
        }
    };
}

switches! {
    /// An unknown condition, target, mixin or parent is an error, not a warning.
    strict_load,
    /// `and`, `or`, `not`, `custom:` and tests of data work in rules.
    composite_conditions,
    /// A mixin's `parameters` and the file's `defaults` have the lowest precedence; `includes` can be nested.
    mixin_parameters,
    /// A session starts in `entry_points.default`.
    entry_point,
    /// A final state answers every input with the action `final`.
    final_state,
    /// A transition to a later phase skips the phases whose skip condition holds.
    skip_conditions,
    /// Going back requires the flag `circular_flow`.
    circular_flow,
    /// Each go-back intent uses the go-back target, even if only `allowed_gobacks` or `go_back` defines it, or if the data
    /// is complete.
    go_back_target,
    /// Every go-back that changes the state is counted, no matter which action won.
    go_back_count,
    /// The limits in `limits` end a series of objections, for every persona. After that, going back is refused.
    objection_limits,
    /// The return to the saved state beats a transition of the same priority; an objection alone never causes a return.
    objection_return,
    /// The return state is cleared whenever the dialogue leaves `handle_objection`.
    return_state,
    /// An escalation uses its own transition; repeated misunderstanding escalates once.
    escalation_moves,
    /// A transition without an action results in the action `transition_to_<state>`.
    transition_action,
    /// The priority entry of a question category supplies its `default_action`.
    question_default,
    /// The transition `any` is proposed if no other transition is proposed, and can be a chain.
    any_trigger,
    /// The transition `data_complete` can be a chain.
    conditional_data_complete,
    /// Data is complete when it is present and not empty; 0 and false are data.
    completeness,
    /// Null data does not count as data.
    null_data,
    /// Equal proposals are ordered by the order of their sources.
    source_order,
    /// The conversation guard is on if the configuration has a `guard` section.
    conversation_guard,
    /// The conditions `in_early_conversation`, `phase_exhausted`, `has_extracted_data` and `is_final` exist.
    extra_conditions,
    /// A direct answer requires frustration level 3; level 2 is not enough.
    direct_answers,
    /// Choice, fork, join and parallel states execute inside the turn.
    dag,
    /// A majority is strictly more than half.
    majority,
    /// Round robin selects the branches one after the other, without those that have ended.
    round_robin,
    /// Saving and restoring a session loses no data.
    snapshot,
    /// Every condition sees every signal; the first turn in a state counts as 1.
    signals,
    /// A repeated question affects only a turn that is a question.
    repeated_question,
    /// The objection limits of the dialogue apply everywhere, not only those of the constants.
    dialogue_limits,
    /// Setting the state from outside also sets the phase.
    atomic_position,
}

impl Switches {
    /// The switches that have different values in `other`.
    pub fn differing(mut self, mut other: Self) -> SwitchSet {
        let pairs = self.list().into_iter().zip(other.list()).enumerate();
        SwitchSet(
            pairs
                .filter(|(_, (one, other))| one != other)
                .fold(0, |set, (at, _)| set | 1 << at),
        )
    }

    /// The switches, with those in `set` inverted.
    pub fn turned(mut self, set: SwitchSet) -> Self {
        for (at, switch) in self.list().into_iter().enumerate() {
            *switch ^= set.0 >> at & 1 == 1;
        }
        self
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SwitchSet(u64);

impl SwitchSet {
    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Switches::NAMES
            .iter()
            .enumerate()
            .filter(move |(at, _)| self.0 >> at & 1 == 1)
            .map(|(_, name)| *name)
    }

    /// Each switch as a separate set.
    pub fn singles(self) -> impl Iterator<Item = Self> {
        (0..Switches::NAMES.len())
            .map(move |at| Self(self.0 & 1 << at))
            .filter(|single| !single.is_empty())
    }

    /// The switches of this set that are not in `other`.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A named set of switches.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum Profile {
    /// The behavior of the specification. The default.
    #[default]
    Documented,
    /// The behavior of the bot that was built from the specification.
    Reference,
}

impl Profile {
    pub const ALL: [Self; 2] = [Self::Documented, Self::Reference];

    /// The name, as written after `@` and in files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn switches(self) -> Switches {
        Switches::all(match self {
            Self::Documented => true,
            Self::Reference => false,
        })
    }
}

/// How a definition is compiled: the profile, optionally with inverted switches. Inverting a switch shows whether it
/// makes a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variant {
    pub profile: Profile,
    /// The switches whose values differ from the profile.
    pub turned: SwitchSet,
    /// Whether missing states become stubs, with a warning.
    pub with_stubs: bool,
}

impl Variant {
    pub fn switches(self) -> Switches {
        self.profile.switches().turned(self.turned)
    }

    /// The variant of a model without profiles.
    pub fn plain(self) -> Self {
        Self {
            with_stubs: self.with_stubs,
            ..Self::default()
        }
    }
}

impl From<Profile> for Variant {
    fn from(profile: Profile) -> Self {
        Self {
            profile,
            turned: SwitchSet::default(),
            with_stubs: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverting_all_switches_converts_one_profile_to_the_other() {
        let [documented, reference] = Profile::ALL.map(Profile::switches);
        let all = documented.differing(reference);
        assert!(all.names().eq(Switches::NAMES.iter().copied()));
        assert_eq!(documented.turned(all), reference);
        let first = all.singles().next().unwrap();
        assert_eq!(first.names().collect::<Vec<_>>(), ["strict_load"]);
        assert!(!documented.turned(first).strict_load && documented.turned(first).dag);
        assert_eq!(
            all.without(first).singles().count() + 1,
            Switches::NAMES.len()
        );
    }
}

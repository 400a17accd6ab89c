//! Profiles and variants: how the engine behaves where the sales bot and its document differ (docs/profiles.md).

use strum::{EnumString, IntoStaticStr};

macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The named switches of a profile. Sources and verbs ask a switch, never the name of a profile.
        ///
        /// Each is `true` in the profile `documented` and `false` in the profile `reference` (docs/profiles.md).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Switches { $($(#[$doc])* pub $name: bool,)* }

        impl Switches {
            /// The names of all switches.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// All switches on one side.
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
    /// `and`, `or`, `not`, `custom:` and questions on data work in rules.
    composite_conditions,
    /// A mixin's `parameters` and the file's `defaults` are the weakest parameters; `includes` nest.
    mixin_parameters,
    /// A session starts in `entry_points.default`.
    entry_point,
    /// A final state answers every input with the action `final`.
    final_state,
    /// A move to a later phase passes over phases whose skip condition holds.
    skip_conditions,
    /// Going back needs the flag `circular_flow`.
    circular_flow,
    /// A step back leads to its target, also where only `allowed_gobacks` names it and where the data are complete.
    go_back_target,
    /// Every step back that moves is counted, whoever's action won.
    go_back_count,
    /// The limits of `limits` end a series of objections, for every persona, and refuse a step back after it.
    objection_limits,
    /// The return to the kept state beats a transition of the same priority; an objection alone never returns.
    objection_return,
    /// The return state is dropped whenever `handle_objection` is left.
    return_state,
    /// An escalation takes its own transition; repeated misunderstanding escalates once.
    escalation_moves,
    /// A move without an action gives the action `transition_to_<state>`.
    transition_action,
    /// The priority entry of a question category supplies its `default_action`.
    question_default,
    /// The transition `any` is proposed when no other is, and may be a chain.
    any_trigger,
    /// The transition `data_complete` may be a chain.
    conditional_data_complete,
    /// Data is complete when it is present and not empty; 0 and false are data.
    completeness,
    /// Null data is no data.
    null_data,
    /// Equal proposals are ordered by the numbers of the sources.
    source_order,
    /// The conversation guard is on where the configuration has a `guard` section.
    conversation_guard,
    /// Exist: `in_early_conversation`, `phase_exhausted`, `has_extracted_data`, `is_final`.
    extra_conditions,
    /// Who is frustrated (3), and not only about to be (2), is answered directly.
    direct_answers,
    /// Choice, fork, join and parallel states execute inside the turn.
    dag,
    /// A majority is strictly more than half.
    majority,
    /// Saving and restoring a session loses nothing.
    snapshot,
    /// Every condition sees every signal; the first turn in a state counts 1.
    signals,
    /// A repeated question answers only a turn that is a question.
    repeated_question,
    /// The objection limits of one dialogue count everywhere, not only those of the constants.
    dialogue_limits,
    /// Setting the state from outside sets its phase with it.
    atomic_position,
}

impl Switches {
    /// The switches that stand otherwise in `other`.
    pub fn differing(mut self, mut other: Self) -> SwitchSet {
        let pairs = self.list().into_iter().zip(other.list()).enumerate();
        SwitchSet(
            pairs
                .filter(|(_, (one, other))| one != other)
                .fold(0, |set, (at, _)| set | 1 << at),
        )
    }

    /// The same switches with those of `set` turned over.
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
    /// Whether no switch is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let numbered = Switches::NAMES.iter().enumerate();
        numbered
            .filter(move |(at, _)| self.0 >> at & 1 == 1)
            .map(|(_, name)| *name)
    }

    /// Each switch as a set of its own.
    pub fn singles(self) -> impl Iterator<Item = Self> {
        (0..Switches::NAMES.len())
            .map(move |at| Self(self.0 & 1 << at))
            .filter(|single| !single.is_empty())
    }

    /// The set without the switches of another.
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
    /// As the document says. The default.
    #[default]
    Documented,
    /// As the bot behaves that was built from it.
    Reference,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Documented, Self::Reference];

    /// The name, as it is written behind `@` and in files.
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

/// What is made of a definition: its machine by a profile, perhaps with some of the switches turned over, which shows which of
/// them makes a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variant {
    pub profile: Profile,
    /// The switches that stand otherwise than the profile says.
    pub turned: SwitchSet,
    /// States that are missing from a set of states play as stubs, and are told as warnings.
    pub with_stubs: bool,
}

impl Variant {
    pub fn switches(self) -> Switches {
        self.profile.switches().turned(self.turned)
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
    fn profiles_differ_in_every_switch_and_turning_all_leads_from_one_to_the_other() {
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

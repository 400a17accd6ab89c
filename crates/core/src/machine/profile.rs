//! Profiles and variants: the behavior of the engine where the sales bot differs from its specification
//! (docs/src/explanation/profiles.md).

use strum::{EnumString, IntoStaticStr};

macro_rules! switches {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// The named switches of a profile. Sources and stages of the turn test a switch, never the name of a
        /// profile.
        ///
        /// Each is `true` in the profile `documented` and `false` in the profile `reference`
        /// (docs/src/explanation/profiles.md). Its comment describes both in one paragraph each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Switches { $($(#[doc = $doc])* pub $name: bool,)* }

        impl Switches {
            /// The names of all switches.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The comments of the switches: the behavior in `documented`, an empty line, the behavior in `reference`.
            pub const COMMENTS: &'static [&'static [&'static str]] = &[$(&[$($doc),*]),*];

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
    /// An unknown state, condition or mixin is an error.
    ///
    /// `reference`: Most of these errors are only warnings.
    strict_load,
    /// Rules accept all conditions.
    ///
    /// `reference`: They accept only the names of conditions.
    composite_conditions,
    /// Parameters of mixins, `defaults` and nested includes are used.
    ///
    /// `reference`: They are ignored.
    mixin_parameters,
    /// A dialogue starts in `entry_points.default`.
    ///
    /// `reference`: It starts in `greeting`.
    entry_point,
    /// In a final state, the action of every turn is `final`.
    ///
    /// `reference`: The rules still choose the action.
    final_state,
    /// Phases whose skip condition holds are skipped.
    ///
    /// `reference`: No phase is skipped.
    skip_conditions,
    /// Going back requires the flag `circular_flow`.
    ///
    /// `reference`: Going back does not require the flag.
    circular_flow,
    /// Going back always leads to its target.
    ///
    /// `reference`: If only `allowed_gobacks` defines the target, the assistant only replies. Complete data has
    /// priority.
    go_back_target,
    /// Every return to an earlier state is counted.
    ///
    /// `reference`: It is counted only if its action wins.
    go_back_count,
    /// `limits` apply to every persona. At a limit, going back is refused.
    ///
    /// `reference`: Each persona has its own limits.
    objection_limits,
    /// The return to the saved state wins over a transition. A second objection does not cause it.
    ///
    /// `reference`: A transition can win over the return. A second objection can cause it.
    objection_return,
    /// Leaving `handle_objection` deletes the return state.
    ///
    /// `reference`: If an objection causes the transition, the return state stays.
    return_state,
    /// A request for a human changes the state. Repeated misunderstanding escalates once.
    ///
    /// `reference`: The request does not change the state. After four misunderstandings, every turn escalates.
    escalation_moves,
    /// The default action of a transition is `transition_to_STATE`.
    ///
    /// `reference`: The default action is `continue_current_goal`.
    transition_action,
    /// A question without a rule gets the `default_action`.
    ///
    /// `reference`: It gets no default action.
    question_default,
    /// The transition `any` applies if no other transition is proposed.
    ///
    /// `reference`: It applies if the state did not change. It cannot have conditions.
    any_trigger,
    /// The transition `data_complete` can have conditions.
    ///
    /// `reference`: If it has conditions, the turn fails.
    conditional_data_complete,
    /// 0 and `false` count as data.
    ///
    /// `reference`: They count as missing.
    completeness,
    /// If the data of a turn is null, the turn has no data.
    ///
    /// `reference`: The turn fails.
    null_data,
    /// Among equal proposals, the one with the highest source number wins.
    ///
    /// `reference`: The first proposal wins.
    source_order,
    /// A section `guard` enables the conversation guard. Silence is not a message.
    ///
    /// `reference`: Only the settings of a dialogue enable it. Silence is a message.
    conversation_guard,
    /// The conditions `in_early_conversation`, `phase_exhausted`, `has_extracted_data` and `is_final` exist.
    ///
    /// `reference`: They do not exist.
    extra_conditions,
    /// The condition `should_answer_directly` holds from frustration level 3.
    ///
    /// `reference`: It holds from level 2.
    direct_answers,
    /// Control nodes run within the turn.
    ///
    /// `reference`: They are ordinary states.
    dag,
    /// A majority is more than half of the branches.
    ///
    /// `reference`: Half of the branches is a majority.
    majority,
    /// The active branches take turns.
    ///
    /// `reference`: A completed branch changes their order.
    round_robin,
    /// A restored session has all its data.
    ///
    /// `reference`: It lacks the last action, the return state and the order of intents.
    snapshot,
    /// Every condition sees every signal. The first turn in a state counts as 1.
    ///
    /// `reference`: Some sources hide signals. The first turn of a dialogue counts as 0.
    signals,
    /// A repeated question is answered only if the current turn is a question.
    ///
    /// `reference`: It is always answered.
    repeated_question,
    /// The objection limits of a dialogue apply.
    ///
    /// `reference`: The limits in the constants apply.
    dialogue_limits,
    /// If the state is set from outside, its phase is also set.
    ///
    /// `reference`: The phase does not change.
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

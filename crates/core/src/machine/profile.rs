//! Profiles: how the engine behaves where the sales bot and its document differ (docs/profiles.md).

macro_rules! switches {
    ($($(#[$doc:meta])* pub $name:ident: bool,)*) => {
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
    pub strict_load: bool,
    /// `and`, `or`, `not`, `custom:` and questions on data work in rules.
    pub composite_conditions: bool,
    /// A mixin's `parameters` and the file's `defaults` are the weakest parameters; `includes` nest.
    pub mixin_parameters: bool,
    /// A session starts in `entry_points.default`.
    pub entry_point: bool,
    /// A final state answers every input with the action `final`.
    pub final_state: bool,
    /// A move to a later phase passes over phases whose skip condition holds.
    pub skip_conditions: bool,
    /// Going back needs the flag `circular_flow`.
    pub circular_flow: bool,
    /// A step back leads to its target, also where only `allowed_gobacks` names it and where the data are complete.
    pub go_back_target: bool,
    /// Every step back that moves is counted, whoever's action won.
    pub go_back_count: bool,
    /// The limits of `limits` end a series of objections, for every persona, and refuse a step back after it.
    pub objection_limits: bool,
    /// The return to the kept state beats a transition of the same priority; an objection alone never returns.
    pub objection_return: bool,
    /// The return state is dropped whenever `handle_objection` is left.
    pub return_state: bool,
    /// An escalation takes its own transition; repeated misunderstanding escalates once.
    pub escalation_moves: bool,
    /// A move without an action gives the action `transition_to_<state>`.
    pub transition_action: bool,
    /// The priority entry of a question category supplies its `default_action`.
    pub question_default: bool,
    /// The transition `any` is proposed when no other is, and may be a chain.
    pub any_trigger: bool,
    /// The transition `data_complete` may be a chain.
    pub conditional_data_complete: bool,
    /// Data is complete when it is present and not empty; 0 and false are data.
    pub completeness: bool,
    /// Null data is no data.
    pub null_data: bool,
    /// Equal proposals are ordered by the numbers of the sources.
    pub source_order: bool,
    /// The conversation guard is on where the configuration has a `guard` section.
    pub conversation_guard: bool,
    /// Exist: `in_early_conversation`, `phase_exhausted`, `has_extracted_data`, `is_final`.
    pub extra_conditions: bool,
    /// Who is frustrated (3), and not only about to be (2), is answered directly.
    pub direct_answers: bool,
    /// Choice, fork, join and parallel states execute inside the turn.
    pub dag: bool,
    /// A majority is strictly more than half.
    pub majority: bool,
    /// Saving and restoring a session loses nothing.
    pub snapshot: bool,
    /// Every condition sees every signal; the first turn in a state counts 1.
    pub signals: bool,
    /// A repeated question answers only a turn that is a question.
    pub repeated_question: bool,
    /// The objection limits of one dialogue count everywhere, not only those of the constants.
    pub dialogue_limits: bool,
    /// Setting the state from outside sets its phase with it.
    pub atomic_position: bool,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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
        match self {
            Self::Documented => "documented",
            Self::Reference => "reference",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    pub fn switches(self) -> Switches {
        Switches::all(match self {
            Self::Documented => true,
            Self::Reference => false,
        })
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

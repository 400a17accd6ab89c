//! Kinds of differences between two turns.

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// What a difference is about, the weightiest kind first: of several in one turn, the first gives its name to all.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum DifferenceKind { $($(#[$doc])* $variant,)* }

        impl DifferenceKind {
            /// All kinds, the weightiest first.
            pub const ALL: &'static [DifferenceKind] = &[$(DifferenceKind::$variant,)*];

            /// The name in options and results.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(DifferenceKind::$variant => $name,)* }
            }
        }
    };
}

kinds! {
    /// One side has a turn more.
    Turns "turns",
    /// Where the dialogue is: `state`, `path`, `branches`, `return_state`, `final`.
    State "state",
    /// `phase`.
    Phase "phase",
    /// `class` and `contract_class`.
    Class "class",
    /// `carryover` and `frames`.
    Carryover "carryover",
    /// `action` and `reply`.
    Action "action",
    /// `effects`.
    Effect "effect",
    /// What is known and counted: `data`, `missing`, `counters`, `turn_number`, `answers`, `faults`, `events`.
    Data "data",
    /// Who decided and why, where that came to the same: `why`, `by`, `merge`, `rejected`.
    Reason "reason",
    /// What went in, its wording included.
    Input "input",
}

impl DifferenceKind {
    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl serde::Serialize for DifferenceKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

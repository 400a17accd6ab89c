//! What one dialogue may change about its machine.

use super::guard::Limit;
use super::id::{FlagId, IdVec};
use super::profile::{Profile, Switches};
use super::source::{SourceKind, SourceMask};
use super::vocabulary::Vocabulary;

/// The settings of a dialogue: those of the machine, with the dialogue's own laid over them.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The profile the switches come from, for headers and messages.
    pub profile: Profile,
    /// The switches of the profile.
    pub switches: Switches,
    /// The feature flags.
    pub flags: IdVec<FlagId, bool>,
    /// Flags that are off for the tenant; they matter only where a priority entry names a flag.
    pub tenant_off: IdVec<FlagId, bool>,
    /// The limits.
    pub limits: Limits,
    /// The sources that are switched on.
    pub enabled: SourceMask,
    /// The sources that run: switched on, and what they need besides is on too. Kept by [`Settings::refresh`].
    pub sources: SourceMask,
    /// The objection limits of personas.
    pub personas: Personas,
    /// The conversation guard, where it is on.
    pub guard: Option<GuardLimits>,
    /// The limits of the conversation guard where a dialogue switches it on without any.
    pub guard_default: GuardLimits,
    /// Where context signals come from.
    pub signals: SignalMode,
    /// Moves that a state does not declare are taken all the same.
    pub permissive: bool,
    /// A model may be asked to decide; otherwise autonomous states decide nothing.
    pub model: bool,
}

impl Settings {
    /// Works out which sources run. To be called after a change of flags, switches of sources or the guard.
    pub fn refresh(&mut self, vocabulary: &Vocabulary) {
        let mut sources = self.enabled;
        for (kind, flag) in &vocabulary.source_flags {
            if !self.flag(*flag) {
                sources = sources.with(*kind, false);
            }
        }
        if self.guard.is_none() {
            sources = sources.with(SourceKind::ConversationGuard, false);
        }
        self.sources = sources;
    }

    /// Whether a flag is on; one that nobody set is off.
    #[inline]
    #[must_use]
    pub fn flag(&self, flag: FlagId) -> bool {
        self.flags.lookup(flag).copied().unwrap_or(false)
    }
}

/// Where context signals come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SignalMode {
    /// There are none.
    None,
    /// Each turn gives them.
    Given,
    /// From the window of the last turns; what a turn gives wins.
    #[default]
    Derived,
}

impl SignalMode {
    /// All modes with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::None, "none"), (Self::Given, "given"), (Self::Derived, "derived")];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Given => "given",
            Self::Derived => "derived",
        }
    }

    /// The mode of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(mode, _)| mode)
    }
}

/// The limits of a dialogue, in turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Objections in a row.
    pub consecutive_objections: i64,
    /// Objections in all.
    pub total_objections: i64,
    /// Steps back.
    pub go_backs: i64,
}

impl Limits {
    /// The value of a limit.
    #[must_use]
    pub fn get(&self, limit: Limit) -> i64 {
        match limit {
            Limit::ConsecutiveObjections => self.consecutive_objections,
            Limit::TotalObjections => self.total_objections,
            Limit::GoBacks => self.go_backs,
        }
    }

    /// Sets a limit.
    pub fn set(&mut self, limit: Limit, value: i64) {
        match limit {
            Limit::ConsecutiveObjections => self.consecutive_objections = value,
            Limit::TotalObjections => self.total_objections = value,
            Limit::GoBacks => self.go_backs = value,
        }
    }
}

/// The objection limits of personas.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Personas {
    /// The limits by persona.
    pub table: Vec<(Box<str>, PersonaLimits)>,
    /// The table was given by the configuration or the dialogue, and is not the built-in one.
    pub given: bool,
}

/// The objection limits of one persona.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonaLimits {
    /// In a row.
    pub consecutive: i64,
    /// In all.
    pub total: i64,
}

impl Personas {
    /// The limits of a persona, else those of `default`.
    #[must_use]
    pub fn get(&self, persona: &str) -> Option<PersonaLimits> {
        let find =
            |name: &str| self.table.iter().find(|(known, _)| &**known == name).map(|(_, limits)| *limits);
        find(persona).or_else(|| find("default"))
    }
}

/// The settings of the conversation guard (docs/sales.md, "Conversation guard").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct GuardLimits {
    /// Turns of a dialogue.
    pub max_turns: i64,
    /// Turns in a row in one state.
    pub max_same_state: i64,
    /// The same message in a row.
    pub max_same_message: i64,
    /// Seconds of a dialogue.
    pub timeout_seconds: i64,
    /// Turns without progress after which the states are counted.
    pub progress_check_interval: i64,
    /// Different states that must be among them.
    pub min_unique_states: i64,
    /// The frustration at which the guard steps in.
    pub high_frustration: i64,
}

impl GuardLimits {
    /// The limits with their names in files, for reading.
    pub fn fields(&mut self) -> [(&'static str, &mut i64); 7] {
        [
            ("max_turns", &mut self.max_turns),
            ("max_same_state", &mut self.max_same_state),
            ("max_same_message", &mut self.max_same_message),
            ("timeout_seconds", &mut self.timeout_seconds),
            ("progress_check_interval", &mut self.progress_check_interval),
            ("min_unique_states_for_progress", &mut self.min_unique_states),
            ("high_frustration_threshold", &mut self.high_frustration),
        ]
    }
}

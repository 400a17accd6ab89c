//! The settings of a dialogue, and the mode of its context signals.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::engine::{Machine, PolicySettings, SourceKind};
use crate::machine::{
    FlagId, IdVec, LimitId, MachineBuilder, Profile, SourceMask, Switches, Variant,
};

/// The settings of a dialogue: those of the machine, overridden by those of the dialogue.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The profile that the switches come from, for headers and messages.
    pub profile: Profile,
    /// The switches of the profile.
    pub switches: Switches,
    /// The feature flags.
    pub flags: IdVec<FlagId, bool>,
    /// Flags that are off for the tenant; relevant only if a priority entry names a flag.
    pub tenant_off: IdVec<FlagId, bool>,
    pub limits: IdVec<LimitId, i64>,
    /// The enabled sources.
    pub enabled: SourceMask,
    /// The sources that run: the enabled sources whose other requirements are met. Set by [`Settings::refresh`].
    pub sources: SourceMask,
    /// The origin of context signals.
    pub signals: SignalMode,
    /// Whether a model can decide; otherwise autonomous states decide nothing.
    pub model: bool,
    /// The settings of the machine's policies.
    pub policies: PolicySettings,
}

impl Settings {
    /// Creates settings without flags and limits, with these sources enabled. The machine adds the settings of its
    /// policies.
    pub fn new(variant: Variant, enabled: SourceMask) -> Self {
        Self {
            profile: variant.profile,
            switches: variant.switches(),
            flags: IdVec::default(),
            tenant_off: IdVec::default(),
            limits: IdVec::default(),
            enabled,
            sources: enabled,
            signals: SignalMode::default(),
            model: false,
            policies: PolicySettings::default(),
        }
    }

    /// Creates the settings of a machine with only one source, and its required actions. `otherwise` is the action of
    /// turns without any other action.
    pub fn for_one_source(
        variant: Variant,
        decides: SourceKind,
        otherwise: &str,
        builder: &mut MachineBuilder,
    ) -> Self {
        builder.well_known.continue_goal = builder.action(otherwise);
        builder.well_known.finished = builder.action("final");
        Self::new(variant, SourceMask::NONE.with(decides, true))
    }

    /// Recomputes the sources that run. Call it after a change of flags, enabled sources or settings of policies.
    pub fn refresh(&mut self, machine: &Machine) {
        self.sources = machine.policies.restrict_sources(self);
    }

    /// Whether a flag is on; off by default.
    #[inline]
    pub fn flag(&self, flag: FlagId) -> bool {
        self.flags.lookup(flag).copied().unwrap_or(false)
    }

    /// The value of a limit; 0 by default.
    #[inline]
    pub fn limit(&self, limit: LimitId) -> i64 {
        self.limits.lookup(limit).copied().unwrap_or(0)
    }
}

impl Machine {
    /// The default settings of a dialogue.
    pub fn settings(&self) -> &Settings {
        self.policies.settings()
    }

    /// The name of the profile, if the profile changes the behavior of the model.
    pub fn shown_profile(&self) -> Option<&'static str> {
        self.has_profiles().then(|| self.settings().profile.name())
    }
}

/// The origin of context signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum SignalMode {
    /// No signals.
    None,
    /// Each turn provides its signals.
    Given,
    /// Signals are derived from the recent turns; signals given by a turn take precedence.
    #[default]
    Derived,
}

impl SignalMode {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

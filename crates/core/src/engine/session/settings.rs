//! What one dialogue may change about its machine, and where its context signals come from.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::engine::{Machine, PolicySettings, SourceKind};
use crate::machine::{
    FlagId, IdVec, LimitId, MachineBuilder, Profile, SourceMask, Switches, Variant,
};

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
    pub limits: IdVec<LimitId, i64>,
    /// The sources that are switched on.
    pub enabled: SourceMask,
    /// The sources that run: switched on, and what they need besides is on too. Kept by [`Settings::refresh`].
    pub sources: SourceMask,
    /// Where context signals come from.
    pub signals: SignalMode,
    /// A model may be asked to decide; otherwise autonomous states decide nothing.
    pub model: bool,
    /// The settings of the machine's policies.
    pub policies: PolicySettings,
}

impl Settings {
    /// Settings without flags and limits, in which these sources are switched on. The machine adds those of its policies.
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

    /// The settings of a machine in which only one source decides, and the actions that it needs all the same: `otherwise`
    /// is that of turns that nothing acts on.
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

    /// Works out which sources run. To be called after a change of flags, switches of sources or settings of policies.
    pub fn refresh(&mut self, machine: &Machine) {
        self.sources = machine.policies.restrict_sources(self);
    }

    /// Whether a flag is on; one that nobody set is off.
    #[inline]
    pub fn flag(&self, flag: FlagId) -> bool {
        self.flags.lookup(flag).copied().unwrap_or(false)
    }

    /// The value of a limit; 0 for one that nobody set.
    #[inline]
    pub fn limit(&self, limit: LimitId) -> i64 {
        self.limits.lookup(limit).copied().unwrap_or(0)
    }
}

impl Machine {
    /// The settings of a dialogue that changes nothing.
    pub fn settings(&self) -> &Settings {
        self.policies.settings()
    }
}

/// Where context signals come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum SignalMode {
    /// There are none.
    None,
    /// Each turn gives them.
    Given,
    /// From the recent turns; what a turn gives wins.
    #[default]
    Derived,
}

impl SignalMode {
    /// All modes.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

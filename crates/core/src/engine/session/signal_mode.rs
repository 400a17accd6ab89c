//! Where context signals come from.

use strum::{EnumString, IntoStaticStr, VariantArray};

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

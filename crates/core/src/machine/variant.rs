//! What is made of a definition.

use super::profile::{Profile, SwitchSet, Switches};

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

//! Where the data of each user is kept.

use fsmsim_adapters::world::Twin;
#[cfg(feature = "sqlite")]
use fsmsim_adapters::world::{SqliteTwin, TwinFile};
use fsmsim_syntax::threads::Mutex;

/// Where the data of each user is kept that is there to stay.
pub enum UserTwins {
    /// All dialogues are with one user, or with nobody in particular.
    One(Mutex<Box<dyn Twin>>),
    /// Each user has data of his own in a database.
    #[cfg(feature = "sqlite")]
    Each(TwinFile),
}

impl UserTwins {
    /// All dialogues have this store.
    pub fn one(twin: Box<dyn Twin>) -> Self {
        Self::One(Mutex::new(twin))
    }

    /// The store for a dialogue with this user.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(unused_variables, reason = "only databases tell users apart")
    )]
    pub(super) fn of(&self, user: Option<&str>) -> Box<dyn Twin> {
        match self {
            Self::One(twin) => twin.lock().fork(),
            #[cfg(feature = "sqlite")]
            Self::Each(file) => Box::new(SqliteTwin::new(file.clone(), user.unwrap_or_default())),
        }
    }
}

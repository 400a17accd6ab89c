//! The gate of consent: no data of the twin is read or written that the user did not agree to.

use crate::engine::io::{Consent, DenyReason};

/// Lets reading pass.
pub(super) fn may_read(consent: Consent) -> Result<(), DenyReason> {
    agreed(consent.read)
}

/// Lets writing pass.
pub(super) fn may_write(consent: Consent) -> Result<(), DenyReason> {
    agreed(consent.write)
}

fn agreed(word: Option<bool>) -> Result<(), DenyReason> {
    match word {
        Some(true) => Ok(()),
        Some(false) => Err(DenyReason::Refused),
        None => Err(DenyReason::NotAsked),
    }
}

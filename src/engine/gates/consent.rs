//! The gate of consent: no data of the twin is read or written that the user did not agree to.

use crate::engine::consent::Consent;
use crate::engine::effect::Denial;

/// Lets reading pass.
pub(in crate::engine) fn may_read(consent: Consent) -> Result<(), Denial> {
    agreed(consent.read)
}

/// Lets writing pass.
pub(in crate::engine) fn may_write(consent: Consent) -> Result<(), Denial> {
    agreed(consent.write)
}

fn agreed(word: Option<bool>) -> Result<(), Denial> {
    match word {
        Some(true) => Ok(()),
        Some(false) => Err(Denial::Refused),
        None => Err(Denial::NotAsked),
    }
}

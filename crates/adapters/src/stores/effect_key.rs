//! Keys that identify effects.

use super::session_id::SessionId;

/// Identifies an effect. An effect is performed once per key. If an answer was lost and the request is repeated, the
/// first answer is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectKey<'k> {
    pub session: &'k SessionId,
    /// The turn number, from 1.
    pub turn: u32,
    pub effect: &'k str,
    /// The index among the effects of this kind in the turn, from 0.
    pub index: u32,
}

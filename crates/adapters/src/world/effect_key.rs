//! By what an effect is known to whoever performs it.

use super::session_id::SessionId;

/// By what an effect is known to whoever performs it. What was performed under a key is not performed again: whoever asks
/// once more, since the answer was lost on the way, gets the first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectKey<'k> {
    /// The dialogue.
    pub session: &'k SessionId,
    /// The number of the turn, from 1.
    pub turn: u32,
    /// The kind of effect.
    pub effect: &'k str,
    /// The number among the effects of this kind in the turn, from 0.
    pub index: u32,
}

//! Outcomes of effects by key, for in-memory stores.

use super::effect_key::EffectKey;
use super::session_id::SessionId;

/// The outcomes of effects in the last turn, by key. Earlier turns are not needed: a lost answer is requested again
/// before the dialogue continues.
#[derive(Clone, Debug)]
pub(super) struct PerformedEffects<T> {
    turn: Option<(SessionId, u32)>,
    /// Kind, index and outcome.
    outcomes: Vec<(Box<str>, u32, T)>,
}

impl<T> Default for PerformedEffects<T> {
    fn default() -> Self {
        Self {
            turn: None,
            outcomes: Vec::new(),
        }
    }
}

impl<T: Clone> PerformedEffects<T> {
    /// The stored outcome for a key. Performs the effect if its key has no outcome yet. An effect without an outcome
    /// does not count as performed.
    pub(super) fn once(
        &mut self,
        key: &EffectKey<'_>,
        perform: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let is_same = self
            .turn
            .as_ref()
            .is_some_and(|(session, turn)| session == key.session && *turn == key.turn);
        if !is_same {
            self.turn = Some((key.session.clone(), key.turn));
            self.outcomes.clear();
        }
        let mut known = self.outcomes.iter();
        if let Some((.., outcome)) =
            known.find(|(kind, index, _)| **kind == *key.effect && *index == key.index)
        {
            return Some(outcome.clone());
        }
        let outcome = perform()?;
        self.outcomes
            .push((key.effect.into(), key.index, outcome.clone()));
        Some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effect_is_performed_once_per_key() {
        let (ann, bob) = (SessionId::of("ann"), SessionId::of("bob"));
        let mut performed = PerformedEffects::default();
        let mut count = 0;
        let mut ask = |session: &SessionId, turn, effect, index| {
            performed.once(
                &EffectKey {
                    session,
                    turn,
                    effect,
                    index,
                },
                || {
                    count += 1;
                    Some(count)
                },
            )
        };
        assert_eq!(ask(&ann, 1, "write", 0), Some(1));
        assert_eq!(ask(&ann, 1, "write", 1), Some(2));
        assert_eq!(ask(&ann, 1, "book", 0), Some(3));
        assert_eq!(ask(&ann, 1, "write", 0), Some(1));
        assert_eq!(ask(&ann, 2, "write", 0), Some(4));
        assert_eq!(ask(&bob, 2, "write", 0), Some(5));
        assert_eq!(ask(&bob.next(), 2, "write", 0), Some(6));
        assert_eq!(ask(&bob.next(), 2, "write", 0), Some(6));
    }

    #[test]
    fn effect_without_an_outcome_is_retried() {
        let session = SessionId::default();
        let key = EffectKey {
            session: &session,
            turn: 1,
            effect: "write",
            index: 0,
        };
        let mut performed = PerformedEffects::default();
        assert_eq!(performed.once(&key, || None::<u8>), None);
        assert_eq!(performed.once(&key, || Some(7)), Some(7));
        assert_eq!(performed.once(&key, || Some(8)), Some(7));
    }
}

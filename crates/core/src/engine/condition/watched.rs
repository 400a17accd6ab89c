//! The value of a condition while somebody watches.

use crate::engine::{ConditionError, ConditionVector, Scope, TurnContext, TurnWatch, WatchEvent};
use crate::machine::{Condition, ConditionId};

impl TurnContext<'_> {
    /// The value of a condition, as nobody watching would get it; what is written of it is noted.
    #[cold]
    pub(super) fn evaluate_watched(
        &self,
        condition: ConditionId,
        scope: Scope,
        watch: &TurnWatch,
    ) -> Result<bool, ConditionError> {
        let mut condition = condition;
        while let Condition::Named(named) = &self.machine.conditions[condition] {
            condition = self.machine.named_conditions[*named].condition;
        }
        // What is built in is nobody's to cover; what is made of something written is looked into.
        if !self.machine.is_written(condition) {
            return self.value_below(condition, scope, watch);
        }
        let mut vector = ConditionVector::default();
        let mut noted = (0, &mut vector);
        vector.outcome = self.value_of_parts(condition, scope, watch, &mut noted)?;
        let parts = self.machine.count_parts(condition);
        watch.note(WatchEvent::Condition(condition, vector.outcome));
        if (2..=ConditionVector::MOST_PARTS).contains(&parts) {
            watch.note(WatchEvent::Decision(condition, vector));
        }
        Ok(vector.outcome)
    }

    /// The value of a node that is no part of anything written, or has no parts; what it is made of may be written.
    fn value_below(
        &self,
        condition: ConditionId,
        scope: Scope,
        watch: &TurnWatch,
    ) -> Result<bool, ConditionError> {
        let (parts, enough) = match &self.machine.conditions[condition] {
            Condition::And(parts) => (parts, false),
            Condition::Or(parts) => (parts, true),
            Condition::Not(part) => return Ok(!self.evaluate_watched(*part, scope, watch)?),
            _ => return self.value_of(condition, scope),
        };
        for part in parts {
            if self.evaluate_watched(*part, scope, watch)? == enough {
                return Ok(enough);
            }
        }
        Ok(!enough)
    }

    /// The value of a node above parts. `noted` is the number of the next part, and what the parts came to so far.
    fn value_of_parts(
        &self,
        condition: ConditionId,
        scope: Scope,
        watch: &TurnWatch,
        noted: &mut (usize, &mut ConditionVector),
    ) -> Result<bool, ConditionError> {
        let (parts, enough) = match &self.machine.conditions[condition] {
            Condition::And(parts) if self.machine.is_split(parts) => (&**parts, false),
            Condition::Or(parts) if self.machine.is_split(parts) => (&**parts, true),
            Condition::Not(part) if self.machine.is_written(*part) => {
                return Ok(!self.value_of_parts(*part, scope, watch, noted)?);
            }
            _ => {
                let value = match &self.machine.conditions[condition] {
                    Condition::Named(_) => self.evaluate_watched(condition, scope, watch)?,
                    _ => self.value_below(condition, scope, watch)?,
                };
                noted.1.note(noted.0, value);
                noted.0 += 1;
                return Ok(value);
            }
        };
        let mut value = !enough;
        for part in parts {
            if value == enough {
                noted.0 += self.machine.count_parts(*part);
            } else {
                value = self.value_of_parts(*part, scope, watch, noted)?;
            }
        }
        Ok(value)
    }
}

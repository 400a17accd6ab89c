//! Evaluates a condition and records the values.

use super::evaluate::ConditionRun;
use crate::engine::{ConditionError, ConditionVector, TurnContext, TurnWatch, WatchEvent};
use crate::machine::{Condition, ConditionId};

impl TurnContext<'_> {
    /// The value of a condition. Records the values of its written parts; recording does not affect the value.
    #[cold]
    pub(super) fn evaluate_watched(
        &self,
        condition: ConditionId,
        run: &mut ConditionRun<'_>,
        watch: &TurnWatch,
    ) -> Result<bool, ConditionError> {
        let mut condition = condition;
        while let Condition::Named(named) = &self.machine.conditions[condition] {
            if let Some(value) = self.known_value(*named, run) {
                return value;
            }
            condition = self.machine.named_conditions[*named].condition;
        }
        // Built-in conditions are not part of the coverage, but written conditions inside them are.
        if !self.machine.is_written(condition) {
            return self.value_below(condition, run, watch);
        }
        let mut vector = ConditionVector::default();
        let mut noted = (0, &mut vector);
        vector.outcome = self.value_of_parts(condition, run, watch, &mut noted)?;
        let parts = self.machine.count_parts(condition);
        watch.note(WatchEvent::Condition(condition, vector.outcome));
        if (2..=ConditionVector::MAX_PARTS).contains(&parts) {
            watch.note(WatchEvent::Decision(condition, vector));
        }
        Ok(vector.outcome)
    }

    /// The value of a node that has no location, or no parts; its operands can be written conditions.
    fn value_below(
        &self,
        condition: ConditionId,
        run: &mut ConditionRun<'_>,
        watch: &TurnWatch,
    ) -> Result<bool, ConditionError> {
        let (parts, enough) = match &self.machine.conditions[condition] {
            Condition::And(parts) => (parts, false),
            Condition::Or(parts) => (parts, true),
            Condition::Not(part) => return Ok(!self.evaluate_watched(*part, run, watch)?),
            _ => return self.value_of(condition, run),
        };
        for part in parts {
            if self.evaluate_watched(*part, run, watch)? == enough {
                return Ok(enough);
            }
        }
        Ok(!enough)
    }

    /// The value of a node with parts. `noted` contains the index of the next part and the values so far.
    fn value_of_parts(
        &self,
        condition: ConditionId,
        run: &mut ConditionRun<'_>,
        watch: &TurnWatch,
        noted: &mut (usize, &mut ConditionVector),
    ) -> Result<bool, ConditionError> {
        let (parts, enough) = match &self.machine.conditions[condition] {
            Condition::And(parts) if self.machine.is_split(parts) => (&**parts, false),
            Condition::Or(parts) if self.machine.is_split(parts) => (&**parts, true),
            Condition::Not(part) if self.machine.is_written(*part) => {
                return Ok(!self.value_of_parts(*part, run, watch, noted)?);
            }
            _ => {
                let value = match &self.machine.conditions[condition] {
                    Condition::Named(_) => self.evaluate_watched(condition, run, watch)?,
                    _ => self.value_below(condition, run, watch)?,
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
                value = self.value_of_parts(*part, run, watch, noted)?;
            }
        }
        Ok(value)
    }
}

//! Conditions as they are written: where, and of which parts.

use super::condition::Condition;
use super::id::ConditionId;
use super::machine::Machine;
use fsmsim_syntax::diagnostic::Span;

impl<P> Machine<P> {
    /// Where a node of an expression is written; nothing for what is built in, or made of something else that is written.
    pub fn condition_span(&self, id: ConditionId) -> Option<Span> {
        self.condition_spans.lookup(id).copied().flatten()
    }

    /// Whether a node of an expression is written somewhere.
    #[inline]
    pub fn is_written(&self, id: ConditionId) -> bool {
        self.condition_span(id).is_some()
    }

    /// Whether what stands in a list are parts that somebody wrote.
    pub fn is_split(&self, parts: &[ConditionId]) -> bool {
        parts.first().is_some_and(|part| self.is_written(*part))
    }

    /// The parts of a written condition that has several, in the order in which they are written: what stands between `and`,
    /// `or` and `not`. A name is one part. Empty, where it is one question.
    pub fn condition_parts(&self, id: ConditionId) -> Vec<ConditionId> {
        let mut parts = Vec::new();
        self.collect_parts(id, &mut parts);
        if parts.len() > 1 { parts } else { Vec::new() }
    }

    /// How many parts a node has; a single question is one.
    pub fn count_parts(&self, id: ConditionId) -> usize {
        match &self.conditions[id] {
            Condition::And(parts) | Condition::Or(parts) if self.is_split(parts) => {
                parts.iter().map(|part| self.count_parts(*part)).sum()
            }
            Condition::Not(part) if self.is_written(*part) => self.count_parts(*part),
            _ => 1,
        }
    }

    fn collect_parts(&self, id: ConditionId, found: &mut Vec<ConditionId>) {
        match &self.conditions[id] {
            Condition::And(parts) | Condition::Or(parts) if self.is_split(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.collect_parts(*part, found));
            }
            Condition::Not(part) if self.is_written(*part) => self.collect_parts(*part, found),
            _ => found.push(id),
        }
    }
}

//! Merges the shards of a simulation.

use super::end_cause::EndCauseCount;
use super::simulation_result::{
    EndingShare, MisreadIntent, ModelOrder, PersonaResult, SimulationResult, TransitionCount, share,
};

impl SimulationResult {
    /// Merges another shard of the same simulation. Adds the counts, and recalculates the other values from them.
    ///
    /// # Errors
    /// Returns the property in which the shards differ.
    pub fn add(&mut self, other: &Self) -> Result<(), &'static str> {
        let differs = [
            (
                "the model",
                (&self.model, &self.source, &self.profile)
                    != (&other.model, &other.source, &other.profile),
            ),
            ("the seed", self.seed != other.seed),
            ("the number of dialogues", self.dialogues != other.dialogues),
            ("the start of the dialogues", self.start != other.start),
            (
                "the simulated user",
                (&self.llm, self.recognized) != (&other.llm, other.recognized),
            ),
            (
                "the list of personas",
                !self
                    .personas
                    .iter()
                    .map(name)
                    .eq(other.personas.iter().map(name)),
            ),
            (
                "the content of the personas",
                self.persona_files != other.persona_files,
            ),
            ("the list of counted items", self.order != other.order),
        ];
        if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            return Err(what);
        }
        let order = self.order.clone().unwrap_or_default();
        for (mine, theirs) in self.personas.iter_mut().zip(&other.personas) {
            mine.add(theirs, &order);
        }
        Ok(())
    }

    /// Marks the result as complete: removes the data that only merging needs.
    pub fn close(&mut self) {
        self.order = None;
    }
}

impl PersonaResult {
    /// Calculates shares and means from the counts. Only the first `ordered` phases have a fixed order.
    pub(super) fn settle(&mut self, ordered: usize) {
        let all = self.turns.dialogues();
        let inside = self
            .phases
            .iter()
            .take(ordered)
            .map(|phase| phase.dialogues)
            .fold(0, u64::saturating_add);
        let ends = [
            &mut self.finished,
            &mut self.abandoned,
            &mut self.looped,
            &mut self.turn_limit,
            &mut self.unanswered,
        ];
        for part in ends.into_iter().chain([&mut self.phases]).flatten() {
            part.share = share(part.dialogues, all);
        }
        for part in self
            .last_phases
            .iter_mut()
            .flat_map(|phase| &mut phase.ends)
        {
            part.share = share(part.dialogues, all);
        }
        self.phase_coverage =
            (ordered > 0).then(|| share(inside, all.saturating_mul(ordered as u64)));
        for class in &mut self.classes {
            class.share = share(class.turns, self.turns.total);
        }
        for counter in &mut self.counters {
            counter.mean = mean(counter.total, all);
        }
    }

    /// Adds other dialogues of the same persona.
    fn add(&mut self, other: &Self, order: &ModelOrder) {
        for (mine, theirs) in [
            (&mut self.finished, &other.finished),
            (&mut self.abandoned, &other.abandoned),
            (&mut self.looped, &other.looped),
            (&mut self.turn_limit, &other.turn_limit),
            (&mut self.unanswered, &other.unanswered),
        ] {
            add_parts(mine, theirs);
            let place =
                |part: &EndingShare| order.states.iter().position(|state| *state == part.name);
            mine.sort_by_cached_key(|part| place(part).unwrap_or(usize::MAX));
        }
        add_parts(&mut self.phases, &other.phases);
        EndCauseCount::add(&mut self.causes, &other.causes);
        MisreadIntent::add(&mut self.misread, other.misread.clone());
        for (mine, theirs) in self.last_phases.iter_mut().zip(&other.last_phases) {
            add_parts(&mut mine.ends, &theirs.ends);
            mine.ends.sort_by(|one, other| one.name.cmp(&other.name));
        }
        add_transitions(&mut self.transitions, &other.transitions, order);
        self.turns = std::mem::take(&mut self.turns).plus(&other.turns);
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            mine.turns = mine.turns.saturating_add(theirs.turns);
        }
        for (mine, theirs) in self.counters.iter_mut().zip(&other.counters) {
            mine.total = mine.total.saturating_add(theirs.total);
        }
        self.settle(order.phases);
    }
}

fn name(result: &PersonaResult) -> &str {
    &result.persona
}

/// Adds dialogue counts by name.
fn add_parts(mine: &mut Vec<EndingShare>, theirs: &[EndingShare]) {
    for part in theirs {
        match mine.iter_mut().find(|known| known.name == part.name) {
            Some(known) => known.dialogues = known.dialogues.saturating_add(part.dialogues),
            None => mine.push(part.clone()),
        }
    }
}

/// Adds transition counts in the state order of the model.
fn add_transitions(
    mine: &mut Vec<TransitionCount>,
    theirs: &[TransitionCount],
    order: &ModelOrder,
) {
    for other in theirs {
        match mine
            .iter_mut()
            .find(|known| (&known.from, &known.to) == (&other.from, &other.to))
        {
            Some(known) => known.turns = known.turns.saturating_add(other.turns),
            None => mine.push(other.clone()),
        }
    }
    let place = |name: &String| {
        order
            .states
            .iter()
            .position(|state| state == name)
            .unwrap_or(usize::MAX)
    };
    mine.sort_by_cached_key(|count| (place(&count.from), place(&count.to)));
}

/// The mean per dialogue, rounded to two decimals.
#[expect(clippy::cast_precision_loss, reason = "counts of dialogues are small")]
fn mean(total: i64, dialogues: u64) -> f64 {
    (total as f64 / dialogues.max(1) as f64 * 100.0).round() / 100.0
}

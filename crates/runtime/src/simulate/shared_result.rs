//! Merges the shards of a simulation.

use super::end_cause::EndCauseCount;
use super::simulation_result::{
    EndingShare, ModelOrder, PersonaResult, SimulationResult, WayCount, share,
};

impl SimulationResult {
    /// Adds another shard of the same simulation. Adds counts only, and derives the other values from them.
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
            ("how dialogues start", self.start != other.start),
            ("who plays the user", self.llm != other.llm),
            (
                "the list of personas",
                !self
                    .personas
                    .iter()
                    .map(name)
                    .eq(other.personas.iter().map(name)),
            ),
            (
                "what the personas are like",
                self.persona_files != other.persona_files,
            ),
            ("what is counted", self.order != other.order),
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
    /// Derives shares and means from the counts. The first `ordered` phases are ordered.
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
            &mut self.left,
            &mut self.looped,
            &mut self.endless,
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
            (&mut self.left, &other.left),
            (&mut self.looped, &other.looped),
            (&mut self.endless, &other.endless),
            (&mut self.unanswered, &other.unanswered),
        ] {
            add_parts(mine, theirs);
            let place =
                |part: &EndingShare| order.states.iter().position(|state| *state == part.name);
            mine.sort_by_cached_key(|part| place(part).unwrap_or(usize::MAX));
        }
        add_parts(&mut self.phases, &other.phases);
        EndCauseCount::add(&mut self.causes, &other.causes);
        for (mine, theirs) in self.last_phases.iter_mut().zip(&other.last_phases) {
            add_parts(&mut mine.ends, &theirs.ends);
            mine.ends.sort_by(|one, other| one.name.cmp(&other.name));
        }
        add_ways(&mut self.ways, &other.ways, order);
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
fn add_ways(mine: &mut Vec<WayCount>, theirs: &[WayCount], order: &ModelOrder) {
    for way in theirs {
        match mine
            .iter_mut()
            .find(|known| (&known.from, &known.to) == (&way.from, &way.to))
        {
            Some(known) => known.turns = known.turns.saturating_add(way.turns),
            None => mine.push(way.clone()),
        }
    }
    let place = |name: &String| {
        order
            .states
            .iter()
            .position(|state| state == name)
            .unwrap_or(usize::MAX)
    };
    mine.sort_by_cached_key(|way| (place(&way.from), place(&way.to)));
}

/// The mean per dialogue, rounded to two decimals.
#[expect(clippy::cast_precision_loss, reason = "counts of dialogues are small")]
fn mean(total: i64, dialogues: u64) -> f64 {
    (total as f64 / dialogues.max(1) as f64 * 100.0).round() / 100.0
}

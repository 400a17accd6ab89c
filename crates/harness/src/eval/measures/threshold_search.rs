//! Finds the thresholds that accept the largest number of correct readings.

use std::cmp::Ordering;

use super::scored_interpretation::ScoredInterpretation;
use crate::limits::MAX_TRIED_THRESHOLDS;
use fsmsim_core::engine::{ConfidenceThresholds, ReadingDecision, RecognitionConfidence};

/// Finds the thresholds that accept the largest number of correct readings while limiting incorrect ones. Of equally good
/// thresholds, those that accept fewer incorrect readings are better, then those closest to the current thresholds.
///
/// Decisions can change only at the confidences and distances that occur. The candidates are these values, all
/// hundredths, and the current thresholds.
pub(super) struct ThresholdSearch {
    present: ConfidenceThresholds,
    /// The maximum proportion of incorrect readings, in units of 1/[`WHOLE`].
    max_incorrect: i64,
    /// The confidences to try, in descending order.
    levels: Vec<f64>,
    /// Readings that are always accepted.
    exempt: AcceptedCounts,
    /// Readings that are accepted above a certain confidence and need clarification below it.
    asked: Vec<AskedReading>,
    /// Readings for which no clarification question exists, accumulated from the highest level. They are accepted if
    /// they reach the minimum.
    unasked: Vec<AcceptedCounts>,
}

/// The scale of proportions.
const WHOLE: i64 = 10_000;

/// A reading that is either accepted or needs clarification.
struct AskedReading {
    /// The index of the level that its confidence reaches.
    level: usize,
    distance: f64,
    is_correct: bool,
    /// A disambiguation question would offer the labeled intent.
    is_offered: bool,
}

/// Numbers of correct and incorrect accepted readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AcceptedCounts {
    correct: i64,
    incorrect: i64,
}

/// Thresholds, with the numbers of readings that they accept.
struct FoundThresholds {
    tally: AcceptedCounts,
    /// The total change from the current thresholds.
    change: f64,
    thresholds: ConfidenceThresholds,
    /// The part of `tally` for which no clarification question exists.
    unasked: AcceptedCounts,
}

impl AcceptedCounts {
    fn add(&mut self, is_correct: bool) {
        *(if is_correct {
            &mut self.correct
        } else {
            &mut self.incorrect
        }) += 1;
    }

    fn with(self, other: Self) -> Self {
        Self {
            correct: self.correct + other.correct,
            incorrect: self.incorrect + other.incorrect,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            correct: self.correct - other.correct,
            incorrect: self.incorrect - other.incorrect,
        }
    }

    /// The sort key of a result: more correct readings are better, then fewer incorrect ones.
    fn rank(self) -> (i64, i64) {
        (self.correct, -self.incorrect)
    }

    /// The number of incorrect readings above the limit, in units of 1/[`WHOLE`]. Negative if there are fewer.
    fn excess(self, max_incorrect: i64) -> i64 {
        WHOLE * self.incorrect - max_incorrect * (self.correct + self.incorrect)
    }
}

impl ThresholdSearch {
    pub(super) fn new(
        readings: &[ScoredInterpretation<'_>],
        present: ConfidenceThresholds,
        max_incorrect: f64,
    ) -> Self {
        let doubts = readings
            .iter()
            .map(|reading| reading.doubt)
            .filter(|doubt| !doubt.is_exempt);
        let mut levels = tried(
            doubts.map(|doubt| doubt.confidence),
            [present.medium, present.high],
        );
        // The threshold above which a confidence is certain limits the medium threshold.
        let bounds: Vec<f64> = levels
            .iter()
            .map(|level| RecognitionConfidence::below(*level))
            .filter(|level| *level > 0.0)
            .collect();
        levels.extend(bounds);
        levels.sort_by(|one, other| other.total_cmp(one));
        levels.dedup_by(|one, other| RecognitionConfidence::reaches(*one, *other));
        let level_of = |confidence: f64| {
            levels.partition_point(|level| !RecognitionConfidence::reaches(confidence, *level))
        };
        let mut exempt = AcceptedCounts::default();
        let mut asked = Vec::new();
        let mut unasked = vec![AcceptedCounts::default(); levels.len()];
        for reading in readings {
            let doubt = reading.doubt;
            let is_correct = reading.is_correct;
            let level = level_of(doubt.confidence);
            if doubt.is_exempt {
                exempt.add(is_correct);
            } else if doubt.offered.is_empty() {
                if let Some(tally) = unasked.get_mut(level) {
                    tally.add(is_correct);
                }
            } else {
                let is_offered = reading.offers(ReadingDecision::Disambiguate);
                asked.push(AskedReading {
                    level,
                    distance: doubt.distance(),
                    is_correct,
                    is_offered,
                });
            }
        }
        add_up(&mut unasked);
        #[expect(clippy::cast_possible_truncation, reason = "it is a share")]
        let max_incorrect = (max_incorrect * 10_000.0).round() as i64;
        Self {
            present,
            max_incorrect,
            levels,
            exempt,
            asked,
            unasked,
        }
    }

    /// The best thresholds; `None` if no thresholds stay within the limit.
    pub(super) fn run(&self) -> Option<ConfidenceThresholds> {
        let mut best = self.as_they_are();
        let everything = self.by_level(|_| true);
        let minimums = self.minimums();
        for gap in self.gaps() {
            let of_gap = LevelSums::new(
                self.by_level(|reading| RecognitionConfidence::reaches(reading.distance, gap)),
                self.max_incorrect,
            );
            let beyond = [None].into_iter().chain((0..self.levels.len()).map(Some));
            for beyond in beyond {
                let Some(first) = self.first_below(beyond) else {
                    continue;
                };
                // Readings far above the high threshold are certain, even if another intent has a similar confidence.
                let certain = beyond.map_or(AcceptedCounts::default(), |level| {
                    at(&everything, level).without(at(&of_gap.sums, level))
                });
                for (last, unasked) in minimums.iter().copied() {
                    let fixed = self.exempt.with(certain).with(unasked);
                    let most = fixed.correct + at(&of_gap.sums, last).correct;
                    if best.as_ref().is_some_and(|best| most < best.tally.correct) {
                        break;
                    }
                    let Some(levels) =
                        of_gap.lowest(last, first, -fixed.excess(self.max_incorrect))
                    else {
                        continue;
                    };
                    let tally = fixed.with(at(&of_gap.sums, levels.0));
                    let is_worse = |best: &FoundThresholds| best.tally.rank() > tally.rank();
                    if tally.correct == 0 || best.as_ref().is_some_and(is_worse) {
                        continue;
                    }
                    let found = self.found(gap, beyond, levels, (tally, unasked));
                    let is_better = |best: &FoundThresholds| {
                        best.tally.rank() < tally.rank() || found.change < best.change - 1e-9
                    };
                    if best.as_ref().is_none_or(is_better) {
                        best = Some(found);
                    }
                }
            }
        }
        best.map(|best| ConfidenceThresholds {
            minimum: self.minimum(&best),
            ..best.thresholds
        })
    }

    /// The current thresholds, if they stay within the limit.
    fn as_they_are(&self) -> Option<FoundThresholds> {
        let ConfidenceThresholds {
            high,
            medium,
            minimum,
            gap,
        } = self.present;
        let level = |threshold: f64| {
            self.levels
                .partition_point(|level| RecognitionConfidence::reaches(*level, threshold))
        };
        let everything = self.by_level(|_| true);
        let of_gap = self.by_level(|reading| RecognitionConfidence::reaches(reading.distance, gap));
        let beyond = level(RecognitionConfidence::beyond(high));
        let from = level(high.min(medium));
        let unasked = sum_of_first(&self.unasked, level(minimum.min(high.min(medium))));
        let certain = sum_of_first(&everything, beyond).without(sum_of_first(&of_gap, beyond));
        let tally = self
            .exempt
            .with(unasked)
            .with(certain)
            .with(sum_of_first(&of_gap, from));
        let is_allowed = tally.correct > 0 && tally.excess(self.max_incorrect) <= 0;
        is_allowed.then_some(FoundThresholds {
            tally,
            change: 0.0,
            thresholds: self.present,
            unasked,
        })
    }

    /// The counts of matching readings, accumulated from the highest level.
    fn by_level(&self, is_of: impl Fn(&AskedReading) -> bool) -> Vec<AcceptedCounts> {
        let mut sums = vec![AcceptedCounts::default(); self.levels.len()];
        for reading in self.asked.iter().filter(|reading| is_of(reading)) {
            if let Some(tally) = sums.get_mut(reading.level) {
                tally.add(reading.is_correct);
            }
        }
        add_up(&mut sums);
        sums
    }

    /// The candidate distances, rounded as in reports, the closest to the current one first.
    fn gaps(&self) -> Vec<f64> {
        let down = |distance: f64| (distance * 10_000.0 + 1e-6).floor() / 10_000.0;
        let mut gaps = tried(
            self.asked
                .iter()
                .map(|reading| down(reading.distance.max(0.0))),
            [self.present.gap],
        );
        gaps.sort_by(nearer(self.present.gap));
        gaps
    }

    /// The possible levels of the minimum, and the accepted readings for which no clarification question exists. Levels
    /// with equal readings are represented by the last one. Levels that accept the most readings come first. A level
    /// that accepts fewer but has no lower excess is omitted.
    fn minimums(&self) -> Vec<(usize, AcceptedCounts)> {
        let mut minimums: Vec<(usize, AcceptedCounts)> = Vec::new();
        let mut least = i64::MAX;
        for (level, tally) in self.unasked.iter().enumerate().rev() {
            let is_new = minimums.last().is_none_or(|(_, known)| known != tally);
            if is_new && tally.excess(self.max_incorrect) <= least {
                least = tally.excess(self.max_incorrect);
                minimums.push((level, *tally));
            }
        }
        minimums
    }

    /// The highest possible level of the medium threshold if readings at the level `beyond` and above are certain.
    fn first_below(&self, beyond: Option<usize>) -> Option<usize> {
        let Some(beyond) = beyond else { return Some(0) };
        let high = RecognitionConfidence::below(*self.levels.get(beyond)?);
        let first = self
            .levels
            .partition_point(|level| !RecognitionConfidence::reaches(high, *level));
        (high >= 0.0 && first < self.levels.len()).then_some(first)
    }

    /// The thresholds that produce a result, as close to the current ones as possible.
    fn found(
        &self,
        gap: f64,
        beyond: Option<usize>,
        (first, last): (usize, usize),
        (tally, unasked): (AcceptedCounts, AcceptedCounts),
    ) -> FoundThresholds {
        let present = self.present;
        let levels = self.levels.get(first..=last).unwrap_or_default();
        let under = levels.partition_point(|level| *level > present.medium);
        let near = [under.checked_sub(1), Some(under)]
            .into_iter()
            .flatten()
            .filter_map(|at| levels.get(at).copied());
        let medium = near.min_by(nearer(present.medium));
        let medium = medium.unwrap_or(present.medium);
        // Any high threshold in this range makes the same readings certain.
        let most = beyond
            .and_then(|level| self.levels.get(level))
            .map_or(1.0, |level| RecognitionConfidence::below(*level));
        let next = beyond.map_or(0, |level| level + 1);
        let above = self
            .levels
            .get(next)
            .map_or(f64::MIN, |level| RecognitionConfidence::below(*level));
        let fits = |high: &f64| {
            RecognitionConfidence::reaches(most, *high)
                && *high > above + 1e-9
                && RecognitionConfidence::reaches(*high, medium)
        };
        let high = [present.high, medium, most]
            .into_iter()
            .filter(fits)
            .min_by(nearer(present.high))
            .unwrap_or(most);
        let change = (high - present.high).abs()
            + (medium - present.medium).abs()
            + (gap - present.gap).abs();
        let thresholds = ConfidenceThresholds {
            high,
            medium,
            gap,
            ..present
        };
        FoundThresholds {
            tally,
            change,
            thresholds,
            unasked,
        }
    }

    /// The confidence below which a reading is rejected. Asking is worthwhile at a level if the questions offer the
    /// labeled intent more often than not. The minimum must accept the same readings without a question as `found`.
    fn minimum(&self, found: &FoundThresholds) -> f64 {
        let reach = found.thresholds.high.min(found.thresholds.medium);
        let mut worth = vec![0_i64; self.levels.len()];
        for reading in &self.asked {
            let is_asked = self
                .levels
                .get(reading.level)
                .is_some_and(|level| !RecognitionConfidence::reaches(*level, reach));
            if let Some(worth) = worth.get_mut(reading.level).filter(|_| is_asked) {
                *worth += if reading.is_offered { 1 } else { -1 };
            }
        }
        let mut sum = 0;
        for worth in &mut worth {
            sum += *worth;
            *worth = sum;
        }
        let own = [self.present.minimum, 0.0].into_iter();
        let candidates = self
            .levels
            .iter()
            .copied()
            .chain(own)
            .filter(|minimum| *minimum <= reach + 1e-9);
        let judged = candidates.filter_map(|minimum| {
            let count = self
                .levels
                .partition_point(|level| RecognitionConfidence::reaches(*level, minimum));
            let unasked = sum_of_first(&self.unasked, count);
            let last = count.checked_sub(1);
            let worth = last
                .and_then(|last| worth.get(last).copied())
                .unwrap_or_default();
            (unasked == found.unasked).then_some((
                worth,
                -(minimum - self.present.minimum).abs(),
                minimum,
            ))
        });
        let best = judged.max_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        best.map_or(self.present.minimum.min(reach), |(_, _, minimum)| minimum)
    }
}

/// The readings that are sufficiently distant from the next intent, accumulated from the highest level.
struct LevelSums {
    sums: Vec<AcceptedCounts>,
    /// The number of incorrect readings above the limit at each level.
    excess: Vec<i64>,
    /// The next higher level with a smaller excess.
    better: Vec<Option<usize>>,
}

impl LevelSums {
    fn new(sums: Vec<AcceptedCounts>, max_incorrect: i64) -> Self {
        // The excess is not monotonic. Each level stores the nearest higher level with a smaller excess, so a search
        // can skip the levels between. For the excesses [3, 5, 4, 1], these are: none, 0, 0, none.
        let excess: Vec<i64> = sums
            .iter()
            .map(|tally| tally.excess(max_incorrect))
            .collect();
        let mut better: Vec<Option<usize>> = Vec::with_capacity(sums.len());
        for (level, own) in excess.iter().enumerate() {
            let mut above = level.checked_sub(1);
            while let Some(known) =
                above.filter(|known| excess.get(*known).is_some_and(|other| other >= own))
            {
                above = better.get(known).copied().flatten();
            }
            better.push(above);
        }
        Self {
            sums,
            excess,
            better,
        }
    }

    /// Finds the lowest level between `first` and `last` whose excess is at most `most`. Returns the highest level with
    /// the same number of correct readings, and the lowest level with the same counts.
    fn lowest(&self, last: usize, first: usize, most: i64) -> Option<(usize, usize)> {
        let mut level = last;
        while *self.excess.get(level)? > most {
            level = self.better.get(level).copied().flatten()?;
        }
        if level < first {
            return None;
        }
        // The counts never decrease, so levels with equal counts are adjacent.
        let own = at(&self.sums, level);
        let highest = self
            .sums
            .partition_point(|sum| sum.correct < own.correct)
            .max(first);
        let own = at(&self.sums, highest);
        let after = self
            .sums
            .partition_point(|sum| sum.correct <= own.correct && sum.incorrect <= own.incorrect);
        Some((highest, after.saturating_sub(1).min(last)))
    }
}

/// The candidates: all hundredths, `own`, and all values that occur, unless there are too many.
fn tried(occurring: impl Iterator<Item = f64>, own: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let sorted = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers.dedup_by(|one, other| (*one - *other).abs() < 1e-9);
        numbers
    };
    let mut numbers = sorted(occurring.collect());
    if numbers.len() > MAX_TRIED_THRESHOLDS {
        numbers.clear();
    }
    numbers.extend(
        (0..=100_u32)
            .map(|hundredth| f64::from(hundredth) / 100.0)
            .chain(own),
    );
    sorted(numbers)
}

fn at(sums: &[AcceptedCounts], level: usize) -> AcceptedCounts {
    sums.get(level).copied().unwrap_or_default()
}

/// The counts of the first `count` levels.
fn sum_of_first(sums: &[AcceptedCounts], count: usize) -> AcceptedCounts {
    count
        .checked_sub(1)
        .map_or(AcceptedCounts::default(), |last| at(sums, last))
}

/// Compares two numbers by their distance from `to`.
fn nearer(to: f64) -> impl Fn(&f64, &f64) -> Ordering {
    move |one, other| (one - to).abs().total_cmp(&(other - to).abs())
}

/// Replaces each value by the cumulative sum up to it.
fn add_up(tallies: &mut [AcceptedCounts]) {
    let mut sum = AcceptedCounts::default();
    for tally in tallies {
        sum = sum.with(*tally);
        *tally = sum;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Counts the readings that these thresholds accept.
    fn executed(
        readings: &[ScoredInterpretation<'_>],
        thresholds: ConfidenceThresholds,
    ) -> AcceptedCounts {
        let mut tally = AcceptedCounts::default();
        let done = readings
            .iter()
            .filter(|one| one.doubt.disposition(thresholds) == ReadingDecision::Execute);
        done.for_each(|reading| tally.add(reading.is_correct));
        tally
    }

    fn doubts() -> impl Strategy<Value = Vec<(RecognitionConfidence, bool)>> {
        let share = |number: u32| f64::from(number) / 20.0;
        let doubt = (
            0..=20_u32,
            prop::option::of(0..=20_u32),
            0..12_u32,
            any::<bool>(),
        );
        prop::collection::vec(doubt, 1..14).prop_map(move |items| {
            let doubt = |(confidence, next, kind, is_correct): (u32, Option<u32>, u32, bool)| {
                let offered = if kind < 3 {
                    Vec::new()
                } else {
                    vec!["a".into(), "b".into()]
                };
                let confidence = share(confidence);
                (
                    RecognitionConfidence {
                        confidence,
                        next: next.map(share),
                        is_exempt: kind == 11,
                        offered,
                    },
                    is_correct,
                )
            };
            items.into_iter().map(doubt).collect()
        })
    }

    proptest! {
        #[test]
        fn no_thresholds_accept_more_correct_readings(doubts in doubts(), most in 0..=10_u32, own in prop::array::uniform4(0..=20_u32)) {
            let judged: Vec<ScoredInterpretation<'_>> = doubts
                .iter()
                .map(|(doubt, is_correct)| ScoredInterpretation { doubt, meant: if *is_correct { "a" } else { "c" }, is_correct: *is_correct })
                .collect();
            let [high, medium, minimum, gap] = own.map(|number| f64::from(number) / 20.0);
            let present = ConfidenceThresholds { high, medium: medium.min(high), minimum, gap };
            let max_incorrect = f64::from(most) / 10.0;
            let allowed = |tally: AcceptedCounts| tally.correct > 0 && tally.excess(i64::from(most) * 1000) <= 0;
            let rank = |tally: AcceptedCounts| (tally.correct, -tally.incorrect);
            let mut best = Some(executed(&judged, present)).filter(|tally| allowed(*tally)).map(rank);
            let steps = |least: u32, most: u32| (least..=most).map(|step| f64::from(step) / 20.0);
            for high in steps(0, 20) {
                for medium in steps(0, 20).filter(|medium| *medium <= high) {
                    for gap in steps(0, 20) {
                        for minimum in steps(0, 20).filter(|minimum| *minimum <= medium) {
                            let tally = executed(&judged, ConfidenceThresholds { high, medium, minimum, gap });
                            if allowed(tally) && best.is_none_or(|best| rank(tally) > best) {
                                best = Some(rank(tally));
                            }
                        }
                    }
                }
            }
            let found = ThresholdSearch::new(&judged, present, max_incorrect).run();
            let tally = found.map(|found| rank(executed(&judged, found)));
            prop_assert!(tally >= best, "{found:?} {tally:?} {best:?}");
            prop_assert!(found.is_none_or(|found| allowed(executed(&judged, found))), "{found:?}");
            prop_assert!(found.is_none_or(|found| found.minimum <= found.high.min(found.medium) + 1e-9), "{found:?}");
        }
    }

    #[test]
    fn search_over_thousands_of_readings_is_fast() {
        let doubts: Vec<(RecognitionConfidence, bool)> = (0..3000_u32)
            .map(|number| {
                let confidence = f64::from(number * 7919 % 10_000) / 10_000.0;
                let next = f64::from(number * 104_729 % 10_000) / 10_000.0 * confidence;
                let offered = if number % 5 == 0 {
                    Vec::new()
                } else {
                    vec!["a".into(), "b".into()]
                };
                let doubt = RecognitionConfidence {
                    confidence,
                    next: Some(next),
                    is_exempt: false,
                    offered,
                };
                (doubt, f64::from(number * 31 % 100) / 100.0 < confidence)
            })
            .collect();
        let judged: Vec<ScoredInterpretation<'_>> = doubts
            .iter()
            .map(|(doubt, is_correct)| ScoredInterpretation {
                doubt,
                meant: "a",
                is_correct: *is_correct,
            })
            .collect();
        let present = ConfidenceThresholds {
            high: 0.85,
            medium: 0.65,
            minimum: 0.3,
            gap: 0.2,
        };
        let started = std::time::Instant::now();
        let found = ThresholdSearch::new(&judged, present, 0.1).run().unwrap();
        assert!(executed(&judged, found).excess(1000) <= 0);
        assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    }
}

//! The recognizer by examples.

use std::collections::BTreeSet;

use super::calibration::{probabilities, temperature};
use super::dual_coordinate;
use super::features::{FeatureSpace, SparseText, TextFeatures};
use super::kernel_ridge::{self, DualSolution, Examples, add};
use super::portable::number;
use super::training_set::TrainingSet;
use fsmsim_core::machine::{Stems, is_russian};

/// The penalty of an average example with weight 1.
const RIDGE: f64 = 0.3;
/// The maximum number of examples for the solution in closed form. Its cost is cubic.
const MAX_CLOSED_FORM: usize = 1000;
/// The maximum number of examples by which the confidence is calibrated.
const MAX_CALIBRATED: usize = 1000;
/// A feature of more examples has one sum per class instead of one value per example.
const MAX_POSTINGS: usize = 8;
/// The factor for intents that the state does not handle.
const ELSEWHERE: f64 = 0.5;

/// Recognizes the class of a text by examples. The same text and examples have the same result on every machine.
#[derive(Debug)]
pub struct Recognizer {
    classes: Vec<Box<str>>,
    examples: Vec<LearnedExample>,
    space: FeatureSpace,
    /// The contribution of each feature to the scores.
    contributions: Vec<Contribution>,
    solution: DualSolution,
    temperature: f64,
}

#[derive(Debug)]
struct LearnedExample {
    text: Box<str>,
    class: usize,
    is_own: bool,
    vector: SparseText,
}

/// The contribution of a feature to the scores of all classes.
#[derive(Clone, Debug)]
enum Contribution {
    /// The few examples that have the feature, with their values.
    Examples(Vec<(usize, f32)>),
    /// The coefficients of all examples that have the feature, added up.
    Sum(Vec<f64>),
}

/// The interpretation of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognition<'r> {
    /// All classes, most probable first.
    pub classes: Vec<ScoredClass<'r>>,
    /// The highest score, whatever the class: 1 for a typical example. Low if the text is unlike all examples.
    pub score: f64,
    /// The most similar example of the most probable class, if it has any similarity.
    pub closest: Option<&'r str>,
}

/// A class with its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredClass<'r> {
    pub name: &'r str,
    pub probability: f64,
}

/// An example of the model, as recognized by all other examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOutExample<'r> {
    pub text: &'r str,
    /// The class of the example.
    pub class: &'r str,
    /// The most probable class.
    pub read_as: &'r str,
    /// The score of that class minus the score of the class of the example. Unlike a probability, it does not depend on
    /// the number of classes.
    pub margin: f64,
}

impl Recognizer {
    /// The minimum score of an interpretation, unless the model sets another one.
    pub const NONE_BELOW: f64 = 0.1;

    pub fn new(set: &TrainingSet<'_>) -> Self {
        let stems = Stems::default();
        let mut features = Vec::new();
        let mut weights = Vec::new();
        let mut examples = Vec::new();
        for (class, known) in set.classes.iter().enumerate() {
            for example in &known.examples {
                features.push(TextFeatures::of(&example.text, &stems));
                weights.push(example.weight);
                examples.push(LearnedExample {
                    text: example.text.as_ref().into(),
                    class,
                    is_own: example.is_own(),
                    vector: SparseText::default(),
                });
            }
        }
        let space = FeatureSpace::of(&features);
        for (example, features) in examples.iter_mut().zip(features) {
            example.vector = space.vector(&features);
        }
        let owners: Vec<usize> = examples.iter().map(|example| example.class).collect();
        let vectors: Vec<SparseText> = examples
            .iter()
            .map(|example| example.vector.clone())
            .collect();
        let known = Examples {
            vectors: &vectors,
            features: space.len(),
            owners: &owners,
            classes: set.classes.len(),
            penalties: &penalties(&weights, &owners, set.classes.len()),
        };
        let solution = if vectors.len() <= MAX_CLOSED_FORM {
            kernel_ridge::solve(known)
        } else {
            dual_coordinate::solve(known)
        };
        let mut recognizer = Self {
            classes: set.classes.iter().map(|class| class.name.into()).collect(),
            contributions: contributions(known, &solution),
            examples,
            space,
            solution,
            temperature: 0.0,
        };
        recognizer.temperature = recognizer.measured_temperature();
        recognizer
    }

    /// Interprets a text.
    pub fn read(&self, say: &str) -> Recognition<'_> {
        self.read_in(say, &[])
    }

    /// Interprets a text in a state that handles the classes `here`. The probability of other classes is halved. Equal
    /// classes have the order of `here`.
    pub fn read_in(&self, say: &str, here: &[&str]) -> Recognition<'_> {
        let vector = self.space.vector(&TextFeatures::of(say, &Stems::default()));
        let scores = self.scores(&vector);
        let mut shares = probabilities(&scores, self.temperature);
        let place = |class: &str| here.iter().position(|name| *name == class);
        if !here.is_empty() {
            for (share, class) in shares.iter_mut().zip(&self.classes) {
                *share *= place(class).map_or(ELSEWHERE, |_| 1.0);
            }
            let sum: f64 = shares.iter().sum();
            for share in &mut shares {
                *share /= sum;
            }
        }
        let names = self.classes.iter();
        let mut classes: Vec<ScoredClass<'_>> = names
            .zip(shares)
            .map(|(name, probability)| ScoredClass { name, probability })
            .collect();
        // Rounding errors must not decide between classes with the same examples.
        let rank = |class: &ScoredClass<'_>| (class.probability * 1e9).round();
        let last = here.len();
        classes.sort_by(|one, other| {
            let places = || {
                let [one, other] = [one, other].map(|class| place(class.name).unwrap_or(last));
                one.cmp(&other)
            };
            rank(other).total_cmp(&rank(one)).then_with(places)
        });
        let best = classes.first().map(|class| class.name);
        Recognition {
            closest: best.and_then(|best| self.closest(&vector, best)),
            score: scores.iter().copied().fold(0.0, f64::max),
            classes,
        }
    }

    /// Each example of the model, as recognized without it.
    pub fn leave_one_out(&self) -> Vec<LeftOutExample<'_>> {
        let own = self.examples.iter().enumerate();
        own.filter(|(_, example)| example.is_own)
            .filter_map(|(at, example)| {
                let scores = self.scores_without(at);
                let own = scores.get(example.class).copied()?;
                let scores = self.classes.iter().zip(scores);
                let (read_as, score) =
                    scores.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
                Some(LeftOutExample {
                    text: &example.text,
                    class: self.classes.get(example.class)?,
                    read_as,
                    margin: score - own,
                })
            })
            .collect()
    }

    /// The score of each class.
    fn scores(&self, vector: &SparseText) -> Vec<f64> {
        let mut scores = vec![0.0; self.classes.len()];
        for (feature, value) in &vector.0 {
            let value = f64::from(*value);
            match self.contributions.get(*feature as usize) {
                Some(Contribution::Examples(examples)) => {
                    for (example, factor) in examples {
                        if let Some(row) = self.solution.coefficients.get(*example) {
                            add(&mut scores, value * f64::from(*factor), row);
                        }
                    }
                }
                Some(Contribution::Sum(sum)) => add(&mut scores, value, sum),
                None => {}
            }
        }
        scores
    }

    /// The scores of an example that is not learned.
    fn scores_without(&self, example: usize) -> Vec<f64> {
        let owner = self.examples.get(example).map(|example| example.class);
        let diagonal = self.solution.diagonal.get(example).copied();
        let row = self
            .solution
            .coefficients
            .get(example)
            .into_iter()
            .flatten();
        row.enumerate()
            .map(|(class, coefficient)| {
                let target = if owner == Some(class) { 1.0 } else { 0.0 };
                target - coefficient / diagonal.unwrap_or(1.0)
            })
            .collect()
    }

    /// The most similar example of a class. Other texts must be twice as similar as an example of the model.
    fn closest(&self, vector: &SparseText, class: &str) -> Option<&str> {
        let class = self.classes.iter().position(|name| **name == *class)?;
        let mut values = vec![0.0_f32; self.space.len()];
        for (feature, value) in &vector.0 {
            if let Some(cell) = values.get_mut(*feature as usize) {
                *cell = *value;
            }
        }
        let similarity = |example: &LearnedExample| -> f64 {
            let common = example.vector.0.iter().filter_map(|(feature, value)| {
                let other = values.get(*feature as usize)?;
                Some(f64::from(*value) * f64::from(*other))
            });
            common.sum()
        };
        let members = self.examples.iter().filter(|one| one.class == class);
        let similar = members.map(|example| {
            let preference = if example.is_own { 1.0 } else { 0.5 };
            (example, preference * similarity(example))
        });
        let (example, _) = similar
            .filter(|(_, similarity)| *similarity > 0.0)
            .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        Some(&example.text)
    }

    /// The temperature that fits the examples of the model, each recognized without it.
    ///
    /// Without one of few examples, a class is recognized less often than it will be. So the temperature is lower, by
    /// a third of the part of the examples that is missing: one of four examples lowers it by one twelfth.
    fn measured_temperature(&self) -> f64 {
        let own: Vec<usize> = (0..self.examples.len())
            .filter(|at| self.examples.get(*at).is_some_and(|one| one.is_own))
            .collect();
        let step = own.len().div_ceil(MAX_CALIBRATED).max(1);
        let measured: Vec<(Vec<f64>, usize)> = own
            .iter()
            .step_by(step)
            .filter_map(|at| Some((self.scores_without(*at), self.examples.get(*at)?.class)))
            .collect();
        let groups: BTreeSet<(usize, bool)> = own
            .iter()
            .filter_map(|at| self.examples.get(*at))
            .map(|example| (example.class, is_russian(&example.text)))
            .collect();
        let missing = if own.is_empty() {
            0.0
        } else {
            number(groups.len()) / number(own.len())
        };
        temperature(&measured) * (1.0 - missing / 3.0)
    }
}

/// The penalties of the examples: low for high weights, and for classes with few examples.
fn penalties(weights: &[f64], owners: &[usize], classes: usize) -> Vec<f64> {
    let mut sums = vec![0.0; classes];
    for (weight, owner) in weights.iter().zip(owners) {
        if let Some(sum) = sums.get_mut(*owner) {
            *sum += weight;
        }
    }
    let used = sums.iter().filter(|sum| **sum > 0.0).count();
    let mean = sums.iter().sum::<f64>() / number(used).max(1.0);
    let pairs = weights.iter().zip(owners);
    pairs
        .map(|(weight, owner)| {
            let share = sums.get(*owner).copied().unwrap_or(mean);
            RIDGE * share / (weight * mean)
        })
        .collect()
}

/// The contribution of each feature. Its sums need no more than a few megabytes, because few features are common.
fn contributions(examples: Examples<'_>, solution: &DualSolution) -> Vec<Contribution> {
    let mut all = vec![Contribution::Examples(Vec::new()); examples.features];
    for (example, vector) in examples.vectors.iter().enumerate() {
        for (feature, value) in &vector.0 {
            if let Some(contribution) = all.get_mut(*feature as usize) {
                contribution.add_example(example, *value, solution, examples.classes);
            }
        }
    }
    all
}

impl Contribution {
    fn add_example(&mut self, example: usize, value: f32, solution: &DualSolution, classes: usize) {
        let row = |example: usize| {
            solution
                .coefficients
                .get(example)
                .map_or(&[][..], Vec::as_slice)
        };
        match self {
            Self::Examples(examples) if examples.len() < MAX_POSTINGS => {
                examples.push((example, value));
            }
            Self::Examples(examples) => {
                let mut sum = vec![0.0; classes];
                for (earlier, factor) in examples.iter() {
                    add(&mut sum, f64::from(*factor), row(*earlier));
                }
                add(&mut sum, f64::from(value), row(example));
                *self = Self::Sum(sum);
            }
            Self::Sum(sum) => add(sum, f64::from(value), row(example)),
        }
    }
}

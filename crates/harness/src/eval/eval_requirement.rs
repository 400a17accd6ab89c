//! Required quality of recognition.

use std::str::FromStr;

use strum::{IntoStaticStr, VariantArray};

use super::dataset::DatasetUtterance;
use super::measures::{GroupScore, MeasureOptions, ReadingMeasures};
use super::utterance_result::{UtteranceReading, UtteranceResult};
use crate::coverage::{RequiredShare, named_value};
use crate::statistics::Proportion;
use fsmsim_syntax::diagnostic::nearest;

/// A required percentage: `accuracy=85%`, for one intent `price_question:recall=90%`, for one state, language or tag
/// `ru:accuracy=80%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalRequirement {
    /// The intent, state, language or tag; `None` for all utterances.
    pub of: Option<String>,
    /// The required measure.
    pub measure: RequiredMeasure,
    /// The required value, in percent.
    pub percent: u32,
}

/// A measure that a requirement can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum RequiredMeasure {
    /// The proportion of utterances with the correct intent.
    Accuracy,
    /// The mean F1 of all intents, or the F1 of one intent.
    F1,
    /// The mean F1 of the intents, weighted by how many utterances are labeled with each.
    WeightedF1,
    /// The proportion of correct utterances among those recognized as a certain intent.
    Precision,
    /// The proportion of correct utterances among those labeled with a certain intent.
    Recall,
    /// The proportion of utterances recognized as any intent.
    Predicted,
    /// The proportion of correct slot values.
    Slots,
    /// The proportion of utterances with all slot values correct and none spurious.
    SlotsExact,
}

impl RequiredMeasure {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl EvalRequirement {
    /// Checks the requirement against the labels, before calling any recognizer.
    pub fn check_labels(&self, utterances: &[DatasetUtterance]) -> Result<(), String> {
        let unread = |utterance| UtteranceResult::new(utterance, vec![UtteranceReading::default()]);
        let unread: Vec<UtteranceResult> = utterances.iter().map(unread).collect();
        let options = MeasureOptions {
            thresholds: None,
            none_below: 0.0,
            doubts: &[],
            max_incorrect: 0.0,
            seed: 0,
        };
        self.check(&ReadingMeasures::of(&unread, 0, &options), &unread)
            .map(drop)
    }

    /// The measured value, and whether it meets the requirement. If nothing can be measured, the requirement is not
    /// met.
    pub fn check(
        &self,
        measures: &ReadingMeasures,
        utterances: &[UtteranceResult],
    ) -> Result<(Option<f64>, bool), String> {
        let share = |found: &Proportion| match found.whole {
            0 => (None, false),
            _ => (Some(found.share), found.is_at_least(self.percent)),
        };
        let number = |found: f64| (Some(found), found * 100.0 + 1e-9 >= f64::from(self.percent));
        let slots = || {
            measures
                .slots
                .as_ref()
                .ok_or("no utterance is labeled with slots")
        };
        let Some(name) = &self.of else {
            return Ok(match self.measure {
                RequiredMeasure::Accuracy => share(&measures.accuracy),
                RequiredMeasure::F1 => number(measures.macro_f1),
                RequiredMeasure::WeightedF1 => number(measures.weighted_f1),
                RequiredMeasure::Predicted => share(&measures.predicted),
                RequiredMeasure::Slots => share(&slots()?.correct),
                RequiredMeasure::SlotsExact => share(&slots()?.exact),
                RequiredMeasure::Precision | RequiredMeasure::Recall => {
                    return Err(format!(
                        "`{}` is measured per intent: write INTENT:{0}=PERCENT",
                        self.measure.name()
                    ));
                }
            });
        };
        if self.measure == RequiredMeasure::Accuracy {
            // Includes groups that tables omit because they are the only group of their kind.
            let groups = GroupScore::all(utterances, 0);
            let group = groups
                .iter()
                .find(|group| group.name == *name)
                .ok_or_else(|| {
                    let near = similar(name, groups.iter().map(|group| &*group.name));
                    format!("unknown state, language or tag `{name}`{near}")
                })?;
            return Ok(share(&group.accuracy));
        }
        let mut intents = measures.intents.iter();
        let score = intents
            .find(|score| score.intent == *name && score.support > 0)
            .ok_or_else(|| {
                let known = measures.intents.iter().map(|score| &*score.intent);
                format!(
                    "no utterance is labeled with the intent `{name}`{}",
                    similar(name, known)
                )
            })?;
        match self.measure {
            RequiredMeasure::F1 => Ok(number(score.f1)),
            RequiredMeasure::Precision => {
                Ok(share(&Proportion::of(score.correct, score.predicted)))
            }
            RequiredMeasure::Recall => Ok(share(&Proportion::of(score.correct, score.support))),
            _ => Err(format!(
                "`{}` is measured over all utterances: write {0}=PERCENT",
                self.measure.name()
            )),
        }
    }
}

fn similar<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> String {
    nearest(name, known).map_or(String::new(), |near| {
        format!("; a similar name exists: `{near}`")
    })
}

impl std::fmt::Display for EvalRequirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(name) = &self.of {
            write!(f, "{name}:")?;
        }
        write!(f, "{}={}%", self.measure.name(), self.percent)
    }
}

impl FromStr for EvalRequirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let required = RequiredShare::split(text, "accuracy=85%")?;
        Ok(Self {
            of: required.of.map(str::to_owned),
            measure: named_value("measure", required.kind, required.kind)?,
            percent: required.percent()?,
        })
    }
}

//! Groups failures of several scenarios by cause.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::super::difference::words;
use super::reported_failure::{FailedAgainst, ReportedFailure};
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use crate::limits::MAX_VALUE_LENGTH;
use fsmsim_harness::diff::{CauseKey, KnownCause, KnownEdit};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::{Joined, shortened};

/// Fields that influence other fields. The first field here that differs describes the change of a turn.
const DECISIVE_FIELDS: [&str; 5] = ["state", "action", "phase", "class", "contract_class"];

/// The words between the edits in the title of a cause.
const TOGETHER: &str = " together with ";

/// The cause of failed scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedCause {
    /// A short ID that is stable between runs.
    pub id: String,
    pub kind: ReportedCauseKind,
    /// The cause in one line.
    pub title: String,
    /// The current location, or the rule that decides now.
    pub at: Option<ReportedPlace>,
    /// The previous location, or the rule that decided before.
    pub was_at: Option<ReportedPlace>,
    /// The IDs of the scenarios, in the order of the report. The first one is the example.
    pub scenarios: Vec<String>,
    /// The changes, sorted and without duplicates.
    pub changes: Vec<String>,
    /// The edited lines: `- ` marks removed lines, `+ ` marks added ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edit: Vec<String>,
    /// The titles of other causes that also affect some of these scenarios.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_causes: Vec<String>,
}

/// The kind of a cause.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportedCauseKind {
    /// An edited rule, or another edited part of a model.
    Edited,
    /// A new rule.
    Added,
    /// Switches of the profile.
    Switch,
    /// The same change of the same fields by the same rule; the reason is unknown.
    #[default]
    Change,
    /// There is no snapshot yet.
    New,
    /// An expected failure did not occur.
    UnexpectedPass,
    /// The input is invalid.
    Invalid,
    /// A service was unavailable.
    Unavailable,
    /// The result is inconclusive.
    Inconclusive,
}

impl ReportedCauseKind {
    /// Whether the cause is a change of a model.
    pub fn is_of_model(self) -> bool {
        matches!(self, Self::Edited | Self::Added | Self::Switch)
    }
}

impl ReportedCause {
    /// A cause without scenarios; `key` distinguishes it from other causes of its kind.
    pub fn new(kind: ReportedCauseKind, title: String, key: &str) -> Self {
        let name: &str = kind.into();
        let hash = xxh3_64(format!("{name}\n{key}").as_bytes());
        Self {
            // 32 bits are enough to distinguish a few hundred causes.
            id: format!("{:08x}", hash >> 32),
            kind,
            title,
            ..Self::default()
        }
    }

    /// The previous and the current deciding rule, unless the title contains them.
    pub fn decided(&self) -> Option<String> {
        match (&self.was_at, &self.at) {
            (Some(was), Some(now)) if was != now => Some(format!("{was} -> {now}")),
            (was, now) => {
                let place = now.as_ref().or(was.as_ref())?.to_string();
                (!self.title.contains(&place)).then_some(place)
            }
        }
    }

    /// The causes of a failed scenario, found by comparison with a previous model, the main cause first. Locations in that
    /// model start with `former`; `from_root` converts command-line paths to relative paths.
    pub fn known(
        known: &KnownCause,
        scenario: &ReportedScenario,
        former: &str,
        from_root: &dyn Fn(&str) -> String,
    ) -> Vec<Self> {
        let place =
            |text: &str| ReportedPlace::read(text.strip_prefix(former).unwrap_or(text), from_root);
        let Some(main) = Self::of_key(&known.key, &place) else {
            return Vec::new();
        };
        let more = known.more_causes.iter();
        let mut causes = vec![main];
        causes.extend(more.filter_map(|key| Self::of_key(key, &place)));
        let titles: Vec<String> = causes.iter().map(|cause| cause.title.clone()).collect();
        let change = Self::of(scenario).map(|cause| cause.title);
        if let Some(main) = causes.first_mut() {
            main.changes.extend(change);
        }
        for (number, cause) in causes.iter_mut().enumerate() {
            cause.scenarios.push(scenario.id.clone());
            let others = titles.iter().enumerate().filter(|(at, _)| *at != number);
            cause.more_causes = others.map(|(_, title)| title.clone()).collect();
        }
        causes
    }

    /// The cause with this key, without scenarios; `None` for a decision, which the result describes better.
    fn of_key(key: &CauseKey, place: &dyn Fn(&str) -> ReportedPlace) -> Option<Self> {
        let edits = key.edits();
        let sides = |edit: &KnownEdit| [&edit.now, &edit.was].map(|at| at.as_deref().map(place));
        let cause = match key {
            CauseKey::Decided(_) => return None,
            CauseKey::Switches { names, .. } => Self::new(
                ReportedCauseKind::Switch,
                words::cause(key),
                &names.join("\n"),
            ),
            CauseKey::Edits(_) => {
                let places: Vec<_> = edits.iter().map(sides).collect();
                let titles = edits.iter().zip(&places).map(|(edit, [now, was])| {
                    let is_removed = edit.lines.b.is_empty();
                    let now = now.as_ref().filter(|_| !is_removed || was.is_none());
                    let shown = now.or(was.as_ref()).cloned().unwrap_or_default();
                    words::edit(edit, &shown.to_string())
                });
                let title = titles.joined(TOGETHER);
                let text = |at: &Option<ReportedPlace>| {
                    at.as_ref().map(ToString::to_string).unwrap_or_default()
                };
                let key = places
                    .iter()
                    .map(|[now, was]| format!("{}\n{}", text(now), text(was)))
                    .joined("\n");
                let is_new = edits.iter().all(|edit| edit.was.is_none());
                let [at, was_at] = places.into_iter().next().unwrap_or_default();
                let kind = if is_new {
                    ReportedCauseKind::Added
                } else {
                    ReportedCauseKind::Edited
                };
                Self::new(kind, title, &key).placed(at, was_at)
            }
        };
        Some(Self {
            edit: words::edited_lines(edits),
            ..cause
        })
    }

    /// The cause with a prefix of the paths of its edits: empty, or a folder with `/` at its end.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        let place = |at: &Option<ReportedPlace>| at.as_ref().map(|at| at.below(folder));
        let title = |title: &String| {
            let parts = title.split(TOGETHER).map(|part| {
                let mut words = part.splitn(3, ' ');
                match [words.next(), words.next(), words.next()] {
                    [
                        Some(what @ ("new" | "removed" | "edited")),
                        Some(kind @ ("rule" | "line")),
                        Some(rest),
                    ] => {
                        let rest = ReportedPlace::from(rest.to_owned()).below(folder);
                        format!("{what} {kind} {rest}")
                    }
                    _ => part.to_owned(),
                }
            });
            parts.joined(TOGETHER)
        };
        Self {
            title: if self.kind.is_of_model() {
                title(&self.title)
            } else {
                self.title.clone()
            },
            at: place(&self.at),
            was_at: place(&self.was_at),
            more_causes: self.more_causes.iter().map(title).collect(),
            ..self.clone()
        }
    }

    /// The cause with its current and previous locations.
    pub fn placed(mut self, at: Option<ReportedPlace>, was_at: Option<ReportedPlace>) -> Self {
        self.at = at;
        self.was_at = was_at;
        self
    }

    /// The cause of a scenario from its result alone; `None` if it passed.
    pub fn of(scenario: &ReportedScenario) -> Option<Self> {
        use ReportedCauseKind::{Inconclusive, Invalid, Unavailable, UnexpectedPass};
        let reason = scenario.reason.as_deref().unwrap_or_default();
        let by_reason =
            |kind, title: &str| Self::new(kind, shortened(title, MAX_VALUE_LENGTH), title);
        let cause = match scenario.verdict {
            ScenarioVerdict::Passed
            | ScenarioVerdict::ExpectedFailure
            | ScenarioVerdict::Skipped => return None,
            ScenarioVerdict::Invalid => by_reason(Invalid, reason),
            ScenarioVerdict::Inconclusive => by_reason(Inconclusive, reason),
            // The turn number is not part of the cause.
            ScenarioVerdict::Unavailable => {
                let split = reason
                    .strip_prefix("turn ")
                    .and_then(|rest| rest.split_once(": "));
                by_reason(Unavailable, split.map_or(reason, |(_, why)| why))
            }
            ScenarioVerdict::UnexpectedPass => {
                let pass = scenario
                    .failures
                    .iter()
                    .find(|failure| failure.against == FailedAgainst::ExpectedFailure);
                let why = pass
                    .and_then(|failure| failure.expected.as_deref())
                    .unwrap_or_default();
                let why = why.strip_prefix("a failure: ").unwrap_or(why);
                by_reason(
                    UnexpectedPass,
                    &format!("the expected failure did not occur: {why}"),
                )
            }
            ScenarioVerdict::Failed => Self::from_failures(scenario),
        };
        Some(Self {
            scenarios: vec![scenario.id.clone()],
            ..cause
        })
    }

    /// The cause that the first change of a failed scenario describes.
    fn from_failures(scenario: &ReportedScenario) -> Self {
        let counts = |failure: &&ReportedFailure| failure.known.is_none();
        let failures: Vec<&ReportedFailure> = scenario.failures.iter().filter(counts).collect();
        let first = failures
            .iter()
            .map(|failure| failure.turn.unwrap_or(u32::MAX))
            .min();
        let in_first = || {
            failures
                .iter()
                .filter(|failure| Some(failure.turn.unwrap_or(u32::MAX)) == first)
        };
        let main_failure = DECISIVE_FIELDS
            .iter()
            .find_map(|field| in_first().find(|failure| failure.name() == *field));
        let Some(failure) = main_failure.or_else(|| in_first().next()) else {
            return Self::new(ReportedCauseKind::Change, "failed".to_owned(), "");
        };
        if failure.against == FailedAgainst::Snapshot && failure.turn.is_none() {
            let title = "no snapshot and no expectations";
            return Self::new(ReportedCauseKind::New, title.to_owned(), "");
        }
        let at = failure.by.as_ref().and_then(|by| by.at.clone());
        let shown = |place: &Option<ReportedPlace>| {
            place.as_ref().map(ToString::to_string).unwrap_or_default()
        };
        let model = scenario.model.as_deref().unwrap_or_default();
        let values = [failure.expected.as_deref(), failure.actual.as_deref()];
        let title_of =
            |failure: &ReportedFailure| change(&failure.field, failure.sides(), MAX_VALUE_LENGTH);
        let key = [
            model,
            &shown(&at),
            &shown(&failure.was_by),
            &change(&failure.field, values, usize::MAX),
        ]
        .join("\n");
        let mut cause = Self::new(ReportedCauseKind::Change, title_of(failure), &key);
        cause.changes = in_first().map(|failure| title_of(failure)).collect();
        cause.placed(at, failure.was_by.clone())
    }

    /// Merges equal causes, and adds the causes of the other scenarios. Causes with the most scenarios come first.
    pub fn gathered(known: Vec<Self>, scenarios: &[ReportedScenario]) -> Vec<Self> {
        let mut causes: BTreeMap<String, Self> = BTreeMap::new();
        let mut of_scenario: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for cause in known {
            for scenario in &cause.scenarios {
                of_scenario
                    .entry(scenario.clone())
                    .or_default()
                    .push(cause.id.clone());
            }
            let same = causes
                .entry(cause.id.clone())
                .or_insert_with(|| cause.clone());
            same.scenarios.clear();
            same.changes.extend(cause.changes);
            same.more_causes.extend(cause.more_causes);
        }
        // Scenarios without a known cause come in report order, so that the first one is the example.
        for scenario in scenarios {
            let ids = of_scenario.remove(&scenario.id).unwrap_or_else(|| {
                let Some(cause) = Self::of(scenario) else {
                    return Vec::new();
                };
                let id = cause.id.clone();
                let same = causes.entry(id.clone()).or_insert_with(|| cause.clone());
                same.changes.extend(cause.changes);
                vec![id]
            });
            for id in ids {
                if let Some(cause) = causes.get_mut(&id)
                    && cause.scenarios.last() != Some(&scenario.id)
                {
                    cause.scenarios.push(scenario.id.clone());
                }
            }
        }
        let mut causes: Vec<Self> = causes
            .into_values()
            .filter(|cause| !cause.scenarios.is_empty())
            .collect();
        for cause in &mut causes {
            cause.scenarios.dedup();
            for list in [&mut cause.changes, &mut cause.more_causes] {
                list.sort();
                list.dedup();
            }
        }
        causes.sort_by_cached_key(|cause| {
            let at = cause.at.clone();
            let title = cause.title.clone();
            let id = cause.id.clone();
            // A cause without changes is not the main cause of any scenario.
            let is_minor = cause.changes.is_empty();
            (
                Reverse(cause.scenarios.len()),
                is_minor,
                cause.kind,
                at,
                title,
                id,
            )
        });
        causes
    }
}

/// An expected and an actual value as text.
fn change(field: &str, values: [Option<&str>; 2], longest: usize) -> String {
    let [expected, actual] = values.map(|value| shortened(value.unwrap_or("nothing"), longest));
    format!("{field}: expected {expected}, got {actual}")
}

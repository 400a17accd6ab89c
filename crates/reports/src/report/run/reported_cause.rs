//! What several scenarios fell short by, told once.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::super::difference::words;
use super::reported_failure::{FailedAgainst, ReportedFailure};
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use crate::limits::{MAX_EDITED_LINES, MAX_VALUE_LENGTH};
use fsmsim_harness::diff::{CauseKey, KnownCause, KnownEdit};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::shortened;

/// Fields of which one makes the others differ: the first one that differs tells what a turn does otherwise.
const TELLING: [&str; 5] = ["state", "action", "phase", "class", "contract_class"];

/// What scenarios that are not well are put down to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedCause {
    /// A short name that stays the same from run to run.
    pub id: String,
    /// What kind of cause it is.
    pub kind: ReportedCauseKind,
    /// What it is, one line.
    pub title: String,
    /// Where it is written now, or the rule that decides now.
    pub at: Option<ReportedPlace>,
    /// Where it was written, or the rule that decided.
    pub was_at: Option<ReportedPlace>,
    /// The addresses of the scenarios, in the order of the report. The first one is the example.
    pub scenarios: Vec<String>,
    /// What changes, each once, in alphabetical order.
    pub changes: Vec<String>,
    /// The lines that were edited: `- ` before what was there, `+ ` before what is there now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edit: Vec<String>,
    /// The titles of other causes that have a part in what some of its scenarios do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub besides: Vec<String>,
}

/// What kind of cause it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportedCauseKind {
    /// A rule or something else in a model that was edited.
    Edited,
    /// A rule that is new.
    Added,
    /// Switches of the profile.
    Switch,
    /// The same fields changed in the same way by the same rule; nothing more is known.
    Change,
    /// There is no snapshot yet.
    New,
    /// What was expected to fail does not.
    Stale,
    /// The input cannot be used.
    Unusable,
    /// The outside was not there.
    Unavailable,
    /// Nothing came of it.
    Inconclusive,
}

impl ReportedCauseKind {
    /// Whether it is something in a model that is not as it was.
    pub fn is_of_model(self) -> bool {
        matches!(self, Self::Edited | Self::Added | Self::Switch)
    }

    /// Whether it says nothing of what was tested: the scenarios did not come so far.
    pub fn is_of_input(self) -> bool {
        matches!(
            self,
            Self::Unusable | Self::Unavailable | Self::Inconclusive
        )
    }
}

impl ReportedCause {
    /// A cause without scenarios yet; `key` is what makes it another one than others of its kind.
    pub fn new(kind: ReportedCauseKind, title: String, key: &str) -> Self {
        let name: &str = kind.into();
        let hash = xxh3_64(format!("{name}\n{key}").as_bytes());
        Self {
            // 32 bits keep a few hundred causes apart.
            id: format!("{:08x}", hash >> 32),
            kind,
            title,
            at: None,
            was_at: None,
            scenarios: Vec::new(),
            changes: Vec::new(),
            edit: Vec::new(),
            besides: Vec::new(),
        }
    }

    /// The rule that decides, and before it the one that decided, where those are not in the title.
    pub fn decided(&self) -> Option<String> {
        match (&self.was_at, &self.at) {
            (Some(was), Some(now)) if was != now => Some(format!("{was} -> {now}")),
            (was, now) => {
                let place = now.as_ref().or(was.as_ref())?.to_string();
                (!self.title.contains(&place)).then_some(place)
            }
        }
    }

    /// What a scenario that fell short is put down to, where a former model is known. Places in that begin with `former`;
    /// `from_root` makes paths as people gave them paths from the project.
    pub fn known(
        known: &KnownCause,
        scenario: &ReportedScenario,
        former: &str,
        from_root: &dyn Fn(&str) -> String,
    ) -> Option<Self> {
        let place =
            |text: &str| ReportedPlace::read(text.strip_prefix(former).unwrap_or(text), from_root);
        let edit = known.edit.as_ref();
        let cause = match (&known.key, edit) {
            (CauseKey::Decided(_), _) => return None,
            (CauseKey::Switches { names, .. }, _) => Self::new(
                ReportedCauseKind::Switch,
                words::cause(&known.key),
                &names.join("\n"),
            ),
            (
                CauseKey::Rule {
                    place: written,
                    mixin,
                    added,
                },
                None,
            ) => {
                let (written, added) = (place(written), *added);
                let title = rule_title(
                    if added { "new rule" } else { "edited rule" },
                    &written,
                    mixin.as_deref(),
                );
                let (at, was_at) = if added {
                    (Some(written), None)
                } else {
                    (None, Some(written))
                };
                Self::new(kind(added), title.clone(), &title).placed(at, was_at)
            }
            // One edit is one cause, by whichever of its lines it is called.
            (
                CauseKey::Rule { .. },
                Some(KnownEdit {
                    now,
                    was,
                    mixin,
                    is_of_rule,
                    lines,
                }),
            ) => {
                let (now, was) = (place(now), was.as_deref().map(place));
                let what = match (was.is_none(), lines.b.is_empty(), is_of_rule) {
                    (true, _, true) => "new rule",
                    (true, _, false) => "new line",
                    (_, true, true) => "removed rule",
                    (_, true, false) => "removed line",
                    (.., true) => "edited rule",
                    (.., false) => "edited line",
                };
                let shown = if lines.b.is_empty() {
                    was.as_ref().unwrap_or(&now)
                } else {
                    &now
                };
                let title = rule_title(what, shown, mixin.as_deref());
                let key = format!(
                    "{now}\n{}",
                    was.as_ref().map(ToString::to_string).unwrap_or_default()
                );
                Self::new(kind(was.is_none()), title, &key).placed(Some(now), was)
            }
        };
        let line = |sign: &str, lines: &[String]| -> Vec<String> {
            let shown = lines
                .iter()
                .take(MAX_EDITED_LINES)
                .map(|line| format!("{sign} {}", shortened(line, MAX_VALUE_LENGTH)));
            let more = lines.len().saturating_sub(MAX_EDITED_LINES);
            shown
                .chain((more > 0).then(|| format!("{sign} and {more} more lines")))
                .collect()
        };
        let lines = edit.map(|edit| [line("-", &edit.lines.a), line("+", &edit.lines.b)].concat());
        Some(Self {
            scenarios: vec![scenario.id.clone()],
            changes: Self::of(scenario)
                .map(|cause| cause.title)
                .into_iter()
                .collect(),
            edit: lines.unwrap_or_default(),
            besides: known
                .besides
                .iter()
                .map(|key| words::cause(key).replace(former, ""))
                .collect(),
            ..cause
        })
    }

    /// The same, which is written here, and was written there.
    pub fn placed(mut self, at: Option<ReportedPlace>, was_at: Option<ReportedPlace>) -> Self {
        (self.at, self.was_at) = (at, was_at);
        self
    }

    /// What a scenario is put down to, where nothing is known but what it came to; nothing, where it is well.
    pub fn of(scenario: &ReportedScenario) -> Option<Self> {
        use ReportedCauseKind::{Inconclusive, Stale, Unavailable, Unusable};
        let reason = scenario.reason.as_deref().unwrap_or_default();
        let by_reason =
            |kind, title: &str| Self::new(kind, shortened(title, MAX_VALUE_LENGTH), title);
        let cause = match scenario.verdict {
            ScenarioVerdict::Passed
            | ScenarioVerdict::ExpectedFailure
            | ScenarioVerdict::Skipped => return None,
            ScenarioVerdict::Unusable => by_reason(Unusable, reason),
            ScenarioVerdict::Inconclusive => by_reason(Inconclusive, reason),
            // In which turn that was says nothing of why.
            ScenarioVerdict::Unavailable => {
                let told = reason
                    .strip_prefix("turn ")
                    .and_then(|rest| rest.split_once(": "));
                by_reason(Unavailable, told.map_or(reason, |(_, why)| why))
            }
            ScenarioVerdict::Stale => {
                let stale = scenario
                    .failures
                    .iter()
                    .find(|failure| failure.against == FailedAgainst::ExpectedFailure);
                let why = stale
                    .and_then(|failure| failure.expected.as_deref())
                    .unwrap_or_default();
                let why = why.strip_prefix("a failure: ").unwrap_or(why);
                by_reason(Stale, &format!("does not fail, as was expected: {why}"))
            }
            ScenarioVerdict::Failed => Self::of_failures(scenario),
        };
        Some(Self {
            scenarios: vec![scenario.id.clone()],
            ..cause
        })
    }

    /// What a scenario does otherwise, by the first turn in which it does.
    fn of_failures(scenario: &ReportedScenario) -> Self {
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
        let told = TELLING
            .iter()
            .find_map(|field| in_first().find(|failure| failure.field == *field));
        let Some(failure) = told.or_else(|| in_first().next()) else {
            return Self::new(ReportedCauseKind::Change, "it failed".to_owned(), "");
        };
        if failure.against == FailedAgainst::Snapshot && failure.turn.is_none() {
            let title = "there is no snapshot, and nothing is expected";
            return Self::new(ReportedCauseKind::New, title.to_owned(), "");
        }
        let at = failure.by.as_ref().and_then(|by| by.at.clone());
        let shown = |place: &Option<ReportedPlace>| {
            place.as_ref().map(ToString::to_string).unwrap_or_default()
        };
        let model = scenario.model.as_deref().unwrap_or_default();
        let key = [
            model,
            &shown(&at),
            &shown(&failure.was_by),
            &change(failure, usize::MAX),
        ]
        .join("\n");
        let mut cause = Self::new(
            ReportedCauseKind::Change,
            change(failure, MAX_VALUE_LENGTH),
            &key,
        );
        cause.changes = in_first()
            .map(|failure| change(failure, MAX_VALUE_LENGTH))
            .collect();
        cause.placed(at, failure.was_by.clone())
    }

    /// Puts causes together that are the same, and adds those of the scenarios that have none, each in the order in which
    /// reports tell them: those of most scenarios first.
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
            same.besides.extend(cause.besides);
        }
        // Those of which it is not known in the order in which they stand, so that it is the order of the scenarios.
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
            for list in [&mut cause.changes, &mut cause.besides] {
                list.sort();
                list.dedup();
            }
        }
        causes.sort_by_cached_key(|cause| {
            let (at, title, id) = (cause.at.clone(), cause.title.clone(), cause.id.clone());
            (Reverse(cause.scenarios.len()), cause.kind, at, title, id)
        });
        causes
    }
}

/// What an edit is called.
fn rule_title(what: &str, place: &ReportedPlace, mixin: Option<&str>) -> String {
    let of = mixin
        .map(|mixin| format!(" (mixin {mixin})"))
        .unwrap_or_default();
    format!("{what} {place}{of}")
}

fn kind(is_new: bool) -> ReportedCauseKind {
    if is_new {
        ReportedCauseKind::Added
    } else {
        ReportedCauseKind::Edited
    }
}

/// What was not as expected, in words.
fn change(failure: &ReportedFailure, longest: usize) -> String {
    let word = |word: &Option<String>| shortened(word.as_deref().unwrap_or("nothing"), longest);
    format!(
        "{}: expected {}, got {}",
        failure.field,
        word(&failure.expected),
        word(&failure.got)
    )
}

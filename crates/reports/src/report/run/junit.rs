//! A run as JUnit XML, according to the schemas of Jenkins and of pytest (`xunit2`), which GitHub and GitLab can read.

use std::io::{self, Write};

use minijinja::{Value, context};
use quick_xml::escape::escape;

use super::super::template::rendered;
use super::failure_words::{details, reason};
use super::reported_finding::ReportedFinding;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::Joined;

/// The number of test cases by JUnit outcome.
#[derive(Clone, Copy, Default)]
struct Tally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

impl Tally {
    fn of<'r>(scenarios: impl IntoIterator<Item = &'r ReportedScenario>) -> Self {
        scenarios
            .into_iter()
            .fold(Self::default(), |mut tally, scenario| {
                tally.tests += 1;
                match element(scenario.verdict) {
                    Some("failure") => tally.failures += 1,
                    Some("error") => tally.errors += 1,
                    Some(_) => tally.skipped += 1,
                    None => {}
                }
                tally.seconds += scenario.seconds.unwrap_or_default();
                tally
            })
    }

    fn attributes(self) -> String {
        let Self {
            tests,
            failures,
            errors,
            seconds,
            ..
        } = self;
        let time = time(Some(seconds));
        format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" time="{time}""#)
    }
}

/// The JUnit element for a verdict; `None` if the scenario passed. Undecided scenarios are errors.
fn element(verdict: ScenarioVerdict) -> Option<&'static str> {
    match verdict {
        ScenarioVerdict::Passed => None,
        ScenarioVerdict::Failed | ScenarioVerdict::UnexpectedPass => Some("failure"),
        ScenarioVerdict::Invalid | ScenarioVerdict::Unavailable | ScenarioVerdict::Inconclusive => {
            Some("error")
        }
        ScenarioVerdict::Skipped | ScenarioVerdict::ExpectedFailure => Some("skipped"),
    }
}

/// Writes a suite per file, a test case per scenario, and a suite for snapshots that fail the run. Without durations,
/// all times are 0.
pub(super) fn write_junit(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let waiting: Vec<Value> = report
        .waiting()
        .map(|(what, path)| context! { what, path => xml(&report.head.in_repository(path)) })
        .collect();
    let mut all = Tally::of(&report.scenarios);
    all.tests += waiting.len();
    all.failures += waiting.len();
    let suites = report
        .scenarios
        .chunk_by(|one, other| one.file == other.file)
        .map(|scenarios| {
            let tally = Tally::of(scenarios);
            let file = scenarios
                .first()
                .map(|one| report.head.in_repository(&one.file));
            let file = file.unwrap_or_default();
            let cases = scenarios.iter().map(|scenario| case(report, scenario));
            context! {
                file => xml(&file),
                counts => tally.attributes(),
                skipped => tally.skipped,
                properties => properties(scenarios, &file),
                cases => cases.collect::<Value>(),
            }
        });
    let content = context! {
        counts => all.attributes(),
        suites => suites.collect::<Value>(),
        waiting,
    };
    out.write_all(rendered(include_str!("junit.xml"), content)?.as_bytes())
}

/// The properties of a suite: of all its scenarios, and the place of each. The schemas allow no properties of a case.
fn properties(scenarios: &[ReportedScenario], file: &str) -> Vec<Value> {
    let mut properties: Vec<(&str, String)> = Vec::new();
    for scenario in scenarios {
        let model = scenario.model.iter().map(|model| ("model", model));
        let profile = scenario.profile.iter().map(|profile| ("profile", profile));
        let tags = scenario.tags.iter().map(|tag| ("tag", tag));
        let all = model.chain(profile).chain(tags);
        properties.extend(all.map(|(name, value)| (name, legal(value))));
    }
    properties.sort();
    properties.dedup();
    let shared = properties.iter();
    let shared = shared.map(|(name, value)| context! { name => *name, value => xml(value) });
    let places = scenarios.iter().map(|scenario| {
        let name = format!("place of {}", name_of(scenario));
        let place = format!("{file}:{}", scenario.line);
        context! { name => xml(&name), value => xml(&place) }
    });
    shared.chain(places).collect()
}

fn case(report: &RunReport, scenario: &ReportedScenario) -> Value {
    let lines = |lines: &[String]| lines.iter().map(|line| xml(line)).joined("\n");
    context! {
        name => xml(name_of(scenario)),
        time => time(scenario.seconds),
        element => element(scenario.verdict),
        verdict => scenario.verdict.name(),
        message => xml(&reason(scenario)),
        body => lines(&body(report, scenario)),
        output => lines(&output(scenario)),
    }
}

/// The title and the case; without a title, the file.
fn name_of(scenario: &ReportedScenario) -> &str {
    scenario
        .id
        .strip_prefix(&scenario.file)
        .and_then(|rest| rest.strip_prefix("::"))
        .unwrap_or(&scenario.id)
}

/// The details of a failed case.
fn body(report: &RunReport, scenario: &ReportedScenario) -> Vec<String> {
    let mut lines = details(scenario);
    if let Some(ReportedFinding {
        at,
        code,
        notes,
        help,
        ..
    }) = report.finding_of(scenario)
    {
        lines.extend(at.as_ref().map(ToString::to_string));
        lines.push(code.clone());
        lines.extend(notes.iter().chain(help).cloned());
    }
    lines
}

/// The dialogue as output of the case.
fn output(scenario: &ReportedScenario) -> Vec<String> {
    let turns = scenario.conversation();
    if turns.is_empty() {
        return turns;
    }
    let profile = scenario.profile.as_ref();
    let profile = profile.map_or_else(String::new, |profile| format!("@{profile}"));
    let model = scenario.model.as_ref();
    let model = model.map(|model| format!("model: {model}{profile}"));
    let tags = (!scenario.tags.is_empty()).then(|| format!("tags: {}", scenario.tags.join(", ")));
    model.into_iter().chain(tags).chain(turns).collect()
}

/// Seconds with three decimals, as in the schema.
fn time(seconds: Option<f64>) -> String {
    match seconds {
        Some(seconds) if seconds > 0.0 => format!("{seconds:.3}"),
        _ => "0".to_owned(),
    }
}

/// A text on one line without characters that XML does not allow.
fn legal(text: &str) -> String {
    let breaks = |character| matches!(character, '\t' | '\n' | '\r');
    text.chars()
        .map(|character| if breaks(character) { ' ' } else { character })
        .filter(|character| is_legal(*character))
        .collect()
}

/// A text on one line, escaped for XML.
fn xml(text: &str) -> String {
    escape(legal(text)).into_owned()
}

/// Whether XML 1.0 allows a character. Control characters are removed even if it does.
fn is_legal(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

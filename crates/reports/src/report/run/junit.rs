//! A run as test cases of JUnit: by the schema that Jenkins keeps, which GitHub's and GitLab's readers take.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::failure_words::{details, reason};
use super::reported_finding::ReportedFinding;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::Joined;

/// How many there are of each outcome that JUnit knows.
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
                match CaseOutcome::of(scenario.verdict) {
                    CaseOutcome::Passed => {}
                    CaseOutcome::Failure => tally.failures += 1,
                    CaseOutcome::Error => tally.errors += 1,
                    CaseOutcome::Skipped => tally.skipped += 1,
                }
                tally.seconds += scenario.seconds.unwrap_or_default();
                tally
            })
    }

    fn attributes(self) -> [(&'static str, String); 4] {
        let Self {
            tests,
            failures,
            errors,
            seconds,
            ..
        } = self;
        let counts = [("tests", tests), ("failures", failures), ("errors", errors)];
        let [tests, failures, errors] = counts.map(|(name, count)| (name, count.to_string()));
        [tests, failures, errors, ("time", time(Some(seconds)))]
    }
}

/// What JUnit says of a test case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseOutcome {
    Passed,
    Failure,
    Error,
    Skipped,
}

impl CaseOutcome {
    /// Nothing that was not decided is passed.
    fn of(verdict: ScenarioVerdict) -> Self {
        match verdict {
            ScenarioVerdict::Passed => Self::Passed,
            ScenarioVerdict::Failed | ScenarioVerdict::Stale => Self::Failure,
            ScenarioVerdict::Unusable
            | ScenarioVerdict::Unavailable
            | ScenarioVerdict::Inconclusive => Self::Error,
            ScenarioVerdict::Skipped | ScenarioVerdict::ExpectedFailure => Self::Skipped,
        }
    }

    fn element(self) -> Option<&'static str> {
        match self {
            Self::Passed => None,
            Self::Failure => Some("failure"),
            Self::Error => Some("error"),
            Self::Skipped => Some("skipped"),
        }
    }
}

/// Writes a suite for each file and a test case for each scenario. Without durations every time is 0.
pub(super) fn write_junit(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let waiting: Vec<_> = report.waiting().collect();
    let mut all = Tally::of(&report.scenarios);
    all.tests += waiting.len();
    all.failures += waiting.len();
    let mut root = xml
        .create_element("testsuites")
        .with_attribute(("name", "fsmsim"));
    for (name, value) in &all.attributes() {
        root = root.with_attribute((*name, value.as_str()));
    }
    root.write_inner_content(|xml| {
        let suites = report
            .scenarios
            .chunk_by(|one, other| one.file == other.file);
        suites
            .into_iter()
            .try_for_each(|scenarios| write_suite(report, scenarios, xml))?;
        if waiting.is_empty() {
            Ok(())
        } else {
            write_waiting(&waiting, xml)
        }
    })?;
    writeln!(xml.get_mut())
}

fn write_suite<W: Write>(
    report: &RunReport,
    scenarios: &[ReportedScenario],
    xml: &mut Writer<W>,
) -> io::Result<()> {
    let file = scenarios
        .first()
        .map(|scenario| legal(&scenario.file))
        .unwrap_or_default();
    let tally = Tally::of(scenarios);
    let mut suite = xml
        .create_element("testsuite")
        .with_attribute(("name", &*file));
    for (name, value) in &tally.attributes() {
        suite = suite.with_attribute((*name, value.as_str()));
    }
    let skipped = tally.skipped.to_string();
    let suite = suite
        .with_attribute(("skipped", &*skipped))
        .with_attribute(("file", &*file));
    suite.write_inner_content(|xml| {
        write_properties(scenarios, xml)?;
        scenarios
            .iter()
            .try_for_each(|scenario| write_case(report, scenario, xml))
    })?;
    Ok(())
}

/// What all cases of a suite are about. Cases have no properties in JUnit, and tell their own in their output.
fn write_properties<W: Write>(
    scenarios: &[ReportedScenario],
    xml: &mut Writer<W>,
) -> io::Result<()> {
    let mut properties: Vec<(&str, String)> = Vec::new();
    for scenario in scenarios {
        let of_model = [
            ("model", scenario.model.as_deref()),
            ("profile", scenario.profile.as_deref()),
        ];
        let of_model = of_model
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        let tags = scenario.tags.iter().map(|tag| ("tag", tag.as_str()));
        properties.extend(
            of_model
                .chain(tags)
                .map(|(name, value)| (name, legal(value))),
        );
    }
    properties.sort();
    properties.dedup();
    if properties.is_empty() {
        return Ok(());
    }
    xml.create_element("properties")
        .write_inner_content(|xml| {
            properties.iter().try_for_each(|(name, value)| {
                let property = xml
                    .create_element("property")
                    .with_attribute(("name", *name));
                property
                    .with_attribute(("value", value.as_str()))
                    .write_empty()
                    .map(drop)
            })
        })?;
    Ok(())
}

fn write_case<W: Write>(
    report: &RunReport,
    scenario: &ReportedScenario,
    xml: &mut Writer<W>,
) -> io::Result<()> {
    let (name, file) = (legal(name_of(scenario)), legal(&scenario.file));
    let (seconds, line) = (time(scenario.seconds), scenario.line.to_string());
    let attributes = [
        ("name", &name),
        ("classname", &file),
        ("time", &seconds),
        ("file", &file),
        ("line", &line),
    ];
    let mut case = xml.create_element("testcase");
    for (name, value) in attributes {
        case = case.with_attribute((name, value.as_str()));
    }
    let Some(element) = CaseOutcome::of(scenario.verdict).element() else {
        case.write_empty()?;
        return Ok(());
    };
    case.write_inner_content(|xml| {
        let (message, kind) = (legal(&reason(scenario)), scenario.verdict.name());
        let outcome = xml.create_element(element).with_attribute(("type", kind));
        let outcome = outcome.with_attribute(("message", &*message));
        match body(report, scenario) {
            body if body.is_empty() => outcome.write_empty()?,
            body => outcome.write_text_content(BytesText::new(&legal_lines(&body)))?,
        };
        let told = output(scenario);
        if !told.is_empty() {
            xml.create_element("system-out")
                .write_text_content(BytesText::new(&legal_lines(&told)))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// What the title and the case are called; the file, where there is no title.
fn name_of(scenario: &ReportedScenario) -> &str {
    scenario
        .id
        .strip_prefix(&scenario.file)
        .and_then(|rest| rest.strip_prefix("::"))
        .unwrap_or(&scenario.id)
}

/// What is known beside the reason.
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

/// What the dialogue was, for whoever looks at the case.
fn output(scenario: &ReportedScenario) -> Vec<String> {
    let turns = scenario.conversation();
    if turns.is_empty() {
        return turns;
    }
    let model = scenario.model.as_deref().zip(scenario.profile.as_deref());
    let model = model.map(|(model, profile)| format!("model: {model}@{profile}"));
    let tags = (!scenario.tags.is_empty()).then(|| format!("tags: {}", scenario.tags.join(", ")));
    model.into_iter().chain(tags).chain(turns).collect()
}

/// Snapshots that fail the run, as cases of a suite of their own.
fn write_waiting<W: Write>(waiting: &[(&str, &str)], xml: &mut Writer<W>) -> io::Result<()> {
    let count = waiting.len().to_string();
    let mut suite = xml
        .create_element("testsuite")
        .with_attribute(("name", "snapshots"));
    for (name, value) in [
        ("tests", &*count),
        ("failures", &*count),
        ("errors", "0"),
        ("time", "0"),
    ] {
        suite = suite.with_attribute((name, value));
    }
    suite.write_inner_content(|xml| {
        waiting.iter().try_for_each(|(what, path)| {
            let path = legal(path);
            let case = xml
                .create_element("testcase")
                .with_attribute(("name", &*path));
            let case = case
                .with_attribute(("classname", "snapshots"))
                .with_attribute(("time", "0"));
            let message = format!("the snapshot is {what}");
            case.write_inner_content(|xml| {
                let failure = xml
                    .create_element("failure")
                    .with_attribute(("type", *what));
                failure
                    .with_attribute(("message", &*message))
                    .write_empty()
                    .map(drop)
            })
            .map(drop)
        })
    })?;
    Ok(())
}

/// Seconds, to the millisecond as the schema has them.
fn time(seconds: Option<f64>) -> String {
    match seconds {
        Some(seconds) if seconds > 0.0 => format!("{seconds:.3}"),
        _ => "0".to_owned(),
    }
}

/// A text on one line that XML can hold.
fn legal(text: &str) -> String {
    let breaks = |letter| matches!(letter, '\t' | '\n' | '\r');
    text.chars()
        .map(|letter| if breaks(letter) { ' ' } else { letter })
        .filter(|letter| is_legal(*letter))
        .collect()
}

/// Lines that XML can hold.
fn legal_lines(lines: &[String]) -> String {
    lines.iter().map(|line| legal(line)).joined("\n")
}

/// Whether XML 1.0 has such a character. Control characters that it has say nothing in names either.
fn is_legal(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}

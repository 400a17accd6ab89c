//! The arguments of `fsmsim explore`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help;
use super::jobs_args::JobsArgs;
use super::model_args::ModelArgs;
use super::output::report_help;
use fsmsim_reports::report::{ExplorationRun, ReportKind, ReportTarget};
use fsmsim_search::search::{Bounds, SearchFinding, SearchQuestion};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics};

/// Arguments of `explore`.
#[derive(Debug, Args)]
pub(super) struct ExploreArgs {
    #[arg(value_name = "MODEL", required_unless_present = "changed", help = format!("{}; two models are compared, other directories stand for all models below them", help::MODEL))]
    pub models: Vec<String>,
    /// Check only this property; repeatable
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Decide the exit code only by these answers, for example `always-a-way-out`, or by these properties
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub require: Vec<String>,
    /// Explore only models that differ from their version at this revision
    #[arg(long, value_name = "REV")]
    pub changed: Option<String>,
    /// Match a state of the first side with a renamed state of the second; repeatable
    #[arg(long, value_name = "OLD=NEW")]
    pub rename: Vec<String>,
    /// Search dialogues with at most N turns
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Visit at most N states
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    states: usize,
    /// Use at most SIZE of memory, such as `500M`
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = parse_size)]
    memory: usize,
    /// Stop after SECONDS
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<f64>,
    /// Fail on warnings, too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ExploreFormat::Text)]
    pub format: ExploreFormat,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&ExplorationRun::KINDS), value_parser = |text: &str| ReportTarget::parse(text, &ExplorationRun::KINDS))]
    pub report: Vec<ReportTarget>,
    /// Save each dialogue that shows a problem as a scenario in DIR
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub options: ModelArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExploreFormat {
    /// Human-readable text
    Text,
    /// One JSON object
    Json,
    /// A self-contained HTML page
    Html,
}

impl ExploreFormat {
    /// The report that replaces the text; `None` for text.
    pub(super) fn report(self) -> Option<ReportKind> {
        match self {
            Self::Text => None,
            Self::Json => Some(ReportKind::Json),
            Self::Html => Some(ReportKind::Html),
        }
    }
}

impl ExploreArgs {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            depth: self.depth,
            states: Some(self.states),
            memory: Some(self.memory),
        }
    }

    /// Whether the property with this name is checked.
    pub(super) fn checks(&self, property: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == property);
        self.property.is_empty() || names(&self.property) || names(&self.require)
    }

    /// Whether an answer counts for the exit code.
    pub(super) fn requires(&self, finding: &SearchFinding) -> bool {
        let required = self.require.iter();
        let mut questions = SearchQuestion::of_every_model();
        self.require.is_empty()
            || match finding.question {
                SearchQuestion::Property => self.require.contains(&finding.subject),
                found => questions.any(|question| {
                    question.includes(found)
                        && required.clone().any(|name| *name == question.requirement())
                }),
            }
    }

    /// The unknown names in the options; `properties` are those of all models.
    pub(super) fn unknown_names(&self, properties: &[&str]) -> Diagnostics {
        let mut found = Diagnostics::default();
        for name in &self.property {
            if !properties.contains(&&**name) {
                Diagnostic::bad_arguments(format!("unknown property `{name}`"))
                    .near(
                        name,
                        properties.iter().copied(),
                        "define it under `properties:`",
                    )
                    .add_to(&mut found);
            }
        }
        let questions: Vec<String> = SearchQuestion::of_every_model()
            .map(SearchQuestion::requirement)
            .collect();
        let known: Vec<&str> = questions
            .iter()
            .map(String::as_str)
            .chain(properties.iter().copied())
            .collect();
        for name in &self.require {
            if !known.contains(&&**name) {
                Diagnostic::bad_arguments(format!("unknown requirement `{name}`"))
                    .offer(name, "use one of these requirements", known.iter().copied())
                    .add_to(&mut found);
            }
        }
        found
    }
}

/// A number of bytes: `500M`, `2G`, or a number.
fn parse_size(text: &str) -> Result<usize, String> {
    let units = [("K", 10), ("M", 20), ("G", 30), ("", 0)];
    let found = units.into_iter().find_map(|(unit, shift)| {
        let number = text.strip_suffix(unit)?.parse::<usize>().ok()?;
        number.checked_mul(1 << shift)
    });
    found.ok_or_else(|| "use a number of bytes, or a number with `K`, `M` or `G`".to_owned())
}

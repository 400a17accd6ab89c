//! The kinds of reports.

use fsmsim_syntax::terminal::Escaping;
use strum::IntoStaticStr;

/// The kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReportKind {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// A page of HTML that needs nothing else
    Html,
    /// Test cases, for whatever reads those of JUnit
    Junit,
    /// A line a scenario, for whatever reads the Test Anything Protocol
    Tap,
    /// Annotations of GitHub's workflows
    Github,
    /// For a comment on a pull request
    Markdown,
    /// Findings, for viewers of static analysis
    Sarif,
    /// What was covered, for viewers of LCOV
    Lcov,
    /// What was covered, for viewers of Cobertura
    Cobertura,
    /// What was covered, as a page with the sources
    Coverage,
}

impl ReportKind {
    /// The reports of a run, which `fsmsim test` and `fsmsim merge` write.
    pub const RUN: [Self; 9] = [
        Self::Json,
        Self::Html,
        Self::Junit,
        Self::Tap,
        Self::Github,
        Self::Markdown,
        Self::Lcov,
        Self::Cobertura,
        Self::Coverage,
    ];

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it tells what was covered.
    pub fn is_about_coverage(self) -> bool {
        matches!(self, Self::Lcov | Self::Cobertura | Self::Coverage)
    }

    /// Whether it shows the texts of the models.
    pub fn shows_sources(self) -> bool {
        self == Self::Coverage
    }

    /// How such a report stands on standard output.
    pub fn escaping(self) -> Escaping {
        match self {
            Self::Text => Escaping::of_text(),
            Self::Json | Self::Sarif => Escaping::Json,
            Self::Html
            | Self::Junit
            | Self::Tap
            | Self::Github
            | Self::Markdown
            | Self::Lcov
            | Self::Cobertura
            | Self::Coverage => Escaping::Plain,
        }
    }

    /// Whether it stands beside the text on standard output, and not in place of it.
    pub(super) fn is_beside_text(self) -> bool {
        self == Self::Github
    }
}

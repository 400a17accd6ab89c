//! The title of a cassette, stored in its first line.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The format version. It increases with each incompatible change.
const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::llm) enum CassetteTitle {
    /// The title of a dialogue. The cassette contains all its trials.
    Scenario(Box<str>),
    /// The name of a simulated model. Each recording names its dialogue.
    Simulation(Box<str>),
}

/// The first line. Only the version field exists in every format version.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct CassetteHeader<'a> {
    fsmsim_cassette: u32,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    scenario: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    simulation: Option<Cow<'a, str>>,
    /// The file contains only recordings that another cassette lacks, and will be merged with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    completes: bool,
}

/// The fields that exist in every format version.
#[derive(Debug, Deserialize)]
struct AnyHeader {
    fsmsim_cassette: u32,
}

impl CassetteTitle {
    /// The first line, without a line break. `completes` marks a file that completes another cassette.
    pub(super) fn header(&self, completes: bool) -> String {
        let [mut scenario, mut simulation] = [None, None];
        match self {
            Self::Scenario(name) => scenario = Some(Cow::Borrowed(&**name)),
            Self::Simulation(name) => simulation = Some(Cow::Borrowed(&**name)),
        }
        let header = CassetteHeader {
            fsmsim_cassette: VERSION,
            scenario,
            simulation,
            completes,
        };
        serde_json::to_string(&header).unwrap_or_default()
    }

    /// Whether the text starts like a cassette, with any title and version.
    pub(super) fn begins(text: &str) -> bool {
        let line = text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .lines()
            .next()
            .unwrap_or_default();
        line.starts_with('{') && serde_json::from_str::<AnyHeader>(line).is_ok()
    }

    /// Checks the first line against the title. Returns whether the file completes another cassette.
    pub(super) fn check(&self, line: &str) -> Result<bool, String> {
        let no_header = || {
            let kind = match self {
                Self::Scenario(_) => "scenario\":TITLE",
                Self::Simulation(_) => "simulation\":MODEL",
            };
            format!("expected `{{\"fsmsim_cassette\":1,\"{kind}}}` as the first line")
        };
        if !line.trim_start().starts_with('{') {
            return Err(no_header());
        }
        let any: AnyHeader = serde_json::from_str(line).map_err(|_| no_header())?;
        let version = any.fsmsim_cassette;
        if version != VERSION {
            return Err(format!("unsupported version {version}, expected {VERSION}"));
        }
        let header: CassetteHeader<'_> = serde_json::from_str(line).map_err(|_| no_header())?;
        match (self, &header.scenario, &header.simulation) {
            (Self::Scenario(wanted), Some(recorded), _)
            | (Self::Simulation(wanted), _, Some(recorded)) => {
                if **wanted == **recorded {
                    return Ok(header.completes);
                }
                Err(format!("recorded for `{recorded}`, not for `{wanted}`"))
            }
            (Self::Scenario(_), None, Some(_)) => {
                Err("expected the cassette of a dialogue, found that of a simulation".to_owned())
            }
            (Self::Simulation(_), Some(_), None) => {
                Err("expected the cassette of a simulation, found that of a dialogue".to_owned())
            }
            _ => Err(no_header()),
        }
    }
}

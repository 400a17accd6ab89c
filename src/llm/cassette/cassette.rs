//! A cassette: a header, then an interaction a line.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::interaction::Interaction;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::document::read_bytes;
use crate::terminal::printable;

/// The version of the format; raised when a meaning changes.
const VERSION: u32 = 1;
/// The largest cassette, in bytes.
pub(super) const LIMIT: u64 = 64 << 20;

/// What was recorded of a dialogue.
#[derive(Clone, Debug, Default)]
pub struct Cassette {
    /// The interactions, in the order in which they were made.
    interactions: Vec<Interaction>,
}

/// The first line. Only the version is certain whatever the version is.
#[derive(Debug, Serialize, Deserialize)]
struct CassetteHeader<'a> {
    fsmsim_cassette: u32,
    #[serde(borrow)]
    scenario: std::borrow::Cow<'a, str>,
}

/// What every version has.
#[derive(Debug, Deserialize)]
struct AnyHeader {
    fsmsim_cassette: u32,
}

impl Cassette {
    /// Reads the cassette of the dialogue `scenario`. `None`, with findings, where any line cannot be used.
    pub fn read(path: &Path, scenario: &str, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let bytes = found.take(read_bytes(path, LIMIT))?;
        let shown = path.display().to_string();
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let line = good.split(|byte| *byte == b'\n').count();
                let title = format!("line {line} of the cassette is not UTF-8 text");
                return Diagnostic::error(Code::NotUtf8, title)
                    .about(format!("{shown}:{line}"))
                    .help(REMEDY)
                    .refuse(found);
            }
        };
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let bad = |line: usize, column: usize, reason: &str| {
            let title = format!("line {line} of the cassette cannot be used: {}", printable(reason));
            Diagnostic::error(Code::BadCassette, title).about(format!("{shown}:{line}:{column}")).help(REMEDY)
        };
        let Some((header, number)) = lines.next() else {
            return Diagnostic::error(Code::BadCassette, "the cassette is empty")
                .about(shown)
                .help(REMEDY)
                .refuse(found);
        };
        if let Err(reason) = check_header(header, scenario) {
            return bad(number, 1, &reason).refuse(found);
        }
        let mut interactions = Vec::new();
        for (line, number) in lines {
            match Interaction::read(line) {
                Ok(interaction) => interactions.push(interaction),
                Err((reason, column)) => found.push(bad(number, column, &reason)),
            }
        }
        (found.error_count() == errors).then_some(Self { interactions })
    }

    /// The interactions.
    pub(super) fn interactions(&self) -> &[Interaction] {
        &self.interactions
    }
}

/// What to do about a cassette that cannot be used.
const REMEDY: &str = "restore it from your version control, or record it again";

/// The first line of the cassette of a dialogue, without a line break.
pub(super) fn header_of(scenario: &str) -> String {
    serde_json::to_string(&CassetteHeader { fsmsim_cassette: VERSION, scenario: scenario.into() }).unwrap_or_default()
}

fn check_header(line: &str, scenario: &str) -> Result<(), String> {
    let no_header = || "a cassette begins with `{\"fsmsim_cassette\":1,\"scenario\":TITLE}`".to_owned();
    if !line.trim_start().starts_with('{') {
        return Err(no_header());
    }
    let any: AnyHeader = serde_json::from_str(line).map_err(|_| no_header())?;
    let version = any.fsmsim_cassette;
    if version != VERSION {
        return Err(format!("it has the version {version}, and this program reads the version {VERSION}"));
    }
    let header: CassetteHeader<'_> = serde_json::from_str(line).map_err(|_| no_header())?;
    if header.scenario != scenario {
        return Err(format!("it was recorded for `{}`, not for `{scenario}`", header.scenario));
    }
    Ok(())
}

//! Cassettes in JSON Lines format: a header, then one interaction per line.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::cassette_title::CassetteTitle;
use super::interaction::Interaction;
use super::line_span::scan_lines;
use crate::limits::{MAX_CASSETTE, MAX_CASSETTE_HEADER};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Severity};
use fsmsim_syntax::document::{read_bytes, read_start};
use fsmsim_syntax::files::check_writable;
use fsmsim_syntax::terminal::printable;

/// The recordings of a dialogue.
#[derive(Clone, Debug, Default)]
pub struct Cassette {
    /// The interactions, in order of recording.
    pub(super) interactions: Vec<Interaction>,
}

impl Cassette {
    /// Loads the cassette of the dialogue `scenario`. Returns `None`, with findings, if any line is invalid.
    pub fn read(path: &Path, scenario: &str, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        Self::load(
            path,
            &CassetteTitle::Scenario(scenario.into()),
            Severity::Error,
            found,
        )
        .filter(|_| found.no_errors_since(errors))
    }

    /// Loads the valid lines of a dialogue's cassette. Each invalid line becomes a finding of this severity. Returns
    /// `None`, with findings, if the file is not a cassette or has another title.
    pub(super) fn load(
        path: &Path,
        title: &CassetteTitle,
        severity: Severity,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let bytes = found.take(read_bytes(path, MAX_CASSETTE))?;
        let mut reader = CassetteReader::new(path, title, severity);
        let mut interactions = Vec::new();
        // Reading from memory fails only for a line that is too long.
        let read = scan_lines(&mut &*bytes, &mut |number, _, line| {
            interactions.extend(
                reader
                    .line(number, line, found)
                    .map(|(interaction, _)| interaction),
            );
        });
        if let Err(error) = read {
            reader.refuse(1, &error.to_string(), found);
        }
        reader.finish(found).then_some(Self { interactions })
    }

    /// Checks that a recording may replace the file at a path: it must be missing, empty or a cassette.
    pub fn check_place(path: &Path) -> Checked {
        let start = check_writable(path).and_then(|()| read_start(path, MAX_CASSETTE_HEADER));
        let bytes = match start {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return unwritable(path, &error).fail();
            }
            // Other obstacles are reported on writing.
            Err(error) if error.kind() != ErrorKind::IsADirectory => return Ok(()),
            Err(_) => Vec::from(*b"-"),
        };
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() || CassetteTitle::begins(&text) {
            return Ok(());
        }
        let path = path.display().to_string();
        Diagnostic::error(
            Code::CannotWrite,
            format!("cannot write the cassette `{path}`: the existing file is not a cassette"),
        )
        .about(path)
        .help("use another file, or delete this one")
        .fail()
    }
}

/// Parses the lines of a cassette and reports invalid ones.
pub(super) struct CassetteReader<'r> {
    shown: String,
    title: &'r CassetteTitle,
    /// The severity of an invalid recording.
    severity: Severity,
    /// The first line has been read.
    has_header: bool,
    /// The file is not a cassette, or has another title.
    is_refused: bool,
    /// The number of invalid recordings.
    pub bad: u64,
}

impl<'r> CassetteReader<'r> {
    pub(super) fn new(path: &Path, title: &'r CassetteTitle, severity: Severity) -> Self {
        let shown = path.display().to_string();
        Self {
            shown,
            title,
            severity,
            has_header: false,
            is_refused: false,
            bad: 0,
        }
    }

    /// Parses a line. Returns its interaction, and its dialogue if this is a simulation cassette. Returns `None` if the
    /// line is invalid.
    pub(super) fn line(
        &mut self,
        number: usize,
        line: &[u8],
        found: &mut Diagnostics,
    ) -> Option<(Interaction, Option<Box<str>>)> {
        if self.is_refused {
            return None;
        }
        let text = std::str::from_utf8(line);
        if !self.has_header {
            self.has_header = true;
            let text = text.map_err(|_| NOT_UTF8.to_owned());
            let checked = text.and_then(|text| {
                self.title
                    .check(text.strip_prefix('\u{feff}').unwrap_or(text))
            });
            if let Err(reason) = checked {
                self.refuse(number, &reason, found);
            }
            return None;
        }
        let text = match text {
            Ok(text) => text,
            // The end of a truncated file might be in the middle of a character: treat it like any truncated line.
            Err(error) => {
                self.report(number, error.valid_up_to() + 1, NOT_UTF8, found);
                return None;
            }
        };
        match Interaction::read(text) {
            Ok(mut interaction) => {
                let dialogue = interaction.dialogue.take();
                if dialogue.is_none() && matches!(self.title, CassetteTitle::Simulation(_)) {
                    self.report(number, 1, "missing `dialogue`", found);
                    return None;
                }
                Some((interaction, dialogue))
            }
            Err((reason, column)) => {
                self.report(number, column, &reason, found);
                None
            }
        }
    }

    fn report(&mut self, line: usize, column: usize, reason: &str, found: &mut Diagnostics) {
        self.bad += 1;
        let finding = self.bad_line(line, column, reason);
        found.push(match self.severity {
            Severity::Error => finding,
            _ => Diagnostic {
                severity: Severity::Warning,
                ..finding.help("ignore this warning: missing requests are sent again")
            },
        });
    }

    fn bad_line(&self, line: usize, column: usize, reason: &str) -> Diagnostic {
        let reason = printable(reason);
        Diagnostic::error(
            Code::BadCassette,
            format!("invalid line {line} in the cassette: {reason}"),
        )
        .help(REMEDY)
        .about(format!("{}:{line}:{column}", self.shown))
    }

    /// Reports that the file is not the expected cassette.
    pub(super) fn refuse(&mut self, line: usize, reason: &str, found: &mut Diagnostics) {
        self.is_refused = true;
        found.push(self.bad_line(line, 1, reason));
    }

    /// Checks the file after its last line. Returns whether it is the expected cassette.
    pub(super) fn finish(&self, found: &mut Diagnostics) -> bool {
        if !self.has_header && !self.is_refused {
            found.push(
                Diagnostic::error(Code::BadCassette, "the cassette is empty")
                    .about(&*self.shown)
                    .help(REMEDY),
            );
        }
        self.has_header && !self.is_refused
    }
}

/// The finding about a cassette that cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let path = path.display().to_string();
    let title = format!("cannot write the cassette `{path}`: {error}");
    Diagnostic::error(Code::CannotWrite, title)
        .about(path)
        .help("check the permissions of the directory; an existing cassette is unchanged")
}

/// The error for a line that is not UTF-8.
const NOT_UTF8: &str = "the line is not UTF-8";

/// The help for an invalid cassette.
const REMEDY: &str = "restore the file from version control, or record it again";

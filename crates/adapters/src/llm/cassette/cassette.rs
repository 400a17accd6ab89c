//! A cassette: a header, then an interaction a line.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::cassette_title::CassetteTitle;
use super::interaction::Interaction;
use super::line_span::scan_lines;
use crate::limits::{MAX_CASSETTE, MAX_CASSETTE_HEADER};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Severity};
use fsmsim_syntax::document::{read_bytes, read_start};
use fsmsim_syntax::terminal::printable;

/// What was recorded of a dialogue.
#[derive(Clone, Debug, Default)]
pub struct Cassette {
    /// The interactions, in the order in which they were made.
    interactions: Vec<Interaction>,
}

impl Cassette {
    /// Reads the cassette of the dialogue `scenario`. `None`, with findings, where any line cannot be used.
    pub fn read(path: &Path, scenario: &str, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let cassette = Self::load(
            path,
            &CassetteTitle::Scenario(scenario.into()),
            Severity::Error,
            found,
        );
        cassette.filter(|_| found.no_errors_since(errors))
    }

    /// Reads the cassette of one dialogue, as far as it can be used; a line that cannot is a finding of this severity. `None`,
    /// with findings, where it is none, or that of something else.
    pub(super) fn load(
        path: &Path,
        title: &CassetteTitle,
        severity: Severity,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let bytes = found.take(read_bytes(path, MAX_CASSETTE))?;
        let mut reader = CassetteReader::new(path, title, severity);
        let mut interactions = Vec::new();
        // Bytes in the memory are read without fail, but for a line that is too long.
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

    /// Whether a recording may take the place of what stands at a path: of nothing, of an empty file, or of a cassette.
    pub fn check_place(path: &Path) -> Checked {
        let bytes = match read_start(path, MAX_CASSETTE_HEADER) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return unwritable(path, &error).fail();
            }
            // What else is in the way is told by the writing.
            Err(error) if error.kind() != ErrorKind::IsADirectory => return Ok(()),
            Err(_) => Vec::from(*b"-"),
        };
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() || CassetteTitle::begins(&text) {
            return Ok(());
        }
        let path = path.display().to_string();
        let title =
            format!("the cassette `{path}` cannot be written: what stands there is no cassette");
        let finding = Diagnostic::error(Code::CannotWrite, title).about(path);
        finding
            .help("name another file; or remove this one, if nobody needs it")
            .fail()
    }

    /// A cassette with these interactions.
    pub(super) fn of(interactions: Vec<Interaction>) -> Self {
        Self { interactions }
    }

    pub(super) fn interactions(&self) -> &[Interaction] {
        &self.interactions
    }

    /// The interactions, to be kept.
    pub(super) fn into_interactions(self) -> Vec<Interaction> {
        self.interactions
    }
}

/// Reads the lines of a cassette, and tells what is wrong with them.
pub(super) struct CassetteReader<'r> {
    shown: String,
    title: &'r CassetteTitle,
    /// How bad a recording is that cannot be used.
    severity: Severity,
    /// The first line was there.
    has_header: bool,
    /// It is no cassette, or that of something else.
    is_refused: bool,
    /// Recordings that cannot be used.
    pub(super) bad: u64,
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

    /// Reads a line: the interaction in it, where there is one that can be used, and what a simulation knows its dialogue by.
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
            // Where a file was cut, the cut may go through a letter: it is a line like any other that was broken off.
            Err(error) => {
                self.tell(number, error.valid_up_to() + 1, NOT_UTF8, found);
                return None;
            }
        };
        match Interaction::read(text) {
            Ok(mut interaction) => {
                let dialogue = interaction.dialogue.take();
                if dialogue.is_none() && matches!(self.title, CassetteTitle::Simulation(_)) {
                    self.tell(
                        number,
                        1,
                        "it does not say of which `dialogue` it is",
                        found,
                    );
                    return None;
                }
                Some((interaction, dialogue))
            }
            Err((reason, column)) => {
                self.tell(number, column, &reason, found);
                None
            }
        }
    }

    fn tell(&mut self, line: usize, column: usize, reason: &str, found: &mut Diagnostics) {
        self.bad += 1;
        let finding = self.bad_line(line, column, reason);
        found.push(match self.severity {
            Severity::Error => finding,
            _ => Diagnostic {
                severity: Severity::Warning,
                ..finding.help("what it held is asked for anew where it is needed")
            },
        });
    }

    fn bad_line(&self, line: usize, column: usize, reason: &str) -> Diagnostic {
        let reason = printable(reason);
        let title = format!("line {line} of the cassette cannot be used: {reason}");
        let finding = Diagnostic::error(Code::BadCassette, title).help(REMEDY);
        finding.about(format!("{}:{line}:{column}", self.shown))
    }

    /// It is no such cassette.
    pub(super) fn refuse(&mut self, line: usize, reason: &str, found: &mut Diagnostics) {
        self.is_refused = true;
        found.push(self.bad_line(line, 1, reason));
    }

    /// All lines were read: whether it is such a cassette.
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
    let title = format!("the cassette `{path}` cannot be written: {error}");
    let help = "check the rights of the folder; the old cassette, if there is one, is as it was";
    Diagnostic::error(Code::CannotWrite, title)
        .about(path)
        .help(help)
}

/// What is wrong with a line that is no text.
const NOT_UTF8: &str = "it is not UTF-8 text";

/// What to do about a cassette that cannot be used.
const REMEDY: &str = "restore it from your version control, or record it again";

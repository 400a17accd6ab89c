//! A report that is wanted: of which kind, and where.

use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use crate::diagnostic::{Code, Diagnostic};
use crate::files::write_whole;
use crate::terminal::{Escaping, results};

/// A report that is wanted, as `KIND` or `KIND=FILE`.
#[derive(Clone, Debug)]
pub struct ReportTarget {
    kind: ReportKind,
    /// The file; nothing for standard output, in place of the text.
    file: Option<PathBuf>,
}

/// A kind of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum ReportKind {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// A page of HTML that needs nothing else
    Html,
}

impl ReportKind {
    /// How such a report stands on standard output.
    pub fn escaping(self) -> Escaping {
        match self {
            Self::Text => Escaping::of_text(),
            Self::Json => Escaping::Json,
            Self::Html => Escaping::Plain,
        }
    }
}

impl FromStr for ReportTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, file) = match text.split_once('=') {
            Some((kind, file)) => (kind, Some(file)),
            None => (text, None),
        };
        let kind = match kind {
            "json" => ReportKind::Json,
            "html" => ReportKind::Html,
            other => return Err(format!("there is no report `{other}`: the kinds are `json` and `html`")),
        };
        if file.is_some_and(str::is_empty) {
            return Err("the name of the file is missing behind `=`".to_owned());
        }
        Ok(Self { kind, file: file.map(PathBuf::from) })
    }
}

impl ReportTarget {
    /// The finding about reports of which only one can go to standard output.
    pub fn conflict(targets: &[Self]) -> Option<Diagnostic> {
        let on_stdout = targets.iter().filter(|target| target.file.is_none()).count();
        (on_stdout > 1).then(|| {
            Diagnostic::error(Code::BadArguments, "two reports cannot both go to standard output")
                .help("give one of them a file: `--report json=FILE`")
        })
    }

    /// Writes the reports to their files, and one report or the text to standard output; `write` knows the kinds.
    ///
    /// # Errors
    /// Those of writing to standard output.
    ///
    /// The finding is about a file that cannot be written.
    pub fn write_all(
        targets: &[Self],
        write: impl Fn(ReportKind, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Option<Diagnostic>> {
        let mut shown = ReportKind::Text;
        for target in targets {
            let Some(file) = &target.file else {
                shown = target.kind;
                continue;
            };
            let mut text = Vec::new();
            write(target.kind, &mut text)?;
            if let Err(error) = write_whole(file, &String::from_utf8_lossy(&text)) {
                let path = file.display().to_string();
                let title = format!("`{path}` cannot be written: {error}");
                let finding = Diagnostic::error(Code::CannotWrite, title).about(path);
                return Ok(Some(finding.help("check the path and the rights of the folder")));
            }
        }
        let mut out = results(shown.escaping());
        write(shown, &mut out)?;
        out.flush()?;
        Ok(None)
    }
}

//! A cassette in the making.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cassette::{Cassette, unwritable};
use super::cassette_title::CassetteTitle;
use super::interaction::Interaction;
use super::line_span::{LineSpan, scan_lines};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics};
use fsmsim_syntax::files::{HeldFile, write_whole_with};
use fsmsim_syntax::threads::Mutex;

/// The cassettes that dialogues of a run are recorded to.
///
/// Two dialogues with one cassette are a mistake that is told elsewhere, in the order of the dialogues; until then the
/// second one leaves the file of the first alone.
#[derive(Clone, Debug, Default)]
pub struct PathClaims(Arc<Mutex<BTreeSet<PathBuf>>>);

impl PathClaims {
    /// Whether nobody claimed this file before.
    fn claim(&self, path: &Path) -> bool {
        self.0.lock().insert(path.to_path_buf())
    }
}

/// A play of a scenario, or a dialogue of a simulation: by its persona in their order, and its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::llm) struct PlayId {
    pub(in crate::llm) group: u32,
    pub(in crate::llm) number: u64,
}

/// Where the line of a recording comes from.
#[derive(Clone, Debug)]
pub(super) enum TapePiece {
    /// It is this one.
    Line(Box<str>),
    /// It stands in the old cassette.
    Old(LineSpan),
    /// It stands in the file in the making.
    New(LineSpan),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::llm) enum RecordingEnd {
    /// All that was asked is recorded.
    Whole,
    /// The old cassette says the same.
    Unchanged,
    /// What was recorded is no whole: nobody answered, or the dialogue was broken off. An old cassette stays.
    Gap,
    /// The old cassette cannot be used, and stays.
    Refused,
}

/// A cassette in the making. Each answer is written to `NAME.jsonl.new` as soon as it is there, in whatever order answers
/// come; at the end the cassette is put together in the order of the dialogues, and takes the place of the old one. A run that
/// is broken off leaves the old cassette as it was, and beside it what it was told.
pub(in crate::llm) struct Recording {
    title: CassetteTitle,
    path: PathBuf,
    /// The most bytes.
    limit: u64,
    claims: PathClaims,
    state: Mutex<RecordingState>,
}

/// What is being written.
enum RecordingState {
    /// Nothing was asked yet.
    NotStarted,
    /// The file in the making.
    Open(Box<OpenRecording>),
    /// The file belongs to another dialogue.
    Foreign,
    /// It cannot be written, for this reason.
    Failed(Box<Diagnostic>),
}

/// A file in the making, and what the cassette will be put together from.
struct OpenRecording {
    file: HeldFile,
    length: u64,
    /// The length of the first line, with its end.
    header: u64,
    /// It holds only what the old cassette lacks.
    completes: bool,
    /// The old cassette, where lines are taken from it.
    old: Option<File>,
    pieces: BTreeMap<PlayId, Vec<TapePiece>>,
    /// Where nobody answered.
    gaps: BTreeSet<PlayId>,
}

/// What a run that was broken off has left.
#[derive(Debug, Default)]
pub(super) struct Leftover {
    /// The lines that can be used, with the dialogues of a simulation that they are of.
    pub(super) lines: Vec<(LineSpan, Option<Box<str>>)>,
    /// It was a recording from the beginning, and not only of what was missing.
    pub(super) is_newer: bool,
}

impl Recording {
    /// A recording of at most so many bytes, not yet begun.
    pub(in crate::llm) fn new(
        title: CassetteTitle,
        path: &Path,
        limit: u64,
        claims: PathClaims,
    ) -> Self {
        let state = Mutex::new(RecordingState::NotStarted);
        Self {
            title,
            path: path.to_path_buf(),
            limit,
            claims,
            state,
        }
    }

    /// Where the cassette will be.
    pub(in crate::llm) fn path(&self) -> &Path {
        &self.path
    }

    /// What it is of.
    pub(super) fn title(&self) -> &CassetteTitle {
        &self.title
    }

    /// The file in the making.
    pub(in crate::llm) fn unfinished(path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{name}.new"))
    }

    /// Holds the file in the making: nothing where another dialogue of this run has it.
    fn hold(
        &self,
        hold: impl FnOnce(&Path) -> io::Result<Option<HeldFile>>,
    ) -> Checked<Option<HeldFile>> {
        if !self.claims.claim(&self.path) {
            return Ok(None);
        }
        match hold(&Self::unfinished(&self.path)) {
            Ok(Some(file)) => Ok(Some(file)),
            Ok(None) => self.held_elsewhere().fail(),
            Err(error) => unwritable(&self.path, &error).fail(),
        }
    }

    /// The finding that another run has the file in the making.
    fn held_elsewhere(&self) -> Diagnostic {
        let path = self.path.display().to_string();
        let title = format!("the cassette `{path}` cannot be written: another run is recording it");
        let help = "wait until it is done, and record what is missing then";
        Diagnostic::error(Code::CannotWrite, title)
            .about(path)
            .help(help)
    }

    /// The state of a recording whose file cannot be written any more.
    fn failed(&self, error: &io::Error) -> RecordingState {
        RecordingState::Failed(Box::new(unwritable(&self.path, error)))
    }

    fn begin(&self) -> RecordingState {
        match Cassette::check_place(&self.path).and_then(|()| self.hold(HeldFile::begin)) {
            Ok(Some(file)) => self.open(file, false),
            Ok(None) => RecordingState::Foreign,
            Err(finding) => RecordingState::Failed(finding),
        }
    }

    /// Holds the file before anybody is asked, unless it is held: what could not be written down is not to be paid for.
    pub(super) fn start(&self) -> Result<(), String> {
        let mut now = self.state.lock();
        if matches!(*now, RecordingState::NotStarted) {
            *now = self.begin();
        }
        match &*now {
            RecordingState::Failed(finding) => Err(finding.title.clone()),
            _ => Ok(()),
        }
    }

    /// Writes the first line.
    fn open(&self, mut file: HeldFile, completes: bool) -> RecordingState {
        let line = format!("{}\n", self.title.header(completes));
        if let Err(error) = file.append(&line) {
            return self.failed(&error);
        }
        let header = line.len() as u64;
        let (pieces, gaps) = (BTreeMap::new(), BTreeSet::new());
        RecordingState::Open(Box::new(OpenRecording {
            file,
            length: header,
            header,
            completes,
            old: None,
            pieces,
            gaps,
        }))
    }

    /// Begins a recording of what another lacks, with what a run that was broken off has left of one. Lines are taken from `old`,
    /// where they stand in the old cassette.
    pub(super) fn complete(&self, old: Option<File>) -> Result<Leftover, String> {
        let mut leftover = Leftover::default();
        let state = match self.hold(HeldFile::take_up) {
            Ok(Some(file)) => self
                .take_up(file, &mut leftover)
                .unwrap_or_else(|error| self.failed(&error)),
            Ok(None) => RecordingState::Foreign,
            Err(finding) => RecordingState::Failed(finding),
        };
        let mut now = self.state.lock();
        *now = state;
        match &mut *now {
            RecordingState::Open(open) => {
                open.old = old;
                Ok(leftover)
            }
            RecordingState::Failed(finding) => Err(finding.title.clone()),
            _ => Err(format!(
                "another dialogue is recorded to the cassette `{}`",
                self.path.display()
            )),
        }
    }

    /// Goes on with a file that a run has left; what of it is no such recording is of no use.
    fn take_up(&self, mut file: HeldFile, leftover: &mut Leftover) -> io::Result<RecordingState> {
        let left = File::open(Self::unfinished(&self.path))?;
        let (mut header, mut completes, mut lines) = (None, true, Vec::new());
        let length = scan_lines(&mut BufReader::new(left), &mut |_, span, line| {
            let text = std::str::from_utf8(line).unwrap_or_default();
            if header.is_none() {
                let known = self.title.check(text);
                completes = known.as_ref().copied().unwrap_or(true);
                header = Some(known.is_ok().then_some(span.end()));
            } else if let Ok(interaction) = Interaction::read(text) {
                lines.push((span, interaction.dialogue));
            }
        })?;
        let Some(header) = header.flatten().filter(|header| *header <= length) else {
            file.cut(0)?;
            return Ok(self.open(file, true));
        };
        file.cut(length)?;
        // The last one may have been broken off before its end.
        lines.retain(|(span, _)| span.end() <= length);
        *leftover = Leftover {
            lines,
            is_newer: !completes,
        };
        let (pieces, gaps) = (BTreeMap::new(), BTreeSet::new());
        let open = OpenRecording {
            file,
            length,
            header,
            completes: true,
            old: None,
            pieces,
            gaps,
        };
        Ok(RecordingState::Open(Box::new(open)))
    }

    /// Writes down what came of a request in a play.
    pub(super) fn keep(&self, play: PlayId, interaction: &Interaction) {
        let mut now = self.state.lock();
        let RecordingState::Open(open) = &mut *now else {
            return;
        };
        let line = line_of(interaction);
        let written =
            line.and_then(|line| open.write(play, &line, !interaction.is_answered(), self.limit));
        if let Err(error) = written
            && let RecordingState::Open(open) = std::mem::replace(&mut *now, self.failed(&error))
        {
            open.give_up();
        }
    }

    /// Something could not even be asked in a play.
    pub(super) fn miss(&self, play: PlayId) {
        // Why it cannot be written is told at the end.
        let _ = self.start();
        if let RecordingState::Open(open) = &mut *self.state.lock() {
            open.gaps.insert(play);
        }
    }

    /// What stands in a line of the file in the making.
    pub(super) fn read(&self, span: LineSpan) -> Option<Interaction> {
        let RecordingState::Open(open) = &mut *self.state.lock() else {
            return None;
        };
        let mut line = vec![0; span.length as usize];
        open.file.read_at(span.at, &mut line).ok()?;
        Interaction::read(std::str::from_utf8(&line).ok()?).ok()
    }

    /// A play used a recording that is there.
    pub(super) fn reuse(&self, play: PlayId, piece: TapePiece) {
        if let RecordingState::Open(open) = &mut *self.state.lock() {
            open.pieces.entry(play).or_default().push(piece);
        }
    }

    /// Whether nobody answered something in a play that counts.
    pub(in crate::llm) fn has_gap(&self, counts: &dyn Fn(PlayId) -> bool) -> bool {
        match &*self.state.lock() {
            RecordingState::Open(open) => open.gaps.iter().any(|play| counts(*play)),
            _ => false,
        }
    }

    /// How many recordings there are of plays that count.
    pub(in crate::llm) fn count(&self, counts: &dyn Fn(PlayId) -> bool) -> u64 {
        let RecordingState::Open(open) = &*self.state.lock() else {
            return 0;
        };
        let of_plays = open.pieces.iter().filter(|(play, _)| counts(**play));
        of_plays.map(|(_, pieces)| pieces.len() as u64).sum()
    }

    /// Puts the cassette together from the plays that count. Whether it is the cassette from now on, or nothing changes.
    pub(in crate::llm) fn finish(
        &self,
        counts: &dyn Fn(PlayId) -> bool,
        end: RecordingEnd,
        found: &mut Diagnostics,
    ) -> bool {
        let state = std::mem::replace(&mut *self.state.lock(), RecordingState::NotStarted);
        let done = match state {
            RecordingState::NotStarted | RecordingState::Foreign => return false,
            RecordingState::Open(mut open) => {
                open.pieces.retain(|play, _| counts(*play));
                let has_new = open.length > open.header;
                let (is_there, is_empty) = (self.path.exists(), !has_new && open.pieces.is_empty());
                // It was held, and nobody was asked.
                let is_unused = !open.completes && open.gaps.is_empty();
                if is_empty && (is_unused || !is_there) {
                    open.file.discard();
                    return false;
                }
                match end {
                    RecordingEnd::Gap | RecordingEnd::Refused if is_there => {
                        if end == RecordingEnd::Gap {
                            found.push(self.kept(has_new));
                        }
                        if !has_new {
                            open.file.discard();
                        }
                        return false;
                    }
                    RecordingEnd::Unchanged => {
                        open.file.discard();
                        return true;
                    }
                    _ => open.put_together(&self.title, &self.path),
                }
            }
            RecordingState::Failed(finding) => {
                found.push(*finding);
                return false;
            }
        };
        found
            .take(done.map_err(|error| Box::new(unwritable(&self.path, &error))))
            .is_some()
    }

    /// The finding about an old cassette that stays, since the new one has a gap.
    fn kept(&self, has_new: bool) -> Diagnostic {
        let (old, new) = (
            self.path.display().to_string(),
            Self::unfinished(&self.path).display().to_string(),
        );
        let title = format!("nobody answered, so the cassette `{old}` stays as it was");
        let finding = Diagnostic::warning(Code::CassetteKept, title).about(old);
        if has_new {
            finding.help(format!(
                "what was recorded stands in `{new}`; `record-missing` goes on from there"
            ))
        } else {
            finding.help("see to it that the model answers, and record again")
        }
    }
}

impl Drop for Recording {
    /// A run that ended before anybody was asked leaves no file.
    fn drop(&mut self) {
        if let RecordingState::Open(open) =
            std::mem::replace(&mut *self.state.lock(), RecordingState::NotStarted)
            && open.length == open.header
        {
            open.file.discard();
        }
    }
}

impl OpenRecording {
    /// Writes a line, at once, so that a run that is broken off loses nothing.
    fn write(&mut self, play: PlayId, line: &str, is_gap: bool, limit: u64) -> io::Result<()> {
        let span = LineSpan {
            at: self.length,
            length: u32::try_from(line.len()).unwrap_or(u32::MAX),
        };
        if span.end() > limit {
            return Err(io::Error::other(format!(
                "it would have more than {} MiB",
                limit >> 20
            )));
        }
        self.file.append(&format!("{line}\n"))?;
        self.length = span.end();
        self.pieces
            .entry(play)
            .or_default()
            .push(TapePiece::New(span));
        if is_gap {
            self.gaps.insert(play);
        }
        Ok(())
    }

    /// It cannot be gone on with. What was asked for before stays for who completes it.
    fn give_up(self) {
        if !self.completes {
            self.file.discard();
        }
    }

    /// Whether the file is the cassette as it stands: in the order of the plays, and nothing else in it.
    fn is_whole(&self) -> bool {
        let mut next = self.header;
        let mut pieces = self.pieces.values().flatten();
        let in_order = pieces.all(|piece| match piece {
            TapePiece::New(span) if span.at == next => {
                next = span.end();
                true
            }
            _ => false,
        });
        !self.completes && in_order && next == self.length
    }

    fn put_together(mut self, title: &CassetteTitle, path: &Path) -> io::Result<()> {
        if self.is_whole() {
            return self.file.finish(path);
        }
        let Self {
            file, old, pieces, ..
        } = &mut self;
        write_whole_with(path, &mut |out| {
            writeln!(out, "{}", title.header(false))?;
            let mut line = Vec::new();
            for piece in pieces.values().flatten() {
                match (piece, &mut *old) {
                    (TapePiece::Line(text), _) => line = text.as_bytes().to_vec(),
                    (TapePiece::New(span), _) => {
                        line.resize(span.length as usize, 0);
                        file.read_at(span.at, &mut line)?;
                    }
                    (TapePiece::Old(span), Some(old)) => read_span(old, *span, &mut line)?,
                    (TapePiece::Old(_), None) => {
                        return Err(io::Error::other("the old cassette is gone"));
                    }
                }
                out.write_all(line.trim_ascii_end())?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })?;
        self.file.discard();
        Ok(())
    }
}

/// Reads a line of a file.
///
/// # Errors
/// Those of reading; also where it is not there any more.
pub(super) fn read_span(file: &mut File, span: LineSpan, line: &mut Vec<u8>) -> io::Result<()> {
    line.resize(span.length as usize, 0);
    file.seek(SeekFrom::Start(span.at))?;
    file.read_exact(line)
}

/// The line of an interaction. What cannot be read back would only be missed when it is needed.
fn line_of(interaction: &Interaction) -> io::Result<String> {
    let line = interaction.line();
    match Interaction::read(&line) {
        Ok(read) if read == *interaction => Ok(line),
        Ok(_) => Err(io::Error::other(
            "an answer is not the same when it is read again",
        )),
        Err((reason, _)) => Err(io::Error::other(reason)),
    }
}

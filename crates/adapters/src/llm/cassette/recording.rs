//! A cassette while it is recorded.

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
use fsmsim_syntax::files::{LockedFile, write_whole_with};
use fsmsim_syntax::threads::Mutex;

/// The cassettes to which dialogues of a run are recorded.
///
/// The use of one cassette by two dialogues is reported elsewhere. Until then, the second dialogue does not touch the
/// file.
#[derive(Clone, Debug, Default)]
pub struct PathClaims(Arc<Mutex<BTreeSet<PathBuf>>>);

impl PathClaims {
    /// Claims a file. Returns whether it was unclaimed.
    fn claim(&self, path: &Path) -> bool {
        self.0.lock().insert(path.to_path_buf())
    }
}

/// Identifies a trial of a scenario by its number, or a dialogue of a simulation by persona index and number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::llm) struct PlayId {
    pub group: u32,
    pub number: u64,
}

/// The source of a recorded line.
#[derive(Clone, Debug)]
pub(super) enum RecordingSource {
    /// The line itself.
    Line(Box<str>),
    /// A line of the old cassette.
    Old(LineSpan),
    /// A line of the unfinished file.
    New(LineSpan),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::llm) enum RecordingEnd {
    /// All requests are recorded.
    Whole,
    /// The recording equals the old cassette.
    Unchanged,
    /// The recording is incomplete: a request had no answer, or the dialogue was interrupted. An old cassette is
    /// preserved.
    Gap,
    /// The old cassette is invalid, and is preserved.
    Refused,
}

/// A cassette while it is recorded. Each answer is immediately written to `NAME.jsonl.new`, in order of arrival. At the
/// end, the cassette is assembled in the order of the dialogues and replaces the old one. An interrupted run preserves
/// the old cassette, and leaves its own file next to it.
pub(in crate::llm) struct Recording {
    title: CassetteTitle,
    path: PathBuf,
    /// Maximum size in bytes.
    limit: u64,
    claims: PathClaims,
    state: Mutex<RecordingState>,
}

/// The state of the unfinished file.
enum RecordingState {
    /// No request was made yet.
    NotStarted,
    /// The file is open.
    Open(Box<OpenRecording>),
    /// The file belongs to another dialogue.
    Foreign,
    /// The file cannot be written, for this reason.
    Failed(Box<Diagnostic>),
}

impl RecordingState {
    /// The state of an open file without parts of the future cassette.
    fn opened(file: LockedFile, length: u64, header: u64, completes: bool) -> Self {
        Self::Open(Box::new(OpenRecording {
            file,
            length,
            header,
            completes,
            old: None,
            pieces: BTreeMap::new(),
            gaps: BTreeSet::new(),
        }))
    }
}

/// The unfinished file, and the parts of the future cassette.
struct OpenRecording {
    file: LockedFile,
    length: u64,
    /// The length of the first line with its line break.
    header: u64,
    /// The file contains only recordings that the old cassette lacks.
    completes: bool,
    /// The old cassette, if lines are copied from it.
    old: Option<File>,
    pieces: BTreeMap<PlayId, Vec<RecordingSource>>,
    /// The trials in which a request had no answer.
    gaps: BTreeSet<PlayId>,
}

/// The content of a file left by an interrupted run.
#[derive(Debug, Default)]
pub(super) struct Leftover {
    /// The valid lines, with their dialogues if they are of a simulation.
    pub lines: Vec<(LineSpan, Option<Box<str>>)>,
    /// The run recorded everything, not only missing requests.
    pub is_newer: bool,
}

impl Recording {
    /// A recording of at most `limit` bytes that has not started.
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

    /// The path of the future cassette.
    pub(in crate::llm) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn title(&self) -> &CassetteTitle {
        &self.title
    }

    /// The path of the unfinished file.
    pub(in crate::llm) fn unfinished(path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{name}.new"))
    }

    /// Locks the unfinished file. Returns `None` if another dialogue of this run has claimed it.
    fn hold(
        &self,
        hold: impl FnOnce(&Path) -> io::Result<Option<LockedFile>>,
    ) -> Checked<Option<LockedFile>> {
        if !self.claims.claim(&self.path) {
            return Ok(None);
        }
        match hold(&Self::unfinished(&self.path)) {
            Ok(Some(file)) => Ok(Some(file)),
            Ok(None) => self.held_elsewhere().fail(),
            Err(error) => unwritable(&self.path, &error).fail(),
        }
    }

    /// The finding that another run has locked the unfinished file.
    fn held_elsewhere(&self) -> Diagnostic {
        let path = self.path.display().to_string();
        let title = format!("cannot write the cassette `{path}`: another run is recording to it");
        Diagnostic::error(Code::CannotWrite, title)
            .about(path)
            .help("wait for the other run, then record the missing requests")
    }

    /// The state if the file can no longer be written.
    fn failed(&self, error: &io::Error) -> RecordingState {
        RecordingState::Failed(Box::new(unwritable(&self.path, error)))
    }

    fn begin(&self) -> RecordingState {
        match Cassette::check_place(&self.path).and_then(|()| self.hold(LockedFile::begin)) {
            Ok(Some(file)) => self.open(file, false),
            Ok(None) => RecordingState::Foreign,
            Err(finding) => RecordingState::Failed(finding),
        }
    }

    /// Locks the file before a request is sent, so that no paid answer is lost.
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
    fn open(&self, mut file: LockedFile, completes: bool) -> RecordingState {
        let line = format!("{}\n", self.title.header(completes));
        if let Err(error) = file.append(&line) {
            return self.failed(&error);
        }
        let header = line.len() as u64;
        RecordingState::opened(file, header, header, completes)
    }

    /// Completes another cassette, and resumes the file of an interrupted run. `old` is the old cassette, if lines are
    /// copied from it.
    pub(super) fn complete(&self, old: Option<File>) -> Result<Leftover, String> {
        let mut leftover = Leftover::default();
        let state = match self.hold(LockedFile::take_up) {
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
                "another dialogue is already recorded to the cassette `{}`",
                self.path.display()
            )),
        }
    }

    /// Resumes the file of an interrupted run. Discards its content if it is not a recording with this title.
    fn take_up(&self, mut file: LockedFile, leftover: &mut Leftover) -> io::Result<RecordingState> {
        let left = File::open(Self::unfinished(&self.path))?;
        let mut header = None;
        let mut completes = true;
        let mut lines = Vec::new();
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
        // The last line may be truncated.
        lines.retain(|(span, _)| span.end() <= length);
        *leftover = Leftover {
            lines,
            is_newer: !completes,
        };
        Ok(RecordingState::opened(file, length, header, true))
    }

    /// Writes the outcome of a request in a trial.
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

    /// Records that a request in a trial could not be sent.
    pub(super) fn miss(&self, play: PlayId) {
        // A write error is reported at the end.
        let _ = self.start();
        if let RecordingState::Open(open) = &mut *self.state.lock() {
            open.gaps.insert(play);
        }
    }

    /// The interaction in a line of the unfinished file.
    pub(super) fn read(&self, span: LineSpan) -> Option<Interaction> {
        let RecordingState::Open(open) = &mut *self.state.lock() else {
            return None;
        };
        let mut line = vec![0; span.length as usize];
        open.file.read_at(span.at, &mut line).ok()?;
        Interaction::read(std::str::from_utf8(&line).ok()?).ok()
    }

    /// Adds an existing recording to a trial.
    pub(super) fn reuse(&self, play: PlayId, piece: RecordingSource) {
        if let RecordingState::Open(open) = &mut *self.state.lock() {
            open.pieces.entry(play).or_default().push(piece);
        }
    }

    /// Whether a request had no answer in a counted trial.
    pub(in crate::llm) fn has_gap(&self, counts: &dyn Fn(PlayId) -> bool) -> bool {
        match &*self.state.lock() {
            RecordingState::Open(open) => open.gaps.iter().any(|play| counts(*play)),
            _ => false,
        }
    }

    /// The number of recordings in counted trials.
    pub(in crate::llm) fn count(&self, counts: &dyn Fn(PlayId) -> bool) -> u64 {
        let RecordingState::Open(open) = &*self.state.lock() else {
            return 0;
        };
        open.pieces
            .iter()
            .filter(|(play, _)| counts(**play))
            .map(|(_, pieces)| pieces.len() as u64)
            .sum()
    }

    /// Assembles the cassette from the counted trials. Returns whether the new cassette replaced the old one or equals
    /// it.
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
                let is_there = self.path.exists();
                let is_empty = !has_new && open.pieces.is_empty();
                // The file was locked, but no request was made.
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
                    _ => open.assemble(&self.title, &self.path),
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

    /// The finding about an old cassette that is preserved, because the new one has a gap.
    fn kept(&self, has_new: bool) -> Diagnostic {
        let old = self.path.display().to_string();
        let new = Self::unfinished(&self.path).display().to_string();
        let finding = Diagnostic::warning(
            Code::CassetteKept,
            format!("no provider answered, so the cassette `{old}` is unchanged"),
        )
        .about(old);
        if has_new {
            finding.help(format!(
                "use `record-missing` to continue: the new recordings are in `{new}`"
            ))
        } else {
            finding.help("check that the model answers, then record again")
        }
    }
}

impl Drop for Recording {
    /// Deletes the file if the run ended before the first request.
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
    /// Writes a line immediately, so that an interrupted run loses nothing.
    fn write(&mut self, play: PlayId, line: &str, is_gap: bool, limit: u64) -> io::Result<()> {
        let span = LineSpan {
            at: self.length,
            length: u32::try_from(line.len()).unwrap_or(u32::MAX),
        };
        if span.end() > limit {
            return Err(io::Error::other(format!(
                "it would be larger than {} MiB",
                limit >> 20
            )));
        }
        self.file.append(&format!("{line}\n"))?;
        self.length = span.end();
        self.pieces
            .entry(play)
            .or_default()
            .push(RecordingSource::New(span));
        if is_gap {
            self.gaps.insert(play);
        }
        Ok(())
    }

    /// Abandons the file. Recordings that complete another cassette are kept for the next run.
    fn give_up(self) {
        if !self.completes {
            self.file.discard();
        }
    }

    /// Whether the file is already the cassette: all lines are used, in the order of the trials.
    fn is_complete(&self) -> bool {
        let mut next = self.header;
        let in_order = self.pieces.values().flatten().all(|piece| match piece {
            RecordingSource::New(span) if span.at == next => {
                next = span.end();
                true
            }
            _ => false,
        });
        !self.completes && in_order && next == self.length
    }

    fn assemble(mut self, title: &CassetteTitle, path: &Path) -> io::Result<()> {
        if self.is_complete() {
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
                    (RecordingSource::Line(text), _) => line = text.as_bytes().to_vec(),
                    (RecordingSource::New(span), _) => {
                        line.resize(span.length as usize, 0);
                        file.read_at(span.at, &mut line)?;
                    }
                    (RecordingSource::Old(span), Some(old)) => read_span(old, *span, &mut line)?,
                    (RecordingSource::Old(_), None) => {
                        return Err(io::Error::other("the old cassette was deleted"));
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
/// Returns an error if reading fails, or if the line no longer exists.
pub(super) fn read_span(file: &mut File, span: LineSpan, line: &mut Vec<u8>) -> io::Result<()> {
    line.resize(span.length as usize, 0);
    file.seek(SeekFrom::Start(span.at))?;
    file.read_exact(line)
}

/// The line of an interaction. Checks that it can be parsed again, to fail now instead of during a replay.
fn line_of(interaction: &Interaction) -> io::Result<String> {
    let line = interaction.line();
    match Interaction::read(&line) {
        Ok(read) if read == *interaction => Ok(line),
        Ok(_) => Err(io::Error::other("an answer differs after it is read back")),
        Err((reason, _)) => Err(io::Error::other(reason)),
    }
}

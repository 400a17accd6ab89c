//! `fsmsim verify --follow`: checks each turn of a growing trace when it arrives.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::search_watch::stop_flag;
use super::verify_args::{VerifyArgs, VerifyFormat};
use super::{CommandResult, Context, refuse};
use fsmsim_harness::verify::follow::{
    FollowCommit, FollowEvent, FollowJournal, FollowOutput, Follower, Lateness,
};
use fsmsim_harness::verify::import::TraceMap;
use fsmsim_harness::verify::{Mode, ReachableStates, Verification, Verifier};
use fsmsim_reports::report::FollowLine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::unreadable;
use fsmsim_syntax::files::{FilePosition, GrowingFile, LineSplitter};
use fsmsim_syntax::terminal::{Escaping, StdoutWriter, stream};

/// The time between two attempts to read.
const PAUSE: Duration = Duration::from_millis(50);

/// The time after which the state is written while lines arrive.
const COMMIT: Duration = Duration::from_secs(1);

/// The source of lines.
enum FollowSource {
    File(Box<GrowingFile>),
    /// Standard input, which another thread reads.
    Input(Receiver<io::Result<Vec<u8>>>, LineSplitter),
}

/// The state of a source after a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceStep {
    Read,
    Dry,
    End,
}

/// The verdicts on standard output.
struct FollowWriter {
    out: StdoutWriter,
    is_json: bool,
    name: String,
    number: u64,
    result: io::Result<()>,
}

/// Follows a trace until standard input ends or the user presses Ctrl-C.
pub(super) fn follow(
    args: &VerifyArgs,
    verifier: &Verifier<'_>,
    map: Option<Arc<TraceMap>>,
    versions: &(String, Option<String>),
    context: &mut Context,
) -> CommandResult<Verification> {
    check(args, map.as_deref())?;
    let path = args
        .traces
        .first()
        .map_or(Path::new("-"), |path| path.as_path());
    let (mut journal, last) = match &args.journal {
        Some(path) => {
            let (journal, last) = FollowJournal::open(path)?;
            (Some(journal), last)
        }
        None => (None, None),
    };
    let lateness = args.lateness.unwrap_or_default();
    let name = verifier.name.to_owned();
    let reachable = ReachableStates::default();
    let records = journal.is_some();
    let mut follower = Follower::new(verifier, (path, &name), map, &reachable, lateness, records);
    let mut writer = FollowWriter {
        out: stream(if args.format == VerifyFormat::Jsonl {
            Escaping::Json
        } else {
            Escaping::of_text()
        }),
        is_json: args.format == VerifyFormat::Jsonl,
        name: name.clone(),
        number: last.as_ref().map_or(0, |last| last.verdicts),
        result: Ok(()),
    };
    let mut source = FollowSource::open(path, last.as_ref(), context);
    let is_new = last.is_none();
    if let Some(last) = last {
        cut_output(last.output.as_ref()).map_err(|error| {
            Diagnostic::error(
                Code::FileUnreadable,
                format!("cannot continue the output: {error}"),
            )
        })?;
        follower.resume(last.state, last.versions == *versions);
    }
    let stopped = stop_flag();
    let began = Instant::now();
    let mut committed = None::<Instant>;
    let mut last_line = Instant::now();
    // The length of the output before the first verdict is needed after a crash.
    let mut is_changed = is_new;
    let mut is_idle_checked = 0;
    loop {
        follower.time = began.elapsed().as_secs();
        let mut report = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
        let mut event = |event: FollowEvent| writer.write(&event);
        let mut out = FollowOutput {
            event: &mut event,
            report: &mut report,
        };
        let step = source.read(&mut |number, bytes| follower.bytes(number, bytes, &mut out));
        let step = step.map_err(|error| unreadable(path, &error))?;
        if step == SourceStep::Read {
            last_line = Instant::now();
            is_changed = true;
        } else if let Lateness::Nanoseconds(time) = lateness
            && i128::try_from(last_line.elapsed().as_nanos()).is_ok_and(|passed| passed > time)
        {
            follower.take_waiting(&mut out);
        }
        if is_idle_checked != follower.time {
            is_idle_checked = follower.time;
            is_changed |= follower.close_idle(args.idle, &mut out);
        }
        writer.flush()?;
        let is_stopped = stopped.load(Ordering::Relaxed);
        let is_due = step != SourceStep::Read || committed.is_none_or(|at| at.elapsed() > COMMIT);
        if let Some(journal) = journal
            .as_mut()
            .filter(|_| is_changed && (is_due || is_stopped))
        {
            let mut commit = FollowCommit::new(versions.clone(), source.position());
            commit.output = output_length();
            commit.verdicts = writer.number;
            commit.state = follower.state(journal.needs_all());
            let written = journal.write(&commit);
            written.map_err(|error| Diagnostic::unwritten(journal.path(), &error))?;
            committed = Some(Instant::now());
            is_changed = false;
        }
        if is_stopped || step == SourceStep::End {
            break;
        }
        if step == SourceStep::Dry {
            source.pause();
        }
    }
    // With a journal, the open dialogues continue after a restart.
    let is_open = journal.is_some();
    let mut report = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
    let mut event = |event: FollowEvent| {
        if !is_open {
            writer.write(&event);
        }
    };
    let mut out = FollowOutput {
        event: &mut event,
        report: &mut report,
    };
    follower.finish(&mut out);
    writer.flush()?;
    Ok(follower.verification)
}

/// Rejects options that cannot be combined.
fn check(args: &VerifyArgs, map: Option<&TraceMap>) -> CommandResult<()> {
    let is_input = args.traces.iter().any(|path| path == Path::new("-"));
    if args.traces.len() != 1 {
        return refuse(
            "cannot follow several traces",
            "start a process for each trace",
        );
    }
    if args.mode == Mode::Replay {
        let help = "omit `--mode replay`, and replay the complete trace later";
        return refuse("cannot use `--follow` with `--mode replay`", help);
    }
    if is_input && args.journal.is_some() {
        let help = "follow a file, which can be read again after a crash";
        return refuse("cannot use `--journal` with standard input", help);
    }
    if args.lateness.is_some() && !map.is_some_and(TraceMap::has_order) {
        let help = "add `order: PATH` with a number or time to the map, or omit `--lateness`";
        return refuse("`--lateness` requires a map with `order`", help);
    }
    Ok(())
}

impl FollowSource {
    fn open(path: &Path, last: Option<&FollowCommit>, context: &mut Context) -> Self {
        if path != Path::new("-") {
            let file = match last {
                Some(last) => GrowingFile::resume(path, &last.position).unwrap_or_else(|| {
                    let title = format!(
                        "lines of `{}` since the last run are missing",
                        path.display()
                    );
                    let warning = Diagnostic::warning(Code::FileUnreadable, title);
                    let mut found = Diagnostics::default();
                    found.push(warning.help("keep renamed files until they are read to the end"));
                    context.report(&found, &SourceMap::default());
                    GrowingFile::new(path)
                }),
                None => GrowingFile::new(path),
            };
            return Self::File(Box::new(file));
        }
        let (sender, receiver) = sync_channel(4);
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let mut chunk = vec![0; 1 << 16];
                let read = input.read(&mut chunk);
                let is_end = !matches!(read, Ok(1..));
                let read = read.map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                if sender.send(read).is_err() || is_end {
                    break;
                }
            }
        });
        Self::Input(receiver, LineSplitter::default())
    }

    fn read(&mut self, each: &mut dyn FnMut(usize, &[u8])) -> io::Result<SourceStep> {
        match self {
            Self::File(file) => Ok(if file.read(each)? {
                SourceStep::Read
            } else {
                SourceStep::Dry
            }),
            Self::Input(receiver, lines) => match receiver.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) => Ok(SourceStep::Dry),
                Err(RecvTimeoutError::Disconnected) => Ok(SourceStep::End),
                Ok(chunk) => {
                    let chunk = chunk?;
                    lines.push(&chunk, each)?;
                    if chunk.is_empty() {
                        lines.finish(each);
                        return Ok(SourceStep::End);
                    }
                    Ok(SourceStep::Read)
                }
            },
        }
    }

    /// Waits for more lines.
    fn pause(&self) {
        if matches!(self, Self::File(_)) {
            std::thread::sleep(PAUSE);
        }
    }

    fn position(&self) -> FilePosition {
        match self {
            Self::File(file) => file.position(),
            Self::Input(..) => FilePosition::default(),
        }
    }
}

impl FollowWriter {
    fn write(&mut self, event: &FollowEvent) {
        if self.result.is_ok() {
            self.number += 1;
            let line = FollowLine::of(event, &self.name, self.number);
            self.result = line.write(self.is_json, &mut self.out);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.result, Ok(()))?;
        self.out.flush()
    }
}

/// Standard output, if it is a file.
#[cfg(unix)]
fn output_file() -> Option<File> {
    use std::os::fd::AsFd;
    let file = File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
    file.metadata()
        .is_ok_and(|file| file.is_file())
        .then_some(file)
}

/// Standard output is not known to be a file.
#[cfg(not(unix))]
fn output_file() -> Option<File> {
    None
}

/// The identity and the length of standard output, if it is a file.
fn output_length() -> Option<(FilePosition, u64)> {
    let file = output_file()?.metadata().ok()?;
    Some((FilePosition::of(&file), file.len()))
}

/// Removes the verdicts after the last commit, because their lines are checked again. Another output is unchanged.
fn cut_output(committed: Option<&(FilePosition, u64)>) -> io::Result<()> {
    if let Some((identity, length)) = committed
        && let Some((now, current)) = output_length()
        && now == *identity
        && current > *length
        && let Some(file) = output_file()
    {
        file.set_len(*length)?;
    }
    Ok(())
}

//! An MCP server as a child process.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::http_agent::{parse, too_large};
use super::mcp_channel::McpChannel;
use super::process_group::ProcessGroup;
use super::shown;
use crate::limits::{
    FAREWELL_TIMEOUT, MAX_ANSWER, MAX_ERROR_LINE, MAX_ERROR_LINES, MAX_WAITING_MESSAGES,
};
use crate::subject::subject_failure::SubjectFailure;
use fsmsim_syntax::threads::Mutex;

/// The interval for polling whether a process has exited by itself.
const GLANCE: Duration = Duration::from_millis(5);
/// The interval for polling whether a silent process is still running.
const CHECK: Duration = Duration::from_millis(100);

/// An MCP server as a child process, with one message per line on standard input and output. Dropping it closes the
/// input. After a timeout, it kills the process and everything that the process started.
pub(super) struct McpProcess {
    child: Child,
    group: ProcessGroup,
    /// The queue of lines to write. `None` closes the input.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Result<Vec<u8>, SubjectFailure>>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    /// The output is closed, or the process has exited.
    is_closed: bool,
}

impl McpProcess {
    /// Starts the process in a directory.
    pub(super) fn start(words: &[Box<str>], folder: &Path) -> Result<Self, SubjectFailure> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| SubjectFailure::new("missing program in `command`"))?;
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let mut command = Command::new(&**program);
        command
            .args(arguments.iter().map(|word| &**word))
            .current_dir(folder);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (mut child, group) = ProcessGroup::start(&mut command).map_err(|error| {
            SubjectFailure::new(format!("cannot start `{}`: {error}", shown(program)))
        })?;
        let (input, to_write) = channel();
        let (to_read, output) = sync_channel(MAX_WAITING_MESSAGES);
        let complaints = Arc::<Mutex<VecDeque<String>>>::default();
        // These threads are not joined: grandchildren of the process may keep its pipes open.
        if let Some(stdin) = child.stdin.take() {
            spawn(move || write_all(stdin, &to_write));
        }
        if let Some(stdout) = child.stdout.take() {
            spawn(move || read_lines(stdout, &to_read));
        }
        if let Some(stderr) = child.stderr.take() {
            let complaints = Arc::clone(&complaints);
            spawn(move || keep_last_lines(stderr, &complaints));
        }
        Ok(Self {
            child,
            group,
            input: Some(input),
            output,
            complaints,
            is_closed: false,
        })
    }

    /// The exit status of the process, if it exits before the deadline.
    fn ended(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            sleep(GLANCE);
        }
    }
}

impl McpChannel for McpProcess {
    fn send(&mut self, message: &Json) -> Result<(), SubjectFailure> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        // If the process does not read the line, the request times out.
        if let Some(input) = &self.input {
            let _ = input.send(line);
        }
        Ok(())
    }

    fn receive(&mut self, deadline: Instant) -> Result<Json, SubjectFailure> {
        let mut status = None;
        loop {
            let left = deadline
                .saturating_duration_since(Instant::now())
                .min(CHECK);
            match self.output.recv_timeout(left) {
                Ok(line) => return parse(&line?),
                Err(RecvTimeoutError::Timeout) if status.is_some() => break,
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(SubjectFailure::new("no message arrived"));
                }
                // Grandchildren may keep the output open. Read once more to get the last output of the process.
                Err(RecvTimeoutError::Timeout) => status = self.child.try_wait().ok().flatten(),
                Err(RecvTimeoutError::Disconnected) => {
                    status = self.ended((Instant::now() + FAREWELL_TIMEOUT).min(deadline));
                    break;
                }
            }
        }
        self.is_closed = true;
        Err(SubjectFailure::new(match status {
            Some(status) => format!("the process exited ({status})"),
            None => "the process closed its output".to_owned(),
        }))
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn complaint(&self) -> Option<String> {
        let complaints = self.complaints.lock();
        let lines: Vec<String> = complaints.iter().map(|line| shown(line)).collect();
        (!lines.is_empty()).then(|| lines.join(" / "))
    }
}

impl Drop for McpProcess {
    fn drop(&mut self) {
        self.input = None;
        if self.ended(Instant::now() + FAREWELL_TIMEOUT).is_none() {
            let _ = self.child.kill();
        }
        // Kill the group even after a clean exit: the process may have left others running.
        self.group.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: ChildStdout, lines: &SyncSender<Result<Vec<u8>, SubjectFailure>>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = reader
            .by_ref()
            .take(MAX_ANSWER as u64 + 1)
            .read_until(b'\n', &mut line);
        if !matches!(read, Ok(length) if length > 0) {
            return;
        }
        let is_too_large = line.len() > MAX_ANSWER;
        let line = if is_too_large {
            Err(too_large())
        } else {
            Ok(line)
        };
        let is_blank = line
            .as_ref()
            .is_ok_and(|line| line.iter().all(u8::is_ascii_whitespace));
        if (!is_blank && lines.send(line).is_err()) || is_too_large {
            return;
        }
    }
}

fn keep_last_lines(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        match reader
            .by_ref()
            .take(MAX_ERROR_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(length) if length > 0 => {}
            _ => return,
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if line.is_empty() {
            continue;
        }
        let mut kept = kept.lock();
        kept.push_back(line);
        if kept.len() > MAX_ERROR_LINES {
            kept.pop_front();
        }
    }
}

use std::ffi::OsStr;
use std::fmt::{Display, Formatter};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

/// A run of the binary that is still to come. Its last verb runs it and says what must come of it: `succeeds`, `fails`,
/// `refuses`, `unavailable`; or `shown`, for a snapshot of everything. Texts given to these verbs must be part of what is
/// said, and may be empty.
#[must_use = "it is still to be run"]
pub(crate) struct Invocation {
    command: Command,
    input: Vec<u8>,
    about: String,
    without_usage: bool,
    /// Stays for as long as the run is to come.
    _project: Arc<TempDir>,
}

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
    about: String,
}

impl Invocation {
    /// A command in a project.
    pub(crate) fn new(mut command: Command, project: &Arc<TempDir>) -> Self {
        command
            .current_dir(project.path())
            .env_remove("CI")
            .env_remove("NO_COLOR");
        // What whoever runs the tests has agreed to changes nothing.
        command.env("XDG_CONFIG_HOME", project.path().join(".config"));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self {
            command,
            input: Vec::new(),
            about: String::new(),
            without_usage: false,
            _project: Arc::clone(project),
        }
    }

    pub(crate) fn args(mut self, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn stdin(mut self, input: impl AsRef<[u8]>) -> Self {
        input.as_ref().clone_into(&mut self.input);
        self
    }

    /// At a terminal: what it reads, and what is said about it.
    pub(crate) fn at(mut self, terminal: impl Fn() -> Stdio) -> Self {
        self.command.stdin(terminal()).stderr(terminal());
        self
    }

    /// Where its results go.
    pub(crate) fn stdout(mut self, place: Stdio) -> Self {
        self.command.stdout(place);
        self
    }

    /// Where what is said about it goes.
    pub(crate) fn stderr(mut self, place: Stdio) -> Self {
        self.command.stderr(place);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// What it is about, told where it does not end as it should.
    pub(crate) fn about(mut self, what: impl Display) -> Self {
        self.about = what.to_string();
        self
    }

    /// Without what models have used, which is told with its time, and how they failed.
    pub(crate) fn without_usage(mut self) -> Self {
        self.without_usage = true;
        self
    }

    /// In this folder of the project, not in the project itself.
    pub(crate) fn below(mut self, folder: &str) -> Self {
        let folder = self.command.get_current_dir().unwrap().join(folder);
        self.command.current_dir(folder);
        self
    }

    /// Starts it, for whoever speaks to it while it runs.
    pub(crate) fn spawn(mut self) -> Child {
        self.command.spawn().unwrap()
    }

    /// Runs it, whatever comes of it.
    pub(crate) fn run(mut self) -> Run {
        let mut child = self.command.spawn().unwrap();
        // A program that refuses its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(&self.input);
        let output = child.wait_with_output().unwrap();
        let mut stderr = String::from_utf8(output.stderr).unwrap();
        if self.without_usage {
            let is_usage = |line: &&str| {
                (line.ends_with(" s\n") && line.contains(" tokens, ")) || line.contains(": failed ")
            };
            stderr = stderr
                .split_inclusive('\n')
                .filter(|line| !is_usage(line))
                .collect();
        }
        let arguments: Vec<_> = self
            .command
            .get_args()
            .map(OsStr::to_string_lossy)
            .collect();
        Run {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr,
            code: output.status.code().unwrap(),
            about: format!("{}\n$ fsmsim {}", self.about, arguments.join(" ")),
        }
    }

    /// All is well, this is among the results, and nothing stands on standard error. Returns the results.
    #[track_caller]
    pub(crate) fn succeeds(self, stdout: &str) -> String {
        let run = self.ends(0, stdout, "");
        assert_eq!(run.stderr, "", "{run}");
        run.stdout
    }

    /// All is well, but something is said about it on standard error.
    #[track_caller]
    pub(crate) fn warns(self, stdout: &str, stderr: &str) -> Run {
        let run = self.ends(0, stdout, stderr);
        assert_ne!(run.stderr, "", "{run}");
        run
    }

    /// Something fell short, or is unusable beside results: ends with this code.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, stdout: &str, stderr: &str) -> Run {
        assert_ne!(code, 0, "who fails does not succeed");
        self.ends(code, stdout, stderr)
    }

    /// Ends with this code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32, stdout: &str, stderr: &str) -> Run {
        let run = self.run();
        assert_eq!(run.code, code, "{run}");
        assert!(
            run.stdout.contains(stdout),
            "`{stdout}` is not among the results\n{run}"
        );
        assert!(run.stderr.contains(stderr), "`{stderr}` is not said\n{run}");
        run
    }

    /// The input is unusable, and there are no results. Returns what is said about it.
    #[track_caller]
    pub(crate) fn refuses(self, stderr: &str) -> String {
        let run = self.ends(2, "", stderr);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run}");
        run.stderr
    }

    /// The outside was unavailable: a model, a backend.
    #[track_caller]
    pub(crate) fn unavailable(self, stdout: &str, stderr: &str) -> Run {
        self.ends(3, stdout, stderr)
    }

    /// Everything a person sees, for a snapshot.
    pub(crate) fn shown(self) -> String {
        self.run().shown()
    }
}

impl Run {
    /// Everything a person sees.
    pub(crate) fn shown(&self) -> String {
        format!(
            "exit {}\n----- stdout\n{}----- stderr\n{}",
            self.code, self.stdout, self.stderr
        )
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.about, self.shown())
    }
}

use std::ffi::OsStr;
use std::fmt::{Display, Formatter};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

/// A prepared run of the binary. The last method of the chain runs it and checks the result: `succeeds`, `fails`, `refuses`
/// or `unavailable`. `shown` returns all output for a snapshot. Strings given to these methods must occur in the output, and
/// can be empty.
#[must_use = "the command does not run until its result is checked"]
pub(crate) struct Invocation {
    command: Command,
    input: Vec<u8>,
    about: String,
    without_usage: bool,
    /// Keeps the directory until the run has ended.
    _project: Arc<TempDir>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
    about: String,
}

impl Invocation {
    pub(crate) fn new(mut command: Command, project: &Arc<TempDir>) -> Self {
        command
            .current_dir(project.path())
            .env_remove("CI")
            .env_remove("NO_COLOR");
        // In continuous integration, these variables name the target branch of this repository.
        for name in [
            "GITHUB_BASE_REF",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA",
            "BITBUCKET_PR_DESTINATION_BRANCH",
        ] {
            command.env_remove(name);
        }
        // The consents of the developer who runs the tests must not affect the result.
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

    /// Connects standard input and standard error to a terminal.
    pub(crate) fn at(mut self, terminal: impl Fn() -> Stdio) -> Self {
        self.command.stdin(terminal()).stderr(terminal());
        self
    }

    /// Redirects standard output.
    pub(crate) fn stdout(mut self, target: Stdio) -> Self {
        self.command.stdout(target);
        self
    }

    /// Redirects standard error.
    pub(crate) fn stderr(mut self, target: Stdio) -> Self {
        self.command.stderr(target);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// A description of the case for failure messages.
    pub(crate) fn about(mut self, what: impl Display) -> Self {
        self.about = what.to_string();
        self
    }

    /// Removes the lines about LLM usage and failures, which contain times, from standard error.
    pub(crate) fn without_usage(mut self) -> Self {
        self.without_usage = true;
        self
    }

    /// Runs in this folder of the project instead of its root.
    pub(crate) fn below(mut self, folder: &str) -> Self {
        let folder = self.command.get_current_dir().unwrap().join(folder);
        self.command.current_dir(folder);
        self
    }

    /// Starts the process for a test that communicates with it.
    pub(crate) fn spawn(mut self) -> Child {
        self.command.spawn().unwrap()
    }

    /// Runs to the end and accepts any result.
    pub(crate) fn run(mut self) -> Run {
        let mut child = self.command.spawn().unwrap();
        // A program that rejects its arguments does not read its input.
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

    /// Expects exit code 0, this text on standard output and an empty standard error. Returns standard output.
    #[track_caller]
    pub(crate) fn succeeds(self, stdout: &str) -> String {
        let run = self.ends(0, stdout, "");
        assert_eq!(run.stderr, "", "{run}");
        run.stdout
    }

    /// Expects exit code 0 and something on standard error.
    #[track_caller]
    pub(crate) fn warns(self, stdout: &str, stderr: &str) -> Run {
        let run = self.ends(0, stdout, stderr);
        assert_ne!(run.stderr, "", "{run}");
        run
    }

    /// Expects this exit code, which is not 0.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, stdout: &str, stderr: &str) -> Run {
        assert_ne!(code, 0, "a failure has another exit code");
        self.ends(code, stdout, stderr)
    }

    /// Expects this exit code and these texts.
    #[track_caller]
    pub(crate) fn ends(self, code: i32, stdout: &str, stderr: &str) -> Run {
        let run = self.run();
        assert_eq!(run.code, code, "{run}");
        assert!(
            run.stdout.contains(stdout),
            "`{stdout}` is not on standard output\n{run}"
        );
        assert!(
            run.stderr.contains(stderr),
            "`{stderr}` is not on standard error\n{run}"
        );
        run
    }

    /// Expects exit code 2 for invalid input and an empty standard output. Returns standard error.
    #[track_caller]
    pub(crate) fn refuses(self, stderr: &str) -> String {
        let run = self.ends(2, "", stderr);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run}");
        run.stderr
    }

    /// Expects exit code 3: an external service, such as an LLM or a backend, is unavailable.
    #[track_caller]
    pub(crate) fn unavailable(self, stdout: &str, stderr: &str) -> Run {
        self.ends(3, stdout, stderr)
    }

    /// Runs and returns the exit code and all output for a snapshot.
    pub(crate) fn shown(self) -> String {
        self.run().shown()
    }
}

impl Run {
    /// The exit code and all output.
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

//! A project in a temporary folder, and the binary run in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A project in a temporary folder.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// All files of the project, by path.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = walk(self.path())
            .into_iter()
            .map(|path| path.strip_prefix(self.path()).unwrap().display().to_string())
            .collect();
        files.sort();
        files
    }

    /// A copy of the flows that come with the project.
    pub(crate) fn with_flows(self) -> Self {
        let flows = Path::new(env!("CARGO_MANIFEST_DIR")).join("flows");
        for path in walk(&flows) {
            let relative = Path::new("flows").join(path.strip_prefix(&flows).unwrap());
            self.write(relative.to_str().unwrap(), std::fs::read(&path).unwrap());
        }
        self
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, "", &[])
    }

    pub(crate) fn run_with(&self, arguments: &[&str], input: &str, environment: &[(&str, &str)]) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fsmsim"))
            .args(arguments)
            .current_dir(self.path())
            .env_remove("CI")
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Run {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap(),
        }
    }
}

impl Run {
    /// Everything a person sees, for a snapshot.
    pub(crate) fn shown(&self) -> String {
        format!("exit {}\n----- stdout\n{}----- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// The folder of recordings, or nothing (and a word about it) where there is none.
pub(crate) fn recordings() -> Option<PathBuf> {
    let folder = std::env::var_os("FSMSIM_CONFORMANCE").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: FSMSIM_CONFORMANCE does not name the folder of recordings");
    }
    folder
}

/// All files under a folder.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

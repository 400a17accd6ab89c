//! Helpers for all tests.

mod invocation;
#[cfg(feature = "live")]
pub(crate) mod loopback;
mod project;

use std::path::{Path, PathBuf};

use proptest::prelude::ProptestConfig;

pub(crate) use invocation::{Invocation, Run};
pub(crate) use project::Project;

/// A file or folder of this repository.
pub(crate) fn home(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file of this repository.
pub(crate) fn text(path: impl AsRef<Path>) -> String {
    let path = home("").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether slow tests run in full: `FSMSIM_CI=full`.
pub(crate) fn tries_everything() -> bool {
    std::env::var("FSMSIM_CI").is_ok_and(|value| value == "full")
}

/// The number of cases of a property test: `all` with `FSMSIM_CI=full`, otherwise a sixteenth, at least 4.
pub(crate) fn cases(all: u32) -> ProptestConfig {
    ProptestConfig {
        cases: if tries_everything() {
            all
        } else {
            (all / 16).max(4)
        },
        ..ProptestConfig::default()
    }
}

/// The folder of recordings. If it is not set, prints that the test is skipped and returns `None`.
pub(crate) fn recordings() -> Option<PathBuf> {
    let folder = std::env::var_os("FSMSIM_CONFORMANCE").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: FSMSIM_CONFORMANCE does not name the folder of recordings");
    }
    folder
}

/// Runs git in a project. Returns whether it succeeded.
pub(crate) fn git(project: &Project, arguments: &[&str]) -> bool {
    let names = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "commit.gpgsign=false",
    ];
    let run = std::process::Command::new("git")
        .args(names)
        .args(arguments)
        .current_dir(project.path())
        .output();
    run.is_ok_and(|output| output.status.success())
}

/// The turns of a trace.
pub(crate) fn turns(trace: &str) -> Vec<serde_json::Value> {
    let lines = trace.lines().filter(|line| line.starts_with("{\"turn\":"));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// All files under a folder.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

//! Files that lie where a flow is, and that nobody reads: a base without a configuration root, names that are nearly right.

use std::path::{Path, PathBuf};

use super::root::nearest_above;
use crate::dialect::is_yaml;
use crate::limits::MAX_LEVELS_TO_BASE;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, nearest};

const FLOW_FILES: [&str; 2] = ["flow.yaml", "states.yaml"];

/// Looks around the flow at `path`.
pub(super) fn look(path: &Path, is_file: bool, has_root: bool) -> Vec<Diagnostic> {
    let mut unread = Vec::new();
    if is_file {
        return unread;
    }
    if !has_root && let Some(base) = base_above(path) {
        unread.push(
            Diagnostic::warning(
                Code::UnreadBase,
                "the base is not read, since no folder above has `constants.yaml`",
            )
            .about(base.display().to_string())
            .help("put a `constants.yaml` beside it; `limits: {}` in it is enough"),
        );
    }
    unread.extend(
        misspelt(path)
            .iter()
            .map(|(name, near)| nobody_reads(path, name, near)),
    );
    unread
}

/// The file without which a folder is no flow, where it is there under nearly its name.
pub(in crate::dialect) fn misnamed_flow(folder: &Path) -> Option<Diagnostic> {
    let files = misspelt(folder);
    let (name, near) = files.iter().find(|(_, near)| *near == "flow.yaml")?;
    let mut finding = nobody_reads(folder, name, near);
    finding.severity = Severity::Error;
    Some(finding)
}

fn nobody_reads(folder: &Path, name: &str, near: &str) -> Diagnostic {
    Diagnostic::warning(Code::UnreadFile, format!("nobody reads `{name}`"))
        .about(folder.join(name).display().to_string())
        .help(format!("did you mean `{near}`? Rename the file"))
}

/// Adds what was found while compiling. What is missing because a file was not read is told once, with the file.
pub(super) fn tell(mut unread: Vec<Diagnostic>, compiled: Diagnostics, found: &mut Diagnostics) {
    if unread.is_empty() {
        found.extend(compiled);
        return;
    }
    if compiled.has_errors() {
        // Without the file nothing can be played, so it is what is wrong.
        for finding in &mut unread {
            finding.severity = Severity::Error;
        }
    }
    let others = compiled
        .items()
        .iter()
        .filter(|finding| !is_consequence(finding.code))
        .cloned();
    for finding in unread.into_iter().chain(others) {
        found.push(finding);
    }
}

/// Whether a finding says that something is not there.
fn is_consequence(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownState
            | Code::UnknownMixin
            | Code::UnknownParent
            | Code::UnresolvedPlaceholder
            | Code::UnknownPhaseState
            | Code::UnknownEntryPoint
            | Code::NoStates
            | Code::NoInitialState
            | Code::PhaseWithoutState
    )
}

fn base_above(path: &Path) -> Option<PathBuf> {
    let folder = nearest_above(path, 1..=MAX_LEVELS_TO_BASE, |folder| {
        folder.join("_base").is_dir()
    })?;
    Some(folder.join("_base"))
}

/// Files of the folder that are called nearly as one that it lacks, each with that name.
fn misspelt(folder: &Path) -> Vec<(String, &'static str)> {
    let missing: Vec<&'static str> = FLOW_FILES
        .into_iter()
        .filter(|name| !folder.join(name).is_file())
        .collect();
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = files
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let near = |name: String| {
        let whole = nearest(&name, missing.iter().copied())?;
        Some((name, *missing.iter().find(|known| **known == whole)?))
    };
    names
        .into_iter()
        .filter(|name| is_yaml(Path::new(name)) && !FLOW_FILES.contains(&&**name))
        .filter_map(near)
        .collect()
}

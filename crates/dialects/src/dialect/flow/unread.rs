//! Finds ignored files in the folder of a flow: a base flow without a configuration root, and files with typos in their
//! names.

use std::path::{Path, PathBuf};

use super::root::nearest_above;
use crate::dialect::{is_definition_file, stem_of};
use crate::limits::MAX_LEVELS_TO_BASE;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, nearest};
use fsmsim_syntax::document::is_yaml;

const FLOW_FILES: [&str; 2] = ["flow.yaml", "states.yaml"];

/// Finds ignored files near the flow at `path`.
pub(super) fn look(path: &Path, is_file: bool, has_root: bool) -> Vec<Diagnostic> {
    let mut unread = Vec::new();
    if is_file {
        return unread;
    }
    if !has_root && let Some(base) = base_above(path) {
        unread.push(
            Diagnostic::warning(
                Code::IgnoredBase,
                "base flow is ignored: missing `constants.yaml` in the parent directories",
            )
            .about(base.display().to_string())
            .help("add a `constants.yaml` next to it, for example with `limits: {}`"),
        );
    }
    unread.extend(
        misspelled(path)
            .iter()
            .map(|(name, near)| ignored_file(path, name, near)),
    );
    unread
}

/// The finding about a folder in which the name of `flow.yaml` contains a typo.
pub(in crate::dialect) fn misnamed_flow(folder: &Path) -> Option<Diagnostic> {
    let files = misspelled(folder);
    // A complete definition is a model itself, and its folder contains several models.
    let is_misnamed = |name: &str| !is_definition_file(&folder.join(name));
    let (name, near) = files
        .iter()
        .find(|(name, near)| *near == "flow.yaml" && is_misnamed(name))?;
    let mut finding = ignored_file(folder, name, near);
    finding.severity = Severity::Error;
    Some(finding)
}

fn ignored_file(folder: &Path, name: &str, near: &str) -> Diagnostic {
    Diagnostic::warning(Code::IgnoredFile, format!("file `{name}` is never used"))
        .about(folder.join(name).display().to_string())
        .help(format!("rename the file to `{near}`"))
}

/// Adds the findings from the compilation. Omits findings that an ignored file causes.
pub(super) fn report(mut unread: Vec<Diagnostic>, compiled: Diagnostics, found: &mut Diagnostics) {
    if unread.is_empty() {
        found.extend(compiled);
        return;
    }
    if compiled.has_errors() {
        // The ignored file prevents loading, so it is an error.
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

/// Whether an ignored file can cause a finding about a missing element.
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
    Some(
        nearest_above(path, 1..=MAX_LEVELS_TO_BASE, |folder| {
            folder.join("_base").is_dir()
        })?
        .join("_base"),
    )
}

/// Files of the folder whose names are similar to a missing file, with the correct names.
fn misspelled(folder: &Path) -> Vec<(String, &'static str)> {
    let missing: Vec<&'static str> = FLOW_FILES
        .into_iter()
        .filter(|name| !folder.join(name).is_file())
        .collect();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let near = |name: String| {
        // The common extension would make all short names similar, such as `loan.yaml` and `flow.yaml`.
        let stem = stem_of(Path::new(&name));
        let stems = missing.iter().map(|name| name.trim_end_matches(".yaml"));
        let known = nearest(&stem, stems)?;
        Some((name, *missing.iter().find(|name| name.starts_with(known))?))
    };
    names
        .into_iter()
        .filter(|name| is_yaml(Path::new(name)) && !FLOW_FILES.contains(&&**name))
        .filter_map(near)
        .collect()
}

//! Finds the rules of a machine that are missing or different in another machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::sides::Sides;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::RuleId;
use fsmsim_core::trace::RuleMark;
use fsmsim_runtime::project::{companions, root_markers};
use fsmsim_syntax::diagnostic::SourceFile;
use fsmsim_syntax::document::{DiffOp, sequence_edits};

/// A model to compare.
#[derive(Clone, Copy)]
pub(super) struct NamedModel<'m> {
    pub machine: &'m Machine,
    /// Path prefixes, each with the prefix to display.
    pub names: &'m [(String, String)],
}

impl NamedModel<'_> {
    /// A location in a file, as users see it.
    pub(super) fn place(&self, path: &str, line: impl Display) -> String {
        format!("{}:{line}", shown(path, self.names))
    }
}

/// Compares the rules of a machine with another machine. A rule is edited if the other machine's file does not contain
/// its lines.
pub(super) struct RuleChanges<'m> {
    model: NamedModel<'m>,
    other: &'m Machine,
    /// The index of each line in the other machine's file; `None` for a file that both machines share.
    files: BTreeMap<String, Option<Vec<Option<usize>>>>,
}

impl<'m> RuleChanges<'m> {
    /// Compares the rules of `model` with `other`.
    pub(super) fn new(model: NamedModel<'m>, other: &'m Machine) -> Self {
        Self {
            model,
            other,
            files: BTreeMap::new(),
        }
    }

    /// The location, mixin and edit status of a rule.
    pub(super) fn mark(&mut self, id: RuleId) -> RuleMark {
        let machine = self.model.machine;
        let rule = &machine.rules[id];
        let file = machine.files.file(rule.span.file);
        let path = machine.files.path(rule.span.file);
        RuleMark {
            place: self.model.place(path, rule.line),
            mixin: machine.origin_of(id).mixin.as_deref().map(str::to_owned),
            edited: file.is_some_and(|file| {
                let last = file
                    .line_of(rule.span.end.saturating_sub(1).max(rule.span.start))
                    .0;
                self.is_edited(file, rule.line as usize, last)
            }),
        }
    }

    /// Whether these lines (from 1) are not in the other machine's file, unchanged and consecutive.
    fn is_edited(&mut self, file: &SourceFile, first: usize, last: usize) -> bool {
        let path = file.path();
        if !self.files.contains_key(path) {
            let lines = counterpart(path, self.model.machine, self.other)
                .map(|other| kept(file.text(), other.text()));
            self.files.insert(path.to_owned(), lines);
        }
        let Some(Some(lines)) = self.files.get(path) else {
            return false;
        };
        let places: Option<Vec<usize>> = (first..=last)
            .map(|line| lines.get(line.saturating_sub(1)).copied().flatten())
            .collect();
        let together = |places: &[usize]| {
            places
                .iter()
                .zip(places.iter().skip(1))
                .all(|(one, next)| *next == one + 1)
        };
        places.is_none_or(|places| !together(&places))
    }
}

/// The other machine's version of a file of this machine; `None` if both machines share the file.
pub(super) fn counterpart<'o>(
    path: &str,
    machine: &Machine,
    other: &'o Machine,
) -> Option<&'o SourceFile> {
    let (folder, other_folder) = folders(
        Path::new(&machine.header.source),
        Path::new(&other.header.source),
    );
    let inner = Path::new(path).strip_prefix(&folder).ok()?;
    // If a model is a single file, it corresponds to the other model's file, even if their names differ.
    let counterpart = if inner.as_os_str().is_empty() {
        other_folder
    } else {
        other_folder.join(inner)
    };
    let counterpart = counterpart.display().to_string();
    if counterpart == path {
        return None;
    }
    other.files.named(&counterpart)
}

/// Pairs of files that two machines have in different locations. Machines that were loaded in sequence share one list
/// of files, so only the source files of the first machine count.
pub(super) fn corresponding(models: Sides<NamedModel<'_>>) -> Vec<Sides<&SourceFile>> {
    let machines = models.map(|model| model.machine);
    let source = Path::new(&machines.a.header.source);
    let markers = root_markers(source);
    let is_there = |marker: &&PathBuf| {
        machines
            .a
            .files
            .named(&marker.display().to_string())
            .is_some()
    };
    let companion_folders = companions(source, markers.iter().find(is_there).map(PathBuf::as_path));
    let is_own = |file: &&SourceFile| {
        let path = Path::new(file.path());
        path.starts_with(source)
            || companion_folders
                .iter()
                .any(|folder| path.starts_with(folder))
    };
    let mut seen = BTreeSet::new();
    let files = machines
        .a
        .files
        .files()
        .filter(is_own)
        .filter(|file| seen.insert(file.path()));
    let pair = |a| {
        Some(Sides {
            a,
            b: counterpart(SourceFile::path(a), machines.a, machines.b)?,
        })
    };
    files.filter_map(pair).collect()
}

/// A path as users see it.
fn shown(path: &str, names: &[(String, String)]) -> String {
    let renamed = names
        .iter()
        .find_map(|(prefix, name)| Some(format!("{name}{}", path.strip_prefix(&**prefix)?)));
    renamed.unwrap_or_else(|| path.to_owned())
}

/// The parent folders below which two paths are equal.
fn folders(one: &Path, other: &Path) -> (PathBuf, PathBuf) {
    let same = one
        .components()
        .rev()
        .zip(other.components().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let above = |path: &Path| {
        let parts: Vec<_> = path.components().collect();
        parts.iter().take(parts.len() - same).collect::<PathBuf>()
    };
    (above(one), above(other))
}

/// The index of each line in the other text (both from 0); `None` if the other text does not contain the line.
fn kept(text: &str, other: &str) -> Vec<Option<usize>> {
    let [text, other]: [Vec<&str>; 2] =
        [text, other].map(|text| text.split_inclusive('\n').collect());
    let mut lines = vec![None; text.len()];
    for op in sequence_edits(&text, &other) {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            for (line, place) in lines.iter_mut().skip(old_index).take(len).zip(new_index..) {
                *line = Some(place);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_exclude_the_common_end_of_two_paths() {
        let shown = |one: &str, other: &str| {
            let (one, other) = folders(Path::new(one), Path::new(other));
            (one.display().to_string(), other.display().to_string())
        };
        assert_eq!(
            shown("flows/a", "/tmp/x/flows/a"),
            (String::new(), "/tmp/x".to_owned())
        );
        assert_eq!(
            shown("flows/a", "flows/b"),
            ("flows/a".to_owned(), "flows/b".to_owned())
        );
        assert_eq!(shown("a", "a"), (String::new(), String::new()));
    }

    #[test]
    fn unchanged_lines_have_their_new_index() {
        assert_eq!(kept("a\nb\nc\n", "a\nx\ny\nc\n"), [Some(0), None, Some(3)]);
    }

    #[test]
    fn paths_are_displayed_with_the_new_prefix() {
        let names = [("/tmp/x/".to_owned(), "git:HEAD:".to_owned())];
        assert_eq!(
            super::shown("/tmp/x/flows/a.yaml", &names),
            "git:HEAD:flows/a.yaml"
        );
        assert_eq!(super::shown("flows/a.yaml", &names), "flows/a.yaml");
    }
}

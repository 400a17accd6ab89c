//! Which rules of a machine another machine does not have as they are.

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

/// A model of a comparison.
#[derive(Clone, Copy)]
pub(super) struct NamedModel<'m> {
    pub machine: &'m Machine,
    /// The beginnings of paths, and what people should see for them.
    pub names: &'m [(String, String)],
}

impl NamedModel<'_> {
    /// A line of a file as people should see it.
    pub(super) fn place(&self, path: &str, line: impl Display) -> String {
        format!("{}:{line}", shown(path, self.names))
    }
}

/// The rules of a machine, seen from another one: a rule is edited where its lines are not those of the other's file.
pub(super) struct RuleChanges<'m> {
    model: NamedModel<'m>,
    other: &'m Machine,
    /// Of each file, where its lines stand in the other machine's; nothing where the files are the same.
    files: BTreeMap<String, Option<Vec<Option<usize>>>>,
}

impl<'m> RuleChanges<'m> {
    /// The rules of `model`, seen from `other`.
    pub(super) fn new(model: NamedModel<'m>, other: &'m Machine) -> Self {
        Self {
            model,
            other,
            files: BTreeMap::new(),
        }
    }

    /// What is to be told about a rule.
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

    /// Whether lines of a file (from 1) do not stand in the other machine's file just so.
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

/// The file of another machine that corresponds to a file of this one; nothing where both share it.
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
    // What is a file by itself has the other file, whatever they are called.
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

/// The files of a machine that another machine has in another place, each with the other's. Machines that were loaded one after
/// the other know each other's files; only those count of which the machine was made.
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
    let beside = companions(source, markers.iter().find(is_there).map(PathBuf::as_path));
    let is_own = |file: &&SourceFile| {
        let path = Path::new(file.path());
        path.starts_with(source) || beside.iter().any(|folder| path.starts_with(folder))
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

/// A path as people should see it.
fn shown(path: &str, names: &[(String, String)]) -> String {
    let renamed = names
        .iter()
        .find_map(|(begin, name)| Some(format!("{name}{}", path.strip_prefix(&**begin)?)));
    renamed.unwrap_or_else(|| path.to_owned())
}

/// The folders behind which two paths go on alike.
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

/// Of each line of a text, its number in the other text (both from 0) where it is kept.
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
    fn folders_are_those_above_what_two_paths_have_in_common() {
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
    fn lines_that_are_kept_know_their_new_place() {
        assert_eq!(kept("a\nb\nc\n", "a\nx\ny\nc\n"), [Some(0), None, Some(3)]);
    }

    #[test]
    fn paths_are_renamed_by_their_beginning() {
        let names = [("/tmp/x/".to_owned(), "git:HEAD:".to_owned())];
        assert_eq!(
            super::shown("/tmp/x/flows/a.yaml", &names),
            "git:HEAD:flows/a.yaml"
        );
        assert_eq!(super::shown("flows/a.yaml", &names), "flows/a.yaml");
    }
}

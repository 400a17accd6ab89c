//! A model to compare, with its files as users see them.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::sides::Sides;
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::TurnReport;
use fsmsim_runtime::project::{companions, model_file, root_markers};
use fsmsim_syntax::diagnostic::SourceFile;

/// A model to compare.
#[derive(Clone, Copy)]
pub(super) struct NamedModel<'m> {
    pub machine: &'m Machine,
    /// Path prefixes, each with the prefix to display.
    pub names: &'m [(String, String)],
}

impl NamedModel<'_> {
    /// The path of the model, as users see it.
    pub(super) fn name(&self) -> String {
        shown(&self.machine.header.source, self.names)
    }

    /// A location in a file, as users see it.
    pub(super) fn place(&self, path: &str, line: impl Display) -> String {
        format!("{}:{line}", shown(path, self.names))
    }

    /// Shows the locations of the rules that decided these turns as users see them.
    pub(super) fn name_rules(&self, turns: &mut [TurnReport]) {
        for turn in turns {
            for place in [&mut turn.rule.action, &mut turn.rule.transition]
                .into_iter()
                .flatten()
            {
                *place = shown(place, self.names);
            }
        }
    }
}

/// The path that a file of this machine has in the other machine. `None` if both machines share the file, or if it does
/// not belong to the model.
fn other_path(file: &SourceFile, machine: &Machine, other: &Machine) -> Option<String> {
    let [source, other_source] =
        [machine, other].map(|machine| model_file(Path::new(&machine.header.source)));
    let path = Path::new(file.path());
    let (folder, other_folder) = folders(source, other_source);
    let markers = root_markers(source);
    let is_there = |marker: &&PathBuf| {
        let name = marker.display().to_string();
        machine.files.named(&name).is_some()
    };
    let marker = markers.iter().find(is_there).map(PathBuf::as_path);
    let is_own = path.starts_with(source)
        || companions(source, marker)
            .iter()
            .any(|folder| path.starts_with(folder));
    let inner = path.strip_prefix(&folder).ok().filter(|_| is_own)?;
    // If a model is a single file, it corresponds to the other model's file, even if their names differ.
    let other_path = if inner.as_os_str().is_empty() {
        other_folder
    } else {
        other_folder.join(inner)
    };
    let other_path = other_path.display().to_string();
    (other_path != file.path()).then_some(other_path)
}

/// The files that two machines have in different locations. A file that only one machine uses has one side.
pub(super) fn corresponding(models: Sides<NamedModel<'_>>) -> Vec<Sides<Option<&SourceFile>>> {
    let Sides { a, b } = models.map(|model| model.machine);
    let mut seen = BTreeSet::new();
    let of_a = a.files.used_files().filter_map(|file| {
        let other = b.files.named(&other_path(file, a, b)?);
        let pair = Sides {
            a: Some(file),
            b: other,
        };
        seen.insert(file.path()).then_some(pair)
    });
    let mut pairs: Vec<_> = of_a.collect();
    let mut seen = BTreeSet::new();
    pairs.extend(b.files.used_files().filter_map(|file| {
        let other = a.files.named(&other_path(file, b, a)?);
        let is_new = other.is_none() && seen.insert(file.path());
        is_new.then_some(Sides {
            a: None,
            b: Some(file),
        })
    }));
    pairs
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
    fn paths_are_displayed_with_the_new_prefix() {
        let names = [("/tmp/x/".to_owned(), "git:HEAD:".to_owned())];
        assert_eq!(
            super::shown("/tmp/x/flows/a.yaml", &names),
            "git:HEAD:flows/a.yaml"
        );
        assert_eq!(super::shown("flows/a.yaml", &names), "flows/a.yaml");
    }
}

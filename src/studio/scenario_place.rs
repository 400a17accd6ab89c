//! Where a scenario may be written: below the folder of the project's scenarios, and nowhere else.

use std::path::{Component, Path, PathBuf};

use super::refusal::Refusal;
use crate::project::Project;

/// Characters of a path at most.
const LONGEST: usize = 200;
/// What to do about a name that cannot be used.
const HELP: &str = "name a file below the folder of scenarios, such as `sales/price.yaml`";
/// Names that mean something else than a file on some systems.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A file below the folder of the project's scenarios that is not there yet.
#[derive(Debug)]
pub(super) struct ScenarioPlace {
    /// The file.
    pub(super) path: PathBuf,
}

impl ScenarioPlace {
    /// The place of a file that is named from the folder of scenarios. Its folder is made.
    ///
    /// # Errors
    /// Why nothing is written there.
    pub(super) fn named(name: &str, project: &Project) -> Result<Self, Refusal> {
        let relative = Path::new(name);
        let is_plain = name.len() <= LONGEST
            && !name.contains(['\\', ':', '\0'])
            && !name.chars().any(char::is_control)
            && relative.components().next().is_some()
            && relative.components().all(|part| matches!(part, Component::Normal(_)))
            && name.split('/').all(is_usual);
        let is_scenario = relative.extension().is_some_and(|ending| ending == "yaml" || ending == "md");
        if !is_plain || !is_scenario {
            return Err(Refusal::cannot(format!("`{}` cannot be a scenario here", shortened(name)), HELP));
        }
        let failed = |error: std::io::Error| Refusal::cannot(format!("the scenario cannot be written: {error}"), HELP);
        std::fs::create_dir_all(&project.scenarios).map_err(failed)?;
        let root = project.scenarios.canonicalize().map_err(failed)?;
        let path = root.join(relative);
        let folder = path.parent().unwrap_or(&root);
        // A link below the folder may lead anywhere: what is there already is looked at before anything is made.
        let there = folder.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
        if !there.is_some_and(|there| there.starts_with(&root)) {
            return Err(outside(name));
        }
        std::fs::create_dir_all(folder).map_err(failed)?;
        if !folder.canonicalize().map_err(failed)?.starts_with(&root) {
            return Err(outside(name));
        }
        if path.symlink_metadata().is_ok() {
            let title = format!("`{name}` is there already");
            return Err(Refusal::cannot(title, "give another name, so that nothing is lost"));
        }
        Ok(Self { path })
    }

    /// A place below `studio/` of which nobody said the name.
    ///
    /// # Errors
    /// Why nothing is written there.
    pub(super) fn unnamed(title: &str, project: &Project) -> Result<Self, Refusal> {
        let words: String = title.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
        let mut stem: String = words.join("_").chars().take(40).collect();
        if stem.is_empty() {
            stem.push_str("dialogue");
        }
        let free = (1..1000).map(|number| match number {
            1 => format!("studio/{stem}.yaml"),
            number => format!("studio/{stem}_{number}.yaml"),
        });
        let name = free.into_iter().find(|name| project.scenarios.join(name).symlink_metadata().is_err());
        Self::named(&name.unwrap_or_default(), project)
    }
}

/// Whether a part of a path is a name on every system.
fn is_usual(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().to_lowercase();
    let is_port = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port).is_some_and(|number| number.len() == 1 && number.chars().all(|c| c.is_ascii_digit()))
    });
    !part.is_empty()
        && !part.starts_with(['.', ' '])
        && !part.ends_with(['.', ' '])
        && !part.contains(['<', '>', '"', '|', '?', '*'])
        && !is_port
        && !DEVICES.contains(&&*stem)
}

fn outside(name: &str) -> Refusal {
    Refusal::cannot(format!("`{}` leads out of the folder of scenarios", shortened(name)), HELP)
}

/// A name as far as it can be told.
fn shortened(name: &str) -> String {
    let text: String = name.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if text.len() < name.len() { text + "…" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostics, SourceMap};

    fn project(root: &Path) -> Project {
        std::fs::create_dir_all(root).unwrap();
        Project::at(root, &mut SourceMap::default(), &mut Diagnostics::default())
    }

    #[test]
    fn only_new_scenarios_below_the_folder_have_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let project = project(folder.path());
        for name in ["a.yaml", "b/c.md", "продажа/цена.yaml", "with space.yaml"] {
            let place = ScenarioPlace::named(name, &project).unwrap();
            assert!(place.path.ends_with(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "../a.yaml",
            "b/../../a.yaml",
            "/etc/a.yaml",
            "a.yaml/../../x.yaml",
            "a.txt",
            "a",
            "a.yaml.sh",
            "c:a.yaml",
            "\\\\server\\a.yaml",
            "a\0.yaml",
            "b//c.yaml",
            ".hidden.yaml",
            "b/.git/c.yaml",
            "con.yaml",
            "NUL.md",
            "com1.yaml",
            "a .yaml/b.yaml ",
            "a\n.yaml",
            "<b>.yaml",
            "./a.yaml",
        ] {
            assert!(ScenarioPlace::named(name, &project).is_err(), "{name:?}");
        }
        assert!(ScenarioPlace::named(&format!("{}.yaml", "a".repeat(300)), &project).is_err());
    }

    #[test]
    fn nothing_that_is_there_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let project = project(folder.path());
        std::fs::create_dir_all(&project.scenarios).unwrap();
        std::fs::write(project.scenarios.join("a.yaml"), "").unwrap();
        assert!(ScenarioPlace::named("a.yaml", &project).is_err());
        let first = ScenarioPlace::unnamed("Цена: сразу!", &project).unwrap();
        assert!(first.path.ends_with("studio/цена_сразу.yaml"), "{first:?}");
        std::fs::write(&first.path, "").unwrap();
        assert!(ScenarioPlace::unnamed("Цена: сразу!", &project).unwrap().path.ends_with("studio/цена_сразу_2.yaml"));
        assert!(ScenarioPlace::unnamed("../..", &project).unwrap().path.ends_with("studio/dialogue.yaml"));
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let project = project(folder.path());
        std::fs::create_dir_all(&project.scenarios).unwrap();
        std::os::unix::fs::symlink(other.path(), project.scenarios.join("out")).unwrap();
        std::os::unix::fs::symlink(other.path().join("x.yaml"), project.scenarios.join("y.yaml")).unwrap();
        for name in ["out/a.yaml", "out/deep/er/a.yaml", "y.yaml"] {
            assert!(ScenarioPlace::named(name, &project).is_err(), "{name}");
        }
        assert_eq!(other.path().read_dir().unwrap().count(), 0);
    }
}

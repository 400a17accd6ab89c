//! The persona directory: one YAML file per persona.

use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use super::persona::Persona;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, parse_yaml, read_file, unreadable};

/// The built-in personas with their files.
const BUILT_IN: [(&str, &str); 3] = [
    ("cooperative", include_str!("built_in/cooperative.yaml")),
    ("reluctant", include_str!("built_in/reluctant.yaml")),
    ("wandering", include_str!("built_in/wandering.yaml")),
];

/// The personas of a directory, named after their files without `.yaml`, and the built-in ones.
#[derive(Debug)]
pub struct PersonaFolder {
    path: PathBuf,
    names: Vec<String>,
}

impl PersonaFolder {
    /// Lists a directory. Returns `None`, with a finding, if it is unreadable.
    pub fn open(path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return unreadable(path, &error).refuse(found),
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                Some(name.strip_suffix(".yaml")?.to_owned()).filter(|name| !name.starts_with('.'))
            })
            .collect();
        names.sort_unstable();
        Some(Self {
            path: path.to_path_buf(),
            names,
        })
    }

    /// Lists a directory that might not exist.
    pub fn open_if_there(path: &Path, found: &mut Diagnostics) -> Option<Self> {
        if path.is_dir() {
            Self::open(path, found)
        } else {
            Some(Self {
                path: path.to_path_buf(),
                names: Vec::new(),
            })
        }
    }

    /// Loads the named personas, each once. `all` selects every persona of the directory, `built-in` the built-in ones.
    /// Returns `None`, with a finding, if none is selected. Skips personas that cannot be read, with findings.
    pub fn select(
        &self,
        names: &[String],
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Vec<Persona>> {
        let names: IndexSet<&str> = names
            .iter()
            .flat_map(|name| match name.as_str() {
                "all" => self.names.iter().map(String::as_str).collect(),
                "built-in" => BUILT_IN.map(|(name, _)| name).to_vec(),
                name => vec![name],
            })
            .collect();
        if names.is_empty() {
            let finding =
                Diagnostic::error(Code::UnknownPersona, "the directory contains no persona");
            let about = self.path.display().to_string();
            let help = "add a file `NAME.yaml`, or use `--persona built-in` for the personas that work with every model";
            return finding.about(about).help(help).refuse(found);
        }
        Some(
            names
                .into_iter()
                .filter_map(|name| self.read(name, sources, found))
                .collect(),
        )
    }

    /// Loads a persona. Returns `None`, with findings, if it is unknown or cannot be read.
    fn read(
        &self,
        name: &str,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Persona> {
        let built_in = BUILT_IN.into_iter().map(|(name, _)| name);
        let names = || {
            self.names
                .iter()
                .map(String::as_str)
                .chain(built_in.clone())
        };
        if !self.names.iter().any(|other| other == name) {
            if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
                return read_built_in(name, text, sources, found);
            }
            return Diagnostic::unknown(Code::UnknownPersona, "persona", name)
                .about(self.path.display().to_string())
                .offer(name, "use one of these personas", names())
                .refuse(found);
        }
        let file = read_file(
            &self.path.join(format!("{name}.yaml")),
            DEFINITION_LIMIT,
            sources,
            found,
        )?;
        let text = sources
            .file(file)
            .map(|file| file.text().clone())
            .unwrap_or_default();
        let node = parse_yaml(file, &text, 0, found)?;
        let persona = Persona::read(&node, found)?;
        if &*persona.name.text != name {
            return Diagnostic::error(
                Code::BadPersona,
                format!(
                    "the persona in `{name}.yaml` has the name `{}`",
                    persona.name.text
                ),
            )
            .at(persona.name.span, "differs from the file name")
            .help(format!("write `persona: {name}`, or rename the file"))
            .refuse(found);
        }
        Some(persona)
    }
}

fn read_built_in(
    name: &str,
    text: &str,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Persona> {
    let file = sources.add(format!("{name} (built in)"), text);
    let persona = Persona::read(&parse_yaml(file, text, 0, found)?, found)?;
    Some(Persona {
        is_general: true,
        ..persona
    })
}

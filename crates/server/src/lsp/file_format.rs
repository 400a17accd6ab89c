//! File formats of a project.

use std::path::Path;

use fsmsim_syntax::document::Node;
use fsmsim_syntax::shapes::{FORMATS, Shape};
use strum::IntoStaticStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum FileFormat {
    Flow,
    States,
    Mixins,
    Priorities,
    Conditions,
    Constants,
    Settings,
    Contract,
    SetContract,
    Interview,
    Cycle,
    Scenario,
    Defaults,
    SharedTurns,
    Turns,
    Persona,
    Mock,
    Backend,
    Config,
    /// A case table.
    Cases,
    /// A Markdown dialogue that runs as a scenario.
    Transcript,
    /// The front matter of a Markdown state.
    State,
    /// The front matter of `instructions/system.md`.
    System,
    /// Markdown whose front matter is not indexed: its names come from the compiled machine.
    Markdown,
    /// Not a file of fsmsim.
    Other,
}

/// Formats by file name.
const BY_NAME: &[(&str, FileFormat)] = &[
    ("fsmsim.toml", FileFormat::Config),
    ("flow.yaml", FileFormat::Flow),
    ("constants.yaml", FileFormat::Constants),
    ("settings.yaml", FileFormat::Settings),
    ("_base/mixins.yaml", FileFormat::Mixins),
    ("_base/priorities.yaml", FileFormat::Priorities),
    ("conditions/custom.yaml", FileFormat::Conditions),
    ("_defaults.yaml", FileFormat::Defaults),
];

/// Formats by key. The first row whose key is in the document applies.
const BY_KEY: &[(&str, FileFormat)] = &[
    ("scenario", FileFormat::Scenario),
    ("parameters", FileFormat::SharedTurns),
    ("turns", FileFormat::Scenario),
    ("persona", FileFormat::Persona),
    ("states", FileFormat::States),
    ("queue", FileFormat::Mock),
    ("rules", FileFormat::Mock),
    ("answers", FileFormat::Backend),
    ("classes", FileFormat::SetContract),
    ("frames", FileFormat::SetContract),
    ("flow", FileFormat::Flow),
    ("meta", FileFormat::Flow),
    ("moves", FileFormat::SetContract),
];

/// Formats that `kind:` can name.
const BY_KIND: &[FileFormat] = &[
    FileFormat::Flow,
    FileFormat::Contract,
    FileFormat::Interview,
    FileFormat::Cycle,
];

impl FileFormat {
    /// The format of a file, by its path and the keys of its first document.
    pub(super) fn of(path: &Path, root: Option<&Node>) -> Self {
        let named = BY_NAME.iter().find(|(name, _)| path.ends_with(name));
        if let Some((_, format)) = named {
            return *format;
        }
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => return Self::Markdown,
            "jsonl" => return Self::Turns,
            "yaml" | "yml" | "json" => {}
            _ => return Self::Other,
        }
        let Some(root) = root else { return Self::Other };
        let kind = root.get("kind").and_then(Node::text);
        if let Some(format) = BY_KIND.iter().find(|format| kind == Some((*format).into())) {
            return *format;
        }
        let by_key = BY_KEY.iter().find(|(key, _)| root.get(key).is_some());
        match by_key.map_or(Self::Other, |(_, format)| *format) {
            // `states.yaml` next to a `flow.yaml` contains the states of that flow. Any other file with `states` is a
            // flow.
            Self::States if !path.ends_with("states.yaml") => Self::Flow,
            Self::SharedTurns if root.get("turns").is_none() => Self::Other,
            format => format,
        }
    }

    /// The shape of a complete file.
    pub(super) fn shape(self) -> Option<&'static Shape> {
        let name: &str = match self {
            Self::Transcript => Self::Scenario.into(),
            Self::Config => return None,
            format => format.into(),
        };
        let mut formats = FORMATS.iter();
        Some(formats.find(|format| format.name == name)?.shape)
    }

    /// Whether files of the format run with a model that they name or that other files assign to them.
    pub(super) fn is_played(self) -> bool {
        matches!(
            self,
            Self::Scenario
                | Self::Transcript
                | Self::Cases
                | Self::Defaults
                | Self::SharedTurns
                | Self::Turns
                | Self::Persona
                | Self::Mock
                | Self::Backend
        )
    }
}

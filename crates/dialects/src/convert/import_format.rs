//! The formats of other tools that can be read.

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ImportFormat {
    /// The JSON of an XState machine, version 4 or 5
    Xstate,
    /// A Mermaid diagram, `stateDiagram-v2`; of a markdown document, its first one
    Mermaid,
    /// A configuration of Python's `transitions`, in JSON or YAML
    Transitions,
    /// Stories, rules and test stories of Rasa
    RasaStories,
}

impl ImportFormat {
    /// The name, as the command line has it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What a file of this format holds.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Xstate => "the JSON of an XState machine",
            Self::Mermaid => "a Mermaid diagram of states",
            Self::Transitions => "`states` and `transitions`, in JSON or YAML",
            Self::RasaStories => "`stories:` of Rasa",
        }
    }
}

//! Readers that are reached through commands: their files are written, and then the commands run.

use crate::workspace::Workspace;

/// A reader that is reached through commands.
pub(crate) struct Commands {
    /// Its name in `readers.txt`.
    pub(crate) reader: &'static str,
    /// The files in its folder to which the parts of an input are written.
    files: &'static [&'static str],
    /// The commands, which run in the common folder.
    lines: &'static [&'static str],
    /// Whether the commands run in the folder of the reader instead.
    is_project: bool,
}

impl Commands {
    const fn new(
        reader: &'static str,
        files: &'static [&'static str],
        lines: &'static [&'static str],
    ) -> Self {
        Self {
            reader,
            files,
            lines,
            is_project: false,
        }
    }

    /// Writes the files and runs the commands.
    pub(crate) fn run(&self, input: &[u8]) {
        let workspace = Workspace::of(self.reader);
        workspace.put(self.files, input);
        if self.is_project {
            workspace.entered(|| self.lines.iter().for_each(|line| workspace.run(line)));
        } else {
            self.lines.iter().for_each(|line| workspace.run(line));
        }
    }
}

/// The readers that are reached through commands.
pub(crate) const COMMANDS: &[Commands] = &[
    Commands::new(
        "flow",
        &["a.yaml"],
        &[
            "lint flow/a.yaml",
            "lint flow/a.yaml@reference",
            "export xstate flow/a.yaml",
        ],
    ),
    Commands::new(
        "tree",
        &[
            "flows/a/flow.yaml",
            "flows/a/states.yaml",
            "flows/constants.yaml",
            "flows/_base/states.yaml",
            "flows/_base/mixins.yaml",
            "flows/_base/priorities.yaml",
            "flows/settings.yaml",
        ],
        &["lint tree/flows/a", "lint tree/flows/a@reference"],
    ),
    Commands::new(
        "states",
        &[
            "s/states/init.md",
            "s/states/next.md",
            "s/instructions/system.md",
            "s/schemas/a.json",
            "s/states/last.md",
        ],
        &["lint states/s", "lint --permissive states/s"],
    ),
    Commands::new(
        "document",
        &["a.md"],
        &["lint --explain-extraction document/a.md"],
    ),
    Commands::new(
        "scenario",
        &["a.yaml", "mock.yaml", "backend.yaml", "twin.json"],
        &[
            "test -j 1 --check scenario/a.yaml",
            "trace --format table scenario/a.yaml",
        ],
    ),
    Commands::new(
        "transcript",
        &["a.md"],
        &["test -j 1 --check transcript/a.md"],
    ),
    Commands::new(
        "turns",
        &["a.jsonl"],
        &[
            "trace -j 1 tea.yaml --turns turns/a.jsonl",
            "trace -j 1 shop.yaml --turns turns/a.jsonl --format table",
        ],
    ),
    Commands::new(
        "trace",
        &["a.jsonl", "b.jsonl"],
        &[
            "verify -j 1 trace/a.jsonl --model shop.yaml",
            "verify -j 1 trace/a.jsonl --model shop.yaml --mode replay --format json",
            "diff -j 1 trace/a.jsonl trace/b.jsonl",
        ],
    ),
    Commands::new(
        "map",
        &["a.yaml", "a.jsonl"],
        &[
            "verify -j 1 map/a.jsonl --model tea.yaml --map map/a.yaml",
            "verify -j 1 map/a.jsonl --model tea.yaml --map map/a.yaml --mode replay",
        ],
    ),
    Commands::new(
        "persona",
        &["of/a.yaml"],
        &[
            "simulate -j 1 --dialogues 2 tea.yaml --personas persona/of --persona all",
            "simulate -j 1 --dialogues 2 shop.yaml --personas persona/of --persona all",
        ],
    ),
    Commands::new(
        "mock",
        &["a.yaml"],
        &["test -j 1 --check --llm mock:mock/a.yaml scenarios/said.yaml"],
    ),
    Commands {
        reader: "project",
        files: &["fsmsim.toml", "snapshots/tea/tea.snap"],
        lines: &["lint tea.yaml", "test -j 1 --check scenarios/tea.yaml"],
        is_project: true,
    },
    Commands::new(
        "session",
        &["a.json"],
        &["trace -j 1 tea.yaml --turns going_on.jsonl"],
    ),
    Commands::new("xstate", &["a.json"], &["import xstate xstate/a.json"]),
    Commands::new("mermaid", &["a.mmd"], &["import mermaid mermaid/a.mmd"]),
    Commands::new(
        "transitions",
        &["a.json"],
        &["import transitions transitions/a.json"],
    ),
    Commands::new("rasa", &["a.yml"], &["import rasa rasa/a.yml"]),
    Commands::new(
        "store",
        &["a.json"],
        &["trace -j 1 helper --turns with_store.jsonl"],
    ),
    Commands::new(
        "backend",
        &["a.yaml"],
        &["trace -j 1 shop.yaml --turns with_backend.jsonl"],
    ),
    Commands::new(
        "models",
        &["a.yaml", "b.yaml", "s.yaml"],
        &["diff -j 1 models/a.yaml models/b.yaml --scenarios models/s.yaml"],
    ),
];

//! Imports a Rasa project. Its stories, rules and domain become a flow. Its test stories become scenarios, which do not
//! depend on the flow.

mod domain;
mod facts;
mod flow;
mod graph;
mod project;
mod scenarios;
mod states;
mod story;
mod utterance;

use std::path::Path;

use self::flow::RasaFlow;
use self::graph::StoryGraph;
use self::project::RasaProject;
use self::states::StoryStates;
use super::names::of_file;
use super::omission::Omissions;
use super::{Imported, ImportedFile};
use crate::limits::MAX_IMPORTED_EDGES;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};

/// Reads the project in a folder, or a file with stories. `stem` is the name of the written files, if it is known.
pub(super) fn read(
    path: &Path,
    stem: Option<&str>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Imported> {
    let mut left = Omissions::default();
    let project = RasaProject::read(path, sources, &mut left, found);
    if found.has_errors() {
        return None;
    }
    let refusal = |title: &str| {
        Diagnostic::error(Code::ForeignFormat, title).about(path.display().to_string())
    };
    let stories = &project.stories;
    if stories.iter().all(|story| story.turns.is_empty()) {
        return refusal("cannot find Rasa stories or rules")
            .help("use a Rasa project with stories or rules in `data/`, or a file with `stories:`")
            .refuse(found);
    }
    let graph = StoryGraph::of(stories);
    let is_small = Some(&graph).filter(|graph| !graph.is_too_large());
    let states = is_small.and_then(|graph| StoryStates::of(graph, stories, &mut left, found));
    let Some(states) = states else {
        let title = format!("flow is too large: limit {MAX_IMPORTED_EDGES} transitions");
        return refusal(&title)
            .help("import a part of the stories")
            .refuse(found);
    };
    // The path can be `.`.
    let real = std::fs::canonicalize(path);
    let name = of_file(&real.unwrap_or_else(|_| path.to_owned()));
    let origin = format!("{name} (rasa)");
    let flow = RasaFlow::write(&states, &project.domain, (&name, &origin), &mut left);
    let model = format!("./{}.yaml", stem.unwrap_or(&name));
    let scenarios = scenarios::write(&project.tests, &project.domain, &flow, &model);
    let mut files = vec![ImportedFile {
        suffix: ".yaml",
        text: flow.text,
    }];
    if !scenarios.is_empty() {
        files.push(ImportedFile {
            suffix: ".scenarios.yaml",
            text: format!("# Test stories of {name}.\n\n{}", scenarios.join("---\n")),
        });
    }
    Some(Imported {
        name,
        files,
        left_out: left.all(),
    })
}

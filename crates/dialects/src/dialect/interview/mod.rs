//! The interview dialect: points that are to be found out, asked in the order of their priority (docs/interviews.md).
//!
//! An interview lowers to states, ways, operations, counters, effects and properties. Each point has two states: one in which
//! it is asked, one in which it is asked again. The agenda is a choice whose ways are the points. What is left for the policy
//! `agenda` is judging what was said.

mod asking;
mod conditions;
mod declare;
mod extends;
mod interview_file;
mod knowledge;
mod lower;
mod order;
mod point_draft;
mod safety;
mod storing;
mod texts;
mod ways;

use std::path::Path;

use self::interview_file::InterviewFile;
use self::order::PointOrder;
use crate::dialect::NamedPaths;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::Node;

/// The state before the first question, the choice of what is asked next, the state in which all is summed up, the end.
const START: &str = "start";
const AGENDA: &str = "agenda";
const SUMMARY: &str = "summary";
const DONE: &str = "done";
/// What the name of a state ends in, in which a point is asked again.
const AGAIN: &str = "__again";

/// The counters of questions, and of those that ask again; their limits are called the same.
const QUESTIONS: &str = "questions";
const FOLLOW_UPS: &str = "follow_ups";

/// Loads a file of the kind `interview`. `None`, with findings, where it cannot be used.
pub(super) fn load(
    path: &Path,
    root: &Node,
    variant: Variant,
    named: &dyn NamedPaths,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let errors = found.error_count();
    let whole = extends::whole(path, root, sources, found)?;
    let file = InterviewFile::read(&whole, path, found)?;
    // What is wrong with the points was told.
    if found.error_count() > errors && file.points.is_empty() {
        return None;
    }
    if file.points.is_empty() {
        return Diagnostic::error(Code::NoStates, "the interview has no points")
            .at(file.points_span, "nothing here")
            .help("say under `points` what is to be found out: `goal: {name: The goal, priority: P0}`")
            .refuse(found);
    }
    let order = PointOrder::of(&file.points, found);
    if found.error_count() > errors {
        return None;
    }
    let knowledge = file
        .knowledge
        .map(|node| knowledge::read(node, path, named, sources, found))
        .unwrap_or_default();
    if found.error_count() > errors {
        return None;
    }
    lower::lower(&file, &order, knowledge.into(), variant, sources, found)
}

//! The interview dialect: question topics (points) that are asked in the order of their priority
//! (docs/src/explanation/interviews.md).
//!
//! An interview lowers to states, edges, operations, counters, effects and properties. Each point has two states: one
//! for the first question and one for repeated questions. The agenda is a choice whose branches are the points. The
//! policy `agenda` only evaluates the answers.

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
mod transitions;

use std::path::Path;

use self::interview_file::InterviewFile;
use self::order::PointOrder;
use crate::dialect::NamedPaths;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::Node;

/// The state before the first question, the choice of the next point, the summary state, and the final state.
const START: &str = "start";
const AGENDA: &str = "agenda";
const SUMMARY: &str = "summary";
const DONE: &str = "done";
/// The suffix of the states for repeated questions.
const AGAIN: &str = "__again";

/// The counters of questions and of follow-up questions. Their limits have the same names.
const QUESTIONS: &str = "questions";
const FOLLOW_UPS: &str = "follow_ups";

/// Loads a file of the kind `interview`. Returns `None`, with findings, if it is invalid.
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
    // Errors in the points are already reported.
    if found.error_count() > errors && file.points.is_empty() {
        return None;
    }
    if file.points.is_empty() {
        return Diagnostic::error(Code::NoStates, "interview has no points")
            .at(file.points_span, "no points")
            .help("add a point under `points`, such as `goal: {name: The goal, priority: P0}`")
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

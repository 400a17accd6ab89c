//! The agent cycle dialect. Nodes analyze, plan, execute, validate and commit a task; each node works for one turn
//! (docs/src/explanation/agent-cycles.md).
//!
//! A cycle lowers to states, edges, conditions, counters, operations, effects with gates, and properties. The rules of
//! all cycles are data in the language of definitions: `rules.yaml` for the entire cycle, and `edges.yaml` for each
//! node. The policy `cycle` only requests the work of a node.

mod capability;
mod cycle_file;
mod lower;
mod node_draft;
mod sensor;
mod template;

use std::path::Path;

use self::cycle_file::CycleFile;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::Node;

/// Loads a file of the kind `cycle`. Returns `None`, with findings, if it is invalid.
pub(super) fn load(
    path: &Path,
    root: &Node,
    variant: Variant,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let file = CycleFile::read(root, path, found)?;
    let rules = template::rules(&file, sources, found)?;
    lower::lower(&file, &rules, variant, sources, found)
}

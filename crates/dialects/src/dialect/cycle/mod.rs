//! The cycle dialect: a task that is analyzed, planned, carried out, validated and committed by nodes, each of which does its
//! work in a turn (docs/cycles.md).
//!
//! A cycle lowers to states, edges, conditions, counters, operations, effects with gates, and properties. What every cycle keeps
//! to is data as well, written in the language of definitions: `rules.yaml` for the cycle as a whole, `edges.yaml` for each
//! of its nodes. What is left for the policy `cycle` is the need for the work of a node.

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

/// Loads a file of the kind `cycle`. `None`, with findings, where it cannot be used.
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

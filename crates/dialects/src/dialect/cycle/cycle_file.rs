//! The file of a cycle.

use std::path::Path;

use super::capability::Capability;
use super::node_draft::{CyclePhase, NodeDraft};
use super::sensor::Sensor;
use crate::dialect::header::read_header;
use crate::dialect::tables::Tables;
use fsmsim_core::machine::MachineHeader;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Map, Node};
use fsmsim_syntax::shapes;

/// The default limit of replans of a task.
const DEFAULT_REPLANS: u32 = 3;

/// The limits of a task.
#[derive(Clone, Copy)]
pub(super) struct TaskLimits {
    /// The maximum number of replans.
    pub(super) replans: u32,
    /// The maximum number of turns, if there is a limit.
    pub(super) turns: Option<u32>,
    /// The seconds without progress after which the task counts as hung, if there is a limit.
    pub(super) idle: Option<u32>,
}

/// The file of a cycle.
pub(super) struct CycleFile<'n> {
    pub(super) header: MachineHeader,
    pub(super) limits: TaskLimits,
    /// One node per phase, in the order of the phases.
    pub(super) nodes: Vec<NodeDraft<'n>>,
    pub(super) capabilities: Vec<Capability<'n>>,
    pub(super) sensors: Vec<Sensor<'n>>,
    pub(super) verdicts: Verdicts<'n>,
    /// The gates that the file disables.
    pub(super) without: Vec<&'n Key>,
    pub(super) conditions: Option<&'n Map>,
    pub(super) tables: Tables<'n>,
    pub(super) span: Span,
}

/// The phrases in a report that mark its verdict.
pub(super) struct Verdicts<'n> {
    pub(super) approved: Vec<&'n str>,
    pub(super) replan: Vec<&'n str>,
    pub(super) failed: Vec<&'n str>,
}

impl TaskLimits {
    fn read(node: Option<&Node>, found: &mut Diagnostics) -> Self {
        let mut limits = Self {
            replans: DEFAULT_REPLANS,
            turns: None,
            idle: None,
        };
        if let Some(mut fields) =
            node.and_then(|node| Fields::of(node, &shapes::TASK_LIMITS, found))
        {
            limits.replans = fields.count("replans").unwrap_or(DEFAULT_REPLANS);
            limits.turns = fields.count("turns");
            limits.idle = fields.count("idle");
            fields.finish();
        }
        limits
    }
}

impl<'n> CycleFile<'n> {
    /// Reads the file. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(root: &'n Node, path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let mut fields = Fields::of(root, &shapes::CYCLE_FILE, found)?;
        fields.text("kind");
        let about = fields.node("cycle");
        let nodes = fields.required("nodes").and_then(|_| fields.map("nodes"));
        let (capabilities, sensors) = (fields.entries("capabilities"), fields.entries("sensors"));
        let (limits, verdicts, gates) = (
            fields.node("limits"),
            fields.node("verdicts"),
            fields.entries("gates"),
        );
        let conditions = fields.map("conditions");
        let tables = Tables::read(&mut fields);
        fields.finish();
        let entries = nodes.map(|map| &*map.entries).unwrap_or_default();
        let nodes: Vec<NodeDraft<'n>> = entries
            .iter()
            .filter_map(|(key, node)| NodeDraft::read(key, node, found))
            .collect();
        let file = Self {
            header: read_header(about, ("cycle", "`cycle`"), path, found),
            limits: TaskLimits::read(limits, found),
            nodes: if found.error_count() > errors {
                Vec::new()
            } else {
                in_order(nodes, root.span, found)
            },
            capabilities: capabilities
                .iter()
                .filter_map(|(key, node)| Capability::read(key, node, found))
                .collect(),
            sensors: Sensor::all(sensors, found),
            verdicts: Verdicts::read(verdicts, found),
            without: disabled_gates(gates, found),
            conditions,
            tables,
            span: Span::start_of(root.span.file),
        };
        found.no_errors_since(errors).then_some(file)
    }

    pub(super) fn node(&self, phase: CyclePhase) -> Option<&NodeDraft<'n>> {
        self.nodes.iter().find(|node| node.phase == phase)
    }
}

impl<'n> Verdicts<'n> {
    fn read(node: Option<&'n Node>, found: &mut Diagnostics) -> Self {
        let mut verdicts = Self {
            approved: vec!["DECISION: APPROVED"],
            replan: vec!["DECISION: NEEDS_REPLAN"],
            failed: vec!["DECISION: FAILED"],
        };
        let Some(mut fields) = node.and_then(|node| Fields::of(node, &shapes::VERDICTS, found))
        else {
            return verdicts;
        };
        let lists = [
            ("approved", &mut verdicts.approved),
            ("replan", &mut verdicts.replan),
            ("failed", &mut verdicts.failed),
        ];
        for (key, list) in lists {
            if fields.node(key).is_some() {
                *list = fields.texts(key);
            }
        }
        fields.finish();
        verdicts
    }
}

/// The nodes in the order of their phases. Reports missing and duplicate phases.
fn in_order<'n>(
    nodes: Vec<NodeDraft<'n>>,
    span: Span,
    found: &mut Diagnostics,
) -> Vec<NodeDraft<'n>> {
    for phase in CyclePhase::ALL {
        let mut of_phase = nodes.iter().filter(|node| node.phase == *phase);
        match (of_phase.next(), of_phase.next()) {
            (None, _) => {
                Diagnostic::error(
                    Code::BadNodeOfCycle,
                    format!("no node works in the phase {}", phase.name()),
                )
                .at(span, "under `nodes`")
                .help(format!(
                    "add one: `{}: {{phase: {}}}`",
                    phase.name().to_lowercase(),
                    phase.name()
                ))
                .add_to(found);
            }
            (Some(first), Some(second)) => {
                let title = format!("`{}` and `{}` work in the same phase", first.id, second.id);
                Diagnostic::error(Code::BadNodeOfCycle, title)
                    .at(second.span, "one too many")
                    .help(format!("there is one node of {}", phase.name()))
                    .add_to(found);
            }
            (Some(_), None) => {}
        }
    }
    let mut nodes = nodes;
    nodes.sort_by_key(|node| node.phase as usize);
    nodes
}

/// The disabled gates: `NAME: false`.
fn disabled_gates<'n>(gates: &'n [(Key, Node)], found: &mut Diagnostics) -> Vec<&'n Key> {
    let mut disabled = Vec::new();
    for (key, node) in gates {
        if fsmsim_syntax::document::boolean_of(node, &key.text, found) == Some(false) {
            Diagnostic::warning(
                Code::GateOut,
                format!("the gate `{}` is taken out", key.text),
            )
            .at(key.span, "whatever it stops passes")
            .help("take it out only in a copy, to see what it is good for")
            .add_to(found);
            disabled.push(key);
        }
    }
    disabled
}

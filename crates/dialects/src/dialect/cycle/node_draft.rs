//! Nodes of a cycle.

use strum::{EnumString, IntoStaticStr, VariantArray};

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Node, word_of};
use fsmsim_syntax::shapes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum CyclePhase {
    Analyze,
    Plan,
    Execute,
    Validate,
    Commit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum MemoryKind {
    Episodic,
    Semantic,
    Procedural,
}

/// A node of a cycle.
pub(super) struct NodeDraft<'n> {
    pub id: &'n str,
    pub phase: CyclePhase,
    pub role: &'n str,
    pub about: &'n str,
    /// The memory that the node reads before it works.
    pub reads: Vec<MemoryKind>,
    /// The memory that the node can write.
    pub writes: Vec<MemoryKind>,
    pub span: Span,
}

impl CyclePhase {
    /// All phases, in order.
    pub(super) const ALL: &'static [Self] = Self::VARIANTS;

    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// The slots that the work of a node sets. A plain text as the result sets the first slot.
    pub(super) fn brings(self) -> &'static [&'static str] {
        match self {
            Self::Analyze => &["analysis"],
            Self::Plan => &["plan"],
            Self::Execute => &["result", "artifacts", "done", "action"],
            Self::Validate => &["report", "action"],
            Self::Commit => &["lesson"],
        }
    }

    /// The slots that the prompt of a node contains.
    pub(super) fn knows(self) -> &'static [&'static str] {
        match self {
            Self::Analyze => &["description", "knowledge", "observations"],
            Self::Plan => &["description", "knowledge", "analysis", "validation_report"],
            Self::Execute => &["description", "plan", "results", "failed_action", "refused"],
            Self::Validate => &[
                "description",
                "plan",
                "results",
                "code_artifacts",
                "last_effect",
                "refused",
            ],
            Self::Commit => &[],
        }
    }
}

impl<'n> NodeDraft<'n> {
    /// Reads a node. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(key: &'n Key, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::CYCLE_NODE, found)?;
        let phase = fields.required("phase");
        let role = fields.text("role");
        let about = fields.text("about").unwrap_or_default();
        let reads = fields.list("reads").unwrap_or_default();
        let writes = fields.list("writes").unwrap_or_default();
        fields.finish();
        let phase = phase.and_then(|node| word_of::<CyclePhase>(node, "phase", found))?;
        let mut kinds = |nodes: &[Node]| -> Vec<(MemoryKind, Span)> {
            let kind = |node: &Node| Some((word_of(node, "memory kind", found)?, node.span));
            nodes.iter().filter_map(kind).collect()
        };
        let reads = kinds(reads);
        let writes = kinds(writes);
        for (kind, span) in &writes {
            if *kind != MemoryKind::Episodic && phase != CyclePhase::Commit {
                Diagnostic::error(
                    Code::BadNodeOfCycle,
                    format!(
                        "node `{}` writes {} memory outside COMMIT",
                        key.text,
                        <&str>::from(*kind)
                    ),
                )
                .at(*span, "only in COMMIT")
                .help("write `episodic`, or move the write to the COMMIT node")
                .add_to(found);
            }
        }
        let memory =
            |kinds: Vec<(MemoryKind, Span)>| kinds.into_iter().map(|(kind, _)| kind).collect();
        let role = role.unwrap_or(&key.text);
        Some(Self {
            id: &key.text,
            phase,
            role,
            about,
            reads: memory(reads),
            writes: memory(writes),
            span: key.span,
        })
    }
}

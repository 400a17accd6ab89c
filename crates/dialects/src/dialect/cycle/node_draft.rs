//! A node as it is written.

use strum::{EnumString, IntoStaticStr, VariantArray};

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Node, word_of};
use fsmsim_syntax::shapes;

/// The phase of a node.
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

/// A node as it is written.
pub(super) struct NodeDraft<'n> {
    pub(super) id: &'n str,
    pub(super) phase: CyclePhase,
    pub(super) role: &'n str,
    pub(super) about: &'n str,
    /// The memory that it asks before it works.
    pub(super) reads: Vec<MemoryKind>,
    /// The memory that it may write.
    pub(super) writes: Vec<MemoryKind>,
    pub(super) span: Span,
}

impl CyclePhase {
    /// All of them, in their order.
    pub(super) const ALL: &'static [Self] = Self::VARIANTS;

    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// What the work of a node of the phase brings; first what it brings where it is a mere text.
    pub(super) fn brings(self) -> &'static [&'static str] {
        match self {
            Self::Analyze => &["analysis"],
            Self::Plan => &["plan"],
            Self::Execute => &["result", "artifacts", "done", "action"],
            Self::Validate => &["report", "action"],
            Self::Commit => &["lesson"],
        }
    }

    /// What is known to whoever works there.
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
    /// Reads a node. `None`, with findings, where it is none.
    pub(super) fn read(key: &'n Key, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::CYCLE_NODE, found)?;
        let phase = fields.required("phase");
        let (role, about) = (
            fields.text("role"),
            fields.text("about").unwrap_or_default(),
        );
        let (reads, writes) = (
            fields.list("reads").unwrap_or_default(),
            fields.list("writes").unwrap_or_default(),
        );
        fields.finish();
        let phase = phase.and_then(|node| word_of::<CyclePhase>(node, "phase", found))?;
        let mut kinds = |nodes: &[Node]| -> Vec<(MemoryKind, Span)> {
            let kind = |node: &Node| Some((word_of(node, "a kind of memory", found)?, node.span));
            nodes.iter().filter_map(kind).collect()
        };
        let (reads, writes) = (kinds(reads), kinds(writes));
        for (kind, span) in &writes {
            if *kind != MemoryKind::Episodic && phase != CyclePhase::Commit {
                let title = format!(
                    "`{}` writes {} memory, and is no node of COMMIT",
                    key.text,
                    <&str>::from(*kind)
                );
                Diagnostic::error(Code::BadNodeOfCycle, title)
                    .at(*span, "not from here")
                    .help("what is shared is written by the node of COMMIT alone; elsewhere write `episodic`")
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

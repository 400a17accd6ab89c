//! The parts of a flow.

use super::document::FlowDocument;
use super::root::ConfigRoot;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::Node;

/// What a flow is compiled from.
pub(super) struct FlowParts<'a> {
    pub(super) document: FlowDocument<'a>,
    /// The file of the flow's own states, where it is a file of its own.
    pub(super) own: Option<&'a Node>,
    pub(super) root: &'a ConfigRoot,
    /// The built-in constants.
    pub(super) defaults: &'a Node,
    /// A single file stands alone: it has no base states.
    pub(super) single: bool,
    pub(super) variant: Variant,
    /// The path as given.
    pub(super) source: String,
    /// The name of a flow that does not give itself one.
    pub(super) name: String,
    /// Where the flow is defined.
    pub(super) span: Span,
}

impl<'a> FlowParts<'a> {
    /// The feature flags of the root and of the flow, as they are written.
    pub(super) fn feature_flags(&self) -> impl Iterator<Item = &'a Node> {
        let settings = self.root.settings.iter();
        let of_root = settings.filter_map(|node| node.get("feature_flags"));
        of_root.chain(self.document.feature_flags)
    }
}

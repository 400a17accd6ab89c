//! A class as it is written, with all that every class declares.

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::document::{Fields, Map, Node};

/// A class as it is written.
pub(super) struct ClassText<'n> {
    pub(super) name: &'n str,
    pub(super) span: Span,
    pub(super) title: &'n str,
    pub(super) owner: &'n Node,
    pub(super) reads: Option<&'n Node>,
    pub(super) when: Option<&'n Node>,
    pub(super) requires: &'n Node,
    pub(super) carryover: &'n Node,
    pub(super) sets: &'n Map,
    pub(super) clears: Option<&'n Node>,
    pub(super) forbids: &'n Node,
    pub(super) preserves: &'n [Node],
    pub(super) executes: Option<&'n Node>,
    pub(super) answers: &'n Node,
    pub(super) mode: Option<&'n Node>,
    pub(super) action: Option<&'n str>,
    pub(super) must: Option<&'n Map>,
    pub(super) must_not: Option<&'n Map>,
}

impl<'n> ClassText<'n> {
    /// Reads a class. `None`, with a finding, where it leaves out what every class declares (docs/contracts.md,
    /// "Classes").
    pub(super) fn read(name: &'n str, span: Span, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::open(node, "a class", found)?;
        let title = fields.text("title").unwrap_or_default();
        let owner = fields.node("owner");
        let (reads, when) = (fields.node("reads"), fields.node("when"));
        let (requires, carryover) = (fields.node("requires"), fields.node("carryover"));
        let (sets, clears, forbids) = (fields.map("sets"), fields.node("clears"), fields.node("forbids"));
        let preserves = fields.list("preserves").unwrap_or_default();
        let (executes, answers) = (fields.node("executes"), fields.node("answers"));
        let (mode, action) = (fields.node("mode"), fields.text("action"));
        let (must, must_not) = (fields.map("must"), fields.map("must_not"));
        fields.finish();
        let declared = [
            ("owner", owner.is_some()),
            ("reads", reads.is_some() || when.is_some()),
            ("requires", requires.is_some()),
            ("carryover", carryover.is_some()),
            ("sets", node.get("sets").is_some()),
            ("forbids", forbids.is_some()),
            ("answers", answers.is_some()),
        ];
        let missing: Vec<String> =
            declared.iter().filter(|(_, there)| !there).map(|(key, _)| format!("`{key}`")).collect();
        if !missing.is_empty() {
            let title = format!("the class `{name}` does not declare {}", missing.join(", "));
            Diagnostic::error(Code::BadClass, title)
                .at(span, "every class declares its invariants")
                .help("where there is nothing to say, say so: `requires: nothing`, `sets: {}`, `forbids: []`")
                .add_to(found);
        }
        Some(Self {
            name,
            span,
            title,
            owner: owner?,
            reads,
            when,
            requires: requires?,
            carryover: carryover?,
            sets: sets?,
            clears,
            forbids: forbids?,
            preserves,
            executes,
            answers: answers?,
            mode,
            action,
            must,
            must_not,
        })
    }
}

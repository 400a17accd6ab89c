//! Points of an interview.

use fsmsim_core::engine::policy::inquiry::PointPriority;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Node, text_of, word_of};
use fsmsim_syntax::shapes;

/// A point of an interview.
pub(super) struct PointDraft<'n> {
    pub id: &'n str,
    pub span: Span,
    pub name: &'n str,
    pub about: &'n str,
    pub label: &'n str,
    pub field: &'n str,
    pub priority: PointPriority,
    /// The points that must be complete first, with the positions of their names.
    pub depends_on: Vec<(&'n str, Span)>,
    pub hints: Vec<&'n str>,
    pub tags: Vec<&'n str>,
    /// The questions in order.
    pub questions: Vec<&'n str>,
    pub min_length: u32,
    pub keywords: Vec<&'n str>,
    pub any_keyword: Vec<&'n str>,
    pub fields: Vec<&'n str>,
}

/// Reserved names of states.
const RESERVED: [&str; 4] = [super::START, super::AGENDA, super::SUMMARY, super::DONE];

impl<'n> PointDraft<'n> {
    /// Reads a point. Returns `None`, with findings, if it is not a map.
    pub(super) fn read(key: &'n Key, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::POINT, found)?;
        let name = fields.required_text("name");
        let about = fields.text("about").unwrap_or_default();
        let label = fields.text("label");
        let field = fields.text("field").unwrap_or(&key.text);
        let priority = fields.required("priority");
        let [depends_on, criteria] = fields.nodes(["depends_on", "criteria"]);
        let hints = fields.texts("hints");
        let tags = fields.texts("tags");
        let questions = fields.texts("questions");

        fields.finish();
        let priority = priority.and_then(|node| word_of::<PointPriority>(node, "priority", found));
        let depends_on = depends_on
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(|node| Some((text_of(node, "an item of `depends_on`", found)?, node.span)))
            .collect();
        check_name(key, found);
        let name = name.unwrap_or(&key.text);
        let mut draft = Self {
            id: &key.text,
            span: key.span,
            name,
            about,
            label: label.unwrap_or(name),
            field,
            priority: priority.unwrap_or(PointPriority::P0),
            depends_on,
            hints,
            tags,
            questions,
            min_length: 0,
            keywords: Vec::new(),
            any_keyword: Vec::new(),
            fields: Vec::new(),
        };
        if let Some(mut fields) =
            criteria.and_then(|node| Fields::of(node, &shapes::POINT_CRITERIA, found))
        {
            draft.min_length = fields.count("min_length").unwrap_or(0);
            draft.keywords = fields.texts("keywords");
            draft.any_keyword = fields.texts("any_keyword");
            draft.fields = fields.texts("fields");
            fields.finish();
        }
        Some(draft)
    }
}

/// Checks the name of a point, which is also the name of two states and a frame.
fn check_name(key: &Key, found: &mut Diagnostics) {
    let name = &*key.text;
    let why = if RESERVED.contains(&name) {
        format!("the name `{name}` is used by a built-in state")
    } else if name.ends_with(super::AGAIN) {
        format!(
            "the suffix `{}` is reserved for states of repeated questions",
            super::AGAIN
        )
    } else if name.is_empty() || name.contains(['.', ' ']) {
        "expected a point name without spaces and periods".to_owned()
    } else {
        return;
    };
    Diagnostic::error(Code::BadPoint, why)
        .at(key.span, "invalid name")
        .help("rename the point")
        .add_to(found);
}

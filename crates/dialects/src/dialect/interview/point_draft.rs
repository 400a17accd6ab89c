//! Points of an interview.

use fsmsim_core::engine::policy::inquiry::PointPriority;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Node, text_of, word_of};
use fsmsim_syntax::shapes;

/// A point of an interview.
pub(super) struct PointDraft<'n> {
    pub(super) id: &'n str,
    pub(super) span: Span,
    pub(super) name: &'n str,
    pub(super) about: &'n str,
    pub(super) label: &'n str,
    pub(super) field: &'n str,
    pub(super) priority: PointPriority,
    /// The points that must be complete first, with the positions of their names.
    pub(super) depends_on: Vec<(&'n str, Span)>,
    pub(super) hints: Vec<&'n str>,
    pub(super) tags: Vec<&'n str>,
    /// The questions in order.
    pub(super) questions: Vec<&'n str>,
    pub(super) min_length: u32,
    pub(super) keywords: Vec<&'n str>,
    pub(super) any_keyword: Vec<&'n str>,
    pub(super) fields: Vec<&'n str>,
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
        let depends_on = fields.node("depends_on");
        let hints = fields.texts("hints");
        let tags = fields.texts("tags");
        let questions = fields.texts("questions");
        let criteria = fields.node("criteria");
        fields.finish();
        let priority = priority.and_then(|node| word_of::<PointPriority>(node, "priority", found));
        let depends_on = depends_on.map(Node::items).unwrap_or_default().iter();
        let depends_on = depends_on
            .filter_map(|node| Some((text_of(node, "depends_on", found)?, node.span)))
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
        format!("`{name}` is a state that every interview has")
    } else if name.ends_with(super::AGAIN) {
        format!(
            "names that end in `{}` are those of states in which points are asked again",
            super::AGAIN
        )
    } else if name.is_empty() || name.contains(['.', ' ']) {
        "the name of a point has neither a blank nor a full stop".to_owned()
    } else {
        return;
    };
    Diagnostic::error(Code::BadPoint, why)
        .at(key.span, "this name")
        .help("give the point another name")
        .add_to(found);
}

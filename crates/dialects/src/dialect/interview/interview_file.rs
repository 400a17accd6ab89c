//! The file of an interview.

use std::path::Path;

use super::point_draft::PointDraft;
use super::texts::{InterviewTexts, Language};
use crate::dialect::header::read_header;
use crate::dialect::tables::Tables;
use fsmsim_core::machine::MachineHeader;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Map, Node, number_of, word_of};
use fsmsim_syntax::shapes;

/// The default limits for questions and for follow-up questions.
const DEFAULT_QUESTIONS: i64 = 30;
const DEFAULT_FOLLOW_UPS: i64 = 5;
/// The default confidence at which a point is complete.
const DEFAULT_THRESHOLD: f64 = 0.7;

/// The file of an interview.
pub(super) struct InterviewFile<'n> {
    pub header: MachineHeader,
    pub points: Vec<PointDraft<'n>>,
    pub questions: i64,
    pub follow_ups: i64,
    pub threshold: f64,
    /// Whether the user is asked to confirm a summary at the end.
    pub validating: bool,
    pub texts: InterviewTexts<'n>,
    /// The title of the completed questionnaire.
    pub title: Option<&'n str>,
    /// Documents with general knowledge.
    pub knowledge: Option<&'n Node>,
    pub conditions: Option<&'n Map>,
    pub tables: Tables<'n>,
    /// The start of the file.
    pub span: Span,
    /// The position of the points in the file.
    pub points_span: Span,
}

impl<'n> InterviewFile<'n> {
    /// Reads the file. Returns `None`, with findings, if it is not a map.
    pub(super) fn read(root: &'n Node, path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(root, &shapes::INTERVIEW_FILE, found)?;
        fields.text("kind");
        let [about, language, limits, threshold] =
            fields.nodes(["interview", "language", "limits", "threshold"]);
        let [texts, output, knowledge] = fields.nodes(["texts", "output", "knowledge"]);
        let points_node = fields.required("points");
        let points = points_node.and_then(|_| fields.map("points"));
        let validating = fields.boolean("validating").unwrap_or(false);
        let conditions = fields.map("conditions");
        let tables = Tables::read(&mut fields);
        fields.finish();
        let language = language.and_then(|node| word_of::<Language>(node, "language", found));
        let (questions, follow_ups) = read_limits(limits, found);
        let points = points.map(|map| &*map.entries).unwrap_or_default();
        Some(Self {
            header: read_header(about, ("interview", "`interview`"), path, found),
            points: points
                .iter()
                .filter_map(|(key, node)| PointDraft::read(key, node, found))
                .collect(),
            questions,
            follow_ups,
            threshold: threshold.map_or(DEFAULT_THRESHOLD, |node| read_threshold(node, found)),
            validating,
            texts: InterviewTexts::read(texts, language.unwrap_or_default(), found),
            title: read_title(output, found),
            knowledge,
            conditions,
            tables,
            span: Span::start_of(root.span.file),
            points_span: points_node.map_or(root.span, |node| node.span),
        })
    }
}

/// Reads the limits for questions and for follow-up questions.
fn read_limits(node: Option<&Node>, found: &mut Diagnostics) -> (i64, i64) {
    let Some(mut fields) = node.and_then(|node| Fields::of(node, &shapes::INTERVIEW_LIMITS, found))
    else {
        return (DEFAULT_QUESTIONS, DEFAULT_FOLLOW_UPS);
    };
    let questions = fields.node("questions");
    let most = fields
        .count("questions")
        .map_or(DEFAULT_QUESTIONS, i64::from);
    let follow_ups = fields
        .count("follow_ups")
        .map_or(DEFAULT_FOLLOW_UPS, i64::from);
    fields.finish();
    if let Some(node) = questions.filter(|_| most == 0) {
        Diagnostic::error(Code::BadPoint, "expected at least 1 question, found 0")
            .at(node.span, "too few")
            .help("set the maximum number of questions, or remove the key (default: 30)")
            .add_to(found);
    }
    (most, follow_ups)
}

fn read_threshold(node: &Node, found: &mut Diagnostics) -> f64 {
    let number = number_of(node, "threshold", found);
    if number.is_some_and(|number| !(number > 0.0 && number <= 1.0)) {
        Diagnostic::error(
            Code::WrongType,
            "expected a confidence above 0 and at most 1 for `threshold`",
        )
        .at(node.span, "out of range")
        .help("set the confidence that completes a point (default: 0.7)")
        .add_to(found);
    }
    number.unwrap_or(DEFAULT_THRESHOLD)
}

fn read_title<'n>(node: Option<&'n Node>, found: &mut Diagnostics) -> Option<&'n str> {
    let mut fields = node.and_then(|node| Fields::of(node, &shapes::INTERVIEW_OUTPUT, found))?;
    let title = fields.text("title");
    fields.finish();
    title
}

//! Documents as trees with positions: YAML, JSON and Markdown.

mod compressed;
mod diagram;
mod document_reading;
mod fields;
mod file;
mod input_stream;
mod json;
mod json_tree;
mod lines;
mod located_json;
mod location;
mod location_step;
mod location_text;
mod long_list;
mod markdown;
mod node;
mod pattern_budget;
mod placeholder;
mod sequence_edits;
mod simple_yaml;
mod split;
mod text_diff;
mod unknown_keys;
mod yaml;
mod yaml_typos;

pub use crate::limits::{DEFINITION_LIMIT, LEVELS};
pub use compressed::unpacked_path;
pub use diagram::{ArrowLabel, DiagramLine, DiagramSyntax, StateDiagram, plain_label};
pub use document_reading::{DocumentReading, ReadingItem, ReadingKind};
pub use fields::{
    Fields, boolean_of, count_of, entries_of, integer_of, named, number_of, one_of, text_of,
    texts_of, word_of, wrong_type,
};
pub use file::{is_yaml, leads_out, read_bytes, read_file, read_start, unreadable};
pub use input_stream::InputStream;
pub use json::{is_default, json_place, json_reason, parse_json, parse_json_or};
pub use lines::LineReader;
pub use located_json::{LocatedJson, is_json_text};
pub use location::{Location, LocationMiss};
pub use location_step::LocationStep;
pub use long_list::{LongList, parse_long_yaml};
pub use markdown::{
    Block, ListItem, Markdown, MarkdownList, MarkdownTable, Prose, Quoted, Section, front_of,
    parse_markdown,
};
pub use node::{Atom, Content, Key, Map, Node, Scalar};
pub use pattern_budget::{PatternBudget, is_pattern};
pub use placeholder::{
    PLACEHOLDER_OPEN, each_placeholder, is_of_placeholder, lone_placeholder, placeholder_len,
    placeholders,
};
pub use sequence_edits::{sequence_changes, sequence_edits};
pub use similar::DiffOp;
pub use split::documents;
pub use text_diff::{long_text_diff, text_diff};
pub use unknown_keys::{no_such_key, unknown_key};
pub use yaml::{parse_yaml, read_yaml};

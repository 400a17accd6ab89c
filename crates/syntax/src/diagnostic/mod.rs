//! Findings about the input and their locations.
//!
//! A [`SourceMap`] holds the texts of all files, and a [`Span`] is a range in one of them. A [`Diagnostic`] is a
//! finding with a stable [`Code`], a location, a title and help. [`render`] formats it.

mod code;
mod diagnostic;
mod diagnostics;
mod foreign_keys;
mod former_names;
mod listed;
mod plural;
mod render;
mod source_map;
mod span;
mod suggest;

pub use crate::limits::MAX_SEARCHED;
pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use diagnostics::{Checked, Diagnostics};
pub use foreign_keys::ForeignKeys;
pub use listed::listed;
pub use plural::plural;
pub use render::render;
pub use source_map::{SourceFile, SourceMap};
pub use span::{FileId, Place, Span};
pub use suggest::{is_variant, most_similar, nearest, nearest_or, similar_name_hint, typo_of};

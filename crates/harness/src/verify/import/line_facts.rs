//! Facts that one line of an external trace contains.

use serde::de::IgnoredAny;

use super::map::TraceMap;
use fsmsim_core::trace::read_json;

/// Facts that one line of an external trace contains.
pub(in crate::verify) struct LineFacts {
    /// The name of the dialogue.
    pub name: String,
}

impl LineFacts {
    /// Reads a line. Returns the reason and the position in the line if it contains no dialogue name.
    pub(in crate::verify) fn read(map: &TraceMap, text: &str) -> Result<Self, (String, usize)> {
        if let Some(name) = map.name_in(text, 0) {
            return Ok(Self { name });
        }
        read_json::<IgnoredAny>(text)?;
        let (location, _) = map.name_location();
        Err((format!("missing `{location}`, the name of the dialogue"), 0))
    }

    /// The order of a line among the lines of its dialogue, if the map locates it.
    pub(in crate::verify) fn order(map: &TraceMap, text: &str) -> Option<i128> {
        map.order_in(text)
    }
}

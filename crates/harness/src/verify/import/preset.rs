//! Trace maps for common formats.

use fsmsim_syntax::diagnostic::{Checked, Diagnostic};

/// The names of the maps, and their texts.
const PRESETS: [(&str, &str); 4] = [
    ("langfuse", include_str!("presets/langfuse.yaml")),
    ("openai-chat", include_str!("presets/openai-chat.yaml")),
    ("otel", include_str!("presets/otel.yaml")),
    ("rasa", include_str!("presets/rasa.yaml")),
];

/// The text of the map with this name.
pub fn trace_map_preset(name: &str) -> Checked<&'static str> {
    match PRESETS.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok(text),
        None => Diagnostic::unknown_argument("trace map", name)
            .offer(name, "trace maps", PRESETS.map(|(name, _)| name))
            .fail(),
    }
}

//! The identity of a compiled machine, without the locations in its files.

use xxhash_rust::xxh3::Xxh3;

use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::SourceMap;

/// The start of a location in the debug text of a machine.
const SPAN: &str = "Span { file: FileId(";

/// A hash of all parts of a machine except the locations in its files. Machines with equal hashes play equal turns.
pub(super) fn identity(machine: &Machine) -> u128 {
    let mut plain = machine.clone();
    plain.files = SourceMap::default();
    hash_without_spans(&format!("{plain:?}"))
}

/// A hash of the parts of a machine that a search of all dialogues does not compare. They are the words that a recognizer
/// reads, and the properties that only check dialogues.
pub(super) fn unsearched(machine: &Machine) -> u128 {
    let names = &machine.names;
    let intents = names.intents.ids().map(|id| machine.description(id));
    let slots = names.slots.ids().map(|id| machine.slot(id));
    let parts = (intents.collect::<Vec<_>>(), slots.collect::<Vec<_>>());
    let (phrases, properties) = (&machine.phrases, &machine.properties);
    hash_without_spans(&format!("{parts:?} {phrases:?} {properties:?}"))
}

fn hash_without_spans(text: &str) -> u128 {
    let mut hash = Xxh3::new();
    let mut parts = text.split(SPAN);
    hash.update(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        let rest = part.split_once('}').map_or(part, |(_, rest)| rest);
        hash.update(rest.as_bytes());
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::hash_without_spans;

    #[test]
    fn locations_do_not_change_the_hash() {
        let at = |start: u32, name: &str| {
            let span = format!("Span {{ file: FileId(0), start: {start}, end: 9 }}");
            hash_without_spans(&format!("[Rule {{ span: {span}, name: {name:?} }}]"))
        };
        assert_eq!(at(1, "a"), at(2, "a"));
        assert_ne!(at(1, "a"), at(1, "b"));
    }
}

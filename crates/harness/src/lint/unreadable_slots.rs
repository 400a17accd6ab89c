//! Finds states that no text can complete, because an utterance cannot be the value of several slots.

use fsmsim_adapters::recognizer::ValueReader;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Checks states whose transition `data_complete` waits for slots, if the machine recognizes text.
pub(super) fn check(machine: &Machine, found: &mut Vec<Diagnostic>) {
    let has_examples = |id| !machine.description(id).examples.is_empty();
    if !machine.intents.ids().any(has_examples) {
        return;
    }
    let reader = ValueReader::of(machine);
    let waiting = machine.declared_states();
    for (_, state) in waiting.filter(|(_, state)| state.data_complete.is_some()) {
        let is_text = |slot: &&_| reader.takes_only_text(**slot);
        let required = state.required.iter().filter(is_text);
        if required
            .clone()
            .chain(state.optional.iter().filter(is_text))
            .count()
            < 2
        {
            continue;
        }
        for slot in required {
            let name = machine.names.slots.name(*slot);
            let title = format!("no text can fill the slot `{name}`");
            found.extend(state.span.map(|span| {
                Diagnostic::warning(Code::UnreadableSlot, title)
                    .at(span, "asks for several texts")
                    .help(format!(
                        "declare `values`, a `format` or another type for `{name}`, or ask for it in a separate state"
                    ))
            }));
        }
    }
}

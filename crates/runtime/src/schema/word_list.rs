//! Words that a format may have and that are a table of the program.

use strum::VariantArray;

use crate::simulate::Mood;
use fsmsim_adapters::llm::{TaskKind, fault_names};
use fsmsim_core::engine::{Class, SignalMode, TONES};
use fsmsim_core::machine::{Profile, Signal};
use fsmsim_core::trace::RecordField;

/// The words of a list.
///
/// # Errors
/// That there is no such list.
pub(super) fn word_list(name: &str) -> Result<Vec<&'static str>, String> {
    Ok(match name {
        "classes" => Class::ALL.iter().map(|class| class.name()).collect(),
        "faults" => fault_names().collect(),
        "moods" => Mood::VARIANTS.iter().map(<&'static str>::from).collect(),
        "needs" => TaskKind::ALL.iter().map(|kind| kind.name()).collect(),
        "profiles" => Profile::ALL.map(Profile::name).into(),
        "expected_fields" => RecordField::expected_names().collect(),
        "record_fields" => RecordField::names().collect(),
        "signal_modes" => SignalMode::ALL.iter().map(|mode| mode.name()).collect(),
        "signals" => Signal::ALL.iter().map(|signal| signal.name()).collect(),
        "tones" => TONES.into(),
        // The number of a turn is counted, not found.
        "trace_map_fields" => RecordField::names()
            .filter(|name| *name != RecordField::Turn.name())
            .collect(),
        _ => return Err(format!("there is no list of words `{name}`")),
    })
}

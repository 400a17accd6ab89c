//! Word lists of formats that come from tables of the program.

use strum::VariantArray;

use crate::simulate::UserMove;
use fsmsim_adapters::llm::{TaskKind, fault_names};
use fsmsim_core::engine::{Class, Merge, SignalMode, SourceKind, Status, TONES};
use fsmsim_core::machine::{Depth, NeedKind, Profile, Signal};
use fsmsim_core::trace::RecordField;

/// The words of a list. Empty if the list is unknown.
pub fn word_list(name: &str) -> Vec<&'static str> {
    match name {
        "answered_needs" => NeedKind::JUDGEMENTS
            .into_iter()
            .map(NeedKind::name)
            .chain([NeedKind::EFFECT])
            .collect(),
        "branch_statuses" => Status::ALL.iter().map(|status| status.name()).collect(),
        "classes" => Class::ALL.iter().map(|class| class.name()).collect(),
        "depths" => Depth::ALL.iter().map(|(_, name)| *name).collect(),
        "faults" => fault_names().collect(),
        "merges" => Merge::ALL.iter().map(|merge| merge.name()).collect(),
        "needs" => TaskKind::ALL.iter().map(|kind| kind.name()).collect(),
        "profiles" => Profile::ALL.map(Profile::name).into(),
        "expected_fields" => RecordField::expected_names().collect(),
        "record_fields" => RecordField::names().collect(),
        "signal_modes" => SignalMode::ALL.iter().map(|mode| mode.name()).collect(),
        "signals" => Signal::ALL.iter().map(|signal| signal.name()).collect(),
        "sources" => SourceKind::names().collect(),
        "tones" => TONES.into(),
        "user_moves" => UserMove::VARIANTS
            .iter()
            .map(<&'static str>::from)
            .collect(),
        // The turn number is counted, not read from the source.
        "trace_map_fields" => RecordField::names()
            .filter(|name| *name != RecordField::Turn.name())
            .collect(),
        _ => Vec::new(),
    }
}

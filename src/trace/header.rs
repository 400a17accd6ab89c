//! The first line of a dialogue in a trace.

use serde::Serialize;

use crate::machine::{Machine, Settings};

/// The version of the format. It is raised when the meaning of a field changes; new fields do not raise it.
pub const VERSION: u32 = 1;

/// The first line of a dialogue in a trace.
#[derive(Debug, Serialize)]
pub struct HeaderLine<'a> {
    fsmsim_trace: u32,
    dialogue: &'a str,
    machine: MachineLine<'a>,
    signals: &'static str,
    seed: u64,
}

#[derive(Debug, Serialize)]
struct MachineLine<'a> {
    name: &'a str,
    dialect: &'static str,
    source: &'a str,
    profile: &'static str,
}

impl<'a> HeaderLine<'a> {
    /// The header of a dialogue.
    #[must_use]
    pub fn new(dialogue: &'a str, machine: &'a Machine, settings: &Settings) -> Self {
        Self {
            fsmsim_trace: VERSION,
            dialogue,
            machine: MachineLine {
                name: &machine.header.name,
                dialect: machine.header.dialect,
                source: &machine.header.source,
                profile: settings.profile.name(),
            },
            signals: settings.signals.name(),
            seed: 0,
        }
    }
}

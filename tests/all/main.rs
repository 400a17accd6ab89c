//! The program as its users meet it: the built binary on real files, and the library on recorded data.

#![allow(
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod bank;
mod branches;
mod broken_flows;
mod broken_traces;
#[cfg(feature = "live")]
mod cassettes;
mod consent;
mod contract_laws;
mod contract_parts;
mod contract_rules;
mod contracts;
mod coverage;
mod degradation;
mod diffs;
mod disambiguation;
#[cfg(feature = "live")]
mod faults;
mod house;
mod intents;
mod interactive;
mod laws;
mod lints;
#[cfg(feature = "live")]
mod live_limits;
#[cfg(feature = "live")]
mod live_models;
#[cfg(feature = "live")]
mod live_tiny;
#[cfg(feature = "live")]
mod live_wires;
#[cfg(feature = "live")]
mod loopback;
mod markdown;
#[cfg(feature = "mcp")]
mod mcp;
mod plain_text;
mod projects;
mod readme;
mod recordings;
mod repeats;
mod scenarios;
mod sessions;
mod simulations;
mod support;
mod switches;
mod traces;
mod transcripts;
mod twins;
mod vectors;
mod verify;

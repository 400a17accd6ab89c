//! The compiled machine, the engine that runs one turn of it as a pure step, and the trace of its records.

pub mod engine;
mod limits;
pub mod machine;
pub mod trace;
pub mod values;

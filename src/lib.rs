//! `fsmsim`: a dialogue simulator and scenario test harness.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod repl;

//! `fsmsim` simulates and tests dialogues. This library runs the same engine as the program `fsmsim`.
//!
//! A [`Model`] is a compiled definition: a YAML flow, a Markdown state set, an interview, a contract or an agent cycle.
//! A [`Dialogue`] runs [`Turn`]s on it, and each turn returns a [`Record`] with the new state, the class of the turn
//! and the reasons. [`verify()`] checks a recorded trace against a model.
//!
//! # Run a dialogue and ask why
//!
//! ```
//! use fsmsim::{Class, Model, Turn};
//!
//! let model = Model::load("flows/support.yaml")?;
//! let mut dialogue = model.dialogue("first try");
//!
//! let record = dialogue.run(&Turn::new("issue_described").data("issue_type", "billing"))?;
//! assert_eq!(record.from_state(), "greeting");
//! assert_eq!(record.state(), "billing_flow");
//! assert_eq!(record.class(), Class::Choice);
//! assert!(record.why().contains("flows/support.yaml:37"));
//! # Ok::<(), fsmsim::Diagnostics>(())
//! ```
//!
//! # Write a trace and verify it
//!
//! ```
//! use fsmsim::{Model, Turn, verify};
//!
//! let model = Model::load("flows/support.yaml")?;
//! let mut dialogue = model.dialogue("second try");
//! dialogue.run(&Turn::new("greeting"))?;
//! dialogue.run(&Turn::new("issue_described").data("issue_type", "other"))?;
//! dialogue.run(&Turn::new("small_talk"))?;
//! let trace = dialogue.trace();
//! assert_eq!(trace.lines().count(), 5, "a header, three turns, an end");
//!
//! assert!(verify(&model, &trace)?.conforms());
//!
//! let changed = trace.replace("general_inquiry", "human_handoff");
//! let verification = verify(&model, &changed)?;
//! assert!(!verification.conforms());
//! println!("{}", verification.violations()[0]);
//! # Ok::<(), fsmsim::Diagnostics>(())
//! ```
//!
//! # Report mistakes in a definition
//!
//! All mistakes in a definition are reported together, each with a code, a location and help.
//!
//! ```
//! use fsmsim::Model;
//!
//! let error = Model::load("flows/missing.yaml").unwrap_err();
//! let diagnostic = &error.diagnostics()[0];
//! assert_eq!(diagnostic.code, "FS0001");
//! println!("{error}");
//! ```
//!
//! # Features
//!
//! Without default features the library needs no C compiler and no network stack. `cli` builds the program, `live` adds
//! language models and systems under test over HTTP, `serve` adds `fsmsim mcp`, `fsmsim studio` and `fsmsim lsp`, and
//! `sqlite` adds stores on disk.

#![deny(missing_docs)]

mod diagnostics;
mod dialogue;
mod model;
mod record;
mod turn;
mod verify;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod repl;

pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use dialogue::Dialogue;
pub use fsmsim_core::engine::Class;
pub use model::Model;
pub use record::Record;
pub use turn::Turn;
pub use verify::{Verification, Violation, verify};

//! Mutation: small changes of a model, to check whether scenarios notice them. [`operators`] makes the mutants, and a
//! [`MutationRun`] plays the scenarios of a [`MutationSuite`] on each. What no scenario notices is compared with the
//! original in [dialogues](probed_dialogues) that show its lines, and then in all dialogues.

mod killing_scenario;
mod machine_identity;
mod mutant;
mod mutation_cache;
mod mutation_result;
mod mutation_run;
mod mutation_suite;
mod operators;
mod probed_dialogues;

pub use mutant::{Mutant, MutationOperator};
pub use mutation_cache::MutationCache;
pub use mutation_result::{LineColumn, MutantResult, MutantStatus, MutatedModel, MutationCounts};
pub use mutation_run::{ChangedLines, MutationInput, MutationRun};
pub use mutation_suite::MutationSuite;
pub use operators::mutants;

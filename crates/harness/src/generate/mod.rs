//! Generation of scenarios: the dialogues that cover what the scenarios of a project miss.
//!
//! [`Goals`](goals) are the missing items. A [graph](dialogue_graph) of all dialogues plans the dialogues that cover them.
//! Each one becomes a [draft], is [played](rehearsal) with its words, and is kept if the [others](set_cover) do not cover
//! the same.

mod dialogue_graph;
mod draft;
mod generation;
mod goals;
mod lower_bound;
mod probes;
mod recorded;
mod rehearsal;
mod set_cover;
mod violating_scenario;

pub use generation::{Generation, GenerationInput, GenerationRun, generated_kind, suite_coverage};
pub use lower_bound::LowerBound;
pub(crate) use probes::Probes;
pub use rehearsal::GeneratedScenario;
pub use violating_scenario::ViolatingScenario;

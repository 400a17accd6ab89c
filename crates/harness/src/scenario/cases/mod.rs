//! Cases: a scenario with different values for its parameters.

mod case_list;
mod case_table;
mod pairwise;
mod parameter_filler;
mod parameter_values;
mod scenario_case;

pub(super) use case_list::{CASES, read_cases};
pub(super) use parameter_filler::{ParameterFiller, each_parameter, may_hold_placeholders};
pub use parameter_values::ParameterValues;
pub(super) use parameter_values::unknown_parameter;
pub use scenario_case::ScenarioCase;

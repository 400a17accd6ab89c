//! Selects scenarios by filter expressions, by shards, and by the results of the last run.

mod changed_since;
mod filter_expression;
mod filter_parser;
mod listed_scenario;
mod name_pattern;
mod predicate;
mod prober;
mod run_history;
mod scenario_filter;
mod scenario_probe;

pub use changed_since::ChangedSince;
pub use filter_expression::FilterExpression;
pub use listed_scenario::ListedScenario;
pub use name_pattern::NamePattern;
pub use predicate::Predicate;
pub use run_history::RunHistory;
pub use scenario_filter::ScenarioFilter;

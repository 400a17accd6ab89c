//! The tools, a file for each: what it takes, and what it answers.

mod author_turn;
mod conditions;
mod coverage;
mod diff;
mod explain;
mod graph;
mod lint;
mod models;
mod play;
mod save_scenario;
mod scenarios;
mod schema;
mod test;
mod wanted_scenarios;
mod why;
mod why_not;

pub(super) use self::conditions::{ConditionsAnswer, ConditionsCall, conditions};
pub(super) use self::coverage::{CoverageAnswer, CoverageCall, coverage};
pub(super) use self::diff::{DiffAnswer, DiffCall, diff};
pub(super) use self::explain::{ExplainCall, explain};
pub(super) use self::graph::{GraphCall, graph};
pub(super) use self::lint::{LintAnswer, LintCall, lint};
pub(super) use self::models::{ModelsAnswer, ModelsCall, models};
pub(super) use self::play::{PlayAnswer, PlayCall, play};
pub(super) use self::save_scenario::{SaveScenarioAnswer, SaveScenarioCall, save_scenario};
pub(super) use self::scenarios::{ScenariosAnswer, ScenariosCall, scenarios};
pub(super) use self::schema::{SchemaCall, schema};
pub(super) use self::test::{TestAnswer, TestCall, test};
pub(super) use self::why::{WhyAnswer, WhyCall, why};
pub(super) use self::why_not::{WhyNotAnswer, WhyNotCall, why_not};

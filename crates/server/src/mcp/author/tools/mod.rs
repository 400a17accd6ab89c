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

pub(super) use self::conditions::conditions;
pub(super) use self::coverage::coverage;
pub(super) use self::diff::diff;
pub(super) use self::explain::explain;
pub(super) use self::graph::graph;
pub(super) use self::lint::lint;
pub(super) use self::models::models;
pub(super) use self::play::play;
pub(super) use self::save_scenario::save_scenario;
pub(super) use self::scenarios::scenarios;
pub(super) use self::schema::schema;
pub(super) use self::test::test;
pub(super) use self::why::why;
pub(super) use self::why_not::why_not;

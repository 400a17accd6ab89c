//! The tools, a file for each: what it takes, and what it answers.

use super::author_answer::Answered;
use super::author_desk::AuthorDesk;
use super::author_refusal::AuthorRefusal;
use super::author_tool::AuthorTool;
use super::call_progress::CallProgress;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

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

use self::conditions::conditions;
use self::coverage::coverage;
use self::diff::diff;
use self::explain::explain;
use self::graph::graph;
use self::lint::lint;
use self::play::play;
use self::save_scenario::save_scenario;
use self::scenarios::scenarios;
use self::test::test;
use self::why::why;
use self::why_not::why_not;

/// Arguments that fit their schema.
fn read<T: DeserializeOwned>(given: JsonObject) -> Result<T, AuthorRefusal> {
    serde_json::from_value(Json::Object(given))
        .map_err(|error| format!("the arguments cannot be read: {error}").into())
}

impl AuthorDesk {
    /// Does what a tool is called for.
    ///
    /// # Errors
    /// Why that cannot be done, for the model.
    pub(super) fn answer(
        &self,
        tool: AuthorTool,
        given: Option<&JsonObject>,
        progress: &CallProgress,
    ) -> Answered {
        let schema = self.schemas.iter().find(|(known, _)| *known == tool);
        let given = schema.map_or(Ok(JsonObject::default()), |(_, schema)| schema.read(given))?;
        match tool {
            AuthorTool::Models => Ok(models::models(&self.project_now()?)),
            AuthorTool::Scenarios => scenarios(&read(given)?, &self.project_now()?),
            AuthorTool::Lint => lint(&read(given)?, &self.project_now()?),
            AuthorTool::Explain => explain(&read(given)?),
            AuthorTool::Graph => graph(&read(given)?, &self.project_now()?),
            AuthorTool::Conditions => conditions(&read(given)?, self, &self.project_now()?),
            AuthorTool::Play => play(&read(given)?, self, &self.project_now()?),
            AuthorTool::Why => why(&read(given)?, self),
            AuthorTool::WhyNot => why_not(&read(given)?, self),
            AuthorTool::SaveScenario => save_scenario(&read(given)?, self, &self.project_now()?),
            AuthorTool::Test => test(&read(given)?, self, self.project_now()?, progress),
            AuthorTool::Coverage => coverage(&read(given)?, self, self.project_now()?, progress),
            AuthorTool::Diff => diff(&read(given)?, self, &self.project_now()?),
            AuthorTool::Schema => schema::schema(&read(given)?),
        }
    }
}

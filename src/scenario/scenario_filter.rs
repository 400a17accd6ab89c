//! Which scenarios are wanted.

use super::scenario::ScenarioText;

/// Which scenarios are wanted: those with one of the texts in their title, and with one of the tags. An empty list takes
/// all.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFilter {
    /// Texts of titles.
    pub titles: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
}

impl ScenarioFilter {
    /// Whether a scenario is wanted.
    #[must_use]
    pub fn wants(&self, scenario: &ScenarioText<'_>) -> bool {
        let any = |wanted: &[String], has: &dyn Fn(&str) -> bool| {
            wanted.is_empty() || wanted.iter().any(|text| has(text))
        };
        any(&self.titles, &|text| scenario.title.contains(text))
            && any(&self.tags, &|tag| scenario.tags.contains(&tag))
    }
}

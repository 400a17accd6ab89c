//! What came of one reader.

use serde::{Deserialize, Serialize};

use super::measures::ReadingMeasures;
use fsmsim_adapters::llm::{TokenPrice, Usage};

/// What came of one reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReaderResult {
    /// Who read, as it was asked for.
    pub reader: String,
    /// What is measured.
    pub measures: ReadingMeasures,
    /// What was used of live models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<LinkUsage>,
}

/// What was used of a live model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkUsage {
    /// The link.
    pub link: String,
    /// Requests.
    pub calls: u64,
    /// Those of them that were made again.
    pub retries: u64,
    /// Tokens of what was asked.
    pub asked: u64,
    /// Those of them that the server still knew.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Tokens of what was answered.
    pub answered: u64,
    /// What that cost, where the project says what tokens cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "as whoever writes fields asks"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LinkUsage {
    /// What was used of a link, at a price.
    pub fn of(link: &str, usage: &Usage, price: Option<&TokenPrice>) -> Self {
        let tokens = usage.tokens;
        Self {
            link: link.to_owned(),
            calls: usage.calls,
            retries: usage.retries,
            asked: tokens.asked,
            cached: tokens.cached,
            answered: tokens.answered,
            cost: price.map(|price| price.cost(tokens)),
            currency: price.map(|price| price.currency.to_string()),
        }
    }
}

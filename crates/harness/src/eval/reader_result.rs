//! The result of one recognizer.

use serde::{Deserialize, Serialize};

use super::measures::ReadingMeasures;
use fsmsim_adapters::llm::{TokenPrice, Usage};

/// The result of one recognizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReaderResult {
    /// The name of the recognizer, as it was requested.
    pub reader: String,
    pub measures: ReadingMeasures,
    /// The usage of each live model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<LinkUsage>,
}

/// The usage of a live model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkUsage {
    /// The provider.
    pub link: String,
    /// The number of requests.
    pub calls: u64,
    /// The number of those requests that were retries.
    pub retries: u64,
    /// Input tokens.
    pub asked: u64,
    /// Input tokens that the provider served from its cache.
    #[serde(default, skip_serializing_if = "fsmsim_syntax::document::is_default")]
    pub cached: u64,
    /// Output tokens.
    pub answered: u64,
    /// The cost, if the project sets token prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl LinkUsage {
    /// The usage of a provider, with its cost if the price is known.
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

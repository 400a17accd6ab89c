//! Token prices of a provider.

use serde::Deserialize;

use super::tokens::Tokens;
use fsmsim_core::machine::Float;

/// The token prices of a provider, per million tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPrice {
    input: Float,
    cached_input: Option<Float>,
    output: Float,
    pub currency: Box<str>,
}

/// The unvalidated `[llm.chain.price]` table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPrice {
    input: f64,
    #[serde(default)]
    cached_input: Option<f64>,
    output: f64,
    #[serde(default)]
    currency: Option<String>,
}

/// Default currency.
const CURRENCY: &str = "USD";
/// The number of tokens that prices refer to.
const MILLION: f64 = 1_000_000.0;

impl RawPrice {
    /// Validates the price. Reports invalid keys to `wrong`.
    pub(super) fn build(self, mut wrong: impl FnMut(&str, &str)) -> TokenPrice {
        let keys = [
            ("input", Some(self.input)),
            ("cached_input", self.cached_input),
            ("output", Some(self.output)),
        ];
        for (key, value) in keys {
            if value.is_some_and(|value| !value.is_finite() || value < 0.0) {
                wrong(
                    &format!("price.{key}"),
                    "must be the price of a million tokens: a number from 0",
                );
            }
        }
        let currency = self.currency.filter(|currency| !currency.trim().is_empty());
        TokenPrice {
            input: Float::new(self.input),
            cached_input: self.cached_input.map(Float::new),
            output: Float::new(self.output),
            currency: currency.as_deref().unwrap_or(CURRENCY).into(),
        }
    }
}

impl TokenPrice {
    /// The cost of these tokens. By default, cached input tokens cost as much as other input tokens.
    pub fn cost(&self, tokens: Tokens) -> f64 {
        let cached = tokens.cached.min(tokens.asked);
        let cached_price = self.cached_input.unwrap_or(self.input).get();
        let parts = [
            (tokens.asked - cached, self.input.get()),
            (cached, cached_price),
            (tokens.answered, self.output.get()),
        ];
        #[expect(
            clippy::cast_precision_loss,
            reason = "tokens are fewer than a float can count"
        )]
        let cost: f64 = parts
            .iter()
            .map(|(count, price)| *count as f64 * price)
            .sum();
        // Six decimals are enough for the price of a single token.
        (cost / MILLION * 1e6).round() / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> TokenPrice {
        let raw: RawPrice = toml::from_str(text).unwrap();
        raw.build(|key, what| panic!("{key} {what}"))
    }

    fn tokens(asked: u64, cached: u64, answered: u64) -> Tokens {
        Tokens {
            asked,
            answered,
            cached,
        }
    }

    #[test]
    fn cached_input_can_cost_less() {
        let plain = price("input = 0.15\noutput = 0.60\n");
        assert_eq!(
            (plain.cost(tokens(1_000_000, 0, 500_000)), &*plain.currency),
            (0.45, "USD")
        );
        assert!((plain.cost(tokens(1_000_000, 400_000, 0)) - 0.15).abs() < 1e-12);
        let less = price("input = 1.0\ncached_input = 0.1\noutput = 2.0\ncurrency = \"EUR\"\n");
        assert_eq!(
            (less.cost(tokens(1000, 500, 100)), &*less.currency),
            (0.00075, "EUR")
        );
        assert!(less.cost(tokens(0, 0, 0)).abs() < 1e-12);
    }

    #[test]
    fn invalid_price_is_reported() {
        let mut reported = Vec::new();
        let raw: RawPrice = toml::from_str("input = -1.0\noutput = nan\n").unwrap();
        raw.build(|key, _| reported.push(key.to_owned()));
        assert_eq!(reported, ["price.input", "price.output"]);
    }
}

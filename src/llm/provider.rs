//! A live model as the project names it.

use serde::Deserialize;

/// A live model that speaks the chat completions of `OpenAI`, as `fsmsim.toml` names it under `[[llm.chain]]`.
///
/// It never holds a key, only the name of the environment variable with it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Its name in records.
    pub name: String,
    /// The address in front of `/chat/completions`.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// The environment variable with the key, where one is needed.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// Seconds that one attempt may take.
    #[serde(default = "timeout")]
    pub timeout_s: f64,
    /// Further attempts after a failure that may pass.
    #[serde(default = "retries")]
    pub retries: u32,
}

fn timeout() -> f64 {
    30.0
}

fn retries() -> u32 {
    2
}

/// The most seconds that one attempt may be given.
const LONGEST: f64 = 600.0;

impl Provider {
    /// What is wrong with the settings, in a sentence.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let url = self.base_url.as_str();
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Some(format!(
                "`base_url` of `{}` begins with neither `http://` nor `https://`",
                self.name
            ));
        }
        if !(self.timeout_s > 0.0 && self.timeout_s <= LONGEST) {
            return Some(format!("`timeout_s` of `{}` is not between 0 and {LONGEST}", self.name));
        }
        (self.retries > 10).then(|| format!("`retries` of `{}` is more than 10", self.name))
    }
}

//! A live model as the project names it.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::token_price::TokenPrice;

/// A live model, as `fsmsim.toml` names it under `[[llm.chain]]`, held against its limits.
///
/// It never holds a key, only the name of the environment variable with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name in records.
    pub name: String,
    /// How its server is spoken to.
    pub wire: Wire,
    /// The address in front of `/chat/completions` or `/messages`.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// The environment variable with the key, where one is needed.
    pub api_key_env: Option<String>,
    /// How long one request may take.
    pub timeout: Duration,
    /// Further attempts after a failure that may pass.
    pub retries: u32,
    /// The strictest way of asking for an answer of the right shape that is tried.
    pub structured: Structured,
    /// The most requests in a minute.
    pub max_per_minute: Option<u32>,
    /// The most requests at a time.
    pub max_concurrent: Option<u32>,
    /// The file with the certificates that are trusted instead of the usual ones.
    pub ca_file: Option<PathBuf>,
    /// What its tokens cost, where that is said.
    pub price: Option<TokenPrice>,
}

/// How a server is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// The chat completions of `OpenAI`, which many servers speak.
    OpenAi,
    /// The messages of Anthropic.
    Anthropic,
    /// The chat completions of `GigaChat`, with a token that is asked for first.
    GigaChat {
        /// Where the token is asked for.
        auth_url: String,
        /// What the token is for.
        scope: String,
    },
}

/// How a model is brought to answer in the right shape, the strictest way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// The server holds the answer to a JSON Schema.
    Schema,
    /// The model calls a tool whose arguments are the answer.
    Tool,
    /// The prompt says it in words.
    Prompt,
}

impl Structured {
    /// The next less strict way.
    pub fn lower(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Tool),
            Self::Tool => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
}

impl Wire {
    /// The strictest way that servers of this kind know.
    pub fn strictest(&self) -> Structured {
        match self {
            Self::OpenAi => Structured::Schema,
            Self::Anthropic | Self::GigaChat { .. } => Structured::Tool,
        }
    }
}

//! Settings of a live model.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::body_parameters::BodyParameters;
use super::header_setting::HeaderSetting;
use super::kind::TaskKind;
use super::need_settings::NeedSettings;
use super::token_price::TokenPrice;
use crate::limits::{MAX_OPEN_REQUESTS, REQUEST_TIMEOUT};

/// The validated settings of a live model, from `[[llm.chain]]` in `fsmsim.toml`.
///
/// They never contain a key, only the name of its environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name in records.
    pub name: String,
    /// The protocol of the server.
    pub wire: Wire,
    /// The URL before `/chat/completions` or `/messages`.
    pub base_url: String,
    pub model: String,
    /// The environment variable with the key, if one is needed.
    pub api_key_env: Option<String>,
    /// The timeout for a request.
    pub timeout: Duration,
    /// Maximum number of retries after a temporary failure.
    pub retries: u32,
    /// The strictest structured output mode to try.
    pub structured: Structured,
    /// Maximum number of requests per minute.
    pub max_per_minute: Option<u32>,
    /// Maximum number of parallel requests, if set.
    pub max_concurrent: Option<u32>,
    /// The file with trusted certificates, which replace the default ones.
    pub ca_file: Option<PathBuf>,
    /// The token price, if set.
    pub price: Option<TokenPrice>,
    /// Parameters that the project adds to bodies or removes from them.
    pub parameters: BodyParameters,
    /// Settings for individual needs.
    pub needs: Vec<(TaskKind, NeedSettings)>,
    /// The headers added to requests.
    pub headers: Vec<HeaderSetting>,
    /// The query parameters added to URLs, in the order of the file.
    pub query: Vec<(String, String)>,
    /// Schemas are converted for strict servers.
    pub strict: bool,
    /// The fixed part of prompts is marked for caching by the server.
    pub cache: bool,
    /// Whether requests use the proxy of the environment. By default, they do, except for addresses on this machine.
    pub proxy: Option<bool>,
}

/// Default number of retries.
pub(super) const RETRIES: u32 = 2;

impl Provider {
    /// A live model with default settings.
    pub fn new(name: &str, wire: Wire, base_url: &str, model: &str) -> Self {
        Self {
            name: name.to_owned(),
            structured: wire.strictest(),
            wire,
            base_url: base_url.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            api_key_env: None,
            timeout: REQUEST_TIMEOUT,
            retries: RETRIES,
            max_per_minute: None,
            max_concurrent: None,
            ca_file: None,
            price: None,
            parameters: BodyParameters::default(),
            needs: Vec::new(),
            headers: Vec::new(),
            query: Vec::new(),
            strict: true,
            cache: false,
            proxy: None,
        }
    }

    /// The settings for a need.
    pub fn need(&self, kind: TaskKind) -> Option<&NeedSettings> {
        self.needs
            .iter()
            .find(|(need, _)| *need == kind)
            .map(|(_, settings)| settings)
    }

    /// The body parameters for a need, in the order in which they are applied.
    pub fn layers(&self, kind: TaskKind) -> impl DoubleEndedIterator<Item = &BodyParameters> {
        [
            Some(&self.parameters),
            self.need(kind).map(|need| &need.parameters),
        ]
        .into_iter()
        .flatten()
    }

    /// The strictest mode, starting with `way`, that the project does not override. A project overrides a mode if its
    /// body parameters set or remove a key of the mode.
    pub fn way_from(&self, way: Structured, kind: TaskKind) -> Structured {
        let is_ours = |way| {
            !self
                .wire
                .keys(way)
                .iter()
                .any(|key| self.layers(kind).any(|layer| layer.decides(key)))
        };
        std::iter::successors(Some(way), |way| way.lower())
            .find(|way| is_ours(*way))
            .unwrap_or(Structured::Prompt)
    }
}

/// The protocol of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `OpenAI` chat completions, which many servers support.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// `GigaChat` chat completions, with an access token.
    GigaChat {
        /// The URL for the token.
        auth_url: String,
        /// The scope of the token.
        scope: String,
    },
}

/// The structured output modes, strictest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Structured {
    /// The server enforces a JSON Schema.
    Schema,
    /// The model calls a tool whose arguments are the answer.
    Tool,
    /// The prompt describes the format.
    Prompt,
}

impl Provider {
    /// Maximum number of parallel requests.
    pub fn open_requests(&self) -> u32 {
        self.max_concurrent.unwrap_or(MAX_OPEN_REQUESTS)
    }
}

impl Structured {
    /// The name in project files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The next less strict mode.
    pub fn lower(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Tool),
            Self::Tool => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
}

impl Wire {
    /// The strictest mode that servers of this kind support.
    pub fn strictest(&self) -> Structured {
        match self {
            Self::OpenAi | Self::Anthropic => Structured::Schema,
            Self::GigaChat { .. } => Structured::Tool,
        }
    }

    /// Whether its servers accept strict schemas only.
    #[cfg(feature = "live")]
    pub(super) fn is_always_strict(&self) -> bool {
        *self == Self::Anthropic
    }

    /// The name of the kind in project files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::GigaChat { .. } => "gigachat",
        }
    }

    /// The dotted body keys that a mode uses.
    pub(super) fn keys(&self, way: Structured) -> &'static [&'static str] {
        match (self, way) {
            (Self::OpenAi, Structured::Schema) => &["response_format"],
            (Self::Anthropic, Structured::Schema) => &["output_config.format", "output_format"],
            (Self::GigaChat { .. }, Structured::Schema | Structured::Tool) => &["functions"],
            (Self::OpenAi | Self::Anthropic, Structured::Tool) => &["tools"],
            (_, Structured::Prompt) => &[],
        }
    }
}

//! A live model as the project names it.

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
    /// The most requests at a time, where it is said.
    pub max_concurrent: Option<u32>,
    /// The file with the certificates that are trusted instead of the usual ones.
    pub ca_file: Option<PathBuf>,
    /// What its tokens cost, where that is said.
    pub price: Option<TokenPrice>,
    /// What the project adds to bodies, and takes out of them.
    pub parameters: BodyParameters,
    /// What it changes for single needs.
    pub needs: Vec<(TaskKind, NeedSettings)>,
    /// The headers that it adds.
    pub headers: Vec<HeaderSetting>,
    /// What it adds to addresses behind `?`, in the order of the file.
    pub query: Vec<(String, String)>,
    /// Schemas are sent as strict servers want them.
    pub strict: bool,
    /// The fixed part of prompts is marked for the server to keep.
    pub cache: bool,
    /// Whether requests go through the proxy of the environment; nothing is yes, but for this machine.
    pub proxy: Option<bool>,
}

/// Further attempts where nothing is said.
pub(super) const RETRIES: u32 = 2;

impl Provider {
    /// A live model of which nothing else is said.
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

    /// What the project changes for a need.
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

    /// The strictest way of asking from this one on that the project leaves to us: where it says itself what stands under the
    /// key of a way, or that nothing does, that way is its own.
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
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Structured {
    /// The server holds the answer to a JSON Schema.
    Schema,
    /// The model calls a tool whose arguments are the answer.
    Tool,
    /// The prompt says it in words.
    Prompt,
}

impl Provider {
    /// The most requests at a time.
    pub fn open_requests(&self) -> u32 {
        self.max_concurrent.unwrap_or(MAX_OPEN_REQUESTS)
    }
}

impl Structured {
    /// The name, as projects write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

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
            Self::OpenAi | Self::Anthropic => Structured::Schema,
            Self::GigaChat { .. } => Structured::Tool,
        }
    }

    /// Whether its servers hold to no other schemas than strict ones.
    #[cfg(feature = "live")]
    pub(super) fn is_always_strict(&self) -> bool {
        *self == Self::Anthropic
    }

    /// The name of the kind, as projects write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::GigaChat { .. } => "gigachat",
        }
    }

    /// The keys of bodies, as paths, in which a way of asking lies.
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

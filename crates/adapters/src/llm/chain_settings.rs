//! `[llm]` in `fsmsim.toml`: the providers of a run and their limits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::answerer_settings::{AnswererSettings, PlaceOf, RawAnswerer};
use super::budget::Budget;
use super::cassette::Redactions;
use super::chain_fault::ChainFault;
use super::kind::TaskKind;
use super::reach::ReachLine;

/// The validated `[llm]` settings.
#[derive(Clone, Debug, Default)]
pub struct ChainSettings {
    /// The seed of random numbers for live models: pauses and request IDs.
    pub seed: u64,
    /// Maximum number of requests per run.
    pub max_calls: Option<u64>,
    /// Maximum number of tokens per run.
    pub max_tokens: Option<u64>,
    /// The providers, in order.
    pub answerers: Vec<AnswererSettings>,
    pub judge: Option<AnswererSettings>,
    /// The settings that need the consent of the user, per provider, in the order of the file.
    pub reach: Vec<Vec<ReachLine>>,
    /// The parts of requests that cassettes omit.
    pub redactions: Redactions,
    /// The prompt templates by need.
    pub prompts: Vec<(TaskKind, PathBuf)>,
}

/// The unvalidated `[llm]` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawChain {
    seed: u64,
    max_calls: Option<u64>,
    max_tokens: Option<u64>,
    chain: Vec<Spanned<RawAnswerer>>,
    judge: Option<Spanned<RawAnswerer>>,
    cassette: RawCassette,
    /// The prompt templates by need, unvalidated.
    pub prompts: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// The unvalidated `[llm.cassette]` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawCassette {
    ignore_patterns: Vec<Spanned<String>>,
}

impl ChainSettings {
    /// Validates the settings. Resolves files with `place`, and adds errors to `faults`.
    pub fn build(raw: RawChain, place: PlaceOf<'_>, faults: &mut Vec<ChainFault>) -> Self {
        for (key, value) in [("max_calls", raw.max_calls), ("max_tokens", raw.max_tokens)] {
            if value == Some(0) {
                let text = format!("`{key}` of `[llm]` must be at least 1");
                faults.push(ChainFault::of_key(key, text));
            }
        }
        let mut names: Vec<String> = Vec::new();
        let mut answerers = Vec::new();
        let mut reach = Vec::new();
        let mut judge = None;
        let chained = raw.chain.len();
        for (number, answerer) in raw.chain.into_iter().chain(raw.judge).enumerate() {
            let is_judge = number == chained;
            let span = answerer.span();
            let answerer = answerer.into_inner();
            let mut found = Vec::new();
            reach.push(answerer.reach().lines());
            if let Some(name) = answerer.name().map(str::to_owned) {
                if names.contains(&name) {
                    let who = if is_judge {
                        "the judge and a provider"
                    } else {
                        "two providers"
                    };
                    found.push(ChainFault::of_key(
                        "name",
                        format!("{who} have the name `{name}`"),
                    ));
                }
                names.push(name);
            }
            match answerer.build(place, &mut found) {
                Some(AnswererSettings::ExampleClassifier) if is_judge => {
                    let text = "the kind `examples` cannot be used in `[llm.judge]`: use a model or a mock";
                    found.push(ChainFault::of_key("kind", text.to_owned()));
                }
                built if is_judge => judge = built,
                built => answerers.extend(built),
            }
            faults.extend(found.into_iter().map(|fault| ChainFault {
                at: Some(span.clone()),
                ..fault
            }));
        }
        let mut redactions = Redactions::default();
        for pattern in raw.cassette.ignore_patterns {
            if let Err(fault) = redactions.add(pattern.get_ref()) {
                let text = format!("invalid pattern in `ignore_patterns`: {fault}");
                faults.push(ChainFault {
                    at: Some(pattern.span()),
                    key: None,
                    text,
                });
            }
        }
        let RawChain {
            seed,
            max_calls,
            max_tokens,
            ..
        } = raw;
        Self {
            seed,
            max_calls,
            max_tokens,
            answerers,
            judge,
            reach,
            redactions,
            prompts: Vec::new(),
        }
    }

    /// The budget of a run.
    pub fn budget(&self) -> Budget {
        Budget::new(self.max_calls, self.max_tokens)
    }
}

//! Parses an entry of `[[llm.chain]]`, and validates it against its kind.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use strum::IntoStaticStr;
use toml::Spanned;

use super::body_parameters::{BodyParameters, RawParameters};
use super::chain_fault::ChainFault;
use super::header_setting::{HeaderSetting, RawHeader, variable_of};
use super::kind::TaskKind;
use super::need_settings::{NeedSettings, RawNeed};
use super::provider::{Provider, RETRIES, Structured, Wire};
use super::reach::{LinkReach, NamedVariable};
use super::token_price::RawPrice;
use crate::limits::{
    MAX_REQUEST_RATE, MAX_REQUEST_SECONDS, MAX_RETRIES, MAX_VARIABLE_NAME, REQUEST_TIMEOUT,
};
use fsmsim_syntax::diagnostic::nearest_or;
use fsmsim_syntax::terminal::{Joined, is_secret_name};

/// A provider as the project configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswererSettings {
    /// A live model.
    Live(Box<Provider>),
    /// A mock, given by its file, and its name in records, if it has one.
    Mock(PathBuf, Option<String>),
    ExampleClassifier,
}

/// An unvalidated entry of `[[llm.chain]]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawAnswerer {
    name: Option<String>,
    kind: AnswererKind,
    base_url: Option<Spanned<String>>,
    model: Option<String>,
    api_key_env: Option<Spanned<String>>,
    timeout_s: Option<f64>,
    retries: Option<u32>,
    structured: Option<Structured>,
    max_per_minute: Option<u32>,
    max_concurrent: Option<u32>,
    auth_url: Option<Spanned<String>>,
    scope: Option<String>,
    ca_file: Option<String>,
    price: Option<RawPrice>,
    file: Option<String>,
    params: Option<RawParameters>,
    omit: Option<Vec<String>>,
    needs: Option<BTreeMap<String, RawNeed>>,
    headers: Option<BTreeMap<String, RawHeader>>,
    query: Option<BTreeMap<String, String>>,
    strict: Option<bool>,
    cache: Option<bool>,
    proxy: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
enum AnswererKind {
    #[default]
    OpenAi,
    Anthropic,
    GigaChat,
    Mock,
    Examples,
}

impl AnswererKind {
    fn name(self) -> &'static str {
        self.into()
    }

    fn is_live(self) -> bool {
        matches!(self, Self::OpenAi | Self::Anthropic | Self::GigaChat)
    }
}

/// Default scope of a token.
const SCOPE: &str = "GIGACHAT_API_PERS";

/// Resolves a file path in a project. Returns `None` if the file is outside of the project.
pub(super) type PlaceOf<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

/// Collects the errors of one entry. Each error is a sentence that names the entry.
struct Faults<'a> {
    who: String,
    place: PlaceOf<'a>,
    found: &'a mut Vec<ChainFault>,
}

impl Faults<'_> {
    fn report(&mut self, key: &str, what: &str) {
        self.found.push(ChainFault::of_key(
            key,
            format!("`{key}` of {} {what}", self.who),
        ));
    }

    /// Resolves the file path that a key contains.
    fn inside(&mut self, key: &str, file: &str) -> Option<PathBuf> {
        let place = (self.place)(file);
        if place.is_none() {
            self.report(
                key,
                &format!("must be a file inside the project, not `{file}`"),
            );
        }
        place
    }

    /// An optional value, which must not be empty.
    fn worded(&mut self, key: &str, value: Option<String>) -> Option<String> {
        if value
            .as_deref()
            .is_some_and(|value| value.trim().is_empty())
        {
            self.report(key, "is empty");
            return None;
        }
        value
    }

    /// The name of an environment variable. An invalid value is not shown, because it might be the secret itself.
    fn variable(&mut self, key: &str, value: Option<String>) -> Option<String> {
        let name = self.worded(key, value)?;
        if !is_variable(&name) {
            self.report(key, "must be the uppercase name of an environment variable, for example `MODEL_KEY` (the value is hidden, because it might be the key)");
            return None;
        }
        Some(name)
    }

    /// The value of a required key.
    fn needed(&mut self, key: &str, value: Option<String>) -> String {
        if value.is_none() {
            self.report(key, "is missing");
        }
        self.worded(key, value).unwrap_or_default()
    }

    /// A URL. An invalid value is not shown, because it might contain a secret.
    fn address(&mut self, key: &str, value: Option<String>) -> String {
        let address = self.needed(key, value);
        if address.is_empty() {
            return address;
        }
        let Some((_, rest)) = address
            .split_once("://")
            .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
        else {
            self.report(key, "must start with `http://` or `https://`");
            return address;
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if host.contains('@') {
            self.report(
                key,
                "must not contain a user name: put secrets into an environment variable",
            );
        } else if rest.contains(['?', '#']) {
            self.report(
                key,
                "must not contain a query or a fragment: put secrets into an environment variable",
            );
        } else if let Some(port) =
            port_of(host).filter(|port| !port.parse::<u16>().is_ok_and(|port| port > 0))
        {
            self.report(key, &format!("has the port `{port}`: expected 1 to 65535"));
        } else if host.is_empty() || address.contains(|c: char| c.is_whitespace() || c.is_control())
        {
            self.report(key, "is not a valid URL");
        }
        address
    }

    /// A timeout for requests.
    fn seconds(&mut self, key: &str, value: Option<f64>) -> Option<Duration> {
        let value = value?;
        if !(value > 0.0 && value <= MAX_REQUEST_SECONDS) {
            self.report(
                key,
                &format!("must be more than 0 and at most {MAX_REQUEST_SECONDS} seconds"),
            );
        }
        Duration::try_from_secs_f64(value).ok()
    }

    /// The parameters that are added to request bodies or removed from them.
    fn parameters(
        &mut self,
        within: &str,
        params: RawParameters,
        omit: Vec<String>,
    ) -> BodyParameters {
        BodyParameters::build(params, omit, &mut |key, what| {
            self.report(&format!("{within}{key}"), what);
        })
    }

    /// The settings for a need.
    fn need(&mut self, name: &str, raw: RawNeed) -> Option<(TaskKind, NeedSettings)> {
        let within = format!("needs.{name}.");
        let parameters = self.parameters(&within, raw.params, raw.omit);
        let timeout = self.seconds(&format!("{within}timeout_s"), raw.timeout_s);
        let kind = TaskKind::from_name(name);
        if kind.is_none() {
            let names = || TaskKind::ALL.iter().map(|kind| kind.name());
            let all = || format!("expected one of `{}`", names().joined("`, `"));
            let what = nearest_or(name, names(), all);
            self.report("needs", &format!("has the unknown need `{name}`: {what}"));
        }
        Some((
            kind?,
            NeedSettings {
                parameters,
                timeout,
            },
        ))
    }

    /// A header that is added to requests.
    fn header(&mut self, name: &str, raw: RawHeader) -> Option<HeaderSetting> {
        HeaderSetting::build(name, raw, &is_variable)
            .map_err(|what| self.report("headers", &what))
            .ok()
    }

    /// Checks a parameter of the query string.
    fn query_part(&mut self, key: &str) {
        if is_secret_name(key) {
            let what = format!(
                "contains the secret `{key}`: use a header that reads it from an environment variable"
            );
            self.report("query", &what);
        }
    }

    fn at_most(&mut self, key: &str, value: Option<u32>, most: u32) {
        if value.is_some_and(|value| value == 0 || value > most) {
            self.report(key, &format!("must be from 1 to {most}"));
        }
    }
}

/// The digits of the port after a host, if any.
fn port_of(host: &str) -> Option<&str> {
    let (_, port) = host.rsplit_once(':')?;
    (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(port)
}

/// Whether the string is a valid name of an environment variable.
fn is_variable(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty()
        && name.len() <= MAX_VARIABLE_NAME
        && name.bytes().all(is_allowed)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

impl RawAnswerer {
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The addresses and variables of the entry.
    pub(super) fn reach(&self) -> LinkReach<'_> {
        let key = self.api_key_env.iter().map(|name| NamedVariable {
            key: "api_key_env".to_owned(),
            variable: name.get_ref(),
            at: name.span(),
        });
        let headers = self
            .headers
            .iter()
            .flatten()
            .filter_map(|(name, raw)| variable_of(name, raw));
        LinkReach {
            addresses: [
                ("base_url", self.base_url.as_ref()),
                ("auth_url", self.auth_url.as_ref()),
            ],
            variables: key.chain(headers).collect(),
        }
    }

    /// Validates the entry. Adds its errors to `found`.
    pub(super) fn build(
        self,
        place: PlaceOf<'_>,
        found: &mut Vec<ChainFault>,
    ) -> Option<AnswererSettings> {
        let before = found.len();
        let kind = self.kind;
        let who = self
            .name
            .as_deref()
            .filter(|name| !name.trim().is_empty())
            .map_or_else(
                || format!("an unnamed `{}` provider", kind.name()),
                |name| format!("`{name}`"),
            );
        let mut faults = Faults { who, place, found };
        for (key, suits) in self.given() {
            if !suits {
                faults.report(
                    key,
                    &format!("cannot be used with the kind `{}`", kind.name()),
                );
            }
        }
        let settings = match kind {
            AnswererKind::Mock => {
                let name = faults.worded("name", self.name);
                let file = faults.needed("file", self.file);
                AnswererSettings::Mock(faults.inside("file", &file).unwrap_or_default(), name)
            }
            AnswererKind::Examples => {
                faults.worded("name", self.name);
                AnswererSettings::ExampleClassifier
            }
            AnswererKind::OpenAi | AnswererKind::Anthropic | AnswererKind::GigaChat => {
                AnswererSettings::Live(Box::new(self.provider(&mut faults)))
            }
        };
        (found.len() == before).then_some(settings)
    }

    /// The specified keys that only some kinds accept, each with a flag that shows whether this kind accepts it.
    fn given(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let live = self.kind.is_live();
        let giga = self.kind == AnswererKind::GigaChat;
        macro_rules! given {
            ($($key:ident: $suits:expr),* $(,)?) => {
                [$((stringify!($key), self.$key.is_some(), $suits)),*]
            };
        }
        let keys = given! {
            base_url: live,
            model: live,
            api_key_env: live,
            timeout_s: live,
            retries: live,
            structured: live,
            max_per_minute: live,
            max_concurrent: live,
            ca_file: live,
            price: live,
            params: live,
            omit: live,
            needs: live,
            headers: live,
            query: live,
            proxy: live,
            strict: self.kind == AnswererKind::OpenAi,
            cache: self.kind == AnswererKind::Anthropic,
            auth_url: giga,
            scope: giga,
            file: self.kind == AnswererKind::Mock,
        };
        keys.into_iter()
            .filter(|(_, given, _)| *given)
            .map(|(key, _, suits)| (key, suits))
    }

    fn provider(self, faults: &mut Faults<'_>) -> Provider {
        let name = faults.needed("name", self.name);
        let base_url = faults.address("base_url", self.base_url.map(Spanned::into_inner));
        let model = faults.needed("model", self.model);
        let api_key_env = faults.variable("api_key_env", self.api_key_env.map(Spanned::into_inner));
        let wire = match self.kind {
            AnswererKind::GigaChat => {
                if api_key_env.is_none() {
                    faults.report("api_key_env", "is missing");
                }
                let scope = faults
                    .worded("scope", self.scope)
                    .unwrap_or_else(|| SCOPE.to_owned());
                if !scope
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                {
                    faults.report("scope", "can contain only letters, digits and `_`");
                }
                Wire::GigaChat {
                    auth_url: faults.address("auth_url", self.auth_url.map(Spanned::into_inner)),
                    scope,
                }
            }
            AnswererKind::Anthropic => Wire::Anthropic,
            AnswererKind::OpenAi | AnswererKind::Mock | AnswererKind::Examples => Wire::OpenAi,
        };
        let timeout = faults
            .seconds("timeout_s", self.timeout_s)
            .unwrap_or(REQUEST_TIMEOUT);
        let retries = self.retries.unwrap_or(RETRIES);
        if retries > MAX_RETRIES {
            faults.report("retries", &format!("must be at most {MAX_RETRIES}"));
        }
        let structured = self.structured.unwrap_or(wire.strictest());
        if structured < wire.strictest() {
            faults.report(
                "structured",
                &format!("is stricter than the kind `{}` supports", self.kind.name()),
            );
        }
        faults.at_most("max_per_minute", self.max_per_minute, MAX_REQUEST_RATE);
        faults.at_most("max_concurrent", self.max_concurrent, MAX_REQUEST_RATE);
        let parameters = faults.parameters(
            "",
            self.params.unwrap_or_default(),
            self.omit.unwrap_or_default(),
        );
        let needs = self
            .needs
            .into_iter()
            .flatten()
            .filter_map(|(name, raw)| faults.need(&name, raw))
            .collect();
        let headers = self
            .headers
            .into_iter()
            .flatten()
            .filter_map(|(name, raw)| faults.header(&name, raw))
            .collect();
        let query: Vec<_> = self.query.into_iter().flatten().collect();
        for (key, _) in &query {
            faults.query_part(key);
        }
        Provider {
            api_key_env,
            timeout,
            retries,
            structured,
            max_per_minute: self.max_per_minute,
            max_concurrent: self.max_concurrent,
            ca_file: self
                .ca_file
                .and_then(|file| faults.inside("ca_file", &file)),
            price: self
                .price
                .map(|price| price.build(|key, what| faults.report(key, what))),
            parameters,
            needs,
            headers,
            query,
            strict: self.strict.unwrap_or(true),
            cache: self.cache.unwrap_or_default(),
            proxy: self.proxy,
            ..Provider::new(&name, wire, &base_url, &model)
        }
    }
}

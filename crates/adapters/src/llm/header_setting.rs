//! Headers that a project adds to requests: constants, and values of environment variables.

use toml::Spanned;

use super::reach::NamedVariable;
use fsmsim_syntax::terminal::is_secret_name;

/// A header that a project adds to requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderSetting {
    /// The name in lowercase.
    pub name: String,
    /// The source of the value.
    pub source: HeaderSource,
}

/// The source of a header value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderSource {
    /// A literal in the project that is not a secret.
    Constant(String),
    /// The value of an environment variable after a prefix.
    Variable {
        name: String,
        /// The text before the value, for example `Api-Key `.
        prefix: String,
    },
}

/// An unvalidated header: a string, or `{env = NAME, prefix = TEXT}`.
pub(super) type RawHeader = Spanned<toml::Value>;

/// Headers that the request itself sets.
const OWN: [&str; 7] = [
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "accept-encoding",
    "te",
];

/// The environment variable that a header uses, with its location. Returns `None` if it uses none.
pub(super) fn variable_of<'h>(name: &'h str, raw: &'h RawHeader) -> Option<NamedVariable<'h>> {
    let variable = raw.get_ref().get("env")?.as_str()?;
    Some(NamedVariable {
        key: format!("headers.{name}.env"),
        variable,
        at: raw.span(),
    })
}

impl HeaderSetting {
    /// Validates a header.
    ///
    /// # Errors
    /// Returns a partial sentence. It never contains values, because they might be secrets.
    pub(super) fn build(
        name: &str,
        raw: RawHeader,
        is_variable: &dyn Fn(&str) -> bool,
    ) -> Result<Self, String> {
        let is_allowed =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_allowed) {
            return Err("contains an invalid header name".to_owned());
        }
        let name = name.to_ascii_lowercase();
        if OWN.contains(&&*name) {
            return Err(format!(
                "must not contain `{name}`: fsmsim sets this header"
            ));
        }
        let is_sendable = |text: &str| text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        let wrong = || {
            Err(format!(
                "has an invalid value for `{name}`: expected a string or `{{env = NAME, prefix = TEXT}}`"
            ))
        };
        let source = match raw.into_inner() {
            toml::Value::String(_) if is_secret_name(&name) => {
                return Err(format!(
                    "contains the secret `{name}`: name the environment variable that contains it, \
                     `{{env = \"NAME\"}}`, and put the text before the secret into `prefix`"
                ));
            }
            toml::Value::String(value) => HeaderSource::Constant(value),
            toml::Value::Table(mut table) => {
                let mut text = |key: &str| {
                    table
                        .remove(key)
                        .map(|value| value.as_str().map(str::to_owned))
                };
                let variable = text("env");
                let prefix = text("prefix");
                let (Some(Some(variable)), None | Some(Some(_)), true) =
                    (variable, &prefix, table.is_empty())
                else {
                    return wrong();
                };
                if !is_variable(&variable) {
                    return Err(format!(
                        "must name an environment variable in uppercase for `{name}`, for example `MODEL_KEY` \
                         (the value is hidden because it might be the key itself)"
                    ));
                }
                HeaderSource::Variable {
                    name: variable,
                    prefix: prefix.flatten().unwrap_or_default(),
                }
            }
            _ => return wrong(),
        };
        let (HeaderSource::Constant(text) | HeaderSource::Variable { prefix: text, .. }) = &source;
        if !is_sendable(text) {
            return Err(format!(
                "has characters for `{name}` that headers cannot contain"
            ));
        }
        Ok(Self { name, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_a_constant_or_a_variable_but_not_a_secret() {
        let built = |name: &str, value: &str| {
            let value: toml::Value = toml::from_str::<toml::Table>(&format!("v = {value}"))
                .unwrap()
                .remove("v")
                .unwrap();
            HeaderSetting::build(name, Spanned::new(0..1, value), &|name| name == "MODEL_KEY")
        };
        let of = |source| {
            Ok(HeaderSetting {
                name: "x-title".to_owned(),
                source,
            })
        };
        assert_eq!(
            built("X-Title", "\"mine\""),
            of(HeaderSource::Constant("mine".to_owned()))
        );
        let variable = |prefix: &str| HeaderSource::Variable {
            name: "MODEL_KEY".to_owned(),
            prefix: prefix.to_owned(),
        };
        assert_eq!(built("x-title", "{env = \"MODEL_KEY\"}"), of(variable("")));
        assert_eq!(
            built("x-title", "{env = \"MODEL_KEY\", prefix = \"Api-Key \"}"),
            of(variable("Api-Key "))
        );
        for (name, value) in [
            ("Host", "\"a\""),
            ("a b", "\"a\""),
            ("", "\"a\""),
            ("api-key", "\"planted\""),
            ("Authorization", "\"Bearer planted\""),
            ("x-title", "\"a\\nb: c\""),
            ("x-title", "7"),
            ("x-title", "{env = \"planted\"}"),
            ("x-title", "{env = 7}"),
            ("x-title", "{env = \"MODEL_KEY\", prefx = \"a\"}"),
            ("x-title", "{env = \"MODEL_KEY\", prefix = 7}"),
        ] {
            let error = built(name, value).unwrap_err();
            assert!(!error.contains("planted"), "{error}");
        }
    }
}

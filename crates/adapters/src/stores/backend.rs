//! The backend: outcomes of effects from a fixture file (docs/src/explanation/effects-and-consent.md;
//! docs/src/explanation/contracts.md).

use std::path::Path;
use std::sync::Arc;

use super::effect_key::EffectKey;
use super::performed_effects::PerformedEffects;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Fields, Node, read_yaml};
use fsmsim_syntax::shapes;

/// Performs effects that neither read nor write user data.
pub trait Backend: Send {
    /// The outcome of an effect, or `None` if the backend does not respond. Performs the effect once per key.
    fn invoke(&mut self, key: &EffectKey<'_>, payload: &Value) -> Option<Value>;
}

/// A backend that does not respond.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBackend;

impl Backend for NoBackend {
    fn invoke(&mut self, _: &EffectKey<'_>, _: &Value) -> Option<Value> {
        None
    }
}

/// A backend with fixtures. The first matching fixture determines the outcome.
#[derive(Clone, Debug, Default)]
pub struct FixtureBackend {
    fixtures: Arc<[Fixture]>,
    performed: PerformedEffects<Value>,
}

/// The outcome for an effect with this route and these payload values.
#[derive(Clone, Debug)]
struct Fixture {
    effect: Option<Box<str>>,
    route: Option<Value>,
    when: Vec<(Box<str>, Value)>,
    returned: Value,
}

/// The placeholder for the turn number in the strings of an answer. It makes answers unique.
const NUMBER: &str = "{turn}";

impl FixtureBackend {
    /// Loads a file. Returns `None`, with findings, if it is invalid.
    pub fn load(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let node = read_yaml(path, DEFINITION_LIMIT, sources, found)?;
        let mut fields = Fields::of(&node, &shapes::BACKEND_FILE, found)?;
        let answers = fields.list("answers");
        if answers.is_none() {
            fields.missing("answers");
        }
        fields.finish();
        let fixtures = answers
            .into_iter()
            .flatten()
            .filter_map(|node| Fixture::read(node, found))
            .collect();
        let performed = PerformedEffects::default();
        found.no_errors_since(errors).then_some(Self {
            fixtures,
            performed,
        })
    }
}

impl Fixture {
    fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::BACKEND_ANSWER, found)?;
        let effect = fields.text("effect").map(Into::into);
        let route = fields.node("route").map(Value::from);
        let when = fields.entries("when").iter();
        let returned = fields.required("return");
        fields.finish();
        let returned = returned?;
        let has_status = returned
            .get("status")
            .is_some_and(|status| status.text().is_some());
        if !has_status {
            return Diagnostic::error(Code::BadBackend, "missing `status` in `return`")
                .at(returned.span, "answer of the backend")
                .help("add an outcome of the contract, for example `return: {status: rows}`")
                .refuse(found);
        }
        let when = when
            .map(|(key, node)| (key.text.clone(), Value::from(node)))
            .collect();
        Some(Self {
            effect,
            route,
            when,
            returned: Value::from(returned),
        })
    }

    /// Whether the fixture matches an effect. The payload of a route contains its data under `data`.
    fn fits(&self, effect: &str, payload: &Value) -> bool {
        let known = payload
            .get("data")
            .filter(|_| payload.get("route").is_some())
            .unwrap_or(payload);
        self.effect.as_deref().is_none_or(|known| known == effect)
            && self
                .route
                .as_ref()
                .is_none_or(|route| payload.get("route") == Some(route))
            && self
                .when
                .iter()
                .all(|(key, value)| known.get(key).unwrap_or(&Value::Null) == value)
    }
}

impl Backend for FixtureBackend {
    fn invoke(&mut self, key: &EffectKey<'_>, payload: &Value) -> Option<Value> {
        self.performed.once(key, || {
            let fixture = self
                .fixtures
                .iter()
                .find(|fixture| fixture.fits(key.effect, payload))?;
            Some(numbered(&fixture.returned, key.turn))
        })
    }
}

/// Replaces the placeholder in a value with the turn number.
fn numbered(value: &Value, number: u32) -> Value {
    match value {
        Value::Text(text) if text.contains(NUMBER) => {
            Value::text(&text.replace(NUMBER, &number.to_string()))
        }
        Value::List(items) => {
            Value::List(items.iter().map(|item| numbered(item, number)).collect())
        }
        Value::Map(pairs) => Value::Map(
            pairs
                .iter()
                .map(|(key, value)| (Arc::clone(key), numbered(value, number)))
                .collect(),
        ),
        value => value.clone(),
    }
}

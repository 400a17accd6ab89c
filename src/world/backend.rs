//! The data backend: what routes come to when they are executed, from a file of fixtures (docs/contracts.md,
//! "Outcomes").

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::{DEFINITION_LIMIT, Fields, Node, read_yaml};
use crate::machine::Value;

/// What executes routes.
pub trait Backend: Send {
    /// What a route comes to, with what is known; nothing where the backend does not answer. `number` is the turn.
    fn execute(&mut self, route: &Value, data: &Value, number: u32) -> Option<Value>;
}

/// A backend that does not answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBackend;

impl Backend for NoBackend {
    fn execute(&mut self, _: &Value, _: &Value, _: u32) -> Option<Value> {
        None
    }
}

/// A backend of fixtures: the first one that fits answers.
#[derive(Clone, Debug, Default)]
pub struct FixtureBackend {
    fixtures: Arc<[Fixture]>,
}

/// What is given where route and data are so.
#[derive(Clone, Debug)]
struct Fixture {
    route: Option<Value>,
    when: Vec<(Box<str>, Value)>,
    give: Value,
}

/// What stands for the number of the turn in the texts of an answer, so that answers have names of their own.
const NUMBER: &str = "{turn}";

impl FixtureBackend {
    /// Reads a file. `None`, with findings, where it cannot be used.
    pub fn load(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let node = read_yaml(path, DEFINITION_LIMIT, sources, found)?;
        let mut fields = Fields::open(&node, "a backend", found)?;
        let answers = fields.list("answers");
        if answers.is_none() {
            fields.missing("answers");
        }
        fields.finish();
        let fixtures = answers.into_iter().flatten().filter_map(|node| Fixture::read(node, found)).collect();
        (found.error_count() == errors).then_some(Self { fixtures })
    }
}

impl Fixture {
    fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::open(node, "an answer of a backend", found)?;
        let route = fields.node("route").map(Value::from);
        let when = fields.entries("when").iter();
        let give = fields.required("give");
        fields.finish();
        let give = give?;
        let has_status = give.get("status").is_some_and(|status| status.text().is_some());
        if !has_status {
            return Diagnostic::error(Code::BadBackend, "the answer has no `status`")
                .at(give.span, "what came of it?")
                .help("write `give: {status: rows}`, as the outcomes of the contract are called")
                .refuse(found);
        }
        let when = when.map(|(key, node)| (key.text.clone(), Value::from(node))).collect();
        Some(Self { route, when, give: Value::from(give) })
    }

    fn fits(&self, route: &Value, data: &Value) -> bool {
        self.route.as_ref().is_none_or(|known| known == route)
            && self.when.iter().all(|(key, value)| data.get(key).unwrap_or(&Value::Null) == value)
    }
}

impl Backend for FixtureBackend {
    fn execute(&mut self, route: &Value, data: &Value, number: u32) -> Option<Value> {
        let fixture = self.fixtures.iter().find(|fixture| fixture.fits(route, data))?;
        Some(numbered(&fixture.give, number))
    }
}

/// A value with the number of the turn where it stands for it.
fn numbered(value: &Value, number: u32) -> Value {
    match value {
        Value::Text(text) if text.contains(NUMBER) => Value::text(&text.replace(NUMBER, &number.to_string())),
        Value::List(items) => Value::List(items.iter().map(|item| numbered(item, number)).collect()),
        Value::Map(pairs) => {
            Value::Map(pairs.iter().map(|(key, value)| (Arc::clone(key), numbered(value, number))).collect())
        }
        value => value.clone(),
    }
}

//! Capabilities: actions with external effects that a cycle can perform.

use strum::{EnumString, IntoStaticStr, VariantArray};

use fsmsim_core::engine::policy::cycle::CycleSchema;
use fsmsim_core::machine::{SchemaError, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Node, word_of};
use fsmsim_syntax::shapes;

/// A reserved name: only the COMMIT node can write shared memory.
const FORBIDDEN: &str = "write_shared_memory";

/// The risk level of a capability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Risk {
    #[default]
    Low,
    Medium,
    High,
}

/// A capability.
pub(super) struct Capability<'n> {
    pub name: &'n str,
    about: Option<&'n str>,
    pub inputs: Vec<&'n str>,
    /// The measurable effects that the capability declares.
    pub effects: Vec<&'n str>,
    pub rollback: bool,
    pub risk: Risk,
    pub enabled: bool,
    /// Whether a successful run counts as a test of the result.
    pub tests: bool,
}

impl<'n> Capability<'n> {
    /// Reads a capability. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(key: &'n Key, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        if &*key.text == FORBIDDEN {
            return Diagnostic::error(
                Code::BadCapability,
                format!("cannot use `{FORBIDDEN}` as a capability"),
            )
            .at(key.span, "forbidden")
            .help("remove it; only the COMMIT node writes shared memory, after validation")
            .refuse(found);
        }
        let mut fields = Fields::of(node, &shapes::CAPABILITY, found)?;
        let about = fields.text("about");
        let inputs = fields.texts("inputs");
        let effects = fields.texts("effects");
        let rollback = fields.boolean("rollback_supported").unwrap_or(false);
        let risk = fields.node("risk_level");
        let enabled = fields.boolean("enabled").unwrap_or(true);
        let tests = fields.boolean("tests").unwrap_or(false);
        fields.finish();
        let risk = risk
            .and_then(|node| word_of::<Risk>(node, "risk_level", found))
            .unwrap_or_default();
        let capability = Self {
            name: &key.text,
            about,
            inputs,
            effects,
            rollback,
            risk,
            enabled,
            tests,
        };
        capability
            .conforms_to_schema(key, node, found)
            .then_some(capability)
    }

    /// Validates the capability against the schema that `fsmsim schema capability` prints.
    fn conforms_to_schema(&self, key: &Key, node: &Node, found: &mut Diagnostics) -> bool {
        let error = match CycleSchema::Capability.schema() {
            Ok(schema) => schema.error(&self.as_data()),
            Err(message) => Some(SchemaError {
                place: String::new(),
                message,
            }),
        };
        let Some(SchemaError { place, message }) = error else {
            return true;
        };
        let field = place.split('/').nth(1).and_then(|field| node.get(field));
        Diagnostic::error(
            Code::BadCapability,
            format!("invalid capability `{}`: {message}", key.text),
        )
        .at(
            field.map_or(key.span, |field| field.span),
            "violates the schema",
        )
        .help("run `fsmsim schema capability` to print the schema")
        .add_to(found);
        false
    }

    /// The fields of the capability, with the names from the schema.
    fn as_data(&self) -> Value {
        let texts =
            |texts: &[&str]| Value::List(texts.iter().map(|text| Value::text(text)).collect());
        let fields = [
            ("name", Value::text(self.name)),
            ("inputs", texts(&self.inputs)),
            ("effects", texts(&self.effects)),
            ("rollback_supported", Value::Bool(self.rollback)),
            ("risk_level", Value::text(self.risk.into())),
            ("enabled", Value::Bool(self.enabled)),
            ("tests", Value::Bool(self.tests)),
        ];
        Value::map(
            fields
                .into_iter()
                .chain(self.about.map(|about| ("about", Value::text(about)))),
        )
    }
}

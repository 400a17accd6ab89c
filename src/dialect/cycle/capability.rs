//! A capability as it is written: something that may be done in the world.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::document::{Fields, Key, Node, named, one_of, text_of};

/// What nobody but the node of COMMIT may do, so that it is no capability.
const FORBIDDEN: &str = "write_shared_memory";

/// How much a capability may harm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Risk {
    #[default]
    Low,
    Medium,
    High,
}

/// A capability as it is written.
pub(super) struct Capability<'n> {
    pub(super) name: &'n str,
    pub(super) inputs: Vec<&'n str>,
    /// What it may change in the world.
    pub(super) effects: Vec<&'n str>,
    pub(super) rollback: bool,
    pub(super) risk: Risk,
    pub(super) enabled: bool,
    /// Its success is what a verdict may rest on.
    pub(super) tests: bool,
}

impl<'n> Capability<'n> {
    /// Reads a capability. `None`, with findings, where it is none.
    pub(super) fn read(key: &'n Key, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        if &*key.text == FORBIDDEN {
            return Diagnostic::error(Code::BadCapability, format!("`{FORBIDDEN}` is no capability"))
                .at(key.span, "forbidden")
                .help("shared memory is written by the node of COMMIT alone, once the work is validated")
                .refuse(found);
        }
        let mut fields = Fields::open(node, "a capability", found)?;
        fields.text("about");
        let (inputs, effects) = (fields.texts("inputs"), fields.texts("effects"));
        let rollback = fields.boolean("rollback_supported").unwrap_or(false);
        let risk = fields.node("risk_level");
        let enabled = fields.boolean("enabled").unwrap_or(true);
        let tests = fields.boolean("tests").unwrap_or(false);
        fields.finish();
        let risk = risk.and_then(|node| {
            let name = text_of(node, "risk_level", found)?;
            found.take(one_of(name, node.span, &named::<Risk>()))
        });
        Some(Self { name: &key.text, inputs, effects, rollback, risk: risk.unwrap_or_default(), enabled, tests })
    }
}

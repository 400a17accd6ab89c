//! The settings of the sales sources for one dialogue.

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{
    Key, Map, Node, boolean_of, count_of, integer_of, unknown_key, wrong_type,
};

/// The settings of the sales sources for one dialogue.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SalesSettings {
    /// The objection limits of personas.
    pub personas: Personas,
    /// The conversation guard, if it is on.
    pub guard: Option<GuardLimits>,
    /// The limits of the conversation guard if a dialogue enables it without limits.
    pub guard_default: GuardLimits,
}

impl SalesSettings {
    /// Reads the objection limits of personas from a map.
    pub(crate) fn read_personas(&mut self, map: &Map, found: &mut Diagnostics) {
        let entries = map.entries.iter();
        let table =
            entries.filter_map(|(key, node)| PersonaLimits::read(key, node, "consecutive", found));
        self.personas = Personas {
            table: table.collect(),
            given: true,
        };
    }

    /// Reads the conversation guard: on, off, or on with limits.
    pub(crate) fn read_guard(&mut self, node: &Node, found: &mut Diagnostics) {
        let mut limits = self.guard_default;
        let is_on = if node.map().is_some() {
            Some(true)
        } else {
            boolean_of(node, "guard", found)
        };
        for (key, node) in node.entries() {
            let mut fields = limits.fields();
            let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            match fields.iter_mut().find(|(name, _)| *name == &*key.text) {
                Some((name, value)) => {
                    if let Some(number) = integer_of(node, name, found) {
                        **value = number;
                    }
                }
                None => unknown_key(key, "`guard`", &names, found),
            }
        }
        if let Some(is_on) = is_on {
            self.guard = is_on.then_some(limits);
        }
    }
}

/// The objection limits of personas.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Personas {
    pub table: Vec<(Box<str>, PersonaLimits)>,
    /// Whether the configuration or the dialogue defines the table; otherwise it is built in.
    pub given: bool,
}

/// The objection limits of one persona.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonaLimits {
    /// The maximum number in a row.
    pub consecutive: i64,
    /// The maximum total number.
    pub total: i64,
}

impl PersonaLimits {
    /// Reads the name and the limits of one persona: a map of two numbers, one with the key `first`, the other with the
    /// key `total`.
    pub fn read(
        name: &Key,
        node: &Node,
        first: &'static str,
        found: &mut Diagnostics,
    ) -> Option<(Box<str>, Self)> {
        if node.map().is_none() {
            wrong_type(node, "the limits of a persona are a map", found);
            return None;
        }
        let mut number = |key: &'static str| {
            let value = node.get(key);
            if value.is_none() {
                Diagnostic::error(
                    Code::MissingKey,
                    format!("missing `{key}` in the limits of a persona"),
                )
                .at(node.span, "incomplete limits")
                .help(format!("write `{{{first}: 3, total: 5}}`"))
                .add_to(found);
            }
            value
                .and_then(|value| count_of(value, key, found))
                .map(i64::from)
        };
        let limits = Self {
            consecutive: number(first)?,
            total: number("total")?,
        };
        Some((name.text.clone(), limits))
    }

    /// The limits of a persona in a table, otherwise those of `default`.
    pub(crate) fn of(table: &[(Box<str>, Self)], persona: &str) -> Option<Self> {
        let find = |name: &str| table.iter().find(|(known, _)| &**known == name);
        let (_, limits) = find(persona).or_else(|| find("default"))?;
        Some(*limits)
    }
}

impl Personas {
    /// The limits of a persona, otherwise those of `default`.
    pub fn get(&self, persona: &str) -> Option<PersonaLimits> {
        PersonaLimits::of(&self.table, persona)
    }
}

/// The limits of the conversation guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct GuardLimits {
    /// The maximum number of turns in a dialogue.
    pub max_turns: i64,
    /// The maximum number of consecutive turns in one state.
    pub max_same_state: i64,
    /// The maximum number of repetitions of a message.
    pub max_same_message: i64,
    /// The maximum duration of a dialogue, in seconds.
    pub timeout_seconds: i64,
    /// The number of turns without progress after which different states are counted.
    pub progress_check_interval: i64,
    /// The minimum number of different states in these turns.
    pub min_unique_states: i64,
    /// The frustration at which the guard intervenes.
    pub high_frustration: i64,
}

impl GuardLimits {
    /// The limits with their names in files.
    pub fn fields(&mut self) -> [(&'static str, &mut i64); 7] {
        [
            ("max_turns", &mut self.max_turns),
            ("max_same_state", &mut self.max_same_state),
            ("max_same_message", &mut self.max_same_message),
            ("timeout_seconds", &mut self.timeout_seconds),
            ("progress_check_interval", &mut self.progress_check_interval),
            (
                "min_unique_states_for_progress",
                &mut self.min_unique_states,
            ),
            ("high_frustration_threshold", &mut self.high_frustration),
        ]
    }
}

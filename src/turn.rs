use std::sync::Arc;

use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_runtime::script::{KnownNames, ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{self, SourceMap};
use fsmsim_syntax::document::parse_json;
use serde_json::{Map, Value};

use crate::Diagnostics;

/// The input of one turn: an intent, and optionally an utterance and slot values.
///
/// It has the keys of a turn in a scenario, so [`with`](Self::with) accepts everything that a scenario can write.
///
/// ```
/// use fsmsim::Turn;
///
/// let turn = Turn::new("price_question")
///     .say("How much is it for 20 people?")
///     .data("company_size", 20)
///     .with("tone", "neutral");
/// # let _ = turn;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    keys: Map<String, Value>,
}

impl Turn {
    /// A turn with the intent of the user.
    pub fn new(intent: impl Into<String>) -> Self {
        Self::default().with("intent", intent.into())
    }

    /// Adds the utterance.
    #[must_use]
    pub fn say(self, utterance: impl Into<String>) -> Self {
        self.with("say", utterance.into())
    }

    /// Adds the value of a slot. A later value of the same slot replaces an earlier one.
    #[must_use]
    pub fn data(mut self, slot: impl Into<String>, value: impl Into<Value>) -> Self {
        let data = self.keys.entry("data").or_insert_with(|| Map::new().into());
        if let Value::Object(data) = data {
            data.insert(slot.into(), value.into());
        }
        self
    }

    /// Sets any key of a turn in a scenario, for example `goto` or `consent`.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.keys.insert(key.into(), value.into());
        self
    }

    /// The turn in the form that the engine runs.
    ///
    /// # Errors
    /// Returns the findings about names and values that the machine does not know.
    pub(crate) fn scripted(&self, machine: &Arc<Machine>) -> Result<ScriptedTurn, Diagnostics> {
        let text = Value::Object(self.keys.clone()).to_string();
        let mut sources = SourceMap::default();
        let mut found = diagnostic::Diagnostics::default();
        let file = sources.add_invented("turn", &*text);
        let node = parse_json(file, &text, 0, &mut found);
        let names = KnownNames::new(machine, None);
        let options = TurnOptions {
            names: Some(&names),
            ..TurnOptions::default()
        };
        let parsed = node
            .as_ref()
            .and_then(|node| ParsedTurn::read(node, machine, options, &mut found));
        match parsed {
            Some(parsed) if !found.has_errors() => Ok(parsed.scripted),
            _ => Err(Diagnostics::new(&found, &sources)),
        }
    }
}

//! Parameter values.

use std::sync::Arc;

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
#[cfg(test)]
use fsmsim_syntax::document::Map;
use fsmsim_syntax::document::Node;

/// Parameter values by name, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct ParameterValues {
    pairs: Vec<(Arc<str>, Arc<Node>)>,
    /// The location of the values, if there is exactly one.
    given_at: Option<Span>,
    /// Names that only other cases define.
    others: Arc<[Box<str>]>,
}

impl ParameterValues {
    #[cfg(test)]
    pub(crate) fn from_map(map: &Map) -> Self {
        let pairs = map
            .entries
            .iter()
            .map(|(key, value)| ((*key.text).into(), Arc::new(value.clone())));
        Self {
            pairs: pairs.collect(),
            ..Self::default()
        }
    }

    pub(super) fn of(pairs: Vec<(Arc<str>, Arc<Node>)>) -> Self {
        Self {
            pairs,
            ..Self::default()
        }
    }

    /// Sets the location of the values, and the names that any case defines.
    pub(crate) fn among(mut self, given_at: Option<Span>, names: &Arc<[Box<str>]>) -> Self {
        self.given_at = given_at;
        self.others = Arc::clone(names);
        self
    }

    /// Sets a value, replacing any previous value with this name.
    pub(crate) fn set(&mut self, name: &str, value: Node) {
        self.pairs.retain(|(known, _)| **known != *name);
        self.pairs.push((name.into(), Arc::new(value)));
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Node>> {
        self.pairs
            .iter()
            .find(|(known, _)| **known == *name)
            .map(|(_, value)| Arc::clone(value))
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.pairs.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The finding about a placeholder that has no value.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let is_left_out = self.others.iter().any(|other| **other == *name);
        match self.given_at.filter(|_| is_left_out) {
            Some(given) => Diagnostic::error(
                Code::UnknownParameter,
                format!("missing `{name}` in the case"),
            )
            .at(given, "case")
            .at(span, "used here")
            .help(format!("add `{name}` to the case")),
            None => unknown_parameter(name, span, self.pairs().map(|(name, _)| name)),
        }
    }
}

/// The finding about a placeholder that is not among the `known` names.
pub(crate) fn unknown_parameter<'k>(
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'k str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let finding = Diagnostic::error(
        Code::UnknownParameter,
        format!("unknown parameter `{name}`"),
    )
    .at(span, "parameter without a value");
    if known.is_empty() {
        let help = format!(
            "define it with `cases: [{{{name}: …}}]`, or in shared turns with `parameters` and `with`"
        );
        return finding.help(help);
    }
    finding.offer(name, "parameters", known)
}

//! Filter expressions for scenarios.

use super::predicate::Predicate;

/// A filter expression for scenarios: `tag(smoke) & !model(bant*)`.
#[derive(Clone, Debug)]
pub enum FilterExpression {
    /// All of these hold. An empty list holds for every scenario.
    All(Vec<FilterExpression>),
    /// At least one of these holds.
    Any(Vec<FilterExpression>),
    /// The inner expression does not hold.
    Not(Box<FilterExpression>),
    /// The predicate holds for the scenario.
    Ask(Predicate),
}

impl FilterExpression {
    /// Whether the expression holds. `None` if the known predicates do not determine the result.
    pub fn holds(&self, known: &mut dyn FnMut(&Predicate) -> Option<bool>) -> Option<bool> {
        match self {
            Self::Ask(predicate) => known(predicate),
            Self::Not(inner) => inner.holds(known).map(|holds| !holds),
            Self::All(parts) => decided(parts, false, known),
            Self::Any(parts) => decided(parts, true, known),
        }
    }

    /// The predicates in the expression.
    pub(super) fn predicates(&self) -> Vec<&Predicate> {
        match self {
            Self::Ask(predicate) => vec![predicate],
            Self::Not(inner) => inner.predicates(),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().flat_map(Self::predicates).collect()
            }
        }
    }

    /// The revisions that the expression names.
    pub fn revisions(&self) -> Vec<&str> {
        self.predicates()
            .into_iter()
            .filter_map(Predicate::revision)
            .collect()
    }
}

/// A single part with this value determines the result. Otherwise, all parts must be known.
fn decided(
    parts: &[FilterExpression],
    deciding: bool,
    known: &mut dyn FnMut(&Predicate) -> Option<bool>,
) -> Option<bool> {
    let mut is_open = false;
    for part in parts {
        match part.holds(known) {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => is_open = true,
        }
    }
    (!is_open).then_some(!deciding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

    fn holds(text: &str, tags: &[&str], unknown: Option<bool>) -> Option<bool> {
        let parsed =
            FilterExpression::parse(text, &mut SourceMap::default(), &mut Diagnostics::default())
                .unwrap();
        parsed.holds(&mut |predicate| match predicate {
            Predicate::Tag(pattern) => Some(tags.iter().any(|tag| pattern.matches(tag))),
            _ => unknown,
        })
    }

    #[test]
    fn not_precedes_and_which_precedes_or() {
        assert_eq!(holds("tag(a) | tag(b) & tag(c)", &["a"], None), Some(true));
        assert_eq!(
            holds("(tag(a) | tag(b)) & tag(c)", &["a"], None),
            Some(false)
        );
        assert_eq!(holds("!tag(a) & tag(b)", &["b"], None), Some(true));
        assert_eq!(holds("!(tag(a) & tag(b))", &["b"], None), Some(true));
        assert_eq!(holds("!!tag(a)", &["a"], None), Some(true));
    }

    #[test]
    fn unknown_predicate_matters_only_if_it_decides() {
        assert_eq!(holds("tag(a) & covers(x)", &[], None), Some(false));
        assert_eq!(holds("tag(a) | covers(x)", &["a"], None), Some(true));
        assert_eq!(holds("tag(a) & covers(x)", &["a"], None), None);
        assert_eq!(
            holds("tag(a) & !covers(x)", &["a"], Some(true)),
            Some(false)
        );
    }

    fn message(text: &str) -> String {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        assert!(
            FilterExpression::parse(text, &mut sources, &mut found).is_none(),
            "{text}"
        );
        let finding = found.items().first().unwrap();
        let place = sources.place(finding.labels.first().unwrap().span);
        format!(
            "{}: {} ({})",
            place.column,
            finding.title,
            finding.help.clone().unwrap_or_default()
        )
    }

    #[test]
    fn syntax_error_has_a_location() {
        insta::assert_snapshot!(
            [
                "tga(x)",
                "tag(x",
                "tag x",
                "tag()",
                "tag(a) tag(b)",
                "",
                "tag(a) &",
                "(tag(a)",
                "tag(a))",
                "asks(x)",
                "title(/(/)",
                "changed()",
                "&",
                "tag(a) and tag(b)",
            ]
            .map(|text| format!("{text:20} {}", message(text)))
            .join("\n")
        );
    }

    #[test]
    fn parentheses_and_slashes_can_occur_in_arguments() {
        let parse = |text| {
            FilterExpression::parse(text, &mut SourceMap::default(), &mut Diagnostics::default())
        };
        for (text, title) in [
            ("title(=Sale (a))", "Sale (a)"),
            (r"title(/a\)b|\/x/)", "/x"),
            (r"title(~\))", "x)"),
            ("title(*:*)", "a:b"),
        ] {
            let Some(FilterExpression::Ask(Predicate::Title(pattern))) = parse(text) else {
                panic!("{text}")
            };
            assert!(pattern.matches(title), "{text}");
        }
        for title in ["Another's title", "a) (b", r"c:\d (e)", "=x", "*"] {
            let text = format!("title({})", crate::selection::NamePattern::written(title));
            let parsed = FilterExpression::parse(
                &text,
                &mut SourceMap::default(),
                &mut Diagnostics::default(),
            );
            let Some(FilterExpression::Ask(Predicate::Title(pattern))) = parsed else {
                panic!("{text}")
            };
            assert!(pattern.matches(title), "{text}");
        }
    }
}

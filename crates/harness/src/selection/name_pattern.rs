//! Patterns for names.

use crate::limits::MAX_COMPILED_PATTERN;
use regex::{Regex, RegexBuilder};

/// A pattern for names: `=exact`, `~contained`, `/regular expression/`, or a glob for the whole name. In a glob, `*`
/// stands for any text, including `/`, and `?` for any character.
#[derive(Clone, Debug)]
pub struct NamePattern {
    kind: PatternKind,
}

#[derive(Clone, Debug)]
enum PatternKind {
    Exact(Box<str>),
    Contained(Box<str>),
    Expression(Regex),
}

impl NamePattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let kind = if let Some(exact) = text.strip_prefix('=') {
            PatternKind::Exact(exact.trim().into())
        } else if let Some(part) = text.strip_prefix('~') {
            PatternKind::Contained(part.trim().into())
        } else if let Some(expression) = text.strip_prefix('/') {
            let expression = expression
                .strip_suffix('/')
                .filter(|expression| !expression.is_empty());
            let expression = expression.ok_or("expected a regular expression between two `/`")?;
            PatternKind::Expression(compiled(expression)?)
        } else if text.is_empty() {
            return Err("missing pattern".to_owned());
        } else if text.contains(['*', '?']) {
            let glob = regex::escape(text).replace(r"\*", ".*").replace(r"\?", ".");
            PatternKind::Expression(compiled(&format!("^(?s:{glob})$"))?)
        } else {
            PatternKind::Exact(text.into())
        };
        Ok(Self { kind })
    }

    /// A pattern that matches only this name.
    pub fn exact(name: &str) -> Self {
        Self {
            kind: PatternKind::Exact(name.into()),
        }
    }

    /// The only name that matches, if the pattern is exact.
    pub fn as_exact(&self) -> Option<&str> {
        match &self.kind {
            PatternKind::Exact(exact) => Some(exact),
            _ => None,
        }
    }

    /// The text of a pattern that matches only this name.
    pub fn written(name: &str) -> String {
        format!(
            "={}",
            name.replace('\\', r"\\")
                .replace('(', r"\(")
                .replace(')', r"\)")
        )
    }

    pub fn matches(&self, name: &str) -> bool {
        match &self.kind {
            PatternKind::Exact(exact) => **exact == *name,
            PatternKind::Contained(part) => name.contains(&**part),
            PatternKind::Expression(expression) => expression.is_match(name),
        }
    }
}

fn compiled(expression: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(expression)
        .size_limit(MAX_COMPILED_PATTERN)
        .build();
    built.map_err(|error| {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        format!(
            "invalid regular expression: {}",
            last.trim_start_matches("error: ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        NamePattern::parse(pattern).unwrap().matches(name)
    }

    #[test]
    fn pattern_is_exact_contained_regex_or_glob() {
        assert!(matches("smoke", "smoke") && !matches("smoke", "smoke2"));
        assert!(matches("flows/*", "flows/a/b") && !matches("flows/*", "my/flows/a"));
        assert!(matches("b?nt", "bant") && !matches("b?nt", "bnt"));
        assert!(matches("=a*b", "a*b") && !matches("=a*b", "aab"));
        assert!(matches("~Цена", "Какая Цена?") && !matches("~Цена", "цена"));
        assert!(matches("/^a+$/", "aaa") && !matches("/^a+$/", "b"));
        assert!(matches("a.b*", "a.bc") && !matches("a.b*", "axbc"));
    }

    #[test]
    fn invalid_pattern_has_a_reason() {
        assert_eq!(
            NamePattern::parse("/(/").unwrap_err(),
            "invalid regular expression: unclosed group"
        );
        assert!(NamePattern::parse("/a").is_err() && NamePattern::parse(" ").is_err());
    }
}

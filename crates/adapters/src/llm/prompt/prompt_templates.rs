//! The prompt templates of a project, which replace the built-in ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minijinja::{Environment, Error, UndefinedBehavior};
use regex::Regex;
use serde_json::Value as Json;

use super::jinja_value::{jinja, jinja_sample};
use super::prompt_failure::{PromptFailure, reason};
use super::template_variables::{self as variables, STANDARD};
use crate::limits::MAX_TEMPLATE_STEPS;
use crate::llm::kind::TaskKind;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_file};

/// The line before the part that changes from turn to turn.
const SEPARATOR: &str = "---";

/// The prompt templates of a project, by need.
#[derive(Clone, Debug, Default)]
pub struct PromptTemplates {
    templates: Arc<[PromptTemplate]>,
}

/// The prompt template of a project for one need.
#[derive(Clone, Debug)]
struct PromptTemplate {
    kind: TaskKind,
    /// The displayed path of the file.
    shown: String,
    /// Replaces the part that is the same for all turns.
    fixed: TemplatePart,
    /// Replaces the part that changes. `None` keeps the built-in part.
    changing: Option<TemplatePart>,
}

#[derive(Clone, Debug)]
struct TemplatePart {
    text: String,
    /// The number of lines above this part in the file.
    above: usize,
}

impl PromptTemplates {
    /// Loads the templates of a project. Returns `None`, with findings, if one is invalid.
    pub fn load(
        files: &[(TaskKind, PathBuf)],
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        let templates: Vec<_> = files
            .iter()
            .filter_map(|(kind, path)| read(*kind, path, sources, found))
            .collect();
        found.no_errors_since(errors).then(|| Self {
            templates: templates.into(),
        })
    }

    /// Renders the system and the user message for a need. Returns `standard` if the project has no template.
    pub(super) fn fill(
        &self,
        kind: TaskKind,
        variables: &Json,
        standard: (String, String),
    ) -> Result<(String, String), Box<PromptFailure>> {
        let Some(template) = self.templates.iter().find(|own| own.kind == kind) else {
            return Ok(standard);
        };
        let (fixed, user) = standard;
        // Undefined values are empty. Names and fields were checked when the template was loaded.
        let environment = environment(UndefinedBehavior::Chainable);
        let render = |part: &TemplatePart, standard: String| {
            let variables = variables::with_standard(variables.clone(), standard);
            environment
                .render_str(&part.text, jinja(&variables))
                .map_err(|error| {
                    let line = part.above + error.line().unwrap_or(1);
                    let place = format!("{}:{line}", template.shown);
                    Box::new(PromptFailure {
                        kind,
                        place,
                        why: reason(&error),
                    })
                })
        };
        let system = render(&template.fixed, fixed)?;
        let user = match &template.changing {
            Some(part) => render(part, user)?,
            None => user,
        };
        Ok((system, user))
    }
}

fn environment(undefined: UndefinedBehavior) -> Environment<'static> {
    let mut environment = Environment::new();
    // Errors name the undefined variable only in debug mode. Only builds with assertions enable it by default.
    environment.set_debug(true);
    environment.set_undefined_behavior(undefined);
    environment.set_fuel(Some(MAX_TEMPLATE_STEPS));
    environment
}

/// Loads the template for a need.
fn read(
    kind: TaskKind,
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<PromptTemplate> {
    let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
    let text = sources.file(file)?.text().to_string();
    let errors = found.error_count();
    let (fixed, rest) = split(&text);
    let mut check = TemplateCheck {
        kind,
        file,
        whole: &text,
        found,
    };
    if fixed.trim().is_empty() {
        let finding = bad(kind, "the fixed part is empty").at(Span::start_of(file), "empty");
        check.found.push(finding.help(format!(
            "write `{{{{ {STANDARD} }}}}` for the built-in text"
        )));
    }
    check.part(fixed, 0);
    if let Some((rest, start)) = rest {
        check.part(rest, start);
        check.check_input(rest, start);
    }
    found.no_errors_since(errors).then(|| PromptTemplate {
        kind,
        shown: sources
            .file(file)
            .map(|file| file.path().to_owned())
            .unwrap_or_default(),
        fixed: TemplatePart {
            text: fixed.trim_end().to_owned(),
            above: 0,
        },
        changing: rest.map(|(rest, _)| {
            let rest = rest.trim_start();
            let above = text.get(..text.len() - rest.len()).unwrap_or_default();
            TemplatePart {
                text: rest.to_owned(),
                above: above.matches('\n').count(),
            }
        }),
    })
}

/// Splits a text at the line `---`. Also returns the position of the second part.
fn split(text: &str) -> (&str, Option<(&str, usize)>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim_end() == SEPARATOR {
            return (
                text.get(..start).unwrap_or_default(),
                Some((text.get(end..).unwrap_or_default(), end)),
            );
        }
        start = end;
    }
    (text, None)
}

/// Checks the parts of a template.
struct TemplateCheck<'c, 'd> {
    kind: TaskKind,
    file: FileId,
    whole: &'c str,
    found: &'d mut Diagnostics,
}

impl TemplateCheck<'_, '_> {
    /// Checks the syntax of a part, and the names and fields in it. `start` is its position.
    fn part(&mut self, text: &str, start: usize) {
        if let Some(at) = product(text) {
            let span = Span::new(self.file, start + at, start + at + 1);
            return bad(self.kind, "`*` is not supported")
                .at(span, "operator")
                .help("write the result: a repeated list can take minutes")
                .add_to(self.found);
        }
        let sample = variables::with_standard(variables::sample(self.kind), String::new());
        // The sample has every possible field, so a missing one is a typo.
        let environment = environment(UndefinedBehavior::Strict);
        let template = match environment.template_from_str(text) {
            Ok(template) => template,
            Err(error) => return self.report(&error, start),
        };
        let known: Vec<&str> = sample
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| &**name)
            .collect();
        let globals = environment
            .globals()
            .map(|(name, _)| name.to_owned())
            .collect::<Vec<_>>();
        let mut unknown: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        unknown.retain(|name| !known.contains(&&**name) && !globals.contains(name));
        unknown.sort_unstable();
        for name in &unknown {
            let at = mention(text, name).map_or(Span::start_of(self.file), |at| {
                Span::new(self.file, start + at, start + at + name.len())
            });
            bad(self.kind, &format!("unknown variable `{name}`"))
                .at(at, "unknown variable")
                .offer(name, "use one of these variables", known.iter().copied())
                .add_to(self.found);
        }
        if unknown.is_empty()
            && let Err(error) = template.render(jinja_sample(&sample))
        {
            self.report(&error, start);
        }
    }

    /// Reports a changing part that does not contain the input of the task.
    fn check_input(&mut self, text: &str, start: usize) {
        let environment = environment(UndefinedBehavior::Strict);
        let Ok(template) = environment.template_from_str(text) else {
            return;
        };
        let names = template.undeclared_variables(false);
        let needed = variables::must_have(self.kind);
        if !names.contains(STANDARD) && !names.contains(needed) {
            let title = format!("missing variable `{needed}` after `{SEPARATOR}`");
            bad(self.kind, &title)
                .at(
                    Span::new(self.file, start, start),
                    "start of the changing part",
                )
                .help(format!(
                    "add `{{{{ {needed} }}}}`, or `{{{{ {STANDARD} }}}}` for the built-in text"
                ))
                .add_to(self.found);
        }
    }

    fn report(&mut self, error: &Error, start: usize) {
        let at = error
            .range()
            .map(|range| (start + range.start, start + range.end))
            .or_else(|| {
                let above = self.whole.get(..start)?.lines().count();
                let line = above + error.line()?.saturating_sub(1);
                let begin: usize = self
                    .whole
                    .split_inclusive('\n')
                    .take(line)
                    .map(str::len)
                    .sum();
                Some((begin, begin))
            });
        let (begin, end) = at.unwrap_or_default();
        let begin = begin.min(self.whole.len());
        let end = end.min(self.whole.len());
        bad(self.kind, &reason(error))
            .at(Span::new(self.file, begin, end), "invalid template")
            .help("correct the Jinja template; docs/src/reference/prompt-templates.md describes its content")
            .add_to(self.found);
    }
}

/// The position of a multiplication inside `{{ … }}` or `{% … %}`. The fuel of the template engine does not cover the
/// items of repeated lists.
fn product(text: &str) -> Option<usize> {
    let tag = r#"\{[{%](?:"[^"]*"|'[^']*'|[^"'*}%]|[}%][^}])*?\*"#;
    Some(Regex::new(tag).ok()?.find(text)?.end() - 1)
}

/// The position of the first mention of a variable inside `{{ … }}` or `{% … %}`.
fn mention(text: &str, name: &str) -> Option<usize> {
    Some(
        Regex::new(&format!(
            r"\{{[{{%](?s:[^}}]*?)\b({})\b",
            regex::escape(name)
        ))
        .ok()?
        .captures(text)?
        .get(1)?
        .start(),
    )
}

fn bad(kind: TaskKind, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::BadPrompt,
        format!("invalid prompt for `{}`: {what}", kind.name()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_of_every_need_has_its_required_variable() {
        for kind in TaskKind::ALL {
            let sample = variables::sample(*kind);
            assert!(
                sample
                    .get(variables::must_have(*kind))
                    .is_some_and(|value| *value != Json::Null),
                "{}",
                kind.name()
            );
        }
    }

    #[test]
    fn template_is_split_at_the_first_separator_line() {
        assert_eq!(split("a\n---\nb\n---\n"), ("a\n", Some(("b\n---\n", 6))));
        assert_eq!(split("a --- b\n----\n"), ("a --- b\n----\n", None));
        assert_eq!(split(""), ("", None));
    }

    #[test]
    fn product_is_found_only_inside_a_tag() {
        assert_eq!(product("a * b {{ [1] * 2 }}"), Some(13));
        assert_eq!(product("{% if a % 2 %} * {{ '*' }} {# * #}"), None);
    }

    #[test]
    fn mention_returns_the_position_of_a_variable() {
        assert_eq!(
            mention("utterances {{ a }} {% if utterances %}", "utterances"),
            Some(25)
        );
        assert_eq!(mention("no {{ a }}", "b"), None);
    }
}

//! What a project says in place of the built-in words.

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

/// The line behind which stands what changes from turn to turn.
const BEHIND: &str = "---";

/// What a project says in place of the built-in words, need by need.
#[derive(Clone, Debug, Default)]
pub struct PromptTemplates {
    templates: Arc<[PromptTemplate]>,
}

/// What a project says where something is needed.
#[derive(Clone, Debug)]
struct PromptTemplate {
    kind: TaskKind,
    /// The file, as people know it.
    shown: String,
    /// In place of what is the same for all turns.
    fixed: TemplatePart,
    /// In place of what changes; nothing where the built-in words stay.
    changing: Option<TemplatePart>,
}

#[derive(Clone, Debug)]
struct TemplatePart {
    text: String,
    /// How many lines of the file stand above it.
    above: usize,
}

impl PromptTemplates {
    /// Reads the templates of a project. `None`, with findings, where one cannot be used.
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

    /// The words of a project for a need: how it is to be answered, and what is to be looked at. Those of `standard` where it has
    /// none.
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
        // What is not there is empty: names and fields were looked at when the template was read.
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
    // Errors name the variable that is undefined. This is on by default in builds with assertions only.
    environment.set_debug(true);
    environment.set_undefined_behavior(undefined);
    environment.set_fuel(Some(MAX_TEMPLATE_STEPS));
    environment
}

/// Reads the template for a need.
fn read(
    kind: TaskKind,
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<PromptTemplate> {
    let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
    let text = sources.file(file)?.text().to_string();
    let errors = found.error_count();
    let (fixed, behind) = split(&text);
    let mut check = TemplateCheck {
        kind,
        file,
        whole: &text,
        found,
    };
    if fixed.trim().is_empty() {
        let finding = bad(kind, "it is empty").at(Span::start_of(file), "nothing stands here");
        check.found.push(finding.help(format!(
            "write `{{{{ {STANDARD} }}}}` for the built-in words"
        )));
    }
    check.part(fixed, 0);
    if let Some((behind, start)) = behind {
        check.part(behind, start);
        check.is_told(behind, start);
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
        changing: behind.map(|(behind, _)| {
            let behind = behind.trim_start();
            let above = text.get(..text.len() - behind.len()).unwrap_or_default();
            TemplatePart {
                text: behind.to_owned(),
                above: above.matches('\n').count(),
            }
        }),
    })
}

/// The part above the line `---`, and the one below with where it begins.
fn split(text: &str) -> (&str, Option<(&str, usize)>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim_end() == BEHIND {
            return (
                text.get(..start).unwrap_or_default(),
                Some((text.get(end..).unwrap_or_default(), end)),
            );
        }
        start = end;
    }
    (text, None)
}

/// Looks at the parts of a template.
struct TemplateCheck<'c, 'd> {
    kind: TaskKind,
    file: FileId,
    whole: &'c str,
    found: &'d mut Diagnostics,
}

impl TemplateCheck<'_, '_> {
    /// Tells what is wrong with a part that begins here: how it is written, the names in it, and what it does with them.
    fn part(&mut self, text: &str, start: usize) {
        let sample = variables::with_standard(variables::sample(self.kind), String::new());
        // The sample has every field that there may be: what it lacks is a slip.
        let environment = environment(UndefinedBehavior::Strict);
        let template = match environment.template_from_str(text) {
            Ok(template) => template,
            Err(error) => return self.tell(&error, start),
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
        let mut strange: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        strange.retain(|name| !known.contains(&&**name) && !globals.contains(name));
        strange.sort_unstable();
        for name in &strange {
            let at = mention(text, name).map_or(Span::start_of(self.file), |at| {
                Span::new(self.file, start + at, start + at + name.len())
            });
            let finding = bad(self.kind, &format!("there is no `{name}`")).at(at, "not known");
            finding
                .offer(name, "variables", known.iter().copied())
                .add_to(self.found);
        }
        if strange.is_empty()
            && let Err(error) = template.render(jinja_sample(&sample))
        {
            self.tell(&error, start);
        }
    }

    /// Tells where what people said is nowhere in the part that changes.
    fn is_told(&mut self, text: &str, start: usize) {
        let environment = environment(UndefinedBehavior::Strict);
        let Ok(template) = environment.template_from_str(text) else {
            return;
        };
        let names = template.undeclared_variables(false);
        let needed = variables::must_have(self.kind);
        if !names.contains(STANDARD) && !names.contains(needed) {
            let title =
                format!("behind `{BEHIND}` it never says `{needed}`, so nobody would see it");
            bad(self.kind, &title)
                .at(
                    Span::new(self.file, start, start),
                    "what changes begins here",
                )
                .help(format!(
                    "write `{{{{ {needed} }}}}`, or `{{{{ {STANDARD} }}}}` for the built-in words"
                ))
                .add_to(self.found);
        }
    }

    fn tell(&mut self, error: &Error, start: usize) {
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
        let (begin, end) = (begin.min(self.whole.len()), end.min(self.whole.len()));
        bad(self.kind, &reason(error))
            .at(Span::new(self.file, begin, end), "not understood")
            .help("it is a template of Jinja; see docs/models.md for what may stand in it")
            .add_to(self.found);
    }
}

/// Where a variable is first named, inside of `{{ … }}` or `{% … %}`.
fn mention(text: &str, name: &str) -> Option<usize> {
    let pattern = Regex::new(&format!(
        r"\{{[{{%](?s:[^}}]*?)\b({})\b",
        regex::escape(name)
    ))
    .ok()?;
    Some(pattern.captures(text)?.get(1)?.start())
}

fn bad(kind: TaskKind, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::BadPrompt,
        format!("the prompt for `{}` cannot be used: {what}", kind.name()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_has_a_sample_with_what_it_must_have() {
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
    fn a_template_is_split_at_the_first_line_of_dashes() {
        assert_eq!(split("a\n---\nb\n---\n"), ("a\n", Some(("b\n---\n", 6))));
        assert_eq!(split("a --- b\n----\n"), ("a --- b\n----\n", None));
        assert_eq!(split(""), ("", None));
    }

    #[test]
    fn a_variable_is_found_where_it_is_named() {
        assert_eq!(
            mention("utterances {{ a }} {% if utterances %}", "utterances"),
            Some(25)
        );
        assert_eq!(mention("no {{ a }}", "b"), None);
    }
}

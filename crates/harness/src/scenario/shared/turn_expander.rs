//! Replaces each `use` with the shared turns from its file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::cases::{ParameterFiller, ParameterValues, unknown_parameter};
use super::shared_files::SharedFiles;
use super::shared_turns::{SharedTurns, USE};
use crate::limits::{MAX_SHARED_DEPTH, MAX_SHARED_TURNS};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span, nearest};
use fsmsim_syntax::document::{Fields, Node, each_placeholder, text_of};

/// A turn to run, and the locations of the `use` keys by which it is included, innermost first. A scenario's own turns
/// have none.
pub(crate) type ExpandedTurn = (Node, Vec<Span>);

/// Replaces each `use` with the shared turns from its file.
#[derive(Debug)]
pub(crate) struct TurnExpander<'e> {
    files: &'e SharedFiles,
    /// The files by which the current turn is included, each with the location of its `use`, innermost last.
    inside: Vec<(PathBuf, Span)>,
    spent: usize,
    /// A file that was not read yet: its path as written, and the file that names it. Later turns are not expanded.
    pub unread: Option<(String, PathBuf)>,
    /// The files from which turns were included.
    pub used: BTreeSet<FileId>,
}

impl<'e> TurnExpander<'e> {
    pub(crate) fn new(files: &'e SharedFiles) -> Self {
        Self {
            files,
            inside: Vec::new(),
            spent: 0,
            unread: None,
            used: BTreeSet::new(),
        }
    }

    /// Expands a turn of a file, either to the turns that it uses or to itself.
    pub(crate) fn expand(
        &mut self,
        turn: Node,
        file: &Path,
        turns: &mut Vec<ExpandedTurn>,
        found: &mut Diagnostics,
    ) {
        if self.unread.is_some() {
            return;
        }
        if turn.get(USE).is_none() {
            let places = self.inside.iter().rev().map(|(_, span)| *span).collect();
            turns.push((turn, places));
            return;
        }
        let errors = found.error_count();
        let Some(mut fields) = Fields::open(&turn, "a turn with `use`", found) else {
            return;
        };
        let path = fields.required(USE);
        let with = fields.map("with");
        let keys =
            ["intent", "say", "expect", "data", "before"].map(|key| fields.raw(key).is_some());
        let span = fields.span();
        if keys.contains(&true) {
            fields.found().push(
                Diagnostic::error(
                    Code::BadSharedTurns,
                    "a turn with `use` cannot have other content",
                )
                .at(span, "other keys than `with`")
                .help("split the turn in two"),
            );
        } else {
            fields.finish();
        }
        let Some(path) = path.and_then(|path| Some((text_of(path, USE, found)?, path.span))) else {
            return;
        };
        if found.error_count() > errors {
            return;
        }
        let (path, span) = path;
        let Some(shared) = self.open(path, span, file, found) else {
            return;
        };
        let mut values = ParameterValues::default();
        for (key, default) in &shared.parameters {
            let given = with
                .and_then(|with| with.get(&key.text))
                .or(Some(default).filter(|default| !default.is_null()));
            match given {
                Some(given) => values.set(&key.text, given.clone()),
                None => Diagnostic::error(
                    Code::UnknownParameter,
                    format!("missing parameter `{}` for the shared turns", key.text),
                )
                .at(span, "used here")
                .at(key.span, "no default")
                .help(format!("add `with: {{{}: …}}`", key.text))
                .add_to(found),
            }
        }
        for (key, _) in with.into_iter().flat_map(|with| &with.entries) {
            if !shared
                .parameters
                .iter()
                .any(|(known, _)| known.text == key.text)
            {
                found.push(not_a_parameter(&key.text, key.span, &shared));
            }
        }
        if found.error_count() > errors {
            return;
        }
        self.used.insert(shared.span.file);
        self.inside.push((shared.path.clone(), span));
        for turn in &shared.turns {
            self.spent += 1;
            if self.spent > MAX_SHARED_TURNS {
                // Report this once.
                if self.spent == MAX_SHARED_TURNS + 1 {
                    found.push(too_many(span));
                }
                break;
            }
            let errors = found.error_count();
            let turn = ParameterFiller::new(&values, found).fill(turn);
            if found.no_errors_since(errors) {
                self.expand(turn, &shared.path, turns, found);
            }
        }
        self.inside.pop();
    }

    /// The shared turns in the file that a turn uses.
    fn open(
        &mut self,
        path: &str,
        span: Span,
        file: &Path,
        found: &mut Diagnostics,
    ) -> Option<Arc<SharedTurns>> {
        let shared = match self.files.turns(path, file) {
            Some(Ok(shared)) => Arc::clone(shared),
            Some(Err(wrong)) => {
                for finding in wrong.items() {
                    // The scenario depends on the file, even if the file is invalid.
                    self.used
                        .extend(finding.labels.iter().map(|label| label.span.file));
                    // A finding that has its own location is about the used file.
                    found.push(finding.clone().at(span, "used here"));
                }
                return None;
            }
            None => {
                self.unread
                    .get_or_insert_with(|| (path.to_owned(), file.to_path_buf()));
                return Diagnostic::error(
                    Code::BadSharedTurns,
                    format!("cannot load the shared turns `{path}`"),
                )
                .at(span, "named here")
                .help("write `use: FILE` with a plain key and path, without anchors")
                .refuse(found);
            }
        };
        if let Some(begin) = self
            .inside
            .iter()
            .position(|(path, _)| *path == shared.path)
        {
            let cycle: Vec<String> = self
                .inside
                .iter()
                .skip(begin)
                .map(|(path, _)| path)
                .chain([&shared.path])
                .map(|path| format!("`{}`", path.display()))
                .collect();
            return Diagnostic::error(
                Code::BadSharedTurns,
                format!("circular use of shared turns: {}", cycle.join(" uses ")),
            )
            .at(span, "closes the cycle")
            .help("remove one of these uses")
            .refuse(found);
        }
        if self.inside.len() >= MAX_SHARED_DEPTH {
            return Diagnostic::error(
                Code::TooDeep,
                format!("shared turns are nested too deeply: limit {MAX_SHARED_DEPTH} files"),
            )
            .at(span, "too deep")
            .help("use fewer nested files")
            .refuse(found);
        }
        Some(shared)
    }
}

/// Checks that each placeholder in shared turns has a parameter, and that each parameter has a placeholder.
pub(super) fn check_parameters(shared: &SharedTurns, found: &mut Diagnostics) {
    let mut used: Vec<(String, Span)> = Vec::new();
    let mut note = |name: &str, span: Span| {
        if !used.iter().any(|(known, _)| known == name) {
            used.push((name.to_owned(), span));
        }
    };
    shared
        .turns
        .iter()
        .for_each(|turn| each_placeholder(turn, &mut note));
    let known = || shared.parameters.iter().map(|(key, _)| &*key.text);
    for (name, span) in &used {
        if !known().any(|known| known == name) {
            found.push(unknown_parameter(name, *span, known()));
        }
    }
    for (key, _) in &shared.parameters {
        if !used.iter().any(|(name, _)| **name == *key.text) {
            Diagnostic::error(
                Code::UnknownParameter,
                format!("parameter `{}` is never used", key.text),
            )
            .at(key.span, "defined here")
            .near(
                &key.text,
                used.iter().map(|(name, _)| name.as_str()),
                "use it, or remove it",
            )
            .add_to(found);
        }
    }
}

fn not_a_parameter(name: &str, span: Span, shared: &SharedTurns) -> Diagnostic {
    let known: Vec<&str> = shared
        .parameters
        .iter()
        .map(|(key, _)| &*key.text)
        .collect();
    let finding = Diagnostic::error(
        Code::UnknownParameter,
        format!(
            "unknown parameter `{name}` of the shared turns `{}`",
            shared.path.display()
        ),
    )
    .at(span, "unknown parameter")
    .at(shared.span, "shared turns");
    match (nearest(name, known.iter().copied()), known.as_slice()) {
        (None, []) => finding.help("declare it in that file: `parameters: {NAME: DEFAULT}`"),
        _ => finding.offer(name, "use one of", known),
    }
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TooDeep,
        format!("too many shared turns in the scenario: limit {MAX_SHARED_TURNS}"),
    )
    .at(span, "over the limit")
    .help("use fewer shared turns, or split the scenario")
}

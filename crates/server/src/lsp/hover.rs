//! Hover texts. For a state, the text lists its inherited and own parts, with their locations.

use std::fmt::Write;
use std::path::Path;

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, TextDocumentPositionParams};

use super::cursor_context::CursorContext;
use super::file_format::FileFormat;
use super::named_kind::{NamedKind, NamedRole};
use super::project_map::project_folder;
use super::shape_cursor::ShapeCursor;
use super::workspace::{NameAtCursor, Workspace};
use crate::limits::MAX_TABLE_LINES;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{
    ChainTable, Condition, ConditionId, Consequent, IntentId, NamedConditionId, PhaseId, RuleId,
    SlotId, State, StateId, Target,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::Joined;

/// The hover at a position: a description of the name or the key.
pub(super) fn hover(workspace: &Workspace, at: &TextDocumentPositionParams) -> Option<Hover> {
    let (text, range) = match workspace.name_at(at) {
        Some(name) => {
            let range = workspace
                .location(&name.file, &name.place.at)
                .map(|location| location.range);
            (describe_name(workspace, &name), range)
        }
        None => (describe_key(workspace, at)?, None),
    };
    let contents = Contents::MarkupContent(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text,
    });
    Some(Hover { contents, range })
}

/// The description of a key in the schema of its format.
fn describe_key(workspace: &Workspace, at: &TextDocumentPositionParams) -> Option<String> {
    let (file, document, offset) = workspace.cursor(at)?;
    let text = &document.text;
    let word = CursorContext::of(text, offset)?.word;
    let key = text.get(word.clone())?;
    let context = CursorContext::of(text, word.end)?;
    let format = workspace.index(&file)?.format;
    // Below its front matter, a Markdown dialogue is prose.
    if format == FileFormat::Transcript {
        return None;
    }
    let at = ShapeCursor::at(format, &context.path);
    let words = at.keys().into_iter().map(|key| (key.name, key.about));
    let (_, about) = words.chain(at.key_words()).find(|(word, _)| *word == key)?;
    Some(format!("`{key}`: {about}"))
}

fn describe_name(workspace: &Workspace, name: &NameAtCursor) -> String {
    let noun = name.kind.noun();
    let word = &name.place.name;
    let mut text = format!("**{noun}** `{word}`\n");
    let root = common_root(workspace, &name.file);
    let models = workspace.map.models_of(&name.file);
    let descriptions = workspace.map.machines(&models).filter_map(|machine| {
        let description = MachineView { machine, root }.describe(name.kind, word)?;
        Some((&machine.header.name, description))
    });
    let descriptions: Vec<(&String, String)> = descriptions.collect();
    if let Some((model, of_machine)) = descriptions.first() {
        if descriptions.len() > 1 {
            let models = plural(descriptions.len(), "model");
            let _ = writeln!(text, "\nin `{model}`, one of {models}");
        }
        text.push_str(of_machine);
    }
    defined(workspace, name, root, &mut text);
    text
}

/// Appends the location and text of the definition of a name, and the number of occurrences.
fn defined(workspace: &Workspace, name: &NameAtCursor, root: Option<&Path>, text: &mut String) {
    let places: Vec<_> = workspace
        .places(&name.scope, name.kind, &name.place.name)
        .collect();
    let defining = places
        .iter()
        .find(|(_, place)| place.role == NamedRole::Defines);
    if let Some((file, place)) = defining {
        let shown = workspace
            .location(file, &place.at)
            .map_or(0, |location| location.range.start.line + 1);
        let _ = writeln!(text, "\ndefined at `{}:{shown}`", short(file, root));
        let is_shown = matches!(
            name.kind,
            NamedKind::Condition | NamedKind::Mixin | NamedKind::Class | NamedKind::Point
        );
        let index = workspace.index(file).filter(|_| is_shown);
        if let Some(body) = index.and_then(|index| index.text.get(place.whole.clone()?)) {
            let lines = body.lines().take(MAX_TABLE_LINES).joined("\n");
            let _ = writeln!(text, "\n```yaml\n{lines}\n```");
        }
    }
    let _ = writeln!(text, "\n{}", plural(places.len(), "occurrence"));
}

/// The base folder of the paths that a hover shows.
fn common_root<'w>(workspace: &'w Workspace, file: &'w Path) -> Option<&'w Path> {
    project_folder(file).or_else(|| {
        let models = workspace.map.models_of(file);
        models.into_iter().next()?.parent()?.parent()
    })
}

fn short(path: &Path, root: Option<&Path>) -> String {
    root.and_then(|root| path.strip_prefix(root).ok())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Describes the names that a machine defines.
struct MachineView<'m> {
    machine: &'m Machine,
    root: Option<&'m Path>,
}

impl MachineView<'_> {
    /// The description of a name; `None` if the machine does not know it.
    fn describe(&self, kind: NamedKind, name: &str) -> Option<String> {
        let names = &self.machine.names;
        let mut text = String::new();
        match kind {
            NamedKind::State => self.state(self.machine.state_id(name)?, &mut text),
            NamedKind::Intent => self.intent(names.intents.id(name)?, &mut text),
            NamedKind::Condition => self.condition(names.conditions.id(name)?, &mut text),
            NamedKind::Slot => self.slot(names.slots.id(name)?, &mut text),
            NamedKind::Phase => self.phase(names.phases.id(name)?, &mut text),
            _ => return None,
        }
        Some(text)
    }

    fn state(&self, id: StateId, text: &mut String) {
        let state = self.machine.state(id);
        if let Some(goal) = &state.goal {
            let _ = writeln!(text, "\n{goal}");
        }
        if let Some(phase) = state.phase {
            let _ = writeln!(
                text,
                "\n- phase `{}`",
                self.machine.names.phases.name(phase)
            );
        }
        for (what, slots) in [("required", &state.required), ("optional", &state.optional)] {
            if !slots.is_empty() {
                let _ = writeln!(text, "\n- {what} {}", self.slots(slots));
            }
        }
        if id == self.machine.initial {
            let _ = writeln!(text, "\n- initial state");
        }
        if state.is_final {
            let _ = writeln!(text, "\n- final state");
        }
        for way in self.machine.policies.lead_from(self.machine, id) {
            let origin = way
                .rule
                .map(|rule| self.origin(rule, id))
                .unwrap_or_default();
            let _ = writeln!(
                text,
                "- {} → `{}`{origin}",
                way.called,
                self.machine.names.states.name(way.target)
            );
        }
        self.chains("transitions", &state.transitions, id, text);
        self.targets(state, id, text);
        self.chains("rules", &state.rules, id, text);
    }

    fn targets(&self, state: &State, id: StateId, text: &mut String) {
        for (what, target) in [
            ("data complete", state.data_complete),
            ("any other intent", state.any),
            ("go back", state.go_back),
        ] {
            match target {
                Target::None => {}
                Target::State(to, rule) => {
                    let to = self.machine.names.states.name(to);
                    let _ = writeln!(text, "- {what} → `{to}`{}", self.origin(rule, id));
                }
                Target::Chain(chain) => {
                    for alternative in self.machine.alternatives(chain) {
                        let _ = writeln!(
                            text,
                            "- {what} → {}{}",
                            self.consequent(alternative.then, alternative.when),
                            self.origin(alternative.rule, id)
                        );
                    }
                }
            }
        }
    }

    fn chains(&self, what: &str, table: &ChainTable, id: StateId, text: &mut String) {
        if table.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{what}:\n");
        let alternatives = table.iter().flat_map(|(intent, chain)| {
            self.machine
                .alternatives(chain)
                .iter()
                .map(move |alternative| (intent, alternative))
        });
        let all: Vec<_> = alternatives.collect();
        for (intent, alternative) in all.iter().take(MAX_TABLE_LINES) {
            let intent = self.machine.names.intents.name(*intent);
            let then = self.consequent(alternative.then, alternative.when);
            let _ = writeln!(
                text,
                "- `{intent}` → {then}{}",
                self.origin(alternative.rule, id)
            );
        }
        if all.len() > MAX_TABLE_LINES {
            let _ = writeln!(text, "- and {} more", all.len() - MAX_TABLE_LINES);
        }
    }

    fn consequent(&self, then: Consequent, when: Option<ConditionId>) -> String {
        let to = match then {
            Consequent::Action(action) => self.machine.names.actions.name(action),
            Consequent::State(state) => self.machine.names.states.name(state),
        };
        let when = when.map_or_else(String::new, |when| {
            match self.machine.conditions.lookup(when) {
                Some(Condition::Named(named)) => {
                    format!(" if `{}`", self.machine.names.conditions.name(*named))
                }
                _ => " if a condition is true".to_owned(),
            }
        });
        format!("`{to}`{when}")
    }

    /// The mixin or parent state that a rule comes from, and its location.
    fn origin(&self, rule: RuleId, state: StateId) -> String {
        let origin = self.machine.origin_of(rule);
        let own = self.machine.names.states.name(state);
        let mixin = origin
            .mixin
            .as_ref()
            .map_or_else(String::new, |mixin| format!("mixin `{mixin}`, "));
        let parent = if *origin.state == *own || origin.state.is_empty() {
            String::new()
        } else {
            format!("state `{}`, ", origin.state)
        };
        let place = self.machine.place_of(rule);
        let path = short(Path::new(&place.path), self.root);
        format!(" ({mixin}{parent}{path}:{})", place.line)
    }

    fn slots(&self, slots: &[SlotId]) -> String {
        let names = &self.machine.names.slots;
        listed(slots.iter().map(|slot| names.name(*slot)))
    }

    /// The states that satisfy a predicate, as a list.
    fn states(&self, fits: impl Fn(&State) -> bool) -> String {
        let states = self
            .machine
            .declared_states()
            .filter(|(_, state)| fits(state))
            .take(MAX_TABLE_LINES);
        listed(states.map(|(id, _)| self.machine.names.states.name(id)))
    }

    fn intent(&self, id: IntentId, text: &mut String) {
        let said = self.machine.description(id);
        if let Some(about) = Some(&*said.description).filter(|about| !about.is_empty()) {
            let _ = writeln!(text, "\n{about}");
        }
        for example in said.examples.iter().take(5) {
            let _ = writeln!(text, "\n- “{example}”");
        }
        let categories: Vec<&str> = self
            .machine
            .intent(id)
            .categories
            .iter()
            .map(|category| self.machine.names.categories.name(*category))
            .collect();
        if !categories.is_empty() {
            let _ = writeln!(text, "\ncategories: {}", categories.join(", "));
        }
    }

    fn condition(&self, id: NamedConditionId, text: &mut String) {
        let condition = self.machine.named_conditions.lookup(id);
        if let Some(about) = condition
            .map(|condition| &*condition.description)
            .filter(|about| !about.is_empty())
        {
            let _ = writeln!(text, "\n{about}");
        }
    }

    fn slot(&self, id: SlotId, text: &mut String) {
        let required = self.states(|state| state.required.contains(&id));
        let optional = self.states(|state| state.optional.contains(&id));
        for (what, states) in [("required", required), ("optional", optional)] {
            if !states.is_empty() {
                let _ = writeln!(text, "\n{what} in {states}");
            }
        }
    }

    fn phase(&self, id: PhaseId, text: &mut String) {
        let states = self.states(|state| state.phase == Some(id));
        if !states.is_empty() {
            let _ = writeln!(text, "\nstates: {states}");
        }
    }
}

/// Names in a sentence, each in backticks.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).joined(", ")
}

//! What is told of a name: of a state, all that it has come to have, and where each part is from.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Uri};

use super::cursor_context::CursorContext;
use super::file_format::FileFormat;
use super::named_kind::{NamedKind, NamedRole};
use super::shape_cursor::ShapeCursor;
use super::workspace::{NameAtCursor, Workspace};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{
    ChainTable, Condition, ConditionId, Consequent, RuleId, SlotId, State, StateId, Target,
};
use fsmsim_syntax::diagnostic::plural;

/// Lines of a table that are shown at most.
const MOST_LINES: usize = 40;

/// What is told of what stands at a position: of a name what it names, of a key what it is for.
pub(super) fn hover(workspace: &Workspace, uri: &Uri, position: Position) -> Option<Hover> {
    let (text, range) = match workspace.name_at(uri, position) {
        Some(name) => {
            let range = workspace
                .location(&name.file, &name.place.at)
                .map(|location| location.range);
            (of_name(workspace, &name), range)
        }
        None => (of_key(workspace, uri, position)?, None),
    };
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text,
    });
    Some(Hover { contents, range })
}

/// What a key is for, by the schema of its format.
fn of_key(workspace: &Workspace, uri: &Uri, position: Position) -> Option<String> {
    let (file, offset) = workspace.offset(uri, position)?;
    let text = &workspace.documents.get(&file)?.text.text;
    let word = CursorContext::of(text, offset)?.word;
    let key = text.get(word.clone())?;
    let context = CursorContext::of(text, word.end)?;
    let format = workspace.index(&file)?.format;
    // Below its front matter a dialogue in markdown is prose.
    if format == FileFormat::Transcript {
        return None;
    }
    let at = ShapeCursor::at(format, &context.path);
    let words = at.keys().into_iter().map(|key| (key.name, key.about));
    let (_, about) = words.chain(at.key_words()).find(|(word, _)| *word == key)?;
    Some(format!("`{key}`: {about}"))
}

fn of_name(workspace: &Workspace, name: &NameAtCursor) -> String {
    let (noun, word) = (name.kind.noun(), &name.place.name);
    let mut text = format!("**{noun}** `{word}`\n");
    let models = workspace.map.models_of(&name.file);
    let mut machines: Vec<&Arc<Machine>> = workspace.map.machines(&models).collect();
    machines.retain(|machine| knows(machine, name.kind, word));
    if let Some(machine) = machines.first() {
        if machines.len() > 1 {
            let _ = writeln!(
                text,
                "\nin `{}`, one of {}",
                machine.header.name,
                plural(machines.len(), "model")
            );
        }
        let view = MachineView {
            machine,
            root: common_root(workspace, &name.file),
        };
        match name.kind {
            NamedKind::State => view.state(word, &mut text),
            NamedKind::Intent => view.intent(word, &mut text),
            NamedKind::Condition => view.condition(word, &mut text),
            NamedKind::Slot => view.slot(word, &mut text),
            NamedKind::Phase => view.phase(word, &mut text),
            _ => {}
        }
    }
    defined(workspace, name, &mut text);
    text
}

fn knows(machine: &Machine, kind: NamedKind, name: &str) -> bool {
    match kind {
        NamedKind::State => machine.state_id(name).is_some(),
        NamedKind::Intent => machine.names.intents.id(name).is_some(),
        NamedKind::Condition => machine.names.conditions.id(name).is_some(),
        NamedKind::Slot => machine.names.slots.id(name).is_some(),
        NamedKind::Phase => machine.names.phases.id(name).is_some(),
        _ => false,
    }
}

/// Says where a thing is defined, with what stands there, and in how many places it is named.
fn defined(workspace: &Workspace, name: &NameAtCursor, text: &mut String) {
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
        let root = common_root(workspace, &name.file);
        let _ = writeln!(
            text,
            "\ndefined at `{}:{shown}`",
            short(file, root.as_deref())
        );
        let is_shown = matches!(
            name.kind,
            NamedKind::Condition | NamedKind::Mixin | NamedKind::Class | NamedKind::Point
        );
        let index = workspace.index(file).filter(|_| is_shown);
        if let Some(body) = index.and_then(|index| index.text.get(place.whole.clone()?)) {
            let lines: Vec<&str> = body.lines().take(MOST_LINES).collect();
            let _ = writeln!(text, "\n```yaml\n{}\n```", lines.join("\n"));
        }
    }
    let _ = writeln!(text, "\nnamed in {}", plural(places.len(), "place"));
}

/// The folder from which paths are shown.
fn common_root(workspace: &Workspace, file: &Path) -> Option<std::path::PathBuf> {
    let above = file
        .ancestors()
        .skip(1)
        .find(|folder| folder.join("fsmsim.toml").is_file());
    above.map(Path::to_path_buf).or_else(|| {
        let models = workspace.map.models_of(file);
        models
            .first()
            .and_then(|model| model.parent())
            .and_then(Path::parent)
            .map(Path::to_path_buf)
    })
}

fn short(path: &Path, root: Option<&Path>) -> String {
    root.and_then(|root| path.strip_prefix(root).ok())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// A machine, told in words.
struct MachineView<'m> {
    machine: &'m Machine,
    root: Option<std::path::PathBuf>,
}

impl MachineView<'_> {
    fn state(&self, name: &str, text: &mut String) {
        let Some(id) = self.machine.state_id(name) else {
            return;
        };
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
            let _ = writeln!(text, "\n- dialogues start here");
        }
        if state.is_final {
            let _ = writeln!(text, "\n- dialogues end here");
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
            ("anything else", state.any),
            ("a step back", state.go_back),
        ] {
            match target {
                Target::None => {}
                Target::State(to, rule) => {
                    let to = self.machine.names.states.name(to);
                    let _ = writeln!(text, "- {what} → `{to}`{}", self.origin(rule, id));
                }
                Target::Chain(chain) => {
                    for clause in self.machine.clauses(chain) {
                        let _ = writeln!(
                            text,
                            "- {what} → {}{}",
                            self.consequent(clause.then, clause.when),
                            self.origin(clause.rule, id)
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
        let clauses = table.iter().flat_map(|(intent, chain)| {
            self.machine
                .clauses(chain)
                .iter()
                .map(move |clause| (intent, clause))
        });
        let all: Vec<_> = clauses.collect();
        for (intent, clause) in all.iter().take(MOST_LINES) {
            let intent = self.machine.names.intents.name(*intent);
            let then = self.consequent(clause.then, clause.when);
            let _ = writeln!(
                text,
                "- `{intent}` → {then}{}",
                self.origin(clause.rule, id)
            );
        }
        if all.len() > MOST_LINES {
            let _ = writeln!(text, "- and {} more", all.len() - MOST_LINES);
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
                _ => " under a condition".to_owned(),
            }
        });
        format!("`{to}`{when}")
    }

    /// Through what a rule came to the state, and where it is written.
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
            format!("of `{}`, ", origin.state)
        };
        let place = self.machine.place_of(rule);
        let path = short(Path::new(&place.path), self.root.as_deref());
        format!(" ({mixin}{parent}{path}:{})", place.line)
    }

    fn slots(&self, slots: &[SlotId]) -> String {
        let names: Vec<String> = slots
            .iter()
            .map(|slot| format!("`{}`", self.machine.names.slots.name(*slot)))
            .collect();
        names.join(", ")
    }

    fn intent(&self, name: &str, text: &mut String) {
        let Some(id) = self.machine.names.intents.id(name) else {
            return;
        };
        let said = self.machine.description(id);
        if let Some(about) = Some(&*said.description).filter(|about| !about.is_empty()) {
            let _ = writeln!(text, "\n{about}");
        }
        for example in said.examples.iter().take(5) {
            let _ = writeln!(text, "\n- “{example}”");
        }
        let categories = self.machine.intent(id).categories.iter();
        let categories: Vec<&str> = categories
            .map(|category| self.machine.names.categories.name(*category))
            .collect();
        if !categories.is_empty() {
            let _ = writeln!(text, "\ncategories: {}", categories.join(", "));
        }
    }

    fn condition(&self, name: &str, text: &mut String) {
        let Some(id) = self.machine.names.conditions.id(name) else {
            return;
        };
        let condition = self.machine.named_conditions.lookup(id);
        if let Some(about) = condition
            .map(|condition| &*condition.description)
            .filter(|about| !about.is_empty())
        {
            let _ = writeln!(text, "\n{about}");
        }
    }

    fn slot(&self, name: &str, text: &mut String) {
        let Some(id) = self.machine.names.slots.id(name) else {
            return;
        };
        let states = |fits: &dyn Fn(&State) -> bool| -> Vec<String> {
            let states = self
                .machine
                .declared_states()
                .filter(|(_, state)| fits(state));
            states
                .take(MOST_LINES)
                .map(|(id, _)| format!("`{}`", self.machine.names.states.name(id)))
                .collect()
        };
        let required = states(&|state| state.required.contains(&id));
        let optional = states(&|state| state.optional.contains(&id));
        for (what, states) in [("required", required), ("optional", optional)] {
            if !states.is_empty() {
                let _ = writeln!(text, "\n{what} in {}", states.join(", "));
            }
        }
    }

    fn phase(&self, name: &str, text: &mut String) {
        let Some(id) = self.machine.names.phases.id(name) else {
            return;
        };
        let states = self
            .machine
            .declared_states()
            .filter(|(_, state)| state.phase == Some(id));
        let states: Vec<String> = states
            .take(MOST_LINES)
            .map(|(id, _)| format!("`{}`", self.machine.names.states.name(id)))
            .collect();
        if !states.is_empty() {
            let _ = writeln!(text, "\nstates: {}", states.join(", "));
        }
    }
}

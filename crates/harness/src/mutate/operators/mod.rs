//! Finds the mutants of a model: the operators that apply, and their edits.
//!
//! [`rules`] lists the operators for keys. [`operator_walk`] applies them, and those for names and conditions, to the
//! tree of a file. [`yaml_source`] edits the text.

mod markdown_moves;
mod mutation_names;
mod node_types;
mod operator_walk;
mod rules;
mod yaml_source;

use std::collections::BTreeSet;
use std::path::Path;

use self::markdown_moves::{add_final, add_moves};
use self::mutation_names::MutationNames;
use self::node_types::NodeTypes;
use self::operator_walk::{FoundEdit, OperatorWalk, WalkPlace};
use self::yaml_source::YamlSource;
use super::mutant::Mutant;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Node, is_yaml, parse_markdown, parse_yaml};
use fsmsim_syntax::shapes::{self, Shape};

/// All mutants of the files of a model, in the order of files and places. The text of each is well-formed.
pub fn mutants(machine: &Machine) -> Vec<Mutant> {
    let names = MutationNames::of(machine);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for id in machine.files.used() {
        let Some(file) = machine.files.file(*id) else {
            continue;
        };
        if file.is_invented() || !seen.insert(file.path()) {
            continue;
        }
        let path = Path::new(file.path());
        let Some(root) = parsed(*id, path, file.text()) else {
            continue;
        };
        let mut walk = OperatorWalk {
            source: YamlSource(file.text()),
            names: &names,
            found: Vec::new(),
        };
        let types = NodeTypes::of(shape_of(path, &root));
        walk.value(&root, &types, WalkPlace::default());
        if !is_yaml(path) {
            add_moves(machine, path, &mut walk);
            if is_state(path) && root.is_null() {
                add_final(&mut walk);
            }
        }
        all.extend(distinct(walk.found, *id, path, file.text()));
    }
    all
}

/// The edits of a file as mutants, without repetitions.
fn distinct(mut found: Vec<FoundEdit>, id: FileId, path: &Path, text: &str) -> Vec<Mutant> {
    found.sort_by_key(|(operator, _, (span, _))| (span.start, span.end, *operator));
    let mut seen = BTreeSet::new();
    let mutants = found
        .into_iter()
        .map(|(operator, kind, (span, replacement))| Mutant {
            operator,
            kind,
            path: path.to_path_buf(),
            span,
            replacement,
        });
    mutants
        .filter(|mutant| {
            let edit = (
                mutant.span.start,
                mutant.span.end,
                mutant.replacement.clone(),
            );
            let old = text.get(mutant.span.clone()).unwrap_or_default();
            // Without its anchor, an alias is invalid.
            let has_anchors = || {
                let new = mutant.applied(text);
                new.is_some_and(|new| parsed(id, path, &new).is_some())
            };
            old != mutant.replacement && (!old.contains('&') || has_anchors()) && seen.insert(edit)
        })
        .collect()
}

/// The tree of a YAML file, or of the front matter of a Markdown file. `None` if the file is not well-formed, or has
/// another format.
fn parsed(id: FileId, path: &Path, text: &str) -> Option<Node> {
    let mut found = Diagnostics::default();
    let tree = if is_yaml(path) {
        parse_yaml(id, text, 0, &mut found)?
    } else if path.extension().is_some_and(|end| end == "md") {
        let front = parse_markdown(id, text, &mut found).front;
        front.unwrap_or_else(|| Node::null(Span::start_of(id)))
    } else {
        return None;
    };
    (!found.has_errors()).then_some(tree)
}

fn is_state(path: &Path) -> bool {
    path.parent()
        .is_some_and(|folder| folder.ends_with("states"))
}

/// The shape of a file of a model.
fn shape_of(path: &Path, root: &Node) -> &'static Shape {
    let name = path.file_name().and_then(|name| name.to_str());
    match root.get("kind").and_then(Node::text) {
        Some("contract") => return &shapes::CONTRACT_FILE,
        Some("interview") => return &shapes::INTERVIEW_FILE,
        Some("cycle") => return &shapes::CYCLE_FILE,
        _ => {}
    }
    match name.unwrap_or_default() {
        "system.md" => &shapes::SYSTEM_FRONT,
        _ if !is_yaml(path) && is_state(path) => &shapes::STATE_FRONT,
        _ if !is_yaml(path) => &shapes::DOCUMENT_FRONT,
        "constants.yaml" => &shapes::CONSTANTS_FILE,
        "settings.yaml" => &shapes::SETTINGS_FILE,
        "priorities.yaml" => &shapes::PRIORITIES_FILE,
        "mixins.yaml" => &shapes::MIXINS_FILE,
        "custom.yaml" => &shapes::CONDITIONS_FILE,
        "contract.yaml" => &shapes::SET_CONTRACT_FILE,
        "states.yaml" if root.get("flow").is_none() => &shapes::STATES_FILE,
        _ => &shapes::FLOW_FILE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::CoverageKind;
    use crate::mutate::mutant::MutationOperator;
    use fsmsim_core::machine::Profile;
    use fsmsim_runtime::project::ModelCache;
    use fsmsim_syntax::diagnostic::SourceMap;
    use strum::VariantArray;

    /// The texts that the operators make of a file.
    fn edits(name: &str, text: &str) -> Vec<(&'static str, String)> {
        let names = MutationNames {
            states: vec!["a", "b", "c"],
            actions: vec!["greet", "part"],
            phases: vec!["p", "q"],
        };
        let path = Path::new(name);
        let id = SourceMap::default().add(name, text);
        let root = parsed(id, path, text).unwrap();
        let mut walk = OperatorWalk {
            source: YamlSource(text),
            names: &names,
            found: Vec::new(),
        };
        let types = NodeTypes::of(shape_of(path, &root));
        walk.value(&root, &types, WalkPlace::default());
        let found = distinct(walk.found, id, path, text);
        let mutants = found.iter().map(|mutant| {
            let new = mutant.applied(text).unwrap();
            assert!(parsed(id, path, &new).is_some(), "{mutant:?}");
            (mutant.operator.name(), new)
        });
        mutants.collect()
    }

    /// Checks that the operators replace the only occurrence of `old` by each of these texts.
    fn check(name: &str, text: &str, old: &str, expected: &[(&str, &str)]) {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        let edits = edits(name, text);
        for (operator, new) in expected {
            let new = text.replace(old, new);
            let found = edits
                .iter()
                .any(|edit| edit.0 == *operator && edit.1 == new);
            assert!(found, "{operator}: {new}\n{edits:#?}");
        }
    }

    #[test]
    fn entries_and_items_leave_with_their_marks() {
        let text = "states:\n  a:\n    transitions:\n      go: b # now\n    aside: true\n  \
            b: {rules: {hi: greet, bye: part}, required_data: [s, t]}\n  c:\n    mixins:\n    - m\n    - n\n";
        let check = |old, expected| check("flow.yaml", text, old, expected);
        check(
            "go: b # now",
            &[
                ("drop_transition", "{}"),
                ("redirect_transition", "go: c # now"),
            ],
        );
        check("    aside: true\n", &[("drop_aside", "")]);
        check(
            "{rules: {hi: greet, bye: part}",
            &[
                ("drop_rule", "{rules: {bye: part}"),
                ("drop_rule", "{rules: {hi: greet}"),
                ("change_action", "{rules: {hi: part, bye: part}"),
                (
                    "add_final",
                    "{is_final: true, rules: {hi: greet, bye: part}",
                ),
            ],
        );
        check(
            "[s, t]",
            &[("drop_required_slot", "[t]"), ("drop_required_slot", "[s]")],
        );
        check("    - m\n", &[("drop_mixin", "")]);
    }

    #[test]
    fn conditions_change_in_one_edit_each() {
        let text = "states:\n  a:\n    rules:\n      hi:\n        - when:\n            and:\n              \
            - {slot: size, at_least: 3}\n              - known\n          then: x\n        - y\n";
        let check = |old, expected| check("flow.yaml", text, old, expected);
        let when =
            "            and:\n              - {slot: size, at_least: 3}\n              - known\n";
        check(
            when,
            &[
                (
                    "negate_condition",
                    "            {not: {and: [{slot: size, at_least: 3}, known]}}\n",
                ),
                ("drop_part", "            {slot: size, at_least: 3}\n"),
                ("drop_part", "            known\n"),
            ],
        );
        check(
            "- {slot: size, at_least: 3}",
            &[
                ("negate_part", "- {not: {slot: size, at_least: 3}}"),
                ("shift_bound", "- {slot: size, at_least: 4}"),
                ("shift_bound", "- {slot: size, at_least: 2}"),
                ("flip_comparison", "- {slot: size, more_than: 3}"),
            ],
        );
        check("and:", &[("replace_and_or", "or:")]);
        let first = format!("- when:\n{when}          then: x\n");
        let list = format!("{first}        - y\n");
        let swapped = format!("- y\n        {first}");
        check(
            &list,
            &[
                ("drop_condition", "- then: x\n        - y\n"),
                ("swap_alternatives", swapped.as_str()),
                ("drop_alternative", first.as_str()),
            ],
        );
    }

    #[test]
    fn edits_keep_anchors_that_aliases_need() {
        let text = "slots:\n  s: {values: &v [one, two]}\n  t: {values: *v, initial: one}\n";
        check(
            "flow.yaml",
            text,
            "{values: *v, initial: one}",
            &[("drop_initial", "{values: *v}")],
        );
        check(
            "flow.yaml",
            text,
            "[one, two]",
            &[("drop_slot_value", "[two]")],
        );
    }

    #[test]
    fn operators_apply_to_our_models() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = ["flows", "flows/flow_document", "flows/profiles", "states"];
        let mut paths: Vec<_> = folders
            .iter()
            .flat_map(|folder| home.join(folder).read_dir().unwrap())
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort_unstable();
        let mut seen = BTreeSet::new();
        let mut operators: BTreeSet<MutationOperator> = BTreeSet::new();
        let mut kinds = BTreeSet::new();
        for path in paths {
            let Some(machine) = ModelCache::default().load(&path, Profile::default()) else {
                continue;
            };
            let files = || machine.files.used().iter().copied();
            for (number, mutant) in mutants(&machine).into_iter().enumerate() {
                operators.insert(mutant.operator);
                kinds.insert(mutant.kind);
                let place = (mutant.path.clone(), mutant.span.start, mutant.span.end);
                let is_first = seen.insert((place, mutant.replacement.clone()));
                // Parsing all of them is slow.
                if !is_first || number % 8 > 0 {
                    continue;
                }
                let shown = mutant.path.to_str().unwrap();
                let id = files().find(|id| machine.files.path(*id) == shown).unwrap();
                let new = mutant.applied(&machine.files.text(id)).unwrap();
                assert!(parsed(id, &mutant.path, &new).is_some(), "{mutant:?}");
            }
        }
        assert!(operators.len() > 40, "{operators:?}");
        let without = [CoverageKind::Lines];
        let missing = CoverageKind::VARIANTS
            .iter()
            .filter(|kind| !kinds.contains(*kind) && !without.contains(kind));
        assert_eq!(missing.count(), 0, "{kinds:?}");
    }
}

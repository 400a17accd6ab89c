//! Finds unused parameters and mixins, and probable typos: names in constants, descriptions and parameters that occur
//! nowhere else and are similar to a known name. The constants of a root are shared, so an unknown name is not a mistake
//! in itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::document::FlowDocument;
use super::placeholder::unfilled;
use super::{ConfigRoot, FlowParts};
use crate::dialect::condition::state_names;
use crate::limits::MAX_FLOW_DEPTH;
use fsmsim_core::machine::{EVENTS, IntentId, MachineBuilder};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, MAX_SEARCHED, Span, typo_of};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Key, Node, is_yaml, read_bytes};

/// The locations of names in constants. Each line has a kind of name and the path of a section, such as `a.b` (`*`
/// matches any key). The names are the values of the section, or its keys if the path ends with `@keys`.
const PLACES: &str = include_str!("name_places.txt");

/// Variables and parameters that the engine uses.
const USED_BY_ENGINE: [&str; 1] = ["entry_state"];

/// A name with its position in a file.
type Mention<'a> = (&'a str, Span);

/// Checks the names of a flow. All states, phases and intents must already be declared.
pub(super) fn check(parts: &FlowParts<'_>, builder: &MachineBuilder, found: &mut Diagnostics) {
    let root = parts.root.constants.as_ref();
    let own = parts.document.constants;
    let states = state_names(builder).collect();
    let phases = phases(&parts.document, builder);
    let slots = builder
        .states
        .iter()
        .flat_map(|state| state.required.iter().chain(&state.optional))
        .map(|slot| builder.names.slots.name(*slot))
        .collect();
    // Rules, transitions, conditions and branches of states and mixins contain intents.
    let definitions = definitions(parts);
    let texts = all_texts(definitions.iter().copied());
    let intents = intents(parts, builder, &texts);
    for (what, known) in [
        ("state", &states),
        ("phase", &phases),
        ("slot", &slots),
        ("intent", &intents),
    ] {
        let names = mentions(root, what);
        // If most names are unknown, the constants are probably for other flows and are not checked.
        if names
            .iter()
            .filter(|(name, _)| known.contains(name))
            .count()
            * 2
            >= names.len()
        {
            report(what, &names, known, found);
        }
        report(what, &mentions(own, what), known, found);
    }
    let phases = parts.document.phases.iter();
    let progress = phases.flat_map(|phases| phases.progress_intents);
    let mut described = meanings(parts.document.intents);
    described.extend(progress.map(|(key, _)| mention(key)));
    report("intent", &described, &intents, found);
    parameters(parts, &definitions, &texts, found);
    mixins(parts, &texts, found);
}

/// The phases in the order and in states.
fn phases<'b>(document: &FlowDocument<'b>, builder: &'b MachineBuilder) -> BTreeSet<&'b str> {
    let mut names: BTreeSet<&str> = builder
        .states
        .iter()
        .filter(|state| state.declared)
        .filter_map(|state| state.phase)
        .map(|phase| builder.names.phases.name(phase))
        .collect();
    names.extend(
        document
            .phases
            .iter()
            .flat_map(|phases| phases.order.iter().copied()),
    );
    names
}

/// Reports unknown names that are similar to a known name.
fn report(what: &str, names: &[Mention<'_>], known: &BTreeSet<&str>, found: &mut Diagnostics) {
    let mut reported = BTreeSet::new();
    for (name, span) in names
        .iter()
        .filter(|(name, _)| !known.contains(name))
        .take(MAX_SEARCHED)
    {
        let Some(near) = typo_of(name, known).filter(|_| reported.insert((*name, *span))) else {
            continue;
        };
        Diagnostic::warning(
            Code::SimilarName,
            format!("{what} `{name}` is used only here"),
        )
        .at(*span, "only use")
        .suggest_kind(what, near)
        .add_to(found);
    }
}

/// The intents that occur in states, or at least twice elsewhere.
fn intents<'b>(
    parts: &FlowParts<'b>,
    builder: &'b MachineBuilder,
    texts: &BTreeSet<&'b str>,
) -> BTreeSet<&'b str> {
    let mut known: BTreeSet<&str> = EVENTS.into_iter().chain(texts.iter().copied()).collect();
    known.extend(
        mentions(Some(parts.defaults), "intent")
            .iter()
            .map(|(name, _)| *name),
    );
    let name_of = |id: IntentId| builder.names.intents.name(id);
    known.extend(
        builder
            .phrases
            .iter()
            .map(|phrases| name_of(phrases.intent)),
    );
    let ranked = builder
        .priorities()
        .flat_map(|entry| entry.intents.iter().flatten());
    known.extend(ranked.map(|id| name_of(*id)));
    let files = [parts.root.constants.as_ref(), parts.document.constants];
    let names = files
        .into_iter()
        .flat_map(|file| mentions(file, "intent"))
        .chain(meanings(parts.document.intents));
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in names {
        *places.entry(name).or_default() += 1;
    }
    known.extend(
        places
            .into_iter()
            .filter(|(_, count)| *count > 1)
            .map(|(name, _)| name),
    );
    known
}

/// The intents with a description in a flow.
fn meanings(node: Option<&Node>) -> Vec<Mention<'_>> {
    node.into_iter()
        .flat_map(Node::entries)
        .map(|(key, _)| mention(key))
        .collect()
}

/// Reports parameters that no placeholder uses.
fn parameters(
    parts: &FlowParts<'_>,
    definitions: &[&Node],
    texts: &BTreeSet<&str>,
    found: &mut Diagnostics,
) {
    let document = &parts.document;
    let mut used: BTreeSet<&str> = USED_BY_ENGINE.into_iter().collect();
    used.extend(texts.iter().flat_map(|text| unfilled(text)));
    for (_, value) in document.variables {
        value.each_text(&mut |text, _| used.extend(unfilled(text)));
    }
    let parameters = definitions
        .iter()
        .filter_map(|node| node.get("parameters"))
        .flat_map(Node::entries);
    // The system that phrases the texts can also use variables of the flow.
    let variables = document
        .variables
        .iter()
        .filter(|(key, _)| typo_of(&key.text, &used).is_some());
    let given: Vec<&Key> = parameters.chain(variables).map(|(key, _)| key).collect();
    for key in given.into_iter().filter(|key| !used.contains(&*key.text)) {
        let name = &key.text;
        Diagnostic::warning(
            Code::UnusedParameter,
            format!("parameter `{name}` is never used"),
        )
        .at(key.span, "not in any placeholder")
        .near(
            name,
            used.iter().copied(),
            format!("use it as `{{{{{name}}}}}`, or remove it"),
        )
        .add_to(found);
    }
}

/// Reports the mixins of a flow that no state and no other mixin names.
fn mixins(parts: &FlowParts<'_>, texts: &BTreeSet<&str>, found: &mut Diagnostics) {
    let own = parts.document.mixins.into_iter();
    for (key, mixin) in own.flat_map(|map| &map.entries) {
        if mixin.get("everywhere").is_none() && !texts.contains(&*key.text) {
            unused_mixin(key, found);
        }
    }
}

/// Reports the mixins of a configuration root that no YAML file below its folder names.
pub(super) fn root_mixins(root: &ConfigRoot, found: &mut Diagnostics) {
    let shared = root
        .mixins
        .iter()
        .filter_map(|file| file.get("mixins"))
        .flat_map(Node::entries);
    let contents = shared.clone().map(|(_, mixin)| mixin);
    let used = all_texts(contents.chain(&root.states));
    for (key, _) in shared {
        let name = &*key.text;
        // The folder of a root in the current folder is an empty path.
        let folder = root.folder.as_deref().map(|folder| folder.join("."));
        let is_named = |folder: PathBuf| names_mixin(&folder, name, MAX_FLOW_DEPTH);
        if !used.contains(name) && !folder.is_some_and(is_named) {
            unused_mixin(key, found);
        }
    }
}

/// All strings of the nodes, including keys.
fn all_texts<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> BTreeSet<&'a str> {
    let mut all = BTreeSet::new();
    for node in nodes {
        node.each_text(&mut |text, _| _ = all.insert(text));
    }
    all
}

fn unused_mixin(key: &Key, found: &mut Diagnostics) {
    // A misspelled use of the mixin already suggests its name.
    if !found.suggests(&key.text) {
        Diagnostic::warning(
            Code::UnusedMixin,
            format!("mixin `{}` is never used", key.text),
        )
        .at(key.span, "in no state")
        .help("add it to the `mixins` of a state, or remove it")
        .add_to(found);
    }
}

/// Whether a YAML file at most `depth` levels below a folder contains the name of a mixin.
fn names_mixin(folder: &Path, name: &str, depth: usize) -> bool {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .any(|path| {
            if !is_yaml(&path) {
                return depth > 0 && names_mixin(&path, name, depth - 1);
            }
            let text = read_bytes(&path, DEFINITION_LIMIT).unwrap_or_default();
            !path.ends_with("mixins.yaml") && String::from_utf8_lossy(&text).contains(name)
        })
}

/// The states and mixins, including those of the base flow.
fn definitions<'a>(parts: &FlowParts<'a>) -> Vec<&'a Node> {
    let document = &parts.document;
    let states = document
        .states
        .into_iter()
        .chain(parts.own)
        .chain(&parts.root.states)
        .filter_map(|node| node.get("states").unwrap_or(node).map());
    let mixins = parts
        .root
        .mixins
        .as_ref()
        .and_then(|node| node.get("mixins").unwrap_or(node).map());
    states
        .chain(document.mixins)
        .chain(mixins)
        .flat_map(|map| map.entries.iter().map(|(_, definition)| definition))
        .collect()
}

/// The names of one kind in constants.
fn mentions<'a>(file: Option<&'a Node>, kind: &str) -> Vec<Mention<'a>> {
    let mut names = Vec::new();
    for (named, path) in PLACES.lines().filter_map(|line| line.split_once(' ')) {
        if let Some(file) = file.filter(|_| named == kind) {
            walk(file, path, &mut names);
        }
    }
    names
}

fn walk<'a>(node: &'a Node, path: &str, names: &mut Vec<Mention<'a>>) {
    let entries = || node.entries().iter();
    let values = || entries().map(|(_, value)| value);
    let (key, rest) = path.split_once('.').unwrap_or((path, ""));
    match key {
        "@keys" => names.extend(entries().map(|(key, _)| mention(key))),
        "" => {
            let values = values().chain(node.items());
            names.extend(values.filter_map(|value| Some((value.text()?, value.span))));
        }
        "*" => values().for_each(|value| walk(value, rest, names)),
        key => node
            .get(key)
            .into_iter()
            .for_each(|value| walk(value, rest, names)),
    }
}

fn mention(key: &Key) -> Mention<'_> {
    (&key.text, key.span)
}

//! Inheritance and mixins: the entries of a state before placeholders are filled (docs/src/explanation/flows.md).
//!
//! Maps are copied and never shared, so a mixin of one child does not change its siblings.

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::dialect::{NameTable, circle};
use crate::limits::{MAX_DEPTH, MAX_INHERITED_ENTRIES};
use fsmsim_core::machine::Switches;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Key, Map, Node, text_of, wrong_type};

/// The states and mixins of a flow.
pub(super) struct StateLibrary<'a> {
    /// The states that `extends` can name.
    pub states: NameTable<'a, (&'a Key, &'a Map)>,
    pub mixins: NameTable<'a, &'a Map>,
    switches: Switches,
    resolved: FxHashMap<&'a str, Rc<Resolved<'a>>>,
    /// The states that are being resolved, outermost first.
    open: Vec<&'a str>,
    /// Mixins for which a circular include is already reported.
    circles: Vec<&'a str>,
    /// The number of entries that can still be copied.
    budget: usize,
    exhausted: bool,
}

/// A state with all inherited entries and the origin of each entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolved<'a> {
    /// All entries except rules, transitions and parameters.
    pub fields: NameTable<'a, InheritedEntry<'a>>,
    /// Maps intents to actions.
    pub rules: NameTable<'a, InheritedEntry<'a>>,
    /// Maps intents to states.
    pub transitions: NameTable<'a, InheritedEntry<'a>>,
    /// Parameters of the state and its parents.
    pub parameters: NameTable<'a, InheritedEntry<'a>>,
    /// Parameters of mixins, with the lowest precedence.
    pub weak_parameters: NameTable<'a, InheritedEntry<'a>>,
}

impl Resolved<'_> {
    /// The total number of entries.
    fn len(&self) -> usize {
        let written = self.fields.len() + self.rules.len() + self.transitions.len();
        written + self.parameters.len() + self.weak_parameters.len()
    }
}

/// An entry with its origin.
#[derive(Clone, Debug)]
pub(super) struct InheritedEntry<'a> {
    pub key: &'a Key,
    /// The value, which can be merged from several maps.
    pub value: Cow<'a, Node>,
    /// The state whose definition contains the entry, directly or through a mixin.
    pub state: &'a str,
    /// The mixin that contains the entry.
    pub mixin: Option<&'a str>,
    /// Whether the entry replaces an inherited one.
    pub replaces: bool,
}

impl<'a> InheritedEntry<'a> {
    /// Creates an entry for a key in the definition of a state.
    pub(super) fn new(key: &'a Key, value: &'a Node, state: &'a str) -> Self {
        Self {
            key,
            value: Cow::Borrowed(value),
            state,
            mixin: None,
            replaces: false,
        }
    }

    /// The value as it is in the file. Returns `None` if the value is merged.
    pub(super) fn node(&self) -> Option<&'a Node> {
        match self.value {
            Cow::Borrowed(node) => Some(node),
            Cow::Owned(_) => None,
        }
    }
}

/// Merges two maps recursively into a map at `span`. Any other value in `over` replaces the value in `below`. `{when:
/// a, then: b}` and `{then: c}` result in `{when: a, then: c}`.
pub(super) fn merge<'a>(below: &Node, over: &'a Node, span: Span) -> Cow<'a, Node> {
    let (Some(below), Some(map)) = (below.map(), over.map()) else {
        return Cow::Borrowed(over);
    };
    let mut merged = below.clone();
    for (key, value) in &map.entries {
        match merged
            .entries
            .iter_mut()
            .find(|(name, _)| name.text == key.text)
        {
            Some((_, present)) => *present = merge(present, value, span).into_owned(),
            None => merged.entries.push((key.clone(), value.clone())),
        }
    }
    let content = Content::Map(merged);
    Cow::Owned(Node { span, content })
}

impl<'a> StateLibrary<'a> {
    pub(super) fn new(
        states: NameTable<'a, (&'a Key, &'a Map)>,
        mixins: NameTable<'a, &'a Map>,
        switches: Switches,
    ) -> Self {
        Self {
            states,
            mixins,
            switches,
            resolved: FxHashMap::default(),
            open: Vec::new(),
            circles: Vec::new(),
            budget: MAX_INHERITED_ENTRIES,
            exhausted: false,
        }
    }

    /// The state `name` with all inherited entries: from the parent, then from mixins in order, then its own keys.
    pub(super) fn resolve(&mut self, name: &'a str, found: &mut Diagnostics) -> Rc<Resolved<'a>> {
        if let Some(done) = self.resolved.get(name) {
            return Rc::clone(done);
        }
        let Some((_, map)) = self.states.get(name).copied() else {
            return Rc::default();
        };
        self.open.push(name);
        let mut state = self.inherited(map, found);
        for mixin in self.mixins_of(map, "mixins", found) {
            self.apply_mixin(&mut state, mixin, name, &mut Vec::new(), found);
        }
        for (key, value) in &map.entries {
            own(&mut state, key, value, name, found);
        }
        self.open.pop();
        let state = Rc::new(state);
        self.resolved.insert(name, Rc::clone(&state));
        state
    }

    /// The entries of the parent.
    fn inherited(&mut self, map: &'a Map, found: &mut Diagnostics) -> Resolved<'a> {
        let node = map.given("extends");
        let Some((node, parent)) =
            node.and_then(|node| Some((node, text_of(node, "extends", found)?)))
        else {
            return Resolved::default();
        };
        let Some((known, _)) = self.states.get_key_value(parent) else {
            Diagnostic::error_if(
                self.switches.strict_load,
                Code::UnknownParent,
                format!("unknown parent state `{parent}`"),
            )
            .at(node.span, "not defined")
            .near(
                parent,
                self.states.keys().copied(),
                "use a state of this file or of the base flow",
            )
            .add_to(found);
            return Resolved::default();
        };
        if let Some(circle) = circle(&self.open, known) {
            let title = format!("cycle of parent states: {}", circle.join(" -> "));
            let mut finding =
                Diagnostic::error(Code::ExtendsCycle, title).at(node.span, "closes the cycle");
            for name in circle.iter().take(circle.len().saturating_sub(2)) {
                if let Some(step) = self
                    .states
                    .get(name)
                    .and_then(|(_, map)| map.get("extends"))
                {
                    finding = finding.at(step.span, format!("`{name}` extends this"));
                }
            }
            found.push(finding.help("remove one `extends` from the cycle"));
            return Resolved::default();
        }
        if self.open.len() > MAX_DEPTH {
            self.exceed(
                format!("inheritance of `{parent}` is too deep: limit {MAX_DEPTH} levels"),
                node,
                found,
            );
            return Resolved::default();
        }
        let parent = self.resolve(known, found);
        if !self.spend(parent.len(), node, found) {
            return Resolved::default();
        }
        let mut parent = (*parent).clone();
        // The key `abstract` is not inherited.
        parent.fields.shift_remove("abstract");
        parent
    }

    /// Subtracts copied entries from the budget. Reports an exhausted budget only once.
    fn spend(&mut self, entries: usize, at: &'a Node, found: &mut Diagnostics) -> bool {
        self.budget = self.budget.saturating_sub(entries + 1);
        if self.budget == 0 {
            self.exceed(
                format!(
                    "inheritance and mixins copy too many entries: limit {MAX_INHERITED_ENTRIES}"
                ),
                at,
                found,
            );
        }
        self.budget > 0
    }

    fn exceed(&mut self, title: String, at: &'a Node, found: &mut Diagnostics) {
        if !self.exhausted {
            self.exhausted = true;
            Diagnostic::error(Code::TooDeep, title)
                .at(at.span, "exceeds the limit")
                .help("use fewer levels of inheritance and mixins")
                .add_to(found);
        }
    }

    /// The mixins that `map` lists under `key`. Reports and omits unknown ones.
    fn mixins_of(
        &self,
        map: &'a Map,
        key: &str,
        found: &mut Diagnostics,
    ) -> Vec<(&'a str, &'a Node)> {
        let Some(node) = map.given(key) else {
            return Vec::new();
        };
        let mut known = Vec::new();
        for item in node.items() {
            let Some(name) = text_of(item, "a mixin", found) else {
                continue;
            };
            match self.mixins.get_key_value(name) {
                Some((name, _)) => known.push((*name, item)),
                None => {
                    Diagnostic::error_if(
                        self.switches.strict_load,
                        Code::UnknownMixin,
                        format!("unknown mixin `{name}`"),
                    )
                    .at(item.span, "not defined")
                    .near(
                        name,
                        self.mixins.keys().copied(),
                        "define it under `mixins`, or remove it from the list",
                    )
                    .add_to(found);
                }
            }
        }
        known
    }

    /// Applies a mixin to `state`: first the mixins that it includes, then its own rules and transitions.
    fn apply_mixin(
        &mut self,
        state: &mut Resolved<'a>,
        (name, at): (&'a str, &'a Node),
        into: &'a str,
        path: &mut Vec<&'a str>,
        found: &mut Diagnostics,
    ) {
        if let Some(circle) = circle(path, name) {
            if !self.circles.contains(&name) {
                self.circles.extend(&circle);
                Diagnostic::error(
                    Code::IncludesCycle,
                    format!("cycle of included mixins: {}", circle.join(" -> ")),
                )
                .at(at.span, "closes the cycle")
                .help("remove one `includes` from the cycle")
                .add_to(found);
            }
            return;
        }
        let Some(map) = self.mixins.get(name).copied() else {
            return;
        };
        let size = |key: &str| {
            map.get(key)
                .and_then(Node::map)
                .map_or(0, |map| map.entries.len())
        };
        // Includes use up the budget even if they add no entries.
        let includes = map.get("includes").map_or(0, |node| node.items().len());
        if path.len() > MAX_DEPTH {
            self.exceed(
                format!("includes of `{name}` are nested too deeply: limit {MAX_DEPTH} levels"),
                at,
                found,
            );
            return;
        }
        if !self.spend(
            size("rules") + size("transitions") + size("parameters") + includes,
            at,
            found,
        ) {
            return;
        }
        // The profile `reference` follows only one level of includes.
        if path.is_empty() || self.switches.mixin_parameters {
            path.push(name);
            for include in self.mixins_of(map, "includes", found) {
                self.apply_mixin(state, include, into, path, found);
            }
            path.pop();
        }
        let from = |section: &str| map.get(section).into_iter().flat_map(Node::entries);
        let entry = |key, value| InheritedEntry {
            mixin: Some(name),
            ..InheritedEntry::new(key, value, into)
        };
        let sections = [
            ("rules", &mut state.rules),
            ("transitions", &mut state.transitions),
        ];
        for (key, section) in sections {
            for (key, value) in from(key) {
                let replaces = section.contains_key(&*key.text);
                let entry = InheritedEntry {
                    replaces,
                    ..entry(key, value)
                };
                section.insert(&key.text, entry);
            }
        }
        if self.switches.mixin_parameters {
            for (key, value) in from("parameters").filter(|(_, value)| !value.is_null()) {
                state.weak_parameters.insert(&key.text, entry(key, value));
            }
        }
    }
}

/// Applies one key of a state definition to the inherited entries.
fn own<'a>(
    state: &mut Resolved<'a>,
    key: &'a Key,
    value: &'a Node,
    name: &'a str,
    found: &mut Diagnostics,
) {
    let section = match &*key.text {
        "extends" | "mixins" => return,
        "rules" => &mut state.rules,
        "transitions" => &mut state.transitions,
        "parameters" => &mut state.parameters,
        _ => {
            let entry = InheritedEntry::new(key, value, name);
            state.fields.insert(&key.text, entry);
            return;
        }
    };
    if value.is_null() {
        return;
    }
    let Some(map) = value.map() else {
        wrong_type(
            value,
            &format!("`{}` of the state `{name}` is a map", key.text),
            found,
        );
        return;
    };
    for (inner, value) in &map.entries {
        let mut entry = InheritedEntry::new(inner, value, name);
        if let Some(present) = section.get(&*inner.text) {
            entry.value = merge(&present.value, value, inner.span);
            entry.replaces = true;
        }
        section.insert(&inner.text, entry);
    }
}

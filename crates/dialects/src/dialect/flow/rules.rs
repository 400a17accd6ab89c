//! Lowers rules and transitions to chains: the alternatives of each intent with their conditions and targets.

use smallvec::SmallVec;

use super::inherit::InheritedEntry;
use super::state_lowering::{BRANCH_ENDS, StateLowering};
use crate::dialect::NameTable;
use crate::dialect::condition::state_names;
use crate::dialect::ops::{self, OpsReader};
use crate::dialect::state_declaration::{STUB, declare_stub};
use fsmsim_core::machine::{
    Alternative, ChainTable, Condition, ConditionId, Consequent, ControlNode, Op, Origin, OriginId,
    RESUME, StateId, Target,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::document::{Atom, Map, Node};
use fsmsim_syntax::shapes;

/// The condition of an alternative, its result, and its operations.
type Parts<'n> = (Option<&'n Node>, &'n Node, Vec<Op>);

/// The alternatives of one entry. Few entries have more than four.
type Alternatives = SmallVec<[Alternative; 4]>;

/// The kind of result of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Action,
    State,
}

/// The location of a rule.
struct Site {
    span: Span,
    origin: OriginId,
    gives: Gives,
    /// Whether an unknown target is only a warning in the profile `reference`.
    lenient: bool,
}

impl<'a> StateLowering<'a, '_> {
    /// Builds the chains of all intents in a section.
    pub(super) fn table(
        &mut self,
        section: &NameTable<'a, InheritedEntry<'a>>,
        gives: Gives,
    ) -> ChainTable {
        let mut pairs = Vec::with_capacity(section.len());
        for (intent, entry) in section {
            let intent = self.builder.intent(intent);
            if let Some(alternatives) = self.alternatives(entry, gives, false) {
                pairs.push((intent, self.builder.chain(&alternatives)));
            }
        }
        ChainTable::new(pairs)
    }

    /// A target that does not depend on the intent: a state, or a list of alternatives.
    pub(super) fn target(&mut self, entry: Option<&InheritedEntry<'a>>, lenient: bool) -> Target {
        let alternatives = entry
            .and_then(|entry| self.alternatives(entry, Gives::State, lenient))
            .unwrap_or_default();
        let plain = entry.is_some_and(|entry| entry.value.text().is_some());
        match alternatives.first() {
            None => Target::None,
            Some(Alternative {
                then: Consequent::State(state),
                rule,
                ..
            }) if plain => Target::State(*state, *rule),
            Some(_) => Target::Chain(self.builder.chain(&alternatives)),
        }
    }

    /// The alternatives of an entry; `None` for a null value.
    fn alternatives(
        &mut self,
        entry: &InheritedEntry<'a>,
        gives: Gives,
        lenient: bool,
    ) -> Option<Alternatives> {
        let mut site = Site {
            span: entry.key.span,
            origin: self.origin(entry.state, entry.mixin),
            gives,
            lenient,
        };
        let mut alternatives = Alternatives::new();
        let node = &*entry.value;
        if let Some(items) = node.list() {
            if items.is_empty() && !entry.replaces {
                self.report_empty(entry.key.span, gives);
            }
            for item in items {
                site.span = item.span;
                alternatives.extend(self.alternative(item, &site));
            }
            return Some(alternatives);
        }
        if node.is_null() {
            // A null value removes an inherited entry.
            if !entry.replaces {
                self.report_empty(entry.key.span, gives);
            }
            return None;
        }
        site.span = node.span;
        // The profile `reference` does not check a rule that is a single map.
        site.lenient |= node.map().is_some();
        alternatives.extend(self.alternative(node, &site));
        Some(alternatives)
    }

    /// Reads one alternative. Returns `None` if the alternative has no result.
    fn alternative(&mut self, node: &Node, site: &Site) -> Option<Alternative> {
        let (when, then, ops) = match node.map() {
            None => (None, self.plain(node)?, Vec::new()),
            Some(map) => self.parts(map, site)?,
        };
        if then.is_null() || then.text() == Some("") {
            self.report_empty(site.span, site.gives);
            return None;
        }
        let name = self.name_in(then, "then").filter(|name| !name.is_empty())?;
        let when = when.map(|node| self.condition(node));
        let then = match site.gives {
            Gives::Action => Consequent::Action(self.builder.action(&name)),
            Gives::State => {
                let label = "transition target";
                Consequent::State(self.state(&name, then.span, site.lenient, label))
            }
        };
        let rule = self.builder.rule(site.span, site.origin);
        self.builder.give_ops(rule, ops);
        Some(Alternative { when, then, rule })
    }

    /// An alternative that is not a map. Reports numbers and booleans, which are not names.
    fn plain<'n>(&mut self, node: &'n Node) -> Option<&'n Node> {
        let Some(Atom::Bool(_) | Atom::Int(_) | Atom::Float(_)) = node.atom() else {
            return Some(node);
        };
        let title = format!("expected a name in a rule, found {}", node.kind());
        let finding = self
            .strict(Code::BadRule, title)
            .at(node.span, "not a name");
        self.issue(finding.help("quote the value if it is a name"));
        None
    }

    /// Reports a rule or transition without a result.
    fn report_empty(&mut self, span: Span, gives: Gives) {
        let (title, help) = match gives {
            Gives::Action => (
                "missing action in a rule",
                "add an action after the colon, or remove the line",
            ),
            Gives::State => (
                "missing target in a transition",
                "add a state after the colon, or remove the line",
            ),
        };
        let finding = Diagnostic::warning(Code::EmptyTarget, title)
            .at(span, "no value")
            .help(help);
        self.issue(finding);
    }

    /// Reads the keys `when` and `then` of an alternative, and its operations. Reports missing and unknown keys. An
    /// alternative with operations requires no condition.
    fn parts<'n>(&mut self, map: &'n Map, site: &Site) -> Option<Parts<'n>> {
        let mut when = None;
        let mut then = None;
        let mut ops = Vec::new();
        let mut has_ops = false;
        let mut has_unknown_key = false;
        for (key, value) in &map.entries {
            match &*key.text {
                "when" => when = Some(value).filter(|node| !node.is_null()),
                "then" => then = Some(value),
                "description" => {}
                key if ops::KEYS.contains(&key) => {
                    has_ops = true;
                    ops.extend(self.ops(key, value, site.origin));
                }
                other => {
                    has_unknown_key = true;
                    let finding = self
                        .strict(Code::BadRule, format!("unknown key `{other}` in a rule"))
                        .at(key.span, "unknown key");
                    self.issue(finding.near(
                        other,
                        shapes::ALTERNATIVE.key_names(),
                        "use `when` and `then`",
                    ));
                }
            }
        }
        match (when, then) {
            (Some(when), Some(then)) => return Some((Some(when), then, ops)),
            (None, Some(then)) if has_ops => return Some((None, then, ops)),
            _ if has_unknown_key => return None,
            _ => {}
        }
        let finding = self
            .strict(
                Code::BadRule,
                "missing `when` or `then` in a rule with conditions".to_owned(),
            )
            .at(site.span, "incomplete")
            .help("write `{when: CONDITION, then: NAME}`");
        self.issue(finding);
        None
    }

    /// Compiles the condition under `when`. A plain name is compiled only once.
    pub(super) fn condition(&mut self, node: &Node) -> ConditionId {
        let composite = self.switches.composite_conditions;
        if node.text().is_none() && composite {
            return self.conditions.compile_when(node, self.builder, self.found);
        }
        if node.text().is_none() {
            Diagnostic::warning(
                Code::BadCondition,
                "cannot use a condition expression in a rule of this profile",
            )
            .at(node.span, "never true in this profile")
            .help("use the profile `documented`, or the name of a condition")
            .add_to(self.found);
            return self.builder.condition(Condition::Broken(
                "only names of conditions are supported in this profile".into(),
            ));
        }
        let name = self.name_in(node, "when").unwrap_or_default();
        if let Some(condition) = self.compiled.get(&*name) {
            return *condition;
        }
        let usable = !name.starts_with("custom:") || composite;
        let Some(id) = self
            .conditions
            .resolve(&name, self.builder)
            .filter(|_| usable)
        else {
            let finding = self.conditions.unknown(&name, node.span);
            let broken = Condition::Broken(finding.title.clone().into());
            self.issue(finding);
            return self.builder.condition(broken);
        };
        let condition = self.builder.condition(Condition::Named(id));
        self.compiled.insert(name.into(), condition);
        condition
    }

    /// The state with this name. Reports an undefined state, with this label.
    pub(super) fn state(&mut self, name: &str, span: Span, lenient: bool, label: &str) -> StateId {
        let id = self.builder.state(name);
        if self.has_branches() && BRANCH_ENDS.contains(&name) && !self.builder.states[id].declared {
            let state = &mut self.builder.states[id];
            state.declared = true;
            state.node = Some(Box::new(ControlNode::BranchEnd));
        }
        let ends_idle_branch = self.has_forks && !self.switches.dag && BRANCH_ENDS.contains(&name);
        if !self.builder.states[id].declared && !name.contains("{{") && !ends_idle_branch {
            let title = format!("unknown state `{name}`");
            let is_checked = self.targets_must_exist && !self.with_stubs;
            let strict = is_checked && (self.switches.strict_load || !lenient);
            // A suggestion requires a comparison with all states, so findings that are not displayed have none.
            let compared = if self.issues.shows_more() {
                usize::MAX
            } else {
                0
            };
            let declared = state_names(self.builder).take(compared);
            let otherwise = if name == RESUME {
                "set `aside: true` in the state that the dialogue returns from".to_owned()
            } else {
                format!("define the state `{name}`")
            };
            let mut finding = Diagnostic::error_if(strict, Code::UnknownState, title)
                .at(span, label)
                .near(name, declared, otherwise);
            if self.with_stubs {
                finding = finding.note(STUB);
                declare_stub(name, self.builder);
            }
            // The paths of the flow are checked as if the name were corrected.
            let near = finding.replacement.as_ref().filter(|_| strict);
            let near = near.and_then(|near| self.builder.names.states.id(near));
            self.issue(finding);
            return near.unwrap_or(id);
        }
        id
    }

    /// Fills the placeholders in operations of an alternative or a branch, and reads the operations.
    pub(super) fn ops(&mut self, key: &str, node: &Node, origin: OriginId) -> Vec<Op> {
        let node = self.filled(node);
        let Self {
            conditions,
            builder,
            found,
            ..
        } = self;
        OpsReader {
            conditions,
            builder,
            found,
            origin,
            code: Code::BadRule,
            fields_only: false,
        }
        .read(key, &node)
    }

    /// Reads all operations of a map.
    pub(super) fn all_ops(&mut self, map: &Map, origin: OriginId) -> Vec<Op> {
        map.entries
            .iter()
            .filter(|(key, _)| ops::KEYS.contains(&&*key.text))
            .flat_map(|(key, node)| self.ops(&key.text, node, origin))
            .collect()
    }

    /// The origin of an entry: a state or a mixin.
    pub(super) fn origin(&mut self, state: &'a str, mixin: Option<&'a str>) -> OriginId {
        *self.origins.entry((state, mixin)).or_insert_with(|| {
            self.builder.origin(Origin {
                state: state.into(),
                mixin: mixin.map(Into::into),
            })
        })
    }

    /// Creates an error, or a warning in profiles that continue loading.
    fn strict(&self, code: Code, title: String) -> Diagnostic {
        Diagnostic::error_if(self.switches.strict_load, code, title)
    }
}

//! Rules and transitions into chains: the alternatives of each intent, their conditions and targets.

use std::borrow::Cow;
use std::rc::Rc;

use smallvec::SmallVec;

use super::inherit::{InheritedEntry, Merged, Pairs};
use super::state_lowering::{BRANCH_ENDS, FlowDraft, StateLowering};
use crate::dialect::ops::{self, OpsReader};
use fsmsim_core::machine::{
    ChainTable, Clause, Condition, ConditionId, Consequent, ControlNode, Op, Origin, OriginId,
    StateId, Target,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::document::{Atom, Content, Map, Node};
use fsmsim_syntax::shapes;

/// The condition of an alternative, what it gives, and what it does besides.
type Parts<'a> = (Option<Cow<'a, Node>>, &'a Node, Vec<Op>);

/// The alternatives of one entry; few have more than four.
type Clauses = SmallVec<[Clause; 4]>;

/// Which kind of name a rule gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Action,
    State,
}

/// Where a rule stands.
struct Site {
    span: Span,
    origin: OriginId,
    gives: Gives,
    /// Under `reference` the target is not checked here.
    lenient: bool,
}

impl<'a> StateLowering<'a, '_> {
    /// The chains of all intents of a section.
    pub(super) fn table(&mut self, draft: &FlowDraft<'a>, gives: Gives) -> ChainTable {
        let resolved = Rc::clone(&draft.resolved);
        let section = match gives {
            Gives::Action => &resolved.rules,
            Gives::State => &resolved.transitions,
        };
        let mut pairs = Vec::with_capacity(section.len());
        for (intent, entry) in section {
            let intent = self.builder.intent(intent);
            if let Some(clauses) = self.clauses(draft, entry, gives, false) {
                pairs.push((intent, self.builder.chain(&clauses)));
            }
        }
        ChainTable::new(pairs)
    }

    /// A target outside the intents: a state, or a list of alternatives.
    pub(super) fn target(
        &mut self,
        draft: &FlowDraft<'a>,
        entry: &InheritedEntry<'a>,
        lenient: bool,
    ) -> Target {
        let Some(clauses) = self.clauses(draft, entry, Gives::State, lenient) else {
            return Target::None;
        };
        let plain = entry.value.node().is_some_and(|node| node.text().is_some());
        match clauses.first() {
            None => Target::None,
            Some(Clause {
                then: Consequent::State(state),
                rule,
                ..
            }) if plain => Target::State(*state, *rule),
            Some(_) => Target::Chain(self.builder.chain(&clauses)),
        }
    }

    /// The alternatives of an entry; `None` where it is nothing at all.
    fn clauses(
        &mut self,
        draft: &FlowDraft<'a>,
        entry: &InheritedEntry<'a>,
        gives: Gives,
        lenient: bool,
    ) -> Option<Clauses> {
        let mut site = Site {
            span: entry.key.span,
            origin: self.origin(entry),
            gives,
            lenient,
        };
        let mut clauses = Clauses::new();
        if let Some(items) = entry.value.node().and_then(Node::list) {
            if items.is_empty() && !entry.replaces {
                self.gives_nothing(draft, entry.key.span, gives);
            }
            for item in items {
                site.span = item.span;
                clauses.extend(self.clause(draft, &Merged::Node(item), &site));
            }
            return Some(clauses);
        }
        if let Some(node) = entry.value.node() {
            if node.is_null() {
                // Nothing in the place of what is inherited takes it away.
                if !entry.replaces {
                    self.gives_nothing(draft, entry.key.span, gives);
                }
                return None;
            }
            site.span = node.span;
        }
        // Under `reference` nobody looks into a rule that is one map.
        site.lenient |= entry.value.pairs().is_some();
        clauses.extend(self.clause(draft, &entry.value, &site));
        Some(clauses)
    }

    /// One alternative; `None` where it gives nothing.
    fn clause(&mut self, draft: &FlowDraft<'a>, value: &Merged<'a>, site: &Site) -> Option<Clause> {
        let mut ops = Vec::new();
        let (when, then) = match value.pairs() {
            None => (None, self.plain(draft, value.node()?)?),
            Some(pairs) => {
                let (when, then, written) = self.parts(draft, &pairs, site)?;
                ops = written;
                (when, then)
            }
        };
        if then.is_null() || then.text() == Some("") {
            self.gives_nothing(draft, site.span, site.gives);
            return None;
        }
        let name = self
            .name_in(draft, then, "a rule")
            .filter(|name| !name.is_empty())?;
        let when = when.map(|node| self.condition(draft, &node));
        let then = match site.gives {
            Gives::Action => Consequent::Action(self.builder.action(&name)),
            Gives::State => Consequent::State(self.state(draft, &name, then.span, site.lenient)),
        };
        let rule = self.builder.rule(site.span, site.origin);
        self.builder.give_ops(rule, ops);
        Some(Clause { when, then, rule })
    }

    /// An alternative that is no map; a finding where it is a number or the like, which gives nothing.
    fn plain<'n>(&mut self, draft: &FlowDraft<'a>, node: &'n Node) -> Option<&'n Node> {
        let Some(Atom::Bool(_) | Atom::Int(_) | Atom::Float(_)) = node.atom() else {
            return Some(node);
        };
        let title = format!("a rule gives a name, but this is {}", node.kind());
        let finding = self
            .strict(Code::BadRule, title)
            .at(node.span, "gives nothing");
        self.issues.add(
            finding.help("write it in quotes if it is meant as a name"),
            draft.name,
        );
        None
    }

    /// Tells of a place without a name.
    fn gives_nothing(&mut self, draft: &FlowDraft<'a>, span: Span, gives: Gives) {
        let (title, help) = match gives {
            Gives::Action => (
                "a rule gives no action",
                "name an action behind the colon, or take the line out",
            ),
            Gives::State => (
                "a transition leads nowhere",
                "name a state behind the colon, or take the line out",
            ),
        };
        let finding = Diagnostic::warning(Code::EmptyTarget, title)
            .at(span, "nothing behind it")
            .help(help);
        self.issues.add(finding, draft.name);
    }

    /// `when` and `then` of an alternative, and what it does besides; a finding where one of the two is missing or another
    /// key is there. An alternative that does something needs no condition.
    fn parts(
        &mut self,
        draft: &FlowDraft<'a>,
        pairs: &Pairs<'a>,
        site: &Site,
    ) -> Option<Parts<'a>> {
        let mut when = None;
        let mut then = None;
        let mut ops = Vec::new();
        let (mut does, mut slipped) = (false, false);
        for (key, value) in pairs {
            match &*key.text {
                "when" => when = Some(whole(value, site.span)).filter(|node| !node.is_null()),
                "then" => then = value.node(),
                "description" => {}
                key if ops::KEYS.contains(&key) => {
                    does = true;
                    ops.extend(self.ops(draft, key, &whole(value, site.span), site.origin));
                }
                other => {
                    slipped = true;
                    let finding =
                        self.strict(Code::BadRule, format!("a rule has no key `{other}`"));
                    let finding = finding.at(key.span, "not known here");
                    self.issues.add(
                        finding.near(
                            other,
                            shapes::ALTERNATIVE.key_names(),
                            "a rule has `when` and `then`",
                        ),
                        draft.name,
                    );
                }
            }
        }
        match (when, then) {
            (Some(when), Some(then)) => return Some((Some(when), then, ops)),
            (None, Some(then)) if does => return Some((None, then, ops)),
            _ if slipped => return None,
            _ => {}
        }
        let finding = self
            .strict(
                Code::BadRule,
                "a rule with conditions needs both `when` and `then`".to_owned(),
            )
            .at(site.span, "incomplete")
            .help("write `{when: CONDITION, then: NAME}`");
        self.issues.add(finding, draft.name);
        None
    }

    /// The condition of a `when`; plain names are compiled once.
    pub(super) fn condition(&mut self, draft: &FlowDraft<'a>, node: &Node) -> ConditionId {
        if node.text().is_none() {
            let plain_only = !self.switches.composite_conditions;
            return self
                .conditions
                .compile_when(node, plain_only, self.builder, self.found);
        }
        let name = self.name_in(draft, node, "when").unwrap_or_default();
        if let Some(condition) = self.compiled.get(&*name) {
            return *condition;
        }
        let usable = !name.starts_with("custom:") || self.switches.composite_conditions;
        let Some(id) = self
            .conditions
            .resolve(&name, self.builder)
            .filter(|_| usable)
        else {
            let title = format!("there is no condition `{name}`");
            let finding = self
                .strict(Code::UnknownCondition, title.clone())
                .at(node.span, "not known");
            let otherwise = "define it under `conditions:`, or use a built-in one";
            self.issues.add(
                finding.near(&name, self.conditions.names(), otherwise),
                draft.name,
            );
            return self.builder.condition(Condition::Broken(title.into()));
        };
        let condition = self.builder.condition(Condition::Named(id));
        self.compiled.insert(name.into(), condition);
        condition
    }

    /// The state a rule leads to; a finding where it is not defined.
    pub(super) fn state(
        &mut self,
        draft: &FlowDraft<'a>,
        name: &str,
        span: Span,
        lenient: bool,
    ) -> StateId {
        let id = self.builder.state(name);
        if self.has_branches() && BRANCH_ENDS.contains(&name) && !self.builder.states[id].declared {
            let state = &mut self.builder.states[id];
            state.declared = true;
            state.node = Some(Box::new(ControlNode::BranchEnd));
        }
        let ends_idle_branch = self.has_forks && !self.switches.dag && BRANCH_ENDS.contains(&name);
        if !self.builder.states[id].declared && !name.contains("{{") && !ends_idle_branch {
            let title = format!("there is no state `{name}` to go to");
            let strict = self.targets_must_exist && (self.switches.strict_load || !lenient);
            let declared = self
                .builder
                .states
                .pairs()
                .filter(|(_, state)| state.declared);
            // Each is compared with each: for more than are shown nobody waits.
            let compared = if self.issues.shows_more() {
                usize::MAX
            } else {
                0
            };
            let declared = declared
                .map(|(id, _)| self.builder.names.states.name(id))
                .take(compared);
            let finding = Diagnostic::error_if(strict, Code::UnknownState, title)
                .at(span, "no such state")
                .near(name, declared, format!("define the state `{name}`"));
            self.issues.add(finding, draft.name);
        }
        id
    }

    /// Reads what an alternative or a way does, its placeholders filled in.
    pub(super) fn ops(
        &mut self,
        draft: &FlowDraft<'a>,
        key: &str,
        node: &Node,
        origin: OriginId,
    ) -> Vec<Op> {
        let node = self.filled(draft, node);
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

    /// How what a state itself writes came to it.
    pub(super) fn own_origin(&mut self, draft: &FlowDraft<'a>) -> OriginId {
        self.builder.origin(Origin {
            state: draft.name.into(),
            mixin: None,
        })
    }

    fn origin(&mut self, entry: &InheritedEntry<'a>) -> OriginId {
        let builder = &mut *self.builder;
        *self
            .origins
            .entry((entry.state, entry.mixin))
            .or_insert_with(|| {
                builder.origin(Origin {
                    state: entry.state.into(),
                    mixin: entry.mixin.map(Into::into),
                })
            })
    }

    /// An error, or a warning under `reference`, where loading goes on.
    fn strict(&self, code: Code, title: String) -> Diagnostic {
        Diagnostic::error_if(self.switches.strict_load, code, title)
    }
}

/// A merged value as one node.
fn whole<'a>(value: &Merged<'a>, span: Span) -> Cow<'a, Node> {
    match value {
        Merged::Node(node) => Cow::Borrowed(node),
        Merged::Map(pairs) => {
            let entries = pairs
                .iter()
                .map(|(key, value)| ((*key).clone(), whole(value, span).into_owned()));
            let content = Content::Map(Map {
                entries: entries.collect(),
            });
            Cow::Owned(Node { span, content })
        }
    }
}

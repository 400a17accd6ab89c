//! States that are control nodes: `type: choice`, `fork`, `join`, `parallel`, and `history`
//! (docs/src/explanation/flows.md).

use super::state_lowering::{FlowDraft, NodeSite, StateLowering};
use fsmsim_core::machine::{
    BranchPlan, ChoiceBranch, ControlNode, Fork, History, Join, JoinCondition, Quorum, Routing,
    StateId,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::document::{Key, Map, Node as Text, count_of, integer_of, named, one_of};
use fsmsim_syntax::shapes::{self, Shape};

/// The types of states.
const TYPES: [&str; 5] = ["simple", "choice", "fork", "join", "parallel"];

/// Whether a state starts branches.
pub(super) fn forks(draft: &FlowDraft<'_>) -> bool {
    matches!(kind_of(draft), Some("fork" | "parallel"))
}

/// Whether a state has a type other than `simple`.
pub(super) fn is_node(draft: &FlowDraft<'_>) -> bool {
    kind_of(draft).is_some_and(|kind| kind != "simple")
}

/// Whether dialogues pass the state in the turn that enters it.
pub(super) fn passes(draft: &FlowDraft<'_>) -> bool {
    forks(draft) || kind_of(draft) == Some("choice")
}

/// Whether dialogues end in the state.
pub(super) fn ends(draft: &FlowDraft<'_>) -> bool {
    let is_final = draft.resolved.fields.get("is_final");
    is_final.and_then(|entry| entry.node()?.boolean()) == Some(true)
}

fn kind_of<'a>(draft: &FlowDraft<'a>) -> Option<&'a str> {
    draft
        .resolved
        .fields
        .get("type")
        .and_then(|entry| entry.node()?.text())
}

impl<'a> StateLowering<'a, '_> {
    /// The control node of the state.
    pub(super) fn node(&mut self) -> Option<ControlNode> {
        let kind_node = self.field("type")?;
        let kind = self.name_in(kind_node, "type")?;
        let mut site = NodeSite {
            state: self.builder.state(self.draft.name),
            name: self.draft.name,
            span: kind_node.span,
            branches: Vec::new(),
        };
        let node = match &*kind {
            "simple" => return None,
            "choice" => self.choice(kind_node),
            "fork" => self.fork(kind_node, &mut site).map(ControlNode::Fork),
            "parallel" => self.parallel(kind_node, &mut site).map(ControlNode::Fork),
            "join" => Some(ControlNode::Join(self.join(&mut site))),
            other => {
                let finding =
                    Diagnostic::undefined(Code::BadNode, "state type", other, kind_node.span)
                        .offer(other, "types", TYPES);
                self.issue(finding);
                None
            }
        };
        self.sites.push(site);
        node
    }

    /// The kind of history that the state restores.
    pub(super) fn history(&mut self) -> Option<History> {
        let node = self.field("history")?;
        self.word(node, &named::<History>())
    }

    /// The state that encloses the current state.
    pub(super) fn region(&mut self) -> Option<StateId> {
        let node = self.field("region")?;
        self.place(node, "region")
    }

    fn choice(&mut self, kind: &Text) -> Option<ControlNode> {
        let mut ways = Vec::new();
        let default = self.field("default");
        let choices = self
            .field("choices")
            .and_then(Text::list)
            .unwrap_or_default();
        if choices.is_empty() && default.is_none() {
            self.items("choices", kind)?;
        }
        for item in choices {
            let map = self.part(item, &shapes::CHOICE_WAY)?;
            let when = map.get("condition").or_else(|| map.get("when"));
            let next = map.get("next").or_else(|| map.get("then"));
            let (Some(when), Some(next)) = (when, next) else {
                // A typo in a key is already reported.
                if map.keys().all(|key| shapes::CHOICE_WAY.key(key).is_some()) {
                    self.bad_node(
                        item.span,
                        "missing `condition` or `next` in a branch of a choice",
                        "incomplete",
                    );
                }
                continue;
            };
            let when = self.condition(when);
            let next = self.place(next, "next")?;
            let origin = self.origin(self.draft.name, None);
            let rule = self.builder.rule(item.span, origin);
            let ops = self.all_ops(map, origin);
            self.builder.give_ops(rule, ops);
            ways.push(ChoiceBranch { when, next, rule });
        }
        let default = default.and_then(|node| self.place(node, "default"));
        if default.is_none() {
            let finding = Diagnostic::warning(Code::BadNode, "missing `default` in a choice")
                .at(kind.span, "stays here if nothing matches")
                .help("add `default: STATE`");
            self.issue(finding);
        }
        Some(ControlNode::Choice {
            ways: ways.into(),
            default,
        })
    }

    fn fork(&mut self, kind: &Text, site: &mut NodeSite<'a>) -> Option<Fork> {
        let mut branches = Vec::new();
        for item in self.items("branches", kind)? {
            let map = self.part(item, &shapes::BRANCH)?;
            let (Some(id), Some(start)) = (map.get("id"), map.get("start_at")) else {
                self.bad_node(
                    item.span,
                    "missing `id` or `start_at` in a branch",
                    "incomplete",
                );
                continue;
            };
            let name = self.name_in(id, "id")?;
            let plan = self.plan(&name, start, map)?;
            self.add_branch(plan, id.span, &mut branches, site);
        }
        Some(Fork {
            branches: branches.into(),
            ..self.fork_without_branches(kind)?
        })
    }

    fn parallel(&mut self, kind: &Text, site: &mut NodeSite<'a>) -> Option<Fork> {
        let Some(regions) = self.field("regions") else {
            self.bad_node(
                kind.span,
                "missing `regions` in a parallel state",
                "no regions",
            );
            return None;
        };
        let Some(regions) = regions.map() else {
            self.bad_node(
                regions.span,
                "expected a map for `regions`: region names with `initial`",
                "",
            );
            return None;
        };
        let mut branches = Vec::new();
        for (Key { text, span }, item) in &regions.entries {
            let map = self.part(item, &shapes::REGION)?;
            let Some(start) = map.get("initial") else {
                self.bad_node(item.span, "missing `initial` in a region", "incomplete");
                continue;
            };
            let plan = self.plan(text, start, map)?;
            self.add_branch(plan, *span, &mut branches, site);
        }
        if branches.is_empty() {
            let span = regions
                .entries
                .first()
                .map_or(kind.span, |(key, _)| key.span);
            self.bad_node(span, "parallel state has no region", "nothing to run");
        }
        let exit_when = self.field("exit_when").map(|node| self.condition(node));
        let fork = self.fork_without_branches(kind)?;
        Some(Fork {
            branches: branches.into(),
            exit_when,
            parallel: true,
            ..fork
        })
    }

    /// A fork with its join state, join condition and routing, but without branches.
    fn fork_without_branches(&mut self, kind: &Text) -> Option<Fork> {
        let join_at = self.join_at(kind)?;
        let condition = self.join_condition();
        let routing = self.routing();
        Some(Fork {
            branches: [].into(),
            join_at,
            condition,
            exit_when: None,
            routing,
            parallel: false,
        })
    }

    /// Compiles a branch or region: its name, its first state and its other keys.
    fn plan(&mut self, name: &str, start: &'a Text, map: &'a Map) -> Option<BranchPlan> {
        let start = self.place(start, "start_at")?;
        let when = map.given("condition").map(|node| self.condition(node));
        let mut intents = Vec::new();
        for node in map.get("handles").map(Text::items).unwrap_or_default() {
            let intent = self.name_in(node, "handles")?;
            intents.push(self.builder.intent(&intent));
        }
        let priority = match map.get("priority") {
            Some(node) => integer_of(node, "priority", self.found)?,
            None => 0,
        };
        Some(BranchPlan {
            id: self.builder.branch(name),
            start,
            when,
            handles: intents.into(),
            priority,
        })
    }

    fn add_branch(
        &mut self,
        plan: BranchPlan,
        span: Span,
        branches: &mut Vec<BranchPlan>,
        site: &mut NodeSite<'a>,
    ) {
        if branches.iter().any(|known| known.id == plan.id) {
            let name = self.builder.names.branches.name(plan.id);
            let title = format!("branch `{name}` is defined twice");
            self.bad_node(span, &title, "second definition");
        }
        site.branches.push((plan.id, span));
        branches.push(plan);
    }

    fn join(&mut self, site: &mut NodeSite<'a>) -> Join {
        let mut expects = Vec::new();
        for item in self
            .field("expects_branches")
            .map(Text::items)
            .unwrap_or_default()
        {
            if let Some(name) = self.name_in(item, "a branch") {
                let id = self.builder.branch(&name);
                site.branches.push((id, item.span));
                expects.push(id);
            }
        }
        let action = self
            .field("on_join")
            .map(|node| node.get("action").unwrap_or(node))
            .and_then(|node| self.name_in(node, "on_join"))
            .map(|name| self.builder.action(&name));
        let condition = self.join_condition();
        if let Some(JoinCondition {
            quorum: Quorum::AtLeast(least),
            ..
        }) = condition
            && !expects.is_empty()
            && least as usize > expects.len()
        {
            let span = self
                .field("join_condition")
                .map_or(site.span, |node| node.span);
            let title = format!("join waits for {least} of {} branches", expects.len());
            self.bad_node(span, &title, "too many");
        }
        Join {
            expects: expects.into(),
            condition,
            action,
        }
    }

    fn join_at(&mut self, kind: &Text) -> Option<StateId> {
        let Some(node) = self.field("join_at") else {
            self.bad_node(kind.span, "missing `join_at` for the branches", "no join");
            return None;
        };
        self.place(node, "join_at")
    }

    /// Reads `join_condition`: a word, or a map with `n_of_m` and `timeout_turns`.
    fn join_condition(&mut self) -> Option<JoinCondition> {
        let node = self.field("join_condition")?;
        let Some(map) = node.map() else {
            let quorum = self.word(node, &Quorum::ALL)?;
            return Some(JoinCondition {
                quorum,
                timeout: None,
            });
        };
        let map = self.part(node, &shapes::JOIN_CONDITION).unwrap_or(map);
        let mut condition = JoinCondition::default();
        if let Some(node) = map.get("n_of_m") {
            condition.quorum = Quorum::AtLeast(count_of(node, "n_of_m", self.found)?);
        }
        if let Some(node) = map.get("timeout_turns") {
            condition.timeout = Some(count_of(node, "timeout_turns", self.found)?);
        }
        Some(condition)
    }

    fn routing(&mut self) -> Routing {
        let node = self.field("routing");
        node.and_then(|node| self.word(node, &named::<Routing>()))
            .unwrap_or_default()
    }

    /// Looks up the word in `node` among the known words. Reports an unknown word.
    fn word<T: Copy>(&mut self, node: &'a Text, known: &[(T, &'static str)]) -> Option<T> {
        let name = self.name_in(node, "value")?;
        one_of(&name, node.span, known)
            .map_err(|finding| self.issue(*finding))
            .ok()
    }

    /// The state that `node` names.
    fn place(&mut self, node: &'a Text, what: &str) -> Option<StateId> {
        let name = self.name_in(node, what)?;
        Some(self.state(&name, node.span, false, "not defined"))
    }

    /// The list under a required key. Reports a missing or empty list.
    fn items(&mut self, key: &'static str, kind: &Text) -> Option<&'a [Text]> {
        let items = self.field(key).and_then(Text::list);
        if items.is_none_or(<[Text]>::is_empty) {
            let title = format!("missing or empty list `{key}` for this state type");
            self.bad_node(kind.span, &title, "incomplete");
            return None;
        }
        items
    }

    /// Reads a part of a control node as a map. Reports other values and unknown keys.
    fn part(&mut self, node: &'a Text, shape: &Shape) -> Option<&'a Map> {
        let Some(map) = node.map() else {
            self.bad_node(
                node.span,
                &format!("expected a map for {}", shape.what),
                "not a map",
            );
            return None;
        };
        for (key, _) in &map.entries {
            if shape.key(&key.text).is_none() {
                let finding = self
                    .found
                    .key_error(&key.text, key.span, || shape.unknown_key(key));
                if let Some(finding) = finding {
                    self.issue(finding);
                }
            }
        }
        Some(map)
    }

    fn bad_node(&mut self, span: Span, title: &str, label: &str) {
        let finding = Diagnostic::error(Code::BadNode, title).at(span, label);
        self.issue(finding.help("see `fsmsim explain FS0123`"));
    }
}

//! Constants into settings, roles of intents and the names that sources need.

use rustc_hash::FxHashMap;

use super::categories::CategoryTable;
use super::layers::{Layers, texts_of};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::document::{Atom, Fields, Map, Node, boolean_of, count_of, integer_of, text_of, wrong_type};
use crate::machine::{
    Actions, GuardLimits, IdVec, Limit, Limits, MachineBuilder, Pattern, PersonaLimits, Personas, Roles,
    Settings, SignalMode, SourceKind, SourceMask, Thresholds, Variant,
};

/// The constants of one flow, being applied to its builder.
pub(super) struct Constants<'a> {
    /// The layers of the flow and the root over the built-in ones.
    all: Layers<'a>,
    /// Only the layers of the flow and the root.
    given: Layers<'a>,
    /// The categories.
    pub(super) categories: CategoryTable<'a>,
}

impl<'a> Constants<'a> {
    /// The constants of a flow over those of its root over the built-in ones.
    pub(super) fn new(
        flow: Option<&'a Node>,
        root: Option<&'a Node>,
        defaults: &'a Node,
        found: &mut Diagnostics,
    ) -> Self {
        let all = Layers::new(flow.into_iter().chain(root).chain([defaults]));
        let given = Layers::new(flow.into_iter().chain(root));
        // The categories of a root stand in place of the built-in ones, those of a flow are laid over them.
        let has_categories = root.and_then(|root| root.get("intents")).is_some_and(groups_intents);
        let below = if has_categories { root } else { Some(defaults) };
        let intents = Layers::new(flow.into_iter().chain(below)).section("intents");
        let categories = CategoryTable::resolve(&intents, found);
        Self { all, given, categories }
    }

    /// The layers, for what only one place needs.
    pub(super) fn layers(&self) -> &Layers<'a> {
        &self.all
    }

    /// The thresholds that conditions may name.
    pub(super) fn thresholds(&self, found: &mut Diagnostics) -> FxHashMap<&'a str, i64> {
        let section = self.all.section("frustration").section("thresholds");
        section
            .entries()
            .into_iter()
            .filter_map(|(key, node)| Some((&*key.text, integer_of(node, &key.text, found)?)))
            .collect()
    }

    /// Mints categories and intents and gives intents their roles.
    pub(super) fn mint_intents(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        for (name, intents) in self.categories.iter() {
            let category = builder.category(name);
            for intent in intents {
                let id = builder.intent(intent);
                let mut list = std::mem::take(&mut builder.intents[id].categories).into_vec();
                if let Err(at) = list.binary_search(&category) {
                    list.insert(at, category);
                }
                builder.intents[id].categories = list.into();
            }
        }
        let role_categories = self.all.section("role_categories");
        let by_category = [
            ("objection", Roles::OBJECTION),
            ("positive", Roles::POSITIVE),
            ("question", Roles::QUESTION),
            ("question", Roles::ANY_QUESTION),
            ("all_questions", Roles::ANY_QUESTION),
            ("price", Roles::PRICE),
            ("return_triggers", Roles::RETURN_TRIGGER),
            ("escalation", Roles::ESCALATION),
            ("sensitive", Roles::SENSITIVE),
            ("frustration", Roles::FRUSTRATION),
        ];
        for (key, role) in by_category {
            let category = role_categories.text(key, found).unwrap_or(key);
            for intent in self.categories.get(category).unwrap_or_default() {
                builder.give_role(intent, role);
            }
        }
        let roles = self.all.section("roles");
        let window = self.all.section("window");
        let by_list = [
            (self.all.section("intents").texts("go_back", found), Roles::GO_BACK),
            (roles.texts("ambiguous", found), Roles::AMBIGUOUS),
            (roles.texts("unclear", found), Roles::UNCLEAR),
            (roles.texts("urgent_move", found), Roles::URGENT_MOVE),
            (roles.texts("high_value", found), Roles::HIGH_VALUE),
            (window.texts("setback", found), Roles::SETBACK),
            (window.texts("sideways", found), Roles::SIDEWAYS),
            (window.texts("stuck", found), Roles::STUCK),
            (window.texts("neutral", found), Roles::SOCIAL),
            (vec!["any", "data_complete"], Roles::TRIGGER_NAME),
        ];
        for (intents, role) in by_list {
            for intent in intents {
                builder.give_role(intent, role);
            }
        }
        for (key, _) in self.all.section("spin").section("progress_intents").entries() {
            builder.give_role(&key.text, Roles::ADVANCE);
        }
        self.mint_answers(builder, found);
        self.mint_repeat_groups(builder, found);
    }

    /// The answers to questions about prices and facts that need no rule.
    fn mint_answers(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        for (key, node) in self.all.section("price_question_source").section("actions").entries() {
            if let Some(action) = text_of(node, &key.text, found) {
                let (intent, action) = (builder.intent(&key.text), builder.action(action));
                builder.intents[intent].price_action = Some(action);
            }
        }
        let facts = self.all.section("fact_question_source");
        for intent in facts.texts("fact_intents", found) {
            let id = builder.intent(intent);
            if !builder.intents[id].roles.has(Roles::PRICE) {
                builder.intents[id].roles.add(Roles::FACT);
            }
        }
        for (key, node) in facts.section("default_actions").entries() {
            if let Some(action) = text_of(node, &key.text, found) {
                let (intent, action) = (builder.intent(&key.text), builder.action(action));
                builder.intents[intent].fact_action = Some(action);
            }
        }
    }

    /// The groups in which repeated questions are counted together.
    fn mint_repeat_groups(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let groups = self.all.section("policy").section("repeatable_intent_groups");
        for (number, (key, node)) in groups.entries().into_iter().enumerate() {
            for intent in texts_of(node, &key.text, found) {
                let id = builder.intent(intent);
                builder.intents[id].repeat_group = u16::try_from(number).ok();
            }
        }
    }

    /// Mints the actions, slots, states and patterns that sources need.
    pub(super) fn mint_vocabulary(&self, flow: &str, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let role_categories = self.all.section("role_categories");
        let category =
            |key: &str, found: &mut Diagnostics| role_categories.text(key, found).unwrap_or_default();
        let categories = &mut builder.vocabulary.categories;
        categories.objection = builder.names.categories.id(category("objection", found));
        categories.price = builder.names.categories.id(category("price", found));
        categories.frustration = builder.names.categories.id(category("frustration", found));

        builder.vocabulary.actions = self.actions(builder, found);
        builder.vocabulary.blocking_actions =
            self.all.texts("blocking_actions", found).into_iter().map(|name| builder.action(name)).collect();
        builder.vocabulary.unclear =
            self.all.section("roles").texts("unclear", found).first().map(|name| builder.intent(name));

        let slots =
            &["persona", "_objection_limit_final", "company_size"].map(|name| Some(builder.slot(name)));
        let contact = ["contact_info", "email", "phone", "contact"].map(|name| Some(builder.slot(name)));
        let [persona, objection_limit_final, company_size] = *slots;
        builder.vocabulary.slots.persona = persona;
        builder.vocabulary.slots.objection_limit_final = objection_limit_final;
        builder.vocabulary.slots.company_size = company_size;
        builder.vocabulary.slots.contact = contact;
        builder.vocabulary.meaningful = self
            .all
            .section("window")
            .texts("meaningful_data", found)
            .into_iter()
            .map(|name| builder.slot(name))
            .collect();

        let states = self.all.section("states");
        let mut place = |key: &str| states.text(key, found).map(|name| builder.state(name));
        let places = crate::machine::WellKnownStates {
            handle_objection: place("handle_objection"),
            soft_close: place("soft_close"),
            stall_default: place("stall_default"),
            closing: place("closing"),
            ..crate::machine::WellKnownStates::default()
        };
        builder.vocabulary.places = places;

        let autonomous = self.all.section("autonomous");
        builder.vocabulary.autonomous_flow = autonomous.text("flow", found) == Some(flow);
        builder.vocabulary.autonomous_prefix = autonomous.text("prefix", found).unwrap_or_default().into();
        builder.vocabulary.autonomous_targets =
            autonomous.texts("targets", found).into_iter().map(|name| builder.state(name)).collect();
        builder.vocabulary.thresholds = self.source_thresholds(found);
        builder.vocabulary.phone_prefixes = self.phone_prefixes(found);
        self.mint_patterns(builder, found);
    }

    fn actions(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) -> Actions {
        let names = self.all.section("actions");
        let mut action = |key: &str| builder.action(names.text(key, found).unwrap_or(key));
        let mut actions = Actions {
            continue_goal: action("continue_goal"),
            join_waiting: None,
            finished: action("finished"),
            go_back: action("go_back"),
            go_back_refused: action("go_back_refused"),
            ask_clarification: action("ask_clarification"),
            answer_price: action("answer_price"),
            answer_facts: action("answer_facts"),
            objection_limit: action("objection_limit"),
            autonomous: action("autonomous"),
            offer_options: action("offer_options"),
            stall_nudge: action("stall_nudge"),
            stall_eject: action("stall_eject"),
            escalate: action("escalate"),
            guard_rephrase: action("guard_rephrase"),
            guard_options: action("guard_options"),
            guard_skip: action("guard_skip"),
            guard_close: action("guard_close"),
        };
        if let Some(name) = self.all.section("fact_question_source").text("fallback_action", found) {
            actions.answer_facts = builder.action(name);
        }
        actions
    }

    fn source_thresholds(&self, found: &mut Diagnostics) -> Thresholds {
        let section = self.all.section("thresholds");
        let mut number = |key: &str| section.integer(key, 0, found);
        Thresholds {
            loop_escape: number("objections_escape_loop"),
            phase_escape: number("objections_return_to_phase"),
            frustration_escalates: number("frustration_escalates"),
            unclear_escalates: number("unclear_escalates"),
            unclear_considered: number("unclear_considered"),
            large_company: number("large_company"),
            soft_stall: number("soft_stall"),
            phase_exhaust: number("phase_exhaust_threshold"),
        }
    }

    fn phone_prefixes(&self, found: &mut Diagnostics) -> Vec<(u16, u16)> {
        let texts = self.all.texts("phone_prefixes", found);
        let range = |text: &str| {
            let (low, high) = text.split_once('-').unwrap_or((text, text));
            Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
        };
        texts.into_iter().filter_map(range).collect()
    }

    fn mint_patterns(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let patterns = self.all.section("intents").section("intent_pattern_guard").section("patterns");
        for (key, node) in patterns.entries() {
            let Some(mut fields) = Fields::open(node, "an intent pattern", found) else {
                continue;
            };
            let intents = fields.texts("intents");
            let personas = fields.map("persona_limits");
            let close = fields.text("close_action").unwrap_or("close_answer_and_collect");
            let other = fields.text("default_action").unwrap_or("nudge_progress");
            for name in &intents {
                builder.give_role(name, Roles::PATTERN);
            }
            let personas = personas
                .into_iter()
                .flat_map(|map| &map.entries)
                .filter_map(|(key, node)| Some((key.text.clone(), persona_limits(node, "streak", found)?)))
                .collect();
            let pattern = Pattern {
                name: key.text.clone(),
                intents: intents.into_iter().map(|name| builder.intent(name)).collect(),
                category: builder.names.categories.id(&key.text),
                personas,
                close_action: builder.action(close),
                default_action: builder.action(other),
            };
            builder.vocabulary.patterns.push(pattern);
        }
    }

    /// The settings of a dialogue that changes nothing. Flags come from the built-in table, then from `flags` in order.
    pub(super) fn settings(
        &self,
        variant: Variant,
        flags: &[&'a Node],
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> Settings {
        let switches = variant.switches();
        let mut values = IdVec::default();
        let layers = Layers::new(flags.iter().rev().copied().chain(self.all.get("feature_flags")));
        for (key, node) in layers.entries() {
            // What is no boolean is not a flag.
            if let Some(Atom::Bool(value)) = node.atom() {
                *values.grow(builder.flag(&key.text)) = value;
            }
        }
        builder.vocabulary.flags = crate::machine::Flags {
            circular_flow: builder.names.flags.id("circular_flow"),
            stall_dual: builder.names.flags.id("stall_guard_dual_proposal"),
        };
        let mut source_flags = Vec::new();
        for (key, node) in self.all.section("source_flags").entries() {
            if let (Some(kind), Some(flag)) = (SourceKind::from_name(&key.text), node.text()) {
                source_flags.push((kind, builder.flag(flag)));
            }
        }
        builder.vocabulary.source_flags = source_flags;

        let section = self.all.section("limits");
        let mut limit = |limit: Limit| {
            let name = Limit::ALL.iter().find(|(known, _)| *known == limit).map_or("", |(_, name)| name);
            section.integer(name, 0, found)
        };
        let limits = Limits {
            consecutive_objections: limit(Limit::ConsecutiveObjections),
            total_objections: limit(Limit::TotalObjections),
            go_backs: limit(Limit::GoBacks),
        };
        let built_in = Self::guard_limits(&Layers::new(self.all.get("guard_defaults")), None, found);
        let guard_section = self.given.get("guard").filter(|node| node.map().is_some());
        let guard_default = if switches.conversation_guard {
            Self::guard_limits(&self.given.section("guard"), Some(built_in), found)
        } else {
            built_in
        };
        let mut settings = Settings {
            profile: variant.profile,
            switches,
            flags: values,
            tenant_off: IdVec::default(),
            limits,
            enabled: self.enabled_sources(found),
            sources: SourceMask::NONE,
            personas: self.personas(found),
            guard: (switches.conversation_guard && guard_section.is_some()).then_some(guard_default),
            guard_default,
            signals: SignalMode::default(),
            permissive: false,
            model: false,
        };
        settings.refresh(&builder.vocabulary);
        settings
    }

    fn guard_limits(
        section: &Layers<'a>,
        below: Option<GuardLimits>,
        found: &mut Diagnostics,
    ) -> GuardLimits {
        let mut limits = below.unwrap_or_default();
        for (name, value) in limits.fields() {
            *value = section.integer(name, *value, found);
        }
        limits
    }

    fn enabled_sources(&self, found: &mut Diagnostics) -> SourceMask {
        let mut mask = SourceMask::ALL;
        for (key, node) in self.all.section("sources").entries() {
            let Some(kind) = SourceKind::from_name(&key.text) else {
                found.push(
                    Diagnostic::error(Code::UnknownSource, format!("there is no source `{}`", key.text))
                        .at(key.span, "not known")
                        .suggest(
                            nearest(&key.text, SourceKind::ALL.map(SourceKind::name)),
                            format!("sources: {}", SourceKind::ALL.map(SourceKind::name).join(", ")),
                        ),
                );
                continue;
            };
            if let Some(enabled) = boolean_of(node.get("enabled").unwrap_or(node), &key.text, found) {
                mask = mask.with(kind, enabled);
            }
        }
        let facts_off = !self.all.section("fact_question_source").is_true("enabled", true);
        if facts_off {
            mask = mask.with(SourceKind::FactQuestion, false);
        }
        mask
    }

    fn personas(&self, found: &mut Diagnostics) -> Personas {
        let given = self.given.section("persona_limits").strongest();
        let (section, given) = if given.entries().is_empty() {
            (self.all.section("persona_limits"), false)
        } else {
            (given, true)
        };
        let table = section
            .entries()
            .into_iter()
            .filter_map(|(key, node)| Some((key.text.clone(), persona_limits(node, "consecutive", found)?)))
            .collect();
        Personas { table, given }
    }
}

/// Whether the section `intents` says more than what intents mean.
fn groups_intents(section: &Node) -> bool {
    let says =
        |map: &Map| map.entries.is_empty() || map.entries.iter().any(|(key, _)| &*key.text != "meanings");
    section.map().is_none_or(says)
}

/// The limits of one persona: a map of two numbers, the first under `first` and the second under `total`.
pub(crate) fn persona_limits(
    node: &Node,
    first: &'static str,
    found: &mut Diagnostics,
) -> Option<PersonaLimits> {
    if node.map().is_none() {
        wrong_type(node, "the limits of a persona are a map", found);
        return None;
    }
    let mut number = |key: &'static str| {
        let value = node.get(key);
        if value.is_none() {
            found.push(
                Diagnostic::error(Code::MissingKey, format!("the limits of a persona need `{key}`"))
                    .at(node.span, format!("`{key}` is missing here"))
                    .help(format!("write `{{{first}: 3, total: 5}}`")),
            );
        }
        value.and_then(|value| count_of(value, key, found)).map(i64::from)
    };
    Some(PersonaLimits { consecutive: number(first)?, total: number("total")? })
}

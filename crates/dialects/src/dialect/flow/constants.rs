//! Converts constants to settings, roles of intents, and the names that sources use.

use rustc_hash::FxHashMap;

use super::categories;
use super::layers::{Layers, names_of};
use crate::dialect::NameTable;

use fsmsim_core::engine::policy::sales::{
    Actions, Flags, GuardLimits, Pattern, PersonaLimits, Personas, Roles, SalesConfig,
    SalesSettings, Thresholds, WellKnownStates,
};
use fsmsim_core::engine::{Settings, SourceKind};
use fsmsim_core::machine::{
    ActionId, Id, IntentId, LimitId, MachineBuilder, SlotId, SourceMask, Switches, Traits, Variant,
    WellKnown,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Map, Node, boolean_of, integer_of, text_of};

/// The constants of one flow.
pub(super) struct Constants<'a> {
    /// The constants of the flow and the root, layered over the built-in constants.
    pub all: Layers<'a>,
    /// The constants of the flow and the root, without the built-in constants.
    given: Layers<'a>,
    /// The categories with their intents, in the order of definition.
    pub categories: NameTable<'a, Vec<&'a str>>,
}

impl<'a> Constants<'a> {
    /// Combines the constants of a flow and its root with the built-in constants.
    pub(super) fn new(
        flow: Option<&'a Node>,
        root: Option<&'a Node>,
        defaults: &'a Node,
        found: &mut Diagnostics,
    ) -> Self {
        let all = Layers::new(flow.into_iter().chain(root).chain([defaults]));
        let given = Layers::new(flow.into_iter().chain(root));
        // Categories of a root replace the built-in categories. Categories of a flow are merged into the result.
        let has_categories = root
            .and_then(|root| root.get("intents"))
            .is_some_and(groups_intents);
        let below = if has_categories { root } else { Some(defaults) };
        let intents = Layers::new(flow.into_iter().chain(below)).section("intents");
        let categories = categories::resolve(&intents, found);
        Self {
            all,
            given,
            categories,
        }
    }

    /// The thresholds that conditions can name.
    pub(super) fn thresholds(&self, found: &mut Diagnostics) -> FxHashMap<&'a str, i64> {
        let section = self.all.section("frustration.thresholds");
        section
            .entries()
            .into_iter()
            .filter_map(|(key, node)| Some((&*key.text, integer_of(node, &key.text, found)?)))
            .collect()
    }

    /// Declares the categories and their intents.
    pub(super) fn mint_categories(&self, builder: &mut MachineBuilder) {
        for (name, intents) in &self.categories {
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
    }

    /// Assigns the meaning in the recent turns to intents, and marks the triggers.
    pub(super) fn mint_window(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let window = self.all.section("window");
        let by_list = [
            (window.texts("setback", found), Traits::SETBACK),
            (window.texts("sideways", found), Traits::SIDEWAYS),
            (window.texts("stuck", found), Traits::STUCK),
            (window.texts("neutral", found), Traits::SOCIAL),
            (vec!["any", "data_complete"], Traits::TRIGGER_NAME),
        ];
        give_traits(by_list, builder);
    }

    /// Declares the slots whose values show progress.
    pub(super) fn meaningful_slots(
        &self,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> Vec<SlotId> {
        let meaningful = self.all.section("window").texts("meaningful_data", found);
        let meaningful = meaningful.into_iter();
        meaningful.map(|name| builder.slot(name)).collect()
    }

    /// Declares categories and intents, and assigns roles to intents.
    pub(super) fn mint_intents(
        &self,
        sales: &mut SalesConfig,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        self.mint_categories(builder);
        let role_categories = self.all.section("role_categories");
        let of_category = |key: &'static str, found: &mut Diagnostics| {
            let name = role_categories.text(key, found).unwrap_or(key);
            self.categories.get(name).into_iter().flatten()
        };
        let by_category = [
            ("objection", Traits::OBJECTION),
            ("positive", Traits::POSITIVE),
            ("question", Traits::QUESTION),
        ];
        for (key, traits) in by_category {
            for intent in of_category(key, found) {
                builder.give_trait(intent, traits);
            }
        }
        let by_category = [
            ("question", Roles::ANY_QUESTION),
            ("all_questions", Roles::ANY_QUESTION),
            ("price", Roles::PRICE),
            ("return_triggers", Roles::RETURN_TRIGGER),
            ("escalation", Roles::ESCALATION),
            ("sensitive", Roles::SENSITIVE),
            ("frustration", Roles::FRUSTRATION),
        ];
        for (key, role) in by_category {
            for intent in of_category(key, found) {
                sales.give_role(builder.intent(intent), role);
            }
        }
        let roles = self.all.section("roles");
        let by_list = [
            (
                self.all.section("intents").texts("go_back", found),
                Traits::GO_BACK,
            ),
            (roles.texts("unclear", found), Traits::UNCLEAR),
            (roles.texts("urgent_move", found), Traits::URGENT_MOVE),
        ];
        give_traits(by_list, builder);
        self.mint_window(builder, found);
        for (key, role) in [
            ("ambiguous", Roles::AMBIGUOUS),
            ("high_value", Roles::HIGH_VALUE),
        ] {
            for intent in roles.texts(key, found) {
                sales.give_role(builder.intent(intent), role);
            }
        }
        for (key, node) in self.all.section("spin.progress_intents").entries() {
            text_of(node, &key.text, found);
            builder.give_trait(&key.text, Traits::ADVANCE);
        }
        self.mint_answers(sales, builder, found);
        self.mint_repeat_groups(builder, found);
    }

    /// The default answers to questions about prices and facts.
    fn mint_answers(
        &self,
        sales: &mut SalesConfig,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        for (intent, action) in self.answers("price_question_source.actions", builder, found) {
            sales.intents.grow(intent).price_action = Some(action);
        }
        let facts = self.all.section("fact_question_source");
        for intent in facts.texts("fact_intents", found) {
            let id = builder.intent(intent);
            if !sales.intent(id).roles.contains(Roles::PRICE) {
                sales.give_role(id, Roles::FACT);
            }
        }
        let answers = self.answers("fact_question_source.default_actions", builder, found);
        for (intent, action) in answers {
            sales.intents.grow(intent).fact_action = Some(action);
        }
    }

    /// Reads a map from intents to the actions that answer them.
    fn answers(
        &self,
        section: &str,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> Vec<(IntentId, ActionId)> {
        self.all
            .section(section)
            .entries()
            .into_iter()
            .filter_map(|(key, node)| {
                let action = text_of(node, &key.text, found)?;
                Some((builder.intent(&key.text), builder.action(action)))
            })
            .collect()
    }

    /// The groups of intents whose repetitions are counted together.
    fn mint_repeat_groups(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let groups = self.all.section("policy.repeatable_intent_groups");
        for (number, (key, node)) in groups.entries().into_iter().enumerate() {
            for intent in names_of(node, &key.text, found) {
                let id = builder.intent(intent);
                builder.intents[id].repeat_group = u16::try_from(number).ok();
            }
        }
    }

    /// Declares the actions, slots, states and patterns that sources use.
    pub(super) fn mint_names(
        &self,
        flow: &str,
        sales: &mut SalesConfig,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let role_categories = self.all.section("role_categories");
        let category = |key: &str, found: &mut Diagnostics| {
            role_categories.text(key, found).unwrap_or_default()
        };
        let categories = &mut sales.categories;
        categories.objection = builder.names.categories.id(category("objection", found));
        categories.price = builder.names.categories.id(category("price", found));
        categories.frustration = builder.names.categories.id(category("frustration", found));

        builder.well_known.objections = categories.objection;
        self.mint_actions(sales, builder, found);
        sales.unclear = self
            .all
            .section("roles")
            .texts("unclear", found)
            .first()
            .map(|name| builder.intent(name));

        sales.slots.persona = Some(builder.slot("persona"));
        sales.slots.objection_limit_final = Some(builder.slot("_objection_limit_final"));
        sales.slots.company_size = Some(builder.slot("company_size"));
        let contact =
            ["contact_info", "email", "phone", "contact"].map(|name| Some(builder.slot(name)));
        builder.well_known.contact = contact;
        builder.well_known.meaningful = self.meaningful_slots(builder, found);

        let states = self.all.section("states");
        let mut place = |key: &str| states.text(key, found).map(|name| builder.state(name));
        sales.states = WellKnownStates {
            handle_objection: place("handle_objection"),
            soft_close: place("soft_close"),
            stall_default: place("stall_default"),
            closing: place("closing"),
            ..WellKnownStates::default()
        };

        let autonomous = self.all.section("autonomous");
        sales.autonomous_flow = autonomous.text("flow", found) == Some(flow);
        sales.autonomous_prefix = autonomous.text("prefix", found).unwrap_or_default().into();
        sales.autonomous_targets = autonomous
            .texts("targets", found)
            .into_iter()
            .map(|name| builder.state(name))
            .collect();
        sales.thresholds = self.source_thresholds(found);
        builder.well_known.phone_prefixes = self.phone_prefixes(found);
        self.mint_patterns(sales, builder, found);
    }

    /// Declares the actions that every flow has.
    pub(super) fn mint_engine_actions(
        &self,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let names = self.all.section("actions");
        let mut action = |key: &str| builder.action(names.text(key, found).unwrap_or(key));
        let (continue_goal, finished) = (action("continue_goal"), action("finished"));
        let blocking = self.all.texts("blocking_actions", found).into_iter();
        let blocking_actions = blocking.map(|name| builder.action(name)).collect();
        builder.well_known = WellKnown {
            continue_goal,
            finished,
            blocking_actions,
            ..std::mem::take(&mut builder.well_known)
        };
    }

    fn mint_actions(
        &self,
        sales: &mut SalesConfig,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        self.mint_engine_actions(builder, found);
        let names = self.all.section("actions");
        let mut action = |key: &str| builder.action(names.text(key, found).unwrap_or(key));
        sales.actions = Actions {
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
        if let Some(name) = self
            .all
            .section("fact_question_source")
            .text("fallback_action", found)
        {
            sales.actions.answer_facts = builder.action(name);
        }
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

    /// The prefixes of phone numbers, as inclusive ranges.
    pub(super) fn phone_prefixes(&self, found: &mut Diagnostics) -> Vec<(u16, u16)> {
        let texts = self.all.texts("phone_prefixes", found);
        let range = |text: &str| {
            let (low, high) = text.split_once('-').unwrap_or((text, text));
            Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
        };
        texts.into_iter().filter_map(range).collect()
    }

    fn mint_patterns(
        &self,
        sales: &mut SalesConfig,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let patterns = self.all.section("intents.intent_pattern_guard.patterns");
        for (key, node) in patterns.entries() {
            let Some(mut fields) = Fields::open(node, "an intent pattern", found) else {
                continue;
            };
            let intents = fields.texts("intents");
            let personas = fields.entries("persona_limits").iter();
            let close = fields
                .text("close_action")
                .unwrap_or("close_answer_and_collect");
            let other = fields.text("default_action").unwrap_or("nudge_progress");
            for name in &intents {
                sales.give_role(builder.intent(name), Roles::PATTERN);
            }
            let personas = personas
                .filter_map(|(key, node)| PersonaLimits::read(key, node, "streak", found))
                .collect();
            let pattern = Pattern {
                name: key.text.clone(),
                intents: intents
                    .into_iter()
                    .map(|name| builder.intent(name))
                    .collect(),
                category: builder.names.categories.id(&key.text),
                personas,
                close_action: builder.action(close),
                default_action: builder.action(other),
            };
            sales.patterns.push(pattern);
        }
    }

    /// The default settings of a dialogue. Flags come from the constants, then from `flags` in order; later values
    /// override earlier ones.
    pub(super) fn settings(
        &self,
        variant: Variant,
        flags: &[&'a Node],
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> Settings {
        let mut settings = Settings::new(variant, self.enabled_sources(found));
        let layers = Layers::new(
            flags
                .iter()
                .rev()
                .copied()
                .chain(self.all.get("feature_flags")),
        );
        for (key, node) in layers.entries() {
            // Values other than booleans are ignored.
            if let Some(value) = node.boolean() {
                *settings.flags.grow(builder.flag(&key.text)) = value;
            }
        }
        let section = self.all.section("limits");
        for id in (0..builder.names.limits.len()).map(LimitId::from_index) {
            *settings.limits.grow(id) = section.integer(builder.names.limits.name(id), 0, found);
        }
        settings
    }

    /// Sets the flags and the default settings of the sales sources.
    pub(super) fn switch_sources(
        &self,
        switches: Switches,
        sales: &mut SalesConfig,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        sales.flags = Flags {
            circular_flow: builder.names.flags.id("circular_flow"),
            stall_dual: builder.names.flags.id("stall_guard_dual_proposal"),
        };
        for (key, node) in self.all.section("source_flags").entries() {
            let kind = known_source(key, found);
            if let (Some(kind), Some(flag)) = (kind, node.text()) {
                sales.source_flags.push((kind, builder.flag(flag)));
            }
        }
        sales.settings = self.sales_settings(switches, found);
    }

    fn sales_settings(&self, switches: Switches, found: &mut Diagnostics) -> SalesSettings {
        let built_in =
            Self::guard_limits(&Layers::new(self.all.get("guard_defaults")), None, found);
        let guard_section = self.given.get("guard").filter(|node| node.map().is_some());
        let guard_default = if switches.conversation_guard {
            Self::guard_limits(&self.given.section("guard"), Some(built_in), found)
        } else {
            built_in
        };
        let guard =
            (switches.conversation_guard && guard_section.is_some()).then_some(guard_default);
        SalesSettings {
            personas: self.personas(found),
            guard,
            guard_default,
        }
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
            let Some(kind) = known_source(key, found) else {
                continue;
            };
            let enabled = if node.map().is_some() {
                node.get("enabled")
            } else {
                Some(node)
            };
            if let Some(enabled) = enabled.and_then(|node| boolean_of(node, &key.text, found)) {
                mask = mask.with(kind, enabled);
            }
        }
        if !self
            .all
            .section("fact_question_source")
            .is_true("enabled", true)
        {
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
            .filter_map(|(key, node)| PersonaLimits::read(key, node, "consecutive", found))
            .collect();
        Personas { table, given }
    }
}

fn give_traits<'a>(
    by_list: impl IntoIterator<Item = (Vec<&'a str>, Traits)>,
    builder: &mut MachineBuilder,
) {
    for (intents, traits) in by_list {
        for intent in intents {
            builder.give_trait(intent, traits);
        }
    }
}

/// The source that a key names, or a finding.
fn known_source(key: &Key, found: &mut Diagnostics) -> Option<SourceKind> {
    SourceKind::from_name(&key.text).or_else(|| {
        Diagnostic::undefined(Code::UnknownSource, "source", &key.text, key.span)
            .offer(&key.text, "sources", SourceKind::names())
            .refuse(found)
    })
}

/// Whether the section `intents` contains more than descriptions of intents.
fn groups_intents(section: &Node) -> bool {
    let has_groups = |map: &Map| {
        map.entries.is_empty() || map.entries.iter().any(|(key, _)| &*key.text != "meanings")
    };
    section.map().is_none_or(has_groups)
}

//! Lowers what a plain flow has instead of the sales sources: clarification, the trigger `unclear`, and the limit of going
//! back.

use super::constants::Constants;
use fsmsim_core::engine::policy::GO_BACKS;
use fsmsim_core::engine::policy::plain::PlainConfig;
use fsmsim_core::machine::{IntentDescription, IntentPhrases, MachineBuilder, Traits};
use fsmsim_syntax::diagnostic::{Diagnostics, Span};

/// The trigger of utterances that were not recognized.
const UNCLEAR: &str = "unclear";

/// Declares the intents and the counters of a plain flow.
pub(super) fn begin(
    constants: &Constants<'_>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> PlainConfig {
    builder.backs_by_phase = true;
    builder.give_trait(UNCLEAR, Traits::UNCLEAR | Traits::FALLBACK);
    constants.mint_categories(builder);
    constants.mint_window(builder, found);
    let is_limited = constants.all.section("limits").given(GO_BACKS).is_some();
    PlainConfig {
        unclear: builder.intent(UNCLEAR),
        limit: is_limited.then(|| builder.limit(GO_BACKS)),
        go_backs: builder.counter("go_backs"),
        go_backs_left: builder.counter("go_backs_left"),
        ..PlainConfig::default()
    }
}

/// Declares the actions of the policy, and the slots that show progress.
pub(super) fn mint_names(
    plain: &mut PlainConfig,
    constants: &Constants<'_>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) {
    constants.mint_engine_actions(builder, found);
    let names = constants.all.section("actions");
    let mut action = |key: &str| builder.action(names.text(key, found).unwrap_or(key));
    plain.ask_clarification = action("ask_clarification");
    plain.go_back_refused = action("go_back_refused");
    builder.well_known.meaningful = constants.meaningful_slots(builder, found);
    builder.well_known.phone_prefixes = constants.phone_prefixes(found);
}

/// Completes the policy. All states and phrases must be complete.
pub(super) fn finish(plain: &mut PlainConfig, flow: Span, builder: &mut MachineBuilder) {
    let slots = &builder.names.slots;
    builder.well_known.contact =
        ["contact_info", "email", "phone", "contact"].map(|name| slots.id(name));
    let intent = plain.unclear;
    let states = builder.states.iter();
    let mut tables = states.flat_map(|state| [&state.rules, &state.transitions]);
    let described = builder.descriptions.lookup(intent);
    plain.uses_unclear = tables.any(|table| table.get(intent).is_some())
        || described.is_some_and(IntentDescription::is_given);
    let has_fallback = builder.phrases.iter().any(|phrases| phrases.fallback);
    if plain.uses_unclear && !has_fallback {
        let fallback = IntentPhrases {
            intent,
            span: flow,
            when: None,
            fallback: true,
            patterns: Box::default(),
        };
        let phrases = std::mem::take(&mut builder.phrases).into_iter();
        builder.phrases = phrases.chain([fallback]).collect();
    }
}

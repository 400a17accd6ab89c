//! The observations of a turn.

use fsmsim_core::engine::{
    Effect, Fault, Input, Machine, PropertyView, Session, Settings, Symbol, TurnRecord, TurnWatch,
    Verdict, WatchEvent, is_missing,
};
use fsmsim_core::machine::{
    ActionId, CounterId, EffectId, EffectKind, IntentId, RuleId, SlotId, Traits, Value,
};

/// Whether an action has a reply without a condition. It is sent unless a slot has no value.
fn has_unconditional_reply(machine: &Machine, action: ActionId) -> bool {
    let rule = machine.replies.get(&action);
    rule.is_some_and(|rule| machine.ops(*rule).iter().any(|op| op.when.is_none()))
}

/// Whether an effect of a cycle writes shared memory in a turn of another node than COMMIT, or without an approval. Only
/// COMMIT has a worker that is not asked.
fn is_unvalidated(effect: &Effect, record: &TurnRecord, machine: &Machine) -> bool {
    let is_shared = machine.effects[effect.kind].kind == EffectKind::Remember
        && effect.payload.get("scope").and_then(Value::as_text) == Some("shared");
    let from = record.outcome.as_ref().map(|outcome| outcome.state.from);
    let worker = from.and_then(|from| machine.policies.worker(from));
    let is_committed = worker.is_some_and(|worker| !worker.is_asked);
    let is_validated = effect.payload.get("is_validated") == Some(&Value::Bool(true));
    is_shared && machine.policies.inputs().tasks && !(is_committed && is_validated)
}

/// How a user contributes to a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Effort {
    /// The input is not understood.
    #[default]
    Unclear,
    /// The input is understood, but the state does not ask for it.
    Understood,
    /// The user fills a missing slot, or gives an intent of a transition of the state.
    Cooperative,
}

impl Effort {
    pub(crate) fn of(
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> Self {
        let intent = input.known_intent();
        let is_unclear =
            |id: IntentId| machine.is_internal(id) || machine.intent(id).has(Traits::UNCLEAR);
        if intent.is_some_and(is_unclear) {
            return Self::Unclear;
        }
        let state = machine.state(session.position.state);
        let said = input.data.values();
        let fills = |slot: &SlotId| {
            let gives = |(name, value): &(Symbol<SlotId>, Value)| {
                *name == Symbol::Known(*slot) && !is_missing(value, settings)
            };
            is_missing(session.slots.get(*slot), settings) && said.iter().any(gives)
        };
        let takes = |intent: IntentId| {
            let tables = [&state.rules, &state.transitions].into_iter();
            let mut ways = tables
                .filter_map(|table| table.get(intent))
                .flat_map(|chain| machine.alternatives(chain));
            ways.any(|way| {
                way.then.state().is_some() || machine.effects_lead(way.rule).next().is_some()
            })
        };
        if state.required.iter().any(fills) || intent.is_some_and(takes) {
            Self::Cooperative
        } else {
            Self::Understood
        }
    }
}

/// The observations of a turn, apart from the session after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Sight {
    /// The action, if actions are observed.
    pub(crate) action: Option<ActionId>,
    /// The rules that decided, and the branches and outcomes that were taken.
    pub(crate) rules: Vec<RuleId>,
    pub(crate) failed: bool,
    /// The performed effects.
    pub(crate) effects: Vec<EffectId>,
    /// The properties that do not hold after the turn.
    pub(crate) broken: Vec<usize>,
    /// The counters that would have exceeded their limits.
    pub(crate) exceeded: Vec<CounterId>,
    /// The names of violated rules of a contract.
    pub(crate) breaches: Vec<&'static str>,
    /// The names of two classes that both match the turn.
    pub(crate) ambiguous: Option<Box<str>>,
    /// The performed effects that share knowledge without validation.
    pub(crate) unvalidated: Vec<EffectId>,
    pub(crate) effort: Effort,
    /// The properties over several turns: whether the turn creates the obligation, and whether the property holds.
    pub(crate) lasting: Vec<(usize, bool, bool)>,
    /// Whether the action has a reply, but no value for one of its slots.
    pub(crate) unfilled: bool,
}

impl Sight {
    pub(crate) fn of(
        record: &TurnRecord,
        watch: Option<&TurnWatch>,
        machine: &Machine,
        (acts, is_carried): (bool, &[bool]),
    ) -> Self {
        // The values that a carried property reads are not in the session.
        let is_seen = |property: usize| is_carried.get(property) != Some(&true);
        let mut sight = Self::default();
        if let Some(outcome) = &record.outcome {
            sight.action = acts.then_some(outcome.action);
            let answer = outcome.by_action.filter(|_| acts);
            let won = [answer, outcome.by_transition].into_iter().flatten();
            sight.rules.extend(won.filter_map(|won| won.rule));
            sight.failed = outcome.merge == fsmsim_core::engine::Merge::Failed;
            sight.unfilled = record.replies.is_empty()
                && !sight.failed
                && has_unconditional_reply(machine, outcome.action);
        }
        if let Some(watch) = watch {
            watch.each(|event| {
                if let WatchEvent::Taken(rule) = event {
                    sight.rules.push(rule);
                }
            });
        }
        for effect in &record.effects {
            if matches!(effect.verdict, Verdict::Allowed(_)) {
                sight.effects.push(effect.kind);
                if is_unvalidated(effect, record, machine) {
                    sight.unvalidated.push(effect.kind);
                }
            }
        }
        for violation in &record.violations {
            match violation {
                Fault::Property(property) if is_seen(*property) => sight.broken.push(*property),
                Fault::PastLimit { counter, .. } => sight.exceeded.push(*counter),
                _ => {}
            }
        }
        let observed = machine.policies.observe(record, machine);
        sight.breaches = observed.breaches;
        sight.ambiguous = observed.ambiguous;
        let lasting = |view: &PropertyView| {
            (
                view.property,
                view.owed == Some(true),
                view.holds == Some(true),
            )
        };
        let seen = record.sights.iter().filter(|view| is_seen(view.property));
        sight.lasting.extend(seen.map(lasting));
        sight
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_unvalidated;
    use fsmsim_core::engine::{Effect, Input, Scratch, Session, TurnRecord, Verdict, advance};
    use fsmsim_core::machine::{Profile, Value};
    use fsmsim_runtime::project::{ModelCache, Project};
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

    #[test]
    fn only_commit_shares_validated_knowledge() {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let project = Project::at(&home, &mut sources, &mut found);
        let mut models = ModelCache::new(&project, None);
        let path = home.join("flows/agent_cycle.yaml");
        let machine = models.load(&path, Profile::default()).unwrap();
        let tick = machine.names.intents.id("tick").unwrap();
        let mut record = TurnRecord::default();
        let need = advance(
            &machine,
            machine.settings(),
            &mut Session::new(&machine),
            &Input::intent(tick),
            &[],
            &mut Scratch::default(),
            &mut record,
        );
        assert!(need.is_none());
        let mut is_found = |node: &str, scope: &str, is_validated: bool| {
            let state = machine.names.states.id(node).unwrap();
            record.outcome.as_mut().unwrap().state.from = state;
            let effect = Effect {
                kind: machine.names.effects.id("share").unwrap(),
                index: 0,
                state,
                schema: None,
                payload: Value::map([
                    ("scope", Value::text(scope)),
                    ("is_validated", Value::Bool(is_validated)),
                ]),
                verdict: Verdict::Allowed("done".into()),
            };
            is_unvalidated(&effect, &record, &machine)
        };
        assert!(!is_found("commit", "shared", true));
        assert!(is_found("commit", "shared", false));
        assert!(is_found("execute", "shared", true));
        assert!(!is_found("execute", "private", false));
    }
}

//! A real model, tiny as it may be: that requests, schemas and time-outs work, never how good its answers are.
//!
//! `FSMSIM_LIVE_URL` names a server that speaks both shapes, like `http://127.0.0.1:8099/v1`; without it nothing is tested.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::{
    AnswererConfig, AnswererReply, AnswererSpec, Attempt, Budget, DecisionTarget, DialogueKey,
    FailureKind, Provider, Request, Structured, Task, Wire,
};

/// What a model with these settings answers, and what came to nothing before; nothing (and a word about it) where there
/// is no server.
fn asked(
    settings: &str,
    set: impl Fn(&mut Provider),
) -> Option<(Option<AnswererReply>, Vec<Attempt>)> {
    let Ok(url) = std::env::var("FSMSIM_LIVE_URL") else {
        eprintln!("skipped: FSMSIM_LIVE_URL does not name a server with a model");
        return None;
    };
    let mut provider = Provider::new("tiny", Wire::OpenAi, &url, "tiny");
    (provider.timeout, provider.retries) = (Duration::from_mins(2), 0);
    set(&mut provider);
    let link = AnswererSpec::live(&provider, 0, &Arc::new(Budget::default())).unwrap();
    let outside = AnswererConfig::new(vec![link]);
    let mut answerer = outside.answerer(&DialogueKey {
        seed: 0,
        dialogue: "tiny",
        number: 0,
        cassette: None,
    });
    let targets = ["greeting", "talk", "bye"]
        .map(|state| DecisionTarget { state, goal: "" })
        .to_vec();
    let task = Task::Decide {
        state: "greeting",
        goal: "Say hello",
        utterance: "Bye!",
        targets,
        known: Vec::new(),
        history: &[],
    };
    let (mut failed, begun) = (Vec::new(), Instant::now());
    let reply = answerer.answer(&Request { task, turn: 1 }, &mut failed);
    let told = reply
        .as_ref()
        .map(|reply| (&reply.value, reply.tokens, &reply.stop));
    let usage = &outside.usage()[0].1;
    eprintln!(
        "{settings}: {:.1} s, {told:?}, {failed:?}, {usage:?}",
        begun.elapsed().as_secs_f64()
    );
    Some((reply, failed))
}

#[test]
fn a_schema_holds_a_real_model_to_the_shape_of_the_answer() {
    let Some((reply, failed)) = asked("schema", |_| {}) else {
        return;
    };
    let reply = reply.unwrap_or_else(|| panic!("{failed:?}"));
    assert!(reply.value.get("should_transition").is_some(), "{reply:?}");
    assert!(
        reply.tokens.asked > 50 && reply.tokens.answered > 5,
        "{reply:?}"
    );
    assert_eq!((reply.stop.as_deref(), failed), (Some("stop"), Vec::new()));
}

#[test]
fn a_real_server_is_spoken_to_in_every_way() {
    // A toy may say anything here; whatever it says is an answer, or fails for what it says and not on the way.
    for (settings, wire, structured) in [
        ("anthropic, tool", Wire::Anthropic, Structured::Tool),
        ("anthropic, prompt", Wire::Anthropic, Structured::Prompt),
        ("openai, tool", Wire::OpenAi, Structured::Tool),
        ("openai, prompt", Wire::OpenAi, Structured::Prompt),
    ] {
        let asked = asked(settings, |provider| {
            provider.wire = wire.clone();
            provider.structured = structured;
        });
        let Some((reply, failed)) = asked else { return };
        assert!(reply.is_some() || !failed.is_empty(), "{settings}");
        let said = |attempt: &Attempt| {
            use FailureKind::{CutOff, Empty, WrongSchema};
            let reason = &attempt.failure.reason;
            matches!(attempt.failure.kind, CutOff | Empty | WrongSchema)
                && !reason.contains("of the server")
        };
        assert!(failed.iter().all(said), "{settings}: {failed:?}");
    }
}

#[test]
fn a_real_model_that_takes_too_long_is_told() {
    let Some((reply, failed)) = asked("50 ms", |provider| {
        provider.timeout = Duration::from_millis(50);
    }) else {
        return;
    };
    assert_eq!(reply, None);
    assert_eq!(
        failed
            .iter()
            .map(|one| one.failure.kind)
            .collect::<Vec<_>>(),
        [FailureKind::TimeOut]
    );
}

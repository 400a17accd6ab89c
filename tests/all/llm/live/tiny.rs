//! A real, tiny model: tests that requests, schemas and timeouts work, never the quality of its answers.
//!
//! `FSMSIM_LIVE_URL` is the URL of a server that supports both protocols, for example `http://127.0.0.1:8099/v1`.
//! Without it, the tests are skipped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::{
    AnswererConfig, AnswererReply, AnswererSpec, Attempt, Budget, DecisionTarget, DialogueKey,
    FailureKind, Provider, Request, Structured, Task, Wire,
};

/// The answer of a model with these settings, and the failed attempts. `None` (with a message) if no server is set.
fn request(
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
    let spec = AnswererSpec::live(&provider, 0, &Arc::new(Budget::default())).unwrap();
    let config = AnswererConfig::new(vec![spec]);
    let mut answerer = config.answerer(&DialogueKey {
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
    let (mut failed, start) = (Vec::new(), Instant::now());
    let reply = answerer.answer(&Request { task, turn: 1 }, &mut failed);
    let outcome = reply
        .as_ref()
        .map(|reply| (&reply.value, reply.tokens, &reply.stop));
    let usage = &config.usage()[0].1;
    eprintln!(
        "{settings}: {:.1} s, {outcome:?}, {failed:?}, {usage:?}",
        start.elapsed().as_secs_f64()
    );
    Some((reply, failed))
}

#[test]
fn schema_constrains_the_answer_of_a_real_model() {
    let Some((reply, failed)) = request("schema", |_| {}) else {
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
fn real_server_accepts_every_request_format() {
    // A tiny model can answer anything: the answer is accepted, or it fails because of its content and not in transport.
    for (settings, wire, structured) in [
        ("anthropic, tool", Wire::Anthropic, Structured::Tool),
        ("anthropic, prompt", Wire::Anthropic, Structured::Prompt),
        ("openai, tool", Wire::OpenAi, Structured::Tool),
        ("openai, prompt", Wire::OpenAi, Structured::Prompt),
    ] {
        let request = request(settings, |provider| {
            provider.wire = wire.clone();
            provider.structured = structured;
        });
        let Some((reply, failed)) = request else {
            return;
        };
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
fn slow_real_model_times_out() {
    let Some((reply, failed)) = request("50 ms", |provider| {
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

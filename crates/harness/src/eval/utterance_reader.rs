//! Reads an utterance in the same way as in a dialogue.

use std::sync::Arc;
use std::time::Instant;

use super::dataset::{DatasetUtterance, NONE};
use super::utterance_result::{FailedAsk, LikelyIntent, UtteranceReading, json_of};
use crate::statistics::rounded;
use fsmsim_adapters::llm::{
    Answerer, Attempt, ExampleClassifier, FailureKind, NEAREST_AT_MOST, Request, Scene, Speaker,
    Task,
};
use fsmsim_core::engine::{
    Input, Machine, Need, RecognitionConfidence, Session, Symbol, read_by_answer, read_by_phrase,
    read_by_policy,
};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The recognizer name that is reported if a phrase of the model matches.
const PHRASES: &str = "phrases";

/// Reads utterances in the same way as in a dialogue: by the phrases of the model, or else by a recognizer.
#[derive(Clone, Copy, Debug)]
pub struct UtteranceReader<'m> {
    pub machine: &'m Arc<Machine>,
    /// Calls a recognizer even for utterances that match a phrase of the model.
    pub ignores_phrases: bool,
}

/// Rejects a model that does not recognize intents, because moves drive it or because it checks answers against points.
pub fn refuse_silent(machine: &Arc<Machine>) -> Checked {
    let input = Input {
        say: Some("?".into()),
        ..Input::default()
    };
    let is_read = matches!(
        read_by_policy(machine, machine.initial, &input, &[]),
        Ok(None)
    );
    if is_read && !machine.known_intents().is_empty() {
        return Ok(());
    }
    Diagnostic::error(Code::WrongInput, "the model does not recognize intents")
        .about(machine.header.source.clone())
        .help("use a flow or a contract")
        .fail()
}

impl UtteranceReader<'_> {
    /// Reads an utterance, with `answerer` if a recognizer is necessary. Also returns the confidence of the reading, if
    /// any.
    pub(super) fn read(
        &self,
        utterance: &DatasetUtterance,
        answerer: &mut dyn Answerer,
    ) -> (UtteranceReading, Option<RecognitionConfidence>) {
        let input = Input {
            say: Some(Arc::clone(&utterance.say)),
            ..Input::default()
        };
        let (settings, session) = &*utterance.setting;
        if !self.ignores_phrases
            && let Some(read) = read_by_phrase(self.machine, settings, session, &input)
        {
            let intent = read
                .intent
                .as_ref()
                .map(|intent| intent.text(&self.machine.names.intents).to_owned());
            let reading = UtteranceReading {
                intent,
                by: Some(PHRASES.to_owned()),
                ..self.without_intent(&read)
            };
            return (reading, None);
        }
        let mut failed = Vec::new();
        let started = Instant::now();
        let asked = self.with_request(utterance, |request| {
            let reply = answerer.answer(request, &mut failed);
            let Task::Classify(task) = &request.task else {
                return (reply, None, None);
            };
            let by = reply.as_ref().map(|reply| &*reply.by);
            let last = failed.last().map(|attempt| &*attempt.by);
            let is_by_examples = by.or(last) == Some(ExampleClassifier::NAME);
            let nearest = is_by_examples.then(|| ExampleClassifier::nearest(task));
            (reply, task.unclear.map(str::to_owned), nearest.flatten())
        });
        let (reply, unclear, nearest) = asked.unwrap_or_default();
        let took = started.elapsed();
        let is_silent = failed
            .last()
            .is_some_and(|attempt| attempt.failure.kind == FailureKind::NoProvider);
        let value = reply.as_ref().map(|reply| &reply.value);
        let read =
            value.and_then(|value| read_by_answer(self.machine, settings, session, &input, value));
        let mut reading = UtteranceReading::default();
        let mut doubt = None;
        if let (Some(value), Some((read, disposition, _))) = (value, &read) {
            reading = self.without_intent(read);
            // Spurious values are not dialogue data, but they are counted.
            if let Some(Value::Map(data)) = value.get("data") {
                for (name, value) in data.iter().filter(|(_, value)| value.filled()) {
                    reading
                        .data
                        .entry(name.to_string())
                        .or_insert_with(|| json_of(value));
                }
            }
            reading.intent = value
                .get("intent")
                .and_then(Value::as_text)
                .map(str::to_owned);
            reading.disposition = disposition.map(|decision| decision.name().to_owned());
            reading.confidence = disposition
                .and(read.confidence)
                .map(|share| rounded(share.get().clamp(0.0, 1.0)));
            reading.closest = value
                .get("closest")
                .and_then(Value::as_text)
                .map(str::to_owned);
            reading.alternatives = alternatives(value);
            // The example classifier gets no prompt, so instructions in prompts do not apply to it.
            let has_prompt = reply
                .as_ref()
                .is_some_and(|reply| &*reply.by != ExampleClassifier::NAME);
            reading.fits_nothing =
                has_prompt && fits_nothing(&reading, unclear.as_deref(), &utterance.intent);
            doubt = reading.confidence.zip(reading.intent.as_deref()).and_then(
                |(confidence, intent)| {
                    let rules = self.machine.policies.disambiguation()?;
                    Some(rules.doubt(intent, confidence, value))
                },
            );
        }
        reading.nearest = nearest;
        reading.by = reply.as_ref().map(|reply| reply.by.to_string());
        reading.unanswered = reply.is_none() && !is_silent;
        reading.failed = failed.iter().map(ask).collect();
        let is_fresh = reply.as_ref().is_some_and(|reply| reply.fresh);
        reading.ms = is_fresh.then(|| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        (reading, doubt)
    }

    /// The classification request for an utterance.
    fn with_request<T>(
        &self,
        utterance: &DatasetUtterance,
        ask: impl FnOnce(&Request<'_>) -> T,
    ) -> Option<T> {
        let (_, session) = &*utterance.setting;
        let instruction = Session::instruction(session, self.machine).unwrap_or_default();
        let scene = Scene {
            machine: self.machine,
            session,
            say: Some(&utterance.say),
            at: None,
            instruction: &instruction,
            history: &utterance.history,
            knowledge: &[],
        };
        let turns_before = utterance
            .history
            .iter()
            .filter(|line| line.by == Speaker::User)
            .count();
        let turn = u32::try_from(turns_before + 1).unwrap_or(u32::MAX);
        let need = Need::Classify {
            state: session.position.state,
        };
        let task = Task::of(&need, &scene)?;
        Some(ask(&Request { task, turn }))
    }

    /// The reading without its intent: secondary intents and data.
    fn without_intent(&self, read: &Input) -> UtteranceReading {
        let names = &self.machine.names;
        let also = read
            .also
            .iter()
            .map(|intent| intent.text(&names.intents).to_owned());
        let filled = read
            .data
            .values()
            .iter()
            .filter(|(_, value)| value.filled());
        let data = filled
            .map(|(slot, value)| (Symbol::text(slot, &names.slots).to_owned(), json_of(value)));
        UtteranceReading {
            also: also.collect(),
            data: data.collect(),
            ..UtteranceReading::default()
        }
    }
}

/// Whether a reading reports, as the prompt instructs, that no intent fits. It does so by the `unclear` intent (which
/// may also be the label), or by the nearest intent with a very low confidence.
fn fits_nothing(reading: &UtteranceReading, unclear: Option<&str>, labeled: &str) -> bool {
    match (unclear, &reading.intent) {
        (_, None) => false,
        (Some(unclear), Some(intent)) => labeled == NONE && intent == unclear,
        (None, Some(_)) => reading
            .confidence
            .is_some_and(|confidence| confidence <= NEAREST_AT_MOST),
    }
}

/// The alternative readings in an answer.
fn alternatives(answer: &Value) -> Vec<LikelyIntent> {
    let items = answer.get("alternatives").into_iter();
    let likely = |item: &Value| {
        Some(LikelyIntent {
            intent: item.get("intent")?.as_text()?.to_owned(),
            confidence: rounded(item.get("confidence")?.as_number()?),
        })
    };
    items.flat_map(Value::items).filter_map(likely).collect()
}

fn ask(attempt: &Attempt) -> FailedAsk {
    FailedAsk {
        by: attempt.by.to_string(),
        why: attempt.failure.reason.clone(),
    }
}

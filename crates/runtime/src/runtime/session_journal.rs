//! Dialogues saved in the session store.

use serde_json::{Value as Json, json};

use super::dialogue_runner::DialogueRunner;
use super::journal::Journal;
use super::resumed_dialogue::ResumedDialogue;
use super::turn_tree::TurnTree;
use fsmsim_adapters::llm::Utterance;
use fsmsim_adapters::stores::{
    SessionId, SessionStore, StoredAnswer, StoredPath, StoredSession, StoredTurn, TreePlace,
    TreeRoot, TurnNode, TypedLine,
};
use fsmsim_core::engine::{Answer, Machine, SavedSession};
use fsmsim_core::machine::{NeedKey, NeedKind, Value};
use fsmsim_syntax::diagnostic::Checked;

/// A dialogue that is saved in the session store.
#[derive(Debug)]
pub struct SessionJournal {
    store: SessionStore,
    session: StoredSession,
    /// The number of utterances already saved.
    said: usize,
    /// The answers of an interrupted turn, until it resumes.
    interrupted: Option<Vec<StoredAnswer>>,
    /// Unanswered requests since the last answer. They are saved with the next answer, so that a resumed turn leaves
    /// them unanswered again.
    unanswered: Vec<StoredAnswer>,
    /// The input line of the current turn.
    line: String,
    /// The position in the tree of turns.
    place: TreePlace,
    /// The number of moments in the tree.
    moments: u32,
}

impl SessionJournal {
    /// Saves a dialogue from its start. `session` specifies how the dialogue started.
    pub fn begin(
        store: SessionStore,
        session: StoredSession,
        dialogue: &DialogueRunner,
    ) -> Checked<Self> {
        let mut journal = Self::of(store, session);
        let start = journal.session.given.clone();
        journal.begin_again(dialogue, &start)?;
        Ok(journal)
    }

    fn of(store: SessionStore, session: StoredSession) -> Self {
        Self {
            store,
            session,
            said: 0,
            interrupted: None,
            unanswered: Vec::new(),
            line: String::new(),
            place: TreePlace::default(),
            moments: 0,
        }
    }

    /// Resumes a dialogue. `session` is its content in the store.
    ///
    /// # Errors
    /// Returns the finding if the session cannot be read or does not match the current model.
    pub fn resume(
        mut store: SessionStore,
        session: StoredSession,
        machine: &Machine,
    ) -> Checked<(Self, ResumedDialogue)> {
        let unreadable = |store: &SessionStore, error: &serde_json::Error| {
            let finding = store.unusable(&format!("cannot read its data: {error}"));
            Box::new(finding.help("restore the model of the session, or start another session"))
        };
        let saved = SavedSession::from_text(&session.checkpoint.saved)
            .map_err(|error| unreadable(&store, &error))?;
        if machine.state_id(&saved.state).is_none() {
            let states = machine.declared_names();
            let why = format!("its state `{}` is not in the model", saved.state);
            let help = "restore the state, or start another session";
            return store.unusable(&why).near(&saved.state, states, help).fail();
        }
        let restored = saved
            .restore(machine)
            .map_err(|error| unreadable(&store, &error))?;
        let history = store.said()?;
        let records = store.records()?;
        if u32::try_from(records.len()) != Ok(session.turns) {
            return store
                .unusable(&format!(
                    "expected {} turns, found {}",
                    session.turns,
                    records.len()
                ))
                .help("restore a copy of the file, or start another session")
                .fail();
        }
        let interrupted = store
            .interrupted()?
            .map(|StoredTurn { line, answers }| (line, answers));
        let (line, answers) = interrupted.unzip();
        // The memory was last saved with the last answer.
        let last = answers.iter().flatten().next_back();
        let memory = last.map_or(&session.checkpoint.memory, |answer: &StoredAnswer| {
            &answer.memory
        });
        let memory = serde_json::from_str(memory).map_err(|error| unreadable(&store, &error))?;
        let mut journal = Self::of(store, session);
        journal.said = history.len();
        journal.interrupted = answers;
        journal.line = line.clone().unwrap_or_default();
        let tree = journal.take_tree(&history, &records)?;
        journal.session.fingerprint = machine.files.fingerprint();
        let id = SessionId::of(&journal.session.checkpoint.id);
        let turns = journal.session.turns;
        let session = restored;
        let interrupted = line;
        Ok((
            journal,
            ResumedDialogue {
                id,
                session,
                turns,
                history,
                memory,
                records,
                tree,
                interrupted,
            },
        ))
    }

    /// Loads the saved tree. If it is unreadable or does not match the session, a new tree starts at the current turn.
    fn take_tree(&mut self, said: &[Utterance], records: &[String]) -> Checked<TurnTree> {
        let kept = self.store.tree(StoredPath { records, said })?;
        let known =
            kept.and_then(|(root, place, moments)| TurnTree::restored(root, place, moments));
        let is_here = |tree: &TurnTree| {
            let checkpoint = tree.checkpoint(tree.at());
            checkpoint.saved == self.session.checkpoint.saved
                && tree.turns_at(tree.at()) == self.session.turns
        };
        if let Some(tree) = known.filter(is_here) {
            self.take_place(&tree);
            return Ok(tree);
        }
        let tree = TurnTree::begin(TreeRoot {
            checkpoint: self.session.checkpoint.clone(),
            turns: self.session.turns,
            said: said.to_vec(),
            records: records.to_vec(),
        });
        self.take_place(&tree);
        self.store.plant(tree.root(), &self.place)?;
        Ok(tree)
    }

    /// Copies the position from the tree.
    fn take_place(&mut self, tree: &TurnTree) {
        self.place = tree.place().clone();
        self.moments = u32::try_from(tree.moments().len()).unwrap_or(u32::MAX);
    }

    /// Copies the current state of the dialogue.
    fn take(&mut self, dialogue: &DialogueRunner) {
        self.session.checkpoint = dialogue.checkpoint();
        self.session.turns = dialogue.turns();
    }
}

impl Journal for SessionJournal {
    fn begin_turn(&mut self, line: &str) -> Checked {
        // A resumed turn has already started, including the manual changes before it.
        if self.interrupted.is_some() && self.line.starts_with(line) {
            return Ok(());
        }
        line.clone_into(&mut self.line);
        self.store
            .begin_turn(self.session.turns.saturating_add(1), line)
    }

    fn recall(&mut self, machine: &Machine) -> Vec<Answer> {
        self.interrupted
            .take()
            .into_iter()
            .flatten()
            .filter_map(|stored| answer(&stored, machine))
            .collect()
    }

    fn keep(&mut self, answer: &Answer, dialogue: &DialogueRunner) {
        self.unanswered.push(stored(answer, dialogue));
        // An unanswered request is saved only with a later answer. Until then, it may be requested again.
        if answer.value.is_some() {
            // An error does not stop the turn, because answers that are not saved are requested again. If the store is
            // not writable, the end of the turn reports it.
            let _ = self.store.answer(&std::mem::take(&mut self.unanswered));
        }
    }

    fn end_turn(&mut self, dialogue: &DialogueRunner, record: &str) -> Checked {
        self.take(dialogue);
        let said = dialogue.history().get(self.said..).unwrap_or_default();
        let said_before = u32::try_from(self.said).unwrap_or(u32::MAX);
        let number = self.moments.saturating_add(1);
        let mut place = self.place.clone();
        place.grow(number);
        let turn = TurnNode {
            before: self.place.moment,
            line: std::mem::take(&mut self.line),
            record: record.to_owned(),
            said: said.to_vec(),
            checkpoint: self.session.checkpoint.clone(),
        };
        self.store
            .end_turn(&self.session, &turn, said_before, &place)?;
        self.place = place;
        self.moments = number;
        self.said += said.len();
        self.unanswered.clear();
        Ok(())
    }

    fn travel(&mut self, dialogue: &DialogueRunner, tree: &TurnTree, begun: &str) -> Checked {
        self.take(dialogue);
        self.session.fingerprint = dialogue.machine().files.fingerprint();
        let records: Vec<String> = tree.all_records_to(tree.at()).map(str::to_owned).collect();
        let known = usize::try_from(self.moments).unwrap_or(usize::MAX);
        let grown = tree.moments().get(known..).unwrap_or_default();
        let begun = Some((self.session.turns.saturating_add(1), begun))
            .filter(|(_, line)| !line.is_empty());
        let path = StoredPath {
            records: &records,
            said: dialogue.history(),
        };
        self.store
            .travel(&self.session, tree.place(), path, grown, begun)?;
        self.take_place(tree);
        self.said = dialogue.history().len();
        self.interrupted = None;
        self.unanswered.clear();
        Ok(())
    }

    fn note_line(&mut self, line: &str) -> Checked {
        self.store.note_line(line)
    }

    fn lines(&mut self, most: u32) -> Checked<Option<Vec<TypedLine>>> {
        self.store.lines(most).map(Some)
    }

    fn begin_again(&mut self, dialogue: &DialogueRunner, start: &str) -> Checked {
        self.take(dialogue);
        self.session.fingerprint = dialogue.machine().files.fingerprint();
        start.clone_into(&mut self.session.start);
        let tree = TurnTree::begin(TreeRoot::default());
        self.store.begin(&self.session, tree.place())?;
        self.said = 0;
        self.interrupted = None;
        self.take_place(&tree);
        self.unanswered.clear();
        Ok(())
    }
}

/// The key of the value in a stored answer. Missing if no provider answered.
const ANSWER: &str = "answer";

/// Whether a stored answer has a value.
pub fn is_answered(stored: &StoredAnswer) -> bool {
    serde_json::from_str::<Json>(&stored.answer).is_ok_and(|answer| answer.get(ANSWER).is_some())
}

/// Converts an answer to its stored form. Uses names, because IDs may differ when the machine is loaded again.
fn stored(answer: &Answer, dialogue: &DialogueRunner) -> StoredAnswer {
    let NeedKey { kind, index } = answer.key;
    let effect = match kind {
        NeedKind::Effect(effect) => dialogue.machine().names.effects.name(effect).to_owned(),
        _ => String::new(),
    };
    let failed: Vec<(&str, &str)> = answer
        .failed
        .iter()
        .map(|(by, why)| (&**by, &**why))
        .collect();
    let mut stored = json!({"by": answer.by.as_deref(), "failed": failed});
    if let (Some(value), Some(map)) = (&answer.value, stored.as_object_mut()) {
        map.insert(
            ANSWER.to_owned(),
            serde_json::to_value(value).unwrap_or_default(),
        );
    }
    StoredAnswer {
        need: kind.name().to_owned(),
        effect,
        index,
        answer: stored.to_string(),
        memory: dialogue.memory().to_string(),
    }
}

/// Restores a stored answer. Returns `None` if the machine no longer makes this request.
fn answer(stored: &StoredAnswer, machine: &Machine) -> Option<Answer> {
    let kind = match &*stored.need {
        NeedKind::EFFECT => NeedKind::Effect(machine.names.effects.id(&stored.effect)?),
        need => NeedKind::judgment(need)?,
    };
    let answer: Json = serde_json::from_str(&stored.answer).ok()?;
    let failed = answer
        .get("failed")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|pair| Some((pair.get(0)?.as_str()?.into(), pair.get(1)?.as_str()?.into())));
    Some(Answer {
        key: NeedKey {
            kind,
            index: stored.index,
        },
        value: answer.get(ANSWER).cloned().map(Value::from),
        by: answer.get("by").and_then(Json::as_str).map(Into::into),
        failed: failed.collect(),
    })
}

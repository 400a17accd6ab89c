use fsmsim_core::engine::{Class, RecordView};
use fsmsim_core::trace::JsonLine;
use fsmsim_harness::interactive::WhySentence;

/// Everything that happened in one turn, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    from_state: String,
    state: String,
    phase: Option<String>,
    class: Class,
    action: String,
    why: String,
    replies: Vec<String>,
    json: String,
}

impl Record {
    pub(crate) fn new(view: &RecordView<'_>) -> Self {
        let mut line = JsonLine::default();
        view.write(&mut line);
        let outcome = view.record.outcome.as_ref();
        let states = outcome.map(|outcome| view.states(outcome));
        let current = || view.state(view.session.position.state).to_owned();
        Self {
            from_state: states.map_or_else(current, |states| states.from.to_owned()),
            state: states.map_or_else(current, |states| states.to.to_owned()),
            phase: outcome.and_then(|outcome| view.phases(outcome).to.map(str::to_owned)),
            class: outcome.map_or(Class::Hold, |outcome| outcome.class),
            action: outcome
                .map(|outcome| view.action(outcome.action).to_owned())
                .unwrap_or_default(),
            why: WhySentence::of(view).to_string(),
            replies: view.replies().map(str::to_owned).collect(),
            json: line.into_string(),
        }
    }

    /// The state before the turn.
    pub fn from_state(&self) -> &str {
        &self.from_state
    }

    /// The state after the turn.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The phase after the turn.
    pub fn phase(&self) -> Option<&str> {
        self.phase.as_deref()
    }

    /// The structural class of the turn.
    pub fn class(&self) -> Class {
        self.class
    }

    /// The action that the assistant takes.
    pub fn action(&self) -> &str {
        &self.action
    }

    /// The reason in one sentence: what decided the transition and the action, each with its location in the model.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The replies of the assistant, if the model contains any.
    pub fn replies(&self) -> &[String] {
        &self.replies
    }

    /// All fields of the record as one line of a trace, without the line break.
    ///
    /// ```
    /// # let model = fsmsim::Model::load("flows/support.yaml")?;
    /// let record = model.dialogue("third try").run(&fsmsim::Turn::new("greeting"))?;
    /// assert!(record.json().starts_with(r#"{"turn":1,"#));
    /// # Ok::<(), fsmsim::Diagnostics>(())
    /// ```
    pub fn json(&self) -> &str {
        &self.json
    }
}

//! Plays all turns of a pair of states in two models.

use super::answers::answers;
use super::pair_side::{PairSide, SeenTurn};
use crate::limits::MAX_NEEDS;
use fsmsim_core::engine::{Answer, Input, Need, Scratch, Session, TurnRecord, advance};
use fsmsim_core::machine::{NeedKey, Value};

/// The answer to a need: the name and the index of the need, and the value with the names of the second model.
pub(crate) type Given = (Box<str>, u32, Option<Value>);

/// A turn in both models.
pub(crate) struct PairTurn {
    /// The number of the input among those of the pair.
    pub(crate) input: u32,
    pub(crate) given: Vec<Given>,
    /// Whether both models play the same turn.
    pub(crate) is_equal: bool,
    /// Whether a phase was entered.
    pub(crate) has_entered: bool,
    /// The keys of the sessions after the turn, or the sessions if parts of their keys are new.
    pub(crate) ends: [(Vec<u32>, Option<Box<Session>>); 2],
}

/// Plays turns of two models with the same answers, and reuses memory from turn to turn.
pub(crate) struct PairPlayer<'p, 'm> {
    players: [SidePlayer<'p, 'm>; 2],
    /// Whether actions are compared.
    acts: bool,
}

struct SidePlayer<'p, 'm> {
    side: &'p PairSide<'m>,
    scratch: Scratch,
    record: TurnRecord,
    session: Session,
    answers: Vec<Answer>,
}

impl<'p, 'm> PairPlayer<'p, 'm> {
    pub(crate) fn new(sides: &'p [PairSide<'m>; 2]) -> Self {
        let player = |side: &'p PairSide<'m>| SidePlayer {
            side,
            scratch: Scratch::default(),
            record: TurnRecord::default(),
            session: Session::new(side.searched.machine),
            answers: Vec::new(),
        };
        Self {
            players: sides.each_ref().map(player),
            acts: sides.iter().all(|side| side.has_actions),
        }
    }

    /// Plays an input with every combination of answers. Both models get the same answer to the same need.
    pub(crate) fn all(
        &mut self,
        from: &[Session; 2],
        inputs: &[Input; 2],
        input: u32,
        found: &mut Vec<PairTurn>,
    ) {
        let mut open: Vec<Vec<Given>> = vec![Vec::new()];
        while let Some(given) = open.pop() {
            let needs = self.play(from, inputs, &given);
            if needs.iter().all(Option::is_none) {
                let [one, other] = &self.seen();
                let [first, _] = &self.players;
                found.push(PairTurn {
                    input,
                    given,
                    is_equal: one == other,
                    has_entered: first.session.phase_entered,
                    ends: self.players.each_mut().map(SidePlayer::end),
                });
            } else if given.len() < MAX_NEEDS {
                open.extend(self.answered(&needs, &given).into_iter().rev());
            }
        }
    }

    /// Plays a turn. Returns the first need of each model without an answer.
    pub(crate) fn play(
        &mut self,
        from: &[Session; 2],
        inputs: &[Input; 2],
        given: &[Given],
    ) -> [Option<Need>; 2] {
        let mut sides = self.players.iter_mut().zip(from.iter().zip(inputs));
        let mut need = || {
            let (player, (from, input)) = sides.next()?;
            player.play(from, input, given)
        };
        [need(), need()]
    }

    /// The observations of the last turn.
    pub(crate) fn seen(&self) -> [SeenTurn; 2] {
        let seen = |player: &SidePlayer<'_, '_>| {
            let SidePlayer {
                side,
                record,
                session,
                ..
            } = player;
            side.seen(record, session, self.acts)
        };
        self.players.each_ref().map(seen)
    }

    /// Copies the sessions after the last turn.
    pub(crate) fn leave(&self, sessions: &mut [Session; 2]) {
        for (session, player) in sessions.iter_mut().zip(&self.players) {
            session.copy_from(&player.session);
        }
    }

    /// The answers that each model used in the last turn.
    pub(crate) fn answers(&self) -> [Vec<(NeedKey, Option<Value>)>; 2] {
        self.players.each_ref().map(|player| {
            let answers = player.answers.iter();
            answers
                .map(|answer| (answer.key, answer.value.clone()))
                .collect()
        })
    }

    /// The lists of answers with one more answer, to the need of the first model if it has one.
    fn answered(&self, needs: &[Option<Need>; 2], given: &[Given]) -> Vec<Vec<Given>> {
        let mut name = None;
        let mut values: Vec<Option<Value>> = Vec::new();
        for (player, need) in self.players.iter().zip(needs) {
            let Some(need) = need else { continue };
            let side = player.side;
            let own = side.need_name(need.key());
            if *name.get_or_insert_with(|| own.clone()) != own {
                continue;
            }
            for value in answers(need, side.searched.machine, &side.searched.inputs.values) {
                let shared = |value: &Value| with_state(value, |name| side.shared(name).to_owned());
                let value = value.as_ref().map(shared);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        let Some((name, index)) = name else {
            return Vec::new();
        };
        let more = |value| {
            let mut more = given.to_vec();
            more.push((name.clone(), index, value));
            more
        };
        values.into_iter().map(more).collect()
    }
}

impl SidePlayer<'_, '_> {
    /// Plays a turn. Returns the first need without an answer.
    fn play(&mut self, from: &Session, input: &Input, given: &[Given]) -> Option<Need> {
        let side = self.side;
        let searched = &side.searched;
        self.answers.clear();
        loop {
            self.session.copy_from(from);
            let need = advance(
                searched.machine,
                &searched.settings,
                &mut self.session,
                input,
                &self.answers,
                &mut self.scratch,
                &mut self.record,
            )?;
            let (name, index) = side.need_name(need.key());
            let known = given.iter().find(|(of, at, _)| *of == name && *at == index);
            match known.filter(|_| self.answers.len() < given.len()) {
                Some((_, _, value)) => {
                    let own = |value: &Value| with_state(value, |name| side.own(name).to_owned());
                    let value = value.as_ref().map(own);
                    self.answers.push(Answer::given(need.key(), value));
                }
                None => return Some(need),
            }
        }
    }

    /// The key of the session after the turn, or the session if a part of its key is new.
    fn end(&mut self) -> (Vec<u32>, Option<Box<Session>>) {
        let side = self.side;
        let key = side.searched.key(&mut self.session);
        let is_new = key.is_none();
        let session = is_new.then(|| Box::new(self.session.clone()));
        (key.unwrap_or_default(), session)
    }
}

/// An answer with another name of the state that it chooses.
fn with_state(answer: &Value, rename: impl Fn(&str) -> String) -> Value {
    let Value::Map(pairs) = answer else {
        return answer.clone();
    };
    Value::map(pairs.iter().map(|(key, value)| {
        let state = value.as_text().filter(|_| &**key == "next_state");
        let value = match state {
            Some(name) => Value::text(&rename(name)),
            None => value.clone(),
        };
        (&**key, value)
    }))
}

//! The common workload: events of a linear congruential generator, played through the engine (W1) or written as scenarios
//! with ten asserted turns each (W2).

use std::fmt::Write;
use std::hint::black_box;

use fsmsim_core::engine::{Input, Machine, Scratch, Session, Settings, SignalMode, advance};
use fsmsim_core::machine::StateId;

const INTENTS: [&str; 14] = [
    "price_question",
    "info_provided",
    "situation_provided",
    "problem_revealed",
    "implication_acknowledged",
    "need_expressed",
    "agreement",
    "demo_request",
    "contact_provided",
    "objection_price",
    "objection_think",
    "rejection",
    "go_back",
    "unclear",
];
/// The intent for each draw of five bits.
const TABLE: [usize; 32] = [
    0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 9, 9, 10, 10, 11, 12, 12, 13,
    13, 13,
];
const TURNS: usize = 10;

/// The event stream: indices of intents.
struct Events(u32);

impl Events {
    fn new() -> Self {
        Self(12_345)
    }
}

impl Iterator for Events {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        TABLE.get((self.0 >> 27) as usize).copied()
    }
}

/// The model with what is needed to play events on it.
struct Player<'a> {
    machine: &'a Machine,
    settings: Settings,
    inputs: [Input; INTENTS.len()],
    session: Session,
    scratch: Scratch,
}

impl<'a> Player<'a> {
    fn new(machine: &'a Machine) -> Self {
        let mut settings = machine.settings().clone();
        settings.signals = SignalMode::None;
        let input = |name| Input::intent(machine.names.intents.id(name).unwrap());
        Self {
            machine,
            settings,
            inputs: INTENTS.map(input),
            session: Session::new(machine),
            scratch: Scratch::default(),
        }
    }

    fn play(&mut self, event: usize) {
        advance(
            self.machine,
            &self.settings,
            &mut self.session,
            &self.inputs[event],
            &[],
            &mut self.scratch,
            &mut (),
        );
    }

    /// Starts a new dialogue if the current one has ended.
    fn restart_at_end(&mut self) -> bool {
        let is_final = self.session.is_final(self.machine);
        if is_final {
            self.session.reset(self.machine);
        }
        is_final
    }
}

/// Plays `count` events; `visit` gets the state after each.
pub(crate) fn play_events(machine: &Machine, count: usize, mut visit: impl FnMut(StateId)) {
    let mut player = Player::new(machine);
    for event in Events::new().take(count) {
        player.play(event);
        visit(player.session.position.state);
        player.restart_at_end();
    }
    black_box(player.session.position.state);
}

/// Writes `count` scenarios of ten asserted turns each. If a dialogue ends within a scenario, the next turn resets it.
pub(crate) fn conversations(machine: &Machine, count: usize) -> String {
    let mut text = String::new();
    let mut events = Events::new();
    let mut player = Player::new(machine);
    for number in 0..count {
        let _ = write!(
            text,
            "---\nscenario: Conversation {number}\nmodel: ./sales_workload.yaml\nsignals: none\nturns:\n"
        );
        player.session = Session::new(machine);
        for event in events.by_ref().take(TURNS) {
            let before = if player.restart_at_end() {
                "before: [{op: reset}], "
            } else {
                ""
            };
            player.play(event);
            let state = machine.names.states.name(player.session.position.state);
            let _ = writeln!(
                text,
                "  - {{{before}intent: {}, expect: {{state: {state}}}}}",
                INTENTS[event]
            );
        }
    }
    text
}

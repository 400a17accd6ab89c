//! A turn is played: it is kept, shown, and grows the tree of the turns.

use super::render;
use super::repl::{Repl, ReplReply};
use crate::diagnostic::Diagnostic;
use crate::engine::ScriptedTurn;
use crate::runtime::TurnNode;
use crate::trace::JsonLine;

impl Repl {
    /// Plays the turn of a line.
    ///
    /// # Errors
    /// Why the dialogue cannot be kept.
    pub(super) fn play(&mut self, line: &str, turn: ScriptedTurn) -> Result<ReplReply, Box<Diagnostic>> {
        let mut notes = String::new();
        // It was changed at once to be seen; the turn tells of it, and so it is done in the turn.
        let (mut operations, mut lines) = self.take_by_hand();
        lines.push(line.trim().to_owned());
        let line = lines.join("\n");
        if let Some(former) = self.leave_former_way(&line)? {
            notes = render::note(&format!("what came next is kept as the branch `{former}`"));
        }
        self.last = turn;
        operations.append(&mut self.last.before);
        self.last.before = operations;
        let heard = self.runner.history().len();
        self.journal.begin_turn(&line)?;
        let view = self.runner.play_kept(&self.last, &mut *self.journal).view;
        let mut json = JsonLine::default();
        let shown = if view.record.outcome.is_some() {
            view.write(&mut json);
            render::record(&view)
        } else {
            String::new()
        };
        let json = json.into_string();
        self.journal.end_turn(&self.runner, &json)?;
        let said = self.runner.history().get(heard..).unwrap_or_default().to_vec();
        let checkpoint = self.runner.checkpoint();
        let records = json.clone() + "\n";
        self.tree.grow(TurnNode { before: 0, line, record: json, said, checkpoint });
        self.whys.insert(self.tree.at(), self.told_why());
        Ok(ReplReply::Played { notes, shown, after: String::new(), records })
    }

    /// Where the dialogue went back and is about to go another way, keeps the way that it leaves, and the line of the turn
    /// that begins: the name of its branch.
    fn leave_former_way(&mut self, begun: &str) -> Result<Option<String>, Box<Diagnostic>> {
        let is_at_end = self.tree.tip(self.tree.branch()) == Some(self.tree.at());
        let is_shared = self.tree.moments().iter().any(|moment| moment.before == self.tree.at());
        if is_at_end && !is_shared {
            return Ok(None);
        }
        let former = self.tree.keep_former();
        // What is done on this way is not what was done on the other.
        self.latest = self.latest.next();
        self.runner.be_known_as(self.latest.clone());
        self.journal.travel(&self.runner, &self.tree, begun)?;
        Ok(former)
    }
}

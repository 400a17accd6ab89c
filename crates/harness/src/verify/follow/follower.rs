//! Checks each turn of a growing trace when its line arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::super::verifier::{Inspection, ReachableStates, ReadDialogue, VerifiedDialogue};
use super::late_lines::{LateLines, Lateness, WaitingLine};
use super::live_dialogue::{DialogueContext, LiveDialogue, TurnResults};
use crate::limits::MAX_CLOSED_DIALOGUES;
use crate::verify::import::{BorrowedJson, ObservedDialogue, ObservedText, TraceMap};
use crate::verify::{DialogueVerdict, Finding, Verification, Verifier};
use fsmsim_core::machine::Profile;
use fsmsim_core::trace::{TracedDialogue, broken_line, read_header};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, Span};

/// The help for a line that cannot be read.
const HELP: &str = "use a trace that `fsmsim trace` wrote, or describe the fields of another format with `--map FILE`";

/// A result of following a trace.
#[derive(Clone, Debug)]
pub enum FollowEvent {
    /// A violation.
    Violation(Finding),
    /// A dialogue without further lines that has not ended: its name, and the number of its turns.
    Pending(String, usize),
}

/// The destinations of results and findings.
pub struct FollowOutput<'o> {
    pub event: &'o mut dyn FnMut(FollowEvent),
    pub report: &'o mut dyn FnMut(&Diagnostics, &SourceMap),
}

/// The state of a follower, or the part that changed.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct FollowState {
    /// The dialogues by name; `None` for a dialogue that is no longer open.
    dialogues: BTreeMap<String, Option<LiveDialogue>>,
    /// The dialogue to which further lines belong, in a trace of this program.
    current: Option<String>,
    waiting: Vec<WaitingLine>,
    verification: Verification,
}

/// Checks each turn of a growing trace when its line arrives.
pub struct Follower<'v> {
    inspection: Inspection<'v>,
    open: FxHashMap<Box<str>, LiveDialogue>,
    /// The hashes of the names of closed dialogues: the latest ones, and those before them.
    closed: [FxHashSet<u64>; 2],
    late: LateLines,
    current: Option<Box<str>>,
    /// The contexts of dialogues that record nothing before their first turn.
    contexts: BTreeMap<Profile, DialogueContext>,
    reported: BTreeSet<Profile>,
    pub verification: Verification,
    /// The current time in seconds.
    pub time: u64,
    /// The names of dialogues that changed since the last commit, if changes are recorded.
    changed: Option<FxHashSet<Box<str>>>,
}

impl FollowState {
    /// Adds the earlier state to these changes.
    pub fn follows(&mut self, earlier: Self) {
        let changed = std::mem::take(&mut self.dialogues);
        self.dialogues = earlier.dialogues;
        self.dialogues.extend(changed);
    }
}

impl<'v> Follower<'v> {
    /// A follower of the trace at `path`, which is called `name`. With `records`, changes are recorded.
    pub fn new(
        verifier: &'v Verifier<'v>,
        (path, name): (&'v Path, &str),
        map: Option<Arc<TraceMap>>,
        reachable: &'v ReachableStates,
        lateness: Lateness,
        records: bool,
    ) -> Self {
        Self {
            inspection: Inspection {
                verifier,
                path,
                name: name.to_owned(),
                map,
                reachable,
            },
            open: FxHashMap::default(),
            closed: Default::default(),
            late: LateLines::new(lateness),
            current: None,
            contexts: BTreeMap::new(),
            reported: BTreeSet::new(),
            verification: verifier.empty(),
            time: 0,
            changed: records.then(FxHashSet::default),
        }
    }

    /// The number of open dialogues.
    pub fn open_dialogues(&self) -> usize {
        self.open.len()
    }

    /// Takes a line with its number.
    pub fn line(&mut self, number: usize, text: &str, out: &mut FollowOutput<'_>) {
        if self.late.is_unused() {
            return self.take(number, text, None, out);
        }
        let map = self.inspection.map.as_deref();
        let order = map.and_then(|map| map.order_in(text));
        self.late.push(WaitingLine {
            number,
            text: text.to_owned(),
            order,
        });
        while let Some(line) = self.late.pop() {
            self.take(line.number, &line.text, line.order, out);
        }
    }

    /// Takes the bytes of a line.
    pub fn bytes(&mut self, number: usize, bytes: &[u8], out: &mut FollowOutput<'_>) {
        match str::from_utf8(bytes) {
            Ok(text) => {
                let text = if number == 1 {
                    text.trim_start_matches('\u{feff}')
                } else {
                    text
                };
                if !text.trim().is_empty() {
                    self.line(number, text.trim_end_matches('\r'), out);
                }
            }
            Err(_) => self.broken("the line is not UTF-8 text", 0, (number, ""), out),
        }
    }

    /// Closes dialogues without lines in the last `seconds`. Returns whether there are any.
    pub fn close_idle(&mut self, seconds: u64, out: &mut FollowOutput<'_>) -> bool {
        let time = self.time;
        let is_idle = |dialogue: &LiveDialogue| dialogue.seen + seconds <= time;
        if self.open.values().any(is_idle) {
            // A line that waits can belong to an idle dialogue.
            self.take_waiting(out);
        }
        let idle = self.open.iter().filter(|(_, dialogue)| is_idle(dialogue));
        let mut names: Vec<Box<str>> = idle.map(|(name, _)| name.clone()).collect();
        names.sort();
        for name in &names {
            self.close(name, true, out);
        }
        !names.is_empty()
    }

    /// Takes all waiting lines.
    pub fn take_waiting(&mut self, out: &mut FollowOutput<'_>) {
        while let Some(line) = self.late.pop_any() {
            self.take(line.number, &line.text, line.order, out);
        }
    }

    /// Ends the trace, and closes all dialogues.
    pub fn finish(&mut self, out: &mut FollowOutput<'_>) {
        self.take_waiting(out);
        let mut names: Vec<Box<str>> = self.open.keys().cloned().collect();
        names.sort();
        for name in names {
            self.close(&name, false, out);
        }
        for finding in self.verification.close() {
            (out.event)(FollowEvent::Violation(finding));
        }
    }

    /// Takes a line in its order.
    fn take(&mut self, number: usize, text: &str, order: Option<i128>, out: &mut FollowOutput<'_>) {
        self.verification.last_line = self.verification.last_line.max(number);
        let Some(map) = self.inspection.map.clone() else {
            return self.take_own(number, text, out);
        };
        let name = match map.dialogue_in(text, number) {
            Ok(Some(name)) => name,
            Ok(None) => return,
            Err((reason, at)) => return self.broken(&reason, at, (number, text), out),
        };
        let mut one = ObservedText::new(name, number);
        one.push(text, number, false);
        if map.is_of_dialogues() {
            return self.complete(one, out);
        }
        self.turn(&one, text, order, out);
        if map.is_end(text, number) {
            self.close(one.name(), false, out);
        }
    }

    /// Takes a line of a trace of this program.
    fn take_own(&mut self, number: usize, text: &str, out: &mut FollowOutput<'_>) {
        if text.starts_with("{\"fsmsim_trace\"") {
            self.close_current(out);
            match read_header(text) {
                Ok(header) => {
                    let text = ObservedText::of(TracedDialogue::new(header, number, text));
                    self.current = Some(text.name().into());
                    self.begin(&text, out);
                }
                Err((reason, at)) => self.broken(&reason, at, (number, text), out),
            }
        } else if text.starts_with("{\"end\"") {
            self.close_current(out);
        } else if let Some(name) = self.current.clone() {
            let mut one = ObservedText::new(name.into(), number);
            one.push(text, number, false);
            self.turn(&one, text, None, out);
        } else {
            self.broken("missing header before this line", 0, (number, text), out);
        }
    }

    fn close_current(&mut self, out: &mut FollowOutput<'_>) {
        if let Some(name) = self.current.take() {
            self.close(&name, false, out);
        }
    }

    /// Reports a line that cannot be read.
    fn broken(
        &mut self,
        reason: &str,
        at: usize,
        (number, text): (usize, &str),
        out: &mut FollowOutput<'_>,
    ) {
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let name = &self.inspection.name;
        found.push(broken_line(
            reason,
            at,
            text,
            number,
            name,
            HELP,
            &mut sources,
        ));
        self.report(&found, &sources, out);
    }

    fn report(&mut self, found: &Diagnostics, sources: &SourceMap, out: &mut FollowOutput<'_>) {
        self.verification.invalid += found.error_count() as u64;
        if !found.is_empty() {
            (out.report)(found, sources);
        }
    }

    /// Checks a dialogue that is complete in one line.
    fn complete(&mut self, text: ObservedText, out: &mut FollowOutput<'_>) {
        let read = ReadDialogue {
            text: Some(text),
            found: Diagnostics::default(),
            pieces: SourceMap::default(),
            is_dry: false,
        };
        let VerifiedDialogue {
            read,
            found,
            verdict,
            profile,
        } = self.inspection.look(read);
        self.report(&found, &read.pieces, out);
        if let Some(((reachable, mut verdict), profile)) = verdict.zip(profile) {
            let findings = std::mem::take(&mut verdict.findings);
            let is_violating = self.violations(findings, out);
            self.verification
                .push(&verdict, profile, &reachable.machine);
            self.verification.violating += u64::from(is_violating);
        }
    }

    /// Opens a dialogue, whose first line or header is `text`. Returns whether it is open.
    fn begin(&mut self, text: &ObservedText, out: &mut FollowOutput<'_>) -> bool {
        let name = text.name();
        if self.open.contains_key(name) {
            return true;
        }
        let mut pieces = SourceMap::default();
        let mut found = Diagnostics::default();
        let inspection = &self.inspection;
        let map = inspection.map.as_deref();
        let head = match text.head() {
            Some(head) => Some(head),
            // Errors are reported when the turn is checked.
            None => text.open(
                map,
                &inspection.name,
                &mut Diagnostics::default(),
                &mut pieces,
            ),
        };
        let Some(mut head) = head else { return false };
        head.turns.clear();
        let context = self.context_of(&head, text, &mut found, &mut pieces);
        self.report(&found, &pieces, out);
        let Some(context) = context else { return false };
        if self.reported.insert(context.profile) {
            self.inspection
                .verifier
                .report_model(context.profile, out.report);
        }
        let is_known = self
            .closed
            .iter()
            .any(|closed| closed.contains(&hash(name)));
        let start = head.start.clone().unwrap_or_default();
        let mut dialogue = LiveDialogue::new(context, &start, is_known);
        dialogue.head = saved_head(&head);
        self.open.insert(name.into(), dialogue);
        true
    }

    /// The model and the settings of a dialogue.
    fn context_of(
        &mut self,
        head: &ObservedDialogue<'_>,
        text: &ObservedText,
        found: &mut Diagnostics,
        pieces: &mut SourceMap,
    ) -> Option<DialogueContext> {
        let inspection = &self.inspection;
        let mut place = |line: usize| {
            let content = text.line(line);
            Span::new(
                pieces.add_piece(&inspection.name, content, line),
                0,
                content.len(),
            )
        };
        let profile = inspection.verifier.profile_of(head, &mut place, found)?;
        let is_plain = head.signals.is_none() && head.start.is_none();
        if let Some(known) = self.contexts.get(&profile).filter(|_| is_plain) {
            return Some(known.clone());
        }
        let reachability = inspection.reachability(profile)?;
        let setup = inspection.begin(&reachability.machine, head, &mut place, found)?;
        let context = DialogueContext {
            profile,
            reachability,
            settings: Arc::new(setup.settings),
        };
        if is_plain {
            self.contexts.insert(profile, context.clone());
        }
        Some(context)
    }

    /// Checks the turn that a line completes.
    fn turn(
        &mut self,
        one: &ObservedText,
        line: &str,
        order: Option<i128>,
        out: &mut FollowOutput<'_>,
    ) {
        let name = one.name();
        if !self.open.contains_key(name) && !self.begin(one, out) {
            let mut found = Diagnostics::default();
            let mut pieces = SourceMap::default();
            let map = self.inspection.map.as_deref();
            one.open(map, &self.inspection.name, &mut found, &mut pieces);
            return self.report(&found, &pieces, out);
        }
        let time = self.time;
        let Some(dialogue) = self.open.get_mut(name) else {
            return;
        };
        dialogue.seen = time;
        if let Some(changed) = self
            .changed
            .as_mut()
            .filter(|changed| !changed.contains(name))
        {
            changed.insert(name.into());
        }
        if order.is_some() && order < dialogue.order {
            // Later turns were already checked without this one.
            dialogue.has_gap = true;
            *self
                .verification
                .not_checked_fields
                .entry("order".into())
                .or_default() += 1;
            return;
        }
        dialogue.order = order.or(dialogue.order);
        let map = self.inspection.map.clone();
        if !map.as_ref().is_some_and(|map| map.has_events()) {
            return self.check(one, out);
        }
        dialogue.pending.push((one.last_line(), line.to_owned()));
        let all = pending_text(name, &dialogue.pending);
        let mut ignored = (Diagnostics::default(), SourceMap::default());
        let opened = all.open(map.as_deref(), "", &mut ignored.0, &mut ignored.1);
        let first = opened.map(|opened| opened.turns.last().map(|turn| turn.line));
        // A turn is complete when the next one starts. An invalid line is reported immediately.
        let until = match first {
            Some(None) => return,
            Some(Some(first)) => first,
            None => usize::MAX,
        };
        let pending = std::mem::take(&mut dialogue.pending);
        let (complete, rest) = pending
            .into_iter()
            .partition::<Vec<_>, _>(|(line, _)| *line < until);
        dialogue.pending = rest;
        if !complete.is_empty() {
            self.check(&pending_text(name, &complete), out);
        }
    }

    /// Checks the turns in lines of an open dialogue.
    fn check(&mut self, text: &ObservedText, out: &mut FollowOutput<'_>) {
        let mut findings = Vec::new();
        let mut mistyped = Vec::new();
        let mut found = Diagnostics::default();
        let mut pieces = SourceMap::default();
        let Some(dialogue) = self.open.get_mut(text.name()) else {
            return;
        };
        let mut results = TurnResults {
            findings: &mut findings,
            mistyped: &mut mistyped,
            found: &mut found,
            pieces: &mut pieces,
        };
        let place = (self.inspection.map.as_deref(), &*self.inspection.name);
        dialogue.check(text, place, &mut results);
        if !found.is_empty() {
            self.report(&found, &pieces, out);
        }
        for field in mistyped {
            *self
                .verification
                .not_checked_fields
                .entry(field.name().into())
                .or_default() += 1;
        }
        if findings.is_empty() {
            return;
        }
        let is_violating = self.violations(findings, out);
        if let Some(dialogue) = self.open.get_mut(text.name()) {
            dialogue.is_violating |= is_violating;
        }
    }

    /// Counts and passes on violations that are not known. Returns whether there are any.
    fn violations(&mut self, mut findings: Vec<Finding>, out: &mut FollowOutput<'_>) -> bool {
        self.verification.known.take(&mut findings);
        self.verification.count(&findings);
        let is_violating = !findings.is_empty();
        for finding in findings {
            (out.event)(FollowEvent::Violation(finding));
        }
        is_violating
    }

    /// Closes a dialogue. A dialogue that is idle but has not ended is pending.
    fn close(&mut self, name: &str, is_idle: bool, out: &mut FollowOutput<'_>) {
        let pending = self
            .open
            .get_mut(name)
            .map(|dialogue| std::mem::take(&mut dialogue.pending));
        if let Some(pending) = pending.filter(|pending| !pending.is_empty()) {
            self.check(&pending_text(name, &pending), out);
        }
        let Some(dialogue) = self.open.remove(name) else {
            return;
        };
        if let Some(changed) = &mut self.changed {
            changed.insert(name.into());
        }
        self.remember(hash(name));
        let (turns, is_over, mut is_violating) =
            (dialogue.turns, dialogue.is_over(), dialogue.is_violating);
        let mut findings = Vec::new();
        let Some((context, verdict)) = dialogue.end(name, &mut findings) else {
            return;
        };
        is_violating |= self.violations(findings, out);
        if is_idle && !is_over {
            (out.event)(FollowEvent::Pending(name.to_owned(), turns));
        }
        let machine = &context.reachability.machine;
        let verdict = DialogueVerdict { turns, ..verdict };
        self.verification.push(&verdict, context.profile, machine);
        self.verification.violating += u64::from(is_violating);
    }

    /// Remembers a closed dialogue. A later line of it is checked without knowledge of earlier turns.
    fn remember(&mut self, name: u64) {
        let [latest, before] = &mut self.closed;
        latest.insert(name);
        if latest.len() >= MAX_CLOSED_DIALOGUES {
            *before = std::mem::take(latest);
        }
    }

    /// The state, or only the part that changed since the last call.
    pub fn state(&mut self, is_complete: bool) -> FollowState {
        let changed = self
            .changed
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default();
        let dialogues = if is_complete {
            let open = self.open.iter();
            open.map(|(name, dialogue)| (name.to_string(), Some(dialogue.clone())))
                .collect()
        } else {
            let names = changed.iter();
            names
                .map(|name| (name.to_string(), self.open.get(name).cloned()))
                .collect()
        };
        FollowState {
            dialogues,
            current: self.current.as_deref().map(str::to_owned),
            waiting: self.late.iter().cloned().collect(),
            verification: self.verification.clone(),
        }
    }

    /// Continues with a state. If it was written with another model, the earlier turns of its dialogues are unknown.
    pub fn resume(&mut self, state: FollowState, is_same_model: bool) {
        for (name, dialogue) in state.dialogues {
            let Some(mut dialogue) = dialogue.filter(|_| is_same_model) else {
                self.open.remove(&*name);
                self.remember(hash(&name));
                continue;
            };
            let head = dialogue.head.take().unwrap_or_default();
            let tree: BorrowedJson<'_> = serde_json::from_str(&head).unwrap_or_default();
            let part = |key: &str| tree.get(key).cloned();
            let observed = ObservedDialogue {
                profile: part("profile"),
                signals: part("signals"),
                start: part("start"),
                ..ObservedDialogue::empty(&name)
            };
            let text = ObservedText::new(name.clone(), 0);
            let mut found = Diagnostics::default();
            dialogue.context =
                self.context_of(&observed, &text, &mut found, &mut SourceMap::default());
            drop((observed, tree));
            dialogue.head = Some(head).filter(|head| !head.is_empty());
            dialogue.seen = self.time;
            self.open.insert(name.into(), dialogue);
        }
        self.current = state.current.map(Into::into);
        self.verification = state.verification;
        let lateness = self.late.lateness;
        self.late = LateLines::new(lateness);
        for line in state.waiting {
            self.late.push(line);
        }
    }
}

/// The lines of a turn as a text.
fn pending_text(name: &str, lines: &[(usize, String)]) -> ObservedText {
    let first = lines.first().map_or(0, |(line, _)| *line);
    let mut text = ObservedText::new(name.to_owned(), first);
    for (line, content) in lines {
        text.push(content, *line, false);
    }
    text
}

/// The profile, the signals and the start of a dialogue as JSON, if any is recorded.
fn saved_head(head: &ObservedDialogue<'_>) -> Option<Box<str>> {
    let parts = [
        ("profile", &head.profile),
        ("signals", &head.signals),
        ("start", &head.start),
    ];
    let parts = parts
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?)));
    let parts: BTreeMap<&str, &BorrowedJson<'_>> = parts.collect();
    let text = || serde_json::to_string(&parts).unwrap_or_default();
    (!parts.is_empty()).then(|| text().into())
}

fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

//! Collects the turns of a transcript.

use super::call::{CallText, DECORATION, TOOL};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Key, Map, Node, parse_yaml, wrong_type};

/// The turns that were read so far.
#[derive(Debug)]
pub(super) struct TranscriptTurns {
    file: FileId,
    done: Vec<TurnDraft>,
    /// Whether there is an empty line before the next text.
    gap: bool,
}

/// A turn that is not complete yet.
#[derive(Debug, Default)]
struct TurnDraft {
    start: usize,
    end: usize,
    say: Option<SpokenText>,
    reply: Option<SpokenText>,
    call: Option<(Key, Node)>,
    notes: Vec<(Key, Node)>,
}

/// The text of a speaker, which can have several lines.
#[derive(Debug, Default)]
struct SpokenText {
    text: String,
    start: usize,
    end: usize,
}

impl SpokenText {
    fn add(&mut self, text: &str, at: usize, joint: &str) {
        if text.is_empty() {
            return;
        }
        if self.text.is_empty() {
            self.start = at;
        } else {
            self.text.push_str(joint);
        }
        self.text.push_str(text);
        self.end = at + text.len();
    }
}

impl TranscriptTurns {
    pub(super) fn new(file: FileId) -> Self {
        Self {
            file,
            done: Vec::new(),
            gap: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Whether the user speaks in one of the turns.
    pub(super) fn has_user(&self) -> bool {
        self.done.iter().any(|turn| turn.say.is_some())
    }

    /// Records an empty line.
    pub(super) fn empty_line(&mut self) {
        self.gap = true;
    }

    /// Starts a turn at this offset.
    pub(super) fn begin(&mut self, at: usize, with_user: bool) {
        let said = SpokenText {
            text: String::new(),
            start: at,
            end: at,
        };
        let say = with_user.then_some(said);
        self.done.push(TurnDraft {
            start: at,
            end: at,
            say,
            ..TurnDraft::default()
        });
        self.gap = false;
    }

    /// Adds text that the user says. A note can follow it: `` `{intent: NAME}` ``.
    pub(super) fn say(&mut self, text: &str, at: usize, found: &mut Diagnostics) {
        let note = text.strip_suffix("}`").and_then(|_| text.rfind("`{"));
        let (said, note) = text
            .split_at_checked(note.unwrap_or(text.len()))
            .unwrap_or((text, ""));
        // Line breaks within an utterance do not matter, but paragraphs do.
        let joint = if std::mem::take(&mut self.gap) {
            "\n"
        } else {
            " "
        };
        if let Some(turn) = self.done.last_mut() {
            turn.end = at + text.len();
            if let Some(say) = &mut turn.say {
                say.add(said.trim_end(), at, joint);
            }
        }
        if !note.is_empty() {
            let yaml = note.trim_matches('`');
            let map = parse_yaml(self.file, yaml, at + said.len() + 1, found);
            self.note(map, at + text.len(), found);
        }
    }

    /// Adds text that the assistant says. A call in it becomes the key `goto` or `call` of a turn.
    pub(super) fn reply(&mut self, mut text: &str, mut at: usize, found: &mut Diagnostics) {
        if self.done.is_empty() {
            self.begin(at, false);
        }
        while let Some(call) = CallText::find(text) {
            let (before, rest) = text.split_at_checked(call.start).unwrap_or((text, ""));
            let (inside, after) = rest
                .split_at_checked(call.end - call.start)
                .unwrap_or((rest, ""));
            let bare = before.trim_end_matches(DECORATION);
            let decorated = bare.len() < before.len();
            self.add_reply(bare, at);
            self.call(&call, inside, at, found);
            let after_bare = if decorated {
                after.trim_start_matches(DECORATION)
            } else {
                after
            };
            at += text.len() - after_bare.len();
            text = after_bare;
        }
        self.add_reply(text, at);
    }

    fn add_reply(&mut self, text: &str, at: usize) {
        let joint = if std::mem::take(&mut self.gap) {
            "\n\n"
        } else {
            "\n"
        };
        let said = text.trim_start();
        let at = at + text.len() - said.len();
        if let Some(turn) = self.done.last_mut().filter(|_| !said.trim_end().is_empty()) {
            turn.end = at + said.trim_end().len();
            turn.reply
                .get_or_insert_with(SpokenText::default)
                .add(said.trim_end(), at, joint);
        }
    }

    /// Adds a call that is written as `text` in a line that starts at `base`.
    fn call(&mut self, call: &CallText<'_>, text: &str, base: usize, found: &mut Diagnostics) {
        let start = base + call.start;
        let span = Span::new(self.file, start, start + text.len());
        let entry = match call.state {
            Err(wrong) => {
                Diagnostic::error(Code::BadCall, format!("invalid call: {wrong}"))
                    .at(span, "invalid call")
                    .help("write `[calls get_instruction(state: \"NAME\")]`")
                    .add_to(found);
                return;
            }
            Ok(Some((state, from))) => {
                let value = Span::new(self.file, base + from, base + from + state.len());
                (
                    Key {
                        text: "goto".into(),
                        span,
                    },
                    Node::quoted(state, value),
                )
            }
            Ok(None) => (
                Key {
                    text: "call".into(),
                    span,
                },
                Node::quoted(TOOL, span),
            ),
        };
        // A turn can have only one call.
        if self.done.last().is_none_or(|turn| turn.call.is_some()) {
            self.begin(start, false);
        }
        if let Some(turn) = self.done.last_mut() {
            turn.end = start + text.len();
            turn.call = Some(entry);
        }
    }

    /// Adds a turn for a note, ending at `end`, that includes shared turns.
    pub(super) fn use_shared(&mut self, node: Node, end: usize) {
        let start = node.span.start as usize;
        let notes = node.into_map().unwrap_or_default().entries;
        self.done.push(TurnDraft {
            start,
            end,
            notes,
            ..TurnDraft::default()
        });
    }

    /// Adds the keys of a note, ending at `end`, to the last turn.
    pub(super) fn note(&mut self, node: Option<Node>, end: usize, found: &mut Diagnostics) {
        let (Some(node), Some(turn)) = (node, self.done.last_mut()) else {
            return;
        };
        turn.end = end;
        let Content::Map(map) = node.content else {
            wrong_type(&node, "a note on a turn is a map", found);
            return;
        };
        add_once(&mut turn.notes, map.entries, found);
    }

    /// The turns as a list.
    pub(super) fn finish(self, found: &mut Diagnostics) -> Node {
        let file = self.file;
        let items: Vec<Node> = self
            .done
            .into_iter()
            .map(|turn| turn.finish(file, found))
            .collect();
        let span = match (items.first(), items.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::start_of(file),
        };
        Node {
            span,
            content: Content::List(items),
        }
    }
}

impl TurnDraft {
    fn finish(self, file: FileId, found: &mut Diagnostics) -> Node {
        let span = Span::new(file, self.start, self.end);
        let mut entries = Vec::new();
        for (key, said) in [("say", self.say), ("reply", self.reply)] {
            let Some(said) = said else { continue };
            let place = Span::new(file, said.start, said.end);
            if said.text.is_empty() {
                // A line without text is allowed if a note specifies its intent.
                if self.notes.is_empty() {
                    Diagnostic::error(Code::NoTranscript, "the line has no text")
                        .at(span, "no text after the speaker")
                        .help("write an utterance, or remove the line")
                        .add_to(found);
                }
                continue;
            }
            entries.push((
                Key {
                    text: key.into(),
                    span: place,
                },
                Node::quoted(&said.text, place),
            ));
        }
        entries.extend(self.call);
        add_once(&mut entries, self.notes, found);
        Map { entries }.at(span)
    }
}

/// Adds keys to a turn. Reports keys that the turn already has.
fn add_once(entries: &mut Vec<(Key, Node)>, more: Vec<(Key, Node)>, found: &mut Diagnostics) {
    for (key, value) in more {
        match entries.iter().find(|(other, _)| other.text == key.text) {
            Some((other, _)) => Diagnostic::error(
                Code::DuplicateKey,
                format!("key `{}` is defined twice in the turn", key.text),
            )
            .at(key.span, "duplicate key")
            .at(other.span, "first definition")
            .help("remove one of the two")
            .add_to(found),
            None => entries.push((key, value)),
        }
    }
}

//! Reads a dialogue from the lines of a Markdown text.

use super::call::CallText;
use super::lines::{Heading, Item, Line, TranscriptMessage};
use super::notes::{is_note, is_use, read_note};
use super::speakers::{SpeakerLabel, SpeakerRole, Speakers};
use super::turns::TranscriptTurns;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};

/// The info strings of fences that can contain a dialogue. Any other info string names a language.
const FENCES: [&str; 8] = [
    "",
    "text",
    "txt",
    "markdown",
    "md",
    "dialog",
    "dialogue",
    "transcript",
];

/// Reads a dialogue.
pub(super) struct TranscriptReader<'r> {
    pub file: FileId,
    pub text: &'r str,
    pub speakers: &'r Speakers,
    /// Whether the front matter selects a heading. Deeper headings below it then belong to the same dialogue.
    pub chosen: bool,
    turns: TranscriptTurns,
    /// The layout of the current dialogue, if the reader is within one.
    inside: Option<Inside>,
    speaker: Option<SpeakerRole>,
    fence: Option<FenceUse>,
    /// The offset of the current heading. `begun` then stores the offset of the heading above the first spoken line,
    /// and the span of that line.
    heading: usize,
    begun: Option<(usize, Span)>,
    /// A note under the current heading that comes before the first spoken line.
    early: Option<Span>,
}

/// The layout of lines in the current dialogue.
#[derive(Clone, Copy, Default)]
struct Inside {
    indent: usize,
    bullet: bool,
    /// Whether it already contains a spoken line.
    spoken: bool,
}

/// The kind of content in a fence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceUse {
    Dialogue,
    Other,
}

impl<'r> TranscriptReader<'r> {
    pub(super) fn new(file: FileId, text: &'r str, speakers: &'r Speakers, chosen: bool) -> Self {
        Self {
            file,
            text,
            speakers,
            chosen,
            turns: TranscriptTurns::new(file),
            inside: None,
            speaker: None,
            fence: None,
            heading: 0,
            begun: None,
            early: None,
        }
    }

    pub(super) fn read(mut self, items: &[Item<'_>], found: &mut Diagnostics) -> TranscriptTurns {
        let mut rest = items;
        while let Some((item, after)) = rest.split_first() {
            rest = after;
            match item {
                Item::Heading(heading) => self.section(heading),
                Item::Rule => self.pause(),
                Item::Open(info, indent) => self.open(info, *indent, rest),
                Item::Close => {
                    if self.fence.take() == Some(FenceUse::Dialogue) {
                        self.pause();
                    }
                }
                Item::Blank => self.turns.empty_line(),
                Item::Comment(from, to) => self.comment(*from, *to, found),
                Item::Line(line) => {
                    if !self.line(line, found) {
                        break;
                    }
                }
                Item::Said(message) => {
                    if !self.message(message, found) {
                        break;
                    }
                }
            }
        }
        self.turns
    }

    fn section(&mut self, heading: &Heading<'_>) {
        self.pause();
        self.heading = heading.at;
        self.early = None;
    }

    /// Makes the next line independent of the previous one.
    fn pause(&mut self) {
        self.inside = None;
        self.speaker = None;
    }

    fn open(&mut self, info: &str, indent: usize, after: &[Item<'_>]) {
        let language = info
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let mut lines = after.iter().take_while(|item| !matches!(item, Item::Close));
        // An indented block belongs to the previous line.
        let goes_on = self
            .inside
            .is_some_and(|inside| inside.spoken && indent > inside.indent);
        let speaks = !goes_on
            && FENCES.contains(&&*language)
            && lines.any(|item| matches!(item, Item::Line(line) if is_spoken(line, self.speakers)));
        self.fence = Some(if speaks {
            FenceUse::Dialogue
        } else {
            FenceUse::Other
        });
        if speaks {
            self.speaker = None;
            self.inside = Some(Inside::default());
        }
    }

    fn comment(&mut self, from: usize, to: usize, found: &mut Diagnostics) {
        let comment = self.text.get(from..to).unwrap_or_default();
        if !is_note(comment) {
            return;
        }
        if is_use(comment) {
            // Shared turns can come before the first spoken line.
            let span = Span::new(self.file, from, to);
            let (heading, _) = *self.begun.get_or_insert((self.heading, span));
            if (self.chosen || heading == self.heading)
                && let Some(note) = read_note(self.file, comment, from, found)
            {
                self.speaker = None;
                return self.turns.use_shared(note, to);
            }
        }
        match self.begun {
            Some((heading, _)) if self.chosen || heading == self.heading => {
                let note = read_note(self.file, comment, from, found);
                self.turns.note(note, to, found);
            }
            _ => self.early = Some(Span::new(self.file, from, to)),
        }
    }

    /// Processes a line. Returns whether to continue.
    fn line(&mut self, line: &Line<'_>, found: &mut Diagnostics) -> bool {
        let said = line.text.get(line.bullet..).unwrap_or_default();
        let label =
            SpeakerLabel::of(said).filter(|_| line.leads && self.fence != Some(FenceUse::Other));
        let calls = line.leads && self.fence != Some(FenceUse::Other) && CallText::leads(said);
        let at = line.at + line.bullet;
        if let Some(open) = line.text.find("<!--").filter(|_| self.inside.is_some()) {
            let span = Span::new(self.file, line.at + open, line.at + line.text.len());
            Diagnostic::error(Code::BadNote, "unclosed comment")
                .at(span, "opening `<!--`")
                .help("close it with `-->`")
                .add_to(found);
            return false;
        }
        let known = label
            .as_ref()
            .and_then(|label| self.speakers.who(label.name));
        if (calls || known.is_some()) && !self.speak(line, found) {
            return false;
        }
        match (known, &label) {
            _ if calls => {
                self.speaker = Some(SpeakerRole::Assistant);
                self.turns.reply(said, at, found);
            }
            (Some(speaker), Some(label)) => {
                let text = said.get(label.said..).unwrap_or_default();
                self.add(speaker, (text, at + label.said), at, found);
            }
            (None, Some(label)) if label.certain && self.is_unknown_speaker(line) => {
                let span = Span::new(self.file, at, at + label.said.min(said.len()));
                found.push(self.unknown_speaker(label, span));
            }
            _ => self.go_on(line, found),
        }
        true
    }

    /// Processes a message. Returns whether to continue.
    fn message(&mut self, message: &TranscriptMessage, found: &mut Diagnostics) -> bool {
        let (text, at) = (&*message.text, message.at);
        let line = Line {
            text,
            at,
            indent: 0,
            bullet: 0,
            leads: true,
        };
        // All unknown speakers of a chat are reported together.
        let Some(speaker) = self.speakers.who(&message.name) else {
            return true;
        };
        let continues = self.speak(&line, found);
        if continues {
            self.add(speaker, (text, at), at, found);
        }
        continues
    }

    /// Adds a text with its offset. A line of the user starts a turn at `begin`.
    fn add(
        &mut self,
        speaker: SpeakerRole,
        (text, at): (&str, usize),
        begin: usize,
        found: &mut Diagnostics,
    ) {
        self.speaker = Some(speaker);
        match speaker {
            SpeakerRole::User => {
                self.turns.begin(begin, true);
                self.turns.say(text, at, found);
            }
            SpeakerRole::Assistant => self.turns.reply(text, at, found),
            SpeakerRole::Narrator => {}
        }
    }

    /// Starts a spoken line. Returns false, with a finding, if the line belongs to another dialogue.
    fn speak(&mut self, line: &Line<'_>, found: &mut Diagnostics) -> bool {
        let span = Span::new(self.file, line.at, line.at + line.text.len());
        let (heading, first) = *self.begun.get_or_insert((self.heading, span));
        if heading != self.heading && !self.chosen {
            Diagnostic::error(Code::NoTranscript, "the document contains several dialogues")
                .at(span, "another dialogue")
                .at(first, "first dialogue")
                .help("select one in the front matter: `section: HEADING`; its deeper headings are included")
                .add_to(found);
            return false;
        }
        if let Some(early) = self.early.take() {
            Diagnostic::error(Code::BadNote, "the note is before the first turn")
                .at(early, "no turn yet")
                .help("move it after the line that it describes")
                .add_to(found);
        }
        let inside = self.inside.filter(|inside| inside.spoken);
        let begins = Inside {
            indent: line.indent,
            bullet: line.bullet > 0,
            spoken: true,
        };
        self.inside = Some(inside.unwrap_or(begins));
        true
    }

    /// Whether an unknown label in this line is a speaker, rather than part of the text.
    fn is_unknown_speaker(&self, line: &Line<'_>) -> bool {
        self.inside.is_some_and(|inside| {
            line.indent <= inside.indent && (line.bullet == 0 || inside.bullet || !inside.spoken)
        })
    }

    /// Continues the previous line.
    fn go_on(&mut self, line: &Line<'_>, found: &mut Diagnostics) {
        // A line of dots marks an omission.
        let left_out = line.text.chars().all(|c| matches!(c, '.' | '…'));
        match self.speaker.filter(|_| self.inside.is_some() && !left_out) {
            Some(SpeakerRole::User) => self.turns.say(line.text, line.at, found),
            Some(SpeakerRole::Assistant) => self.turns.reply(line.text, line.at, found),
            Some(SpeakerRole::Narrator) | None => {}
        }
    }

    fn unknown_speaker(&self, label: &SpeakerLabel<'_>, span: Span) -> Diagnostic {
        let name = label.name;
        let names = [name];
        let known = format!(
            "add the speaker to the front matter, for example `speakers: {{user: {names:?}}}`, or indent a line that continues the previous one"
        );
        Diagnostic::error(Code::UnknownSpeaker, format!("unknown speaker `{name}`"))
            .at(span, "unknown speaker")
            .near(name, self.speakers.labels(), known)
    }
}

/// Whether a line is spoken by the user or the assistant, or starts with a call.
pub(super) fn is_spoken(line: &Line<'_>, speakers: &Speakers) -> bool {
    let said = line.text.get(line.bullet..).unwrap_or_default();
    let speaker = SpeakerLabel::of(said).and_then(|label| speakers.who(label.name));
    line.leads
        && (matches!(speaker, Some(SpeakerRole::User | SpeakerRole::Assistant))
            || CallText::leads(said))
}

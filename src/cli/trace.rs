//! `fsmsim trace`: play the dialogues of a turns file and print what happened.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::context::Context;
use super::exit::Exit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::parse_json;
use crate::drive::{DialogueText, Library, ModelName, Player, duplicate_dialogue, read_turn, start_dialogue};
use crate::machine::Profile;
use crate::trace::{HeaderLine, JsonLine, Table, TurnLine};

/// The longest line of a turns file, in bytes.
const LINE_LIMIT: usize = 4 << 20;

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// The model: a folder with `flow.yaml`, or a file; `PATH@PROFILE` fixes the profile
    model: String,
    /// The dialogues, one JSON object a line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    turns: PathBuf,
    /// The profile, whatever the dialogues say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
}

/// How to print a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON lines: a header a dialogue, then a line a turn
    Jsonl,
    /// Aligned columns
    Table,
}

/// Runs the command.
pub(super) fn run(args: &TraceArgs, context: &mut Context) -> io::Result<Exit> {
    let mut found = Diagnostics::default();
    let model = ModelName::parse(&args.model, &mut found);
    let profile = args.profile.as_deref().and_then(|name| context.profile(name, &mut found));
    let Some(model) = model.filter(|_| !found.has_errors()) else {
        context.tell(&found, &SourceMap::default());
        return Ok(Exit::Unusable);
    };
    let mut tracer = Tracer {
        library: Library::new(args.config.clone()),
        profile: profile.or(model.profile),
        model: model.path,
        format: args.format,
        seen: BTreeSet::new(),
        line: JsonLine::default(),
        played: 0,
    };
    // The model is loaded even for a file without dialogues, so that its mistakes are told.
    let first = tracer.profile.or(context.project.profile).unwrap_or_default();
    let loaded = tracer.library.load(&tracer.model, first).is_some();
    context.tell_of_model(&tracer.library, &tracer.model, first);
    if !loaded {
        return Ok(Exit::Unusable);
    }
    let stdout = io::stdout();
    let mut out = io::BufWriter::new(stdout.lock());
    let exit = if args.turns == Path::new("-") {
        tracer.run(&mut io::stdin().lock(), "standard input", context, &mut out)?
    } else {
        match std::fs::File::open(&args.turns) {
            Ok(file) => {
                let name = args.turns.display().to_string();
                tracer.run(&mut io::BufReader::new(file), &name, context, &mut out)?
            }
            Err(error) => {
                let mut found = Diagnostics::default();
                found.push(crate::document::unreadable(&args.turns, &error));
                context.tell(&found, &SourceMap::default());
                Exit::Unusable
            }
        }
    };
    out.flush()?;
    Ok(exit)
}

struct Tracer {
    library: Library,
    model: PathBuf,
    profile: Option<Profile>,
    format: Format,
    seen: BTreeSet<String>,
    line: JsonLine,
    played: usize,
}

impl Tracer {
    /// Plays line by line. A line that cannot be read ends the run; what came before it is already written.
    fn run(
        &mut self,
        input: &mut dyn BufRead,
        name: &str,
        context: &mut Context,
        out: &mut dyn Write,
    ) -> io::Result<Exit> {
        for number in 1.. {
            let mut bytes = Vec::new();
            let read = match io::Read::take(&mut *input, LINE_LIMIT as u64 + 1).read_until(b'\n', &mut bytes) {
                Ok(read) => read,
                Err(error) => {
                    let finding = Diagnostic::error(Code::FileUnreadable, format!("`{name}` cannot be read: {error}"));
                    return Ok(context.refuse(finding.about(name)));
                }
            };
            if read == 0 {
                break;
            }
            if bytes.len() > LINE_LIMIT {
                let finding = Diagnostic::error(Code::FileTooLarge, format!("line {number} of `{name}` has more than 4 MiB"));
                return Ok(context.refuse(finding.about(format!("{name}:{number}")).help("split the dialogue")));
            }
            let text = match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => {
                    let column = error.utf8_error().valid_up_to() + 1;
                    let finding = Diagnostic::error(Code::NotUtf8, format!("line {number} of `{name}` is not UTF-8 text"));
                    let place = format!("{name}:{number}:{column}");
                    return Ok(context.refuse(finding.about(place).help("save the file with the encoding UTF-8")));
                }
            };
            if text.trim().is_empty() {
                continue;
            }
            let mut found = Diagnostics::default();
            let mut sources = SourceMap::default();
            let file = sources.add_piece(name, text.trim_end_matches(['\n', '\r']), number);
            let text = sources.file(file).map(|file| file.text().clone()).unwrap_or_default();
            let played = match parse_json(file, &text, &mut found) {
                Some(node) => self.dialogue(&node, context, &mut found, out)?,
                None => false,
            };
            context.tell(&found, &sources);
            if !played {
                return Ok(Exit::Unusable);
            }
        }
        Ok(Exit::Ok)
    }

    /// Plays one dialogue. `false`, with findings, where it cannot be read.
    fn dialogue(
        &mut self,
        node: &crate::document::Node,
        context: &mut Context,
        found: &mut Diagnostics,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let Some(dialogue) = DialogueText::read(node, found).filter(|_| !found.has_errors()) else {
            return Ok(false);
        };
        if !self.seen.insert(dialogue.id.to_owned()) {
            found.push(duplicate_dialogue(dialogue.id, node));
            return Ok(false);
        }
        let profile = self.profile.or(dialogue.profile).or(context.project.profile).unwrap_or_default();
        let machine = self.library.load(&self.model, profile);
        context.tell_of_model(&self.library, &self.model, profile);
        let Some(machine) = machine else { return Ok(false) };
        let Some((settings, session)) = start_dialogue(&machine, dialogue.signals, dialogue.start, found) else {
            return Ok(false);
        };
        let turns: Vec<_> = dialogue.turns.iter().map(|turn| read_turn(turn, &machine, false, found)).collect();
        if found.has_errors() {
            return Ok(false);
        }
        let mut player = Player::new(&machine, settings, session);
        let mut table = Table::default();
        if self.format == Format::Jsonl {
            let header = HeaderLine {
                dialogue: dialogue.id,
                machine: &machine,
                settings: player.settings(),
            };
            self.write_line(|line| header.write(line), out)?;
        }
        for turn in turns.into_iter().flatten() {
            player.play(&turn.scripted);
            let line = TurnLine {
                machine: &machine,
                session: player.session(),
                scripted: &turn.scripted,
                record: player.record(),
            };
            match self.format {
                Format::Jsonl => self.write_line(|json| line.write(json), out)?,
                Format::Table => table.push(&line),
            }
        }
        if self.format == Format::Table {
            if self.played > 0 {
                writeln!(out)?;
            }
            let id = crate::diagnostic::visible(dialogue.id);
            writeln!(out, "{id} ({}, profile {})", machine.header.name, profile.name())?;
            write!(out, "{}", table.render())?;
        }
        self.played += 1;
        Ok(true)
    }

    fn write_line(&mut self, write: impl FnOnce(&mut JsonLine), out: &mut dyn Write) -> io::Result<()> {
        self.line.clear();
        write(&mut self.line);
        out.write_all(self.line.as_bytes())?;
        out.write_all(b"\n")
    }
}

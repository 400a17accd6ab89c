//! `fsmsim trace LOG --map MAP`: writes the log of another system as a trace, chats, a table or scenarios.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::trace_args::{TraceArgs, TraceFormat};
use super::{CommandResult, Context, Exit, refuse};
use fsmsim_core::trace::TraceReader;
use fsmsim_harness::scenario::ScenarioDraft;
use fsmsim_reports::report::TraceWriter;
use fsmsim_runtime::project::ModelName;
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::terminal::{Escaping, stream};

/// Runs the command for a log.
pub(super) fn run<W: Write>(
    args: &TraceArgs,
    writer: &mut TraceWriter<W>,
    context: &mut Context,
) -> CommandResult {
    let model = args.model.as_deref();
    let log = args.log.convert(Path::new(&args.path), model, context)?;
    let path = &*log.path;
    match args.format {
        TraceFormat::Jsonl => {
            let (mut input, _) = InputStream::open(path)?;
            std::io::copy(&mut input, &mut stream(Escaping::Json))?;
        }
        TraceFormat::Scenario => scenarios(args, path, context)?,
        TraceFormat::Dialogue | TraceFormat::Table => {
            return refuse(
                "cannot use this format with `--map`",
                "use `--format csv` or `jsonl`",
            );
        }
        TraceFormat::Chat | TraceFormat::Transcript | TraceFormat::Csv => {
            let (input, name) = InputStream::open(path)?;
            let mut reader = TraceReader::new(input, &name);
            while let Some(dialogue) =
                context.read(|sources, found| Some(reader.read(found, sources)))?
            {
                let turns = context.read(|sources, found| dialogue.turns(&name, found, sources))?;
                writer.reports(&dialogue.header.dialogue, &turns)?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// Writes the dialogues as scenarios of a model.
fn scenarios(args: &TraceArgs, path: &Path, context: &mut Context) -> CommandResult<()> {
    let Some(model) = &args.model else {
        return refuse(
            "missing `--model` for `--format scenario`",
            "add `--model MODEL`",
        );
    };
    let model = context.read(|_, found| ModelName::parse(model, found))?;
    let profile = context.profile(args.options.profile.as_deref())?;
    let profile = profile.or(model.profile).or(context.project.profile);
    let mut models = args.options.models(&context.project);
    let machine = context.load_model(&model.path, profile.unwrap_or_default(), &mut models)?;
    let place = model.path.display().to_string();
    let (input, name) = InputStream::open(path)?;
    let mut reader = TraceReader::new(input, &name);
    let mut out = stream(Escaping::of_text());
    let mut is_first = true;
    while let Some(dialogue) = context.read(|sources, found| Some(reader.read(found, sources)))? {
        let title = dialogue.header.dialogue.clone();
        let (_, text, lines) = dialogue.clone().into_parts();
        let mut trace = dialogue.written().to_owned();
        let mut start = 0;
        for (end, _) in lines {
            trace.push('\n');
            trace.push_str(text.get(start..end).unwrap_or_default());
            start = end;
        }
        let end = json!({"end": &title, "turns": dialogue.len()});
        let trace = format!("{trace}\n{end}");
        let draft = context.read(|sources, found| {
            ScenarioDraft::of(&trace, &title, &place, &machine, sources, found)
        })?;
        let draft = if args.redact { draft.redacted() } else { draft };
        let yaml = draft.to_yaml();
        let yaml = yaml.map_err(|reason| {
            Diagnostic::bad_arguments(format!("cannot write `{title}` as a scenario: {reason}"))
                .help("map the input of the turns, for example `input: {intent: PLACE}`")
        })?;
        let separator = if is_first { "" } else { "---\n" };
        is_first = false;
        write!(out, "{separator}{yaml}")?;
    }
    out.flush()?;
    Ok(())
}

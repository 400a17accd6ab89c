//! `fsmsim init`: creates a small project whose scenarios pass.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::{ParseError, VariantArray};

use super::{CommandResult, Context, Exit};
use fsmsim_runtime::project::ProjectTemplate;
use fsmsim_syntax::terminal::{Escaping, results};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Directory of the project; it can already exist
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Language of texts and comments
    #[arg(long, value_parser = template_parser(), default_value = "en", value_name = "LANGUAGE")]
    lang: ProjectTemplate,
}

/// Parses the template of a language from its code.
fn template_parser() -> impl TypedValueParser<Value = ProjectTemplate> {
    let value = |template: &ProjectTemplate| {
        PossibleValue::new(template.language()).help(template.language_name())
    };
    PossibleValuesParser::new(ProjectTemplate::VARIANTS.iter().map(value))
        .try_map(|name| -> Result<_, ParseError> { name.parse() })
}

/// Runs the command.
pub(super) fn run(args: &InitArgs, _: &mut Context) -> CommandResult {
    let files = args.lang.create(&args.folder)?;
    let mut out = results(Escaping::of_text());
    for path in files {
        writeln!(out, "{}", path.display())?;
    }
    writeln!(
        out,
        "\nRun the scenarios, then run a dialogue in the terminal or in the browser:\n"
    )?;
    if args.folder != Path::new(".") {
        writeln!(out, "    cd {}", args.folder.display())?;
    }
    writeln!(out, "    fsmsim test\n    fsmsim run")?;
    if cfg!(feature = "serve") {
        writeln!(out, "    fsmsim studio")?;
    }
    out.flush()?;
    Ok(Exit::Ok)
}

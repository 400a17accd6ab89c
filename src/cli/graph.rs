//! `fsmsim graph`: a picture of a model.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::context::Context;
use super::exit::{Exit, Stop};
use crate::graph::{GraphOverlay, MachineGraph};
use crate::project::ModelCache;
use crate::report::{SvgUse, write_dot, write_graph_text, write_mermaid, write_svg};
use crate::terminal::{Escaping, stream};

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// The model: a folder with `flow.yaml`, or a file; `PATH@PROFILE` fixes the profile
    model: String,
    /// What the picture is drawn with
    #[arg(long, value_enum, default_value_t = GraphFormat::Svg, value_name = "FORMAT")]
    format: GraphFormat,
    /// All states, also where there are so many that their phases would be drawn
    #[arg(long)]
    all: bool,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
}

/// What a picture is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// An SVG, readable in light, dark and print
    Svg,
    /// For Graphviz
    Dot,
    /// For Mermaid
    Mermaid,
    /// For a terminal: each state with its ways out, as a tree
    Text,
}

/// Runs the command.
pub(super) fn run(args: &GraphArgs, context: &mut Context) -> Result<Exit, Stop> {
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let machine = context.load(&args.model, None, &mut models)?;
    let all = MachineGraph::of(&machine);
    // Text has room for all states.
    let graph = if args.all || args.format == GraphFormat::Text { all } else { all.overview() };
    let text = match args.format {
        GraphFormat::Svg => write_svg(&graph, &GraphOverlay::default(), SvgUse::Alone),
        GraphFormat::Dot => write_dot(&graph),
        GraphFormat::Mermaid => write_mermaid(&graph),
        GraphFormat::Text => write_graph_text(&graph),
    };
    let is_text = args.format == GraphFormat::Text;
    let mut out = stream(if is_text { Escaping::of_text() } else { Escaping::Plain });
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Ok)
}

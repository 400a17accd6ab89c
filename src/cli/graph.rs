//! `fsmsim graph`: draws a model as a diagram.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::graph_overlays;
use super::mapped_log::LogArgs;
use super::model_args::OneModelArgs;
use super::output::print;
use super::{CommandResult, Context, refuse};
use fsmsim_harness::graph::{GraphDirection, MachineGraph};
use fsmsim_reports::report::{
    GraphPage, SvgUse, write_dot, write_graph_text, write_mermaid, write_svg,
};
use fsmsim_syntax::terminal::Escaping;

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = GraphFormat::Svg, value_name = "FORMAT")]
    format: GraphFormat,
    /// Direction of the diagram
    #[arg(long, value_enum, default_value_t = GraphDirection::Right, value_name = "DIRECTION")]
    direction: GraphDirection,
    /// Highlight and count the transitions in this trace; a second trace is compared with the first; `-` is standard
    /// input
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
    #[command(flatten)]
    log: LogArgs,
    /// Show the traffic of transitions from this report of `fsmsim simulate MODEL --report json=FILE`
    #[arg(long, value_name = "REPORT", conflicts_with = "trace")]
    traffic: Option<PathBuf>,
    /// Show the coverage from this report of `fsmsim test --coverage --report json=FILE`
    #[arg(long, value_name = "REPORT")]
    covered: Option<PathBuf>,
    /// Draw all states of a large model instead of its phases
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    model: OneModelArgs,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// SVG for light and dark pages and print
    Svg,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
    /// Self-contained page with the diagram and the outgoing transitions of each state
    Html,
    /// Tree of the states and their outgoing transitions
    Text,
}

impl GraphArgs {
    /// Rejects options that the format does not support.
    fn check(&self) -> CommandResult<()> {
        if self.trace.len() > 2 {
            return refuse(
                format!("too many traces: {}, limit 2", self.trace.len()),
                "compare two traces at a time",
            );
        }
        let is_plain = self.trace.is_empty() && self.traffic.is_none() && self.covered.is_none();
        if !is_plain && matches!(self.format, GraphFormat::Dot | GraphFormat::Mermaid) {
            return refuse(
                "cannot show traces or reports in this format",
                "use `--format svg`, `html` or `text`",
            );
        }
        Ok(())
    }
}

/// Runs the command.
pub(super) fn run(args: &GraphArgs, context: &mut Context) -> CommandResult {
    args.check()?;
    let (machine, _) = args.model.load(context)?;
    let graph = MachineGraph::of(&machine);
    let (mut overlay, mut names) = graph_overlays::traces(&args.trace, &args.log, &graph, context)?;
    if let Some(report) = &args.traffic {
        let (traffic, about) = graph_overlays::traffic(report, &machine, &graph, context)?;
        overlay = traffic;
        names.push(about);
    }
    if let Some(report) = &args.covered {
        let (coverage, about) = graph_overlays::coverage(report, &machine, &graph, context)?;
        overlay = overlay.with(coverage);
        names.push(about);
    }
    let drawn = if args.all {
        graph.clone()
    } else {
        graph.overview()
    };
    let text = match args.format {
        GraphFormat::Svg => write_svg(
            &drawn,
            &overlay.passed_of(&drawn),
            args.direction,
            SvgUse::Alone,
        )?,
        GraphFormat::Dot => write_dot(&drawn, args.direction),
        GraphFormat::Mermaid => write_mermaid(&drawn, args.direction),
        GraphFormat::Html => GraphPage {
            graph: &graph,
            drawn: &drawn,
            direction: args.direction,
            overlay: &overlay,
            traces: names,
        }
        .write()?,
        // The text format can show all states.
        GraphFormat::Text => write_graph_text(&graph, &overlay),
    };
    let escaping = if args.format == GraphFormat::Text {
        Escaping::of_text()
    } else {
        Escaping::Plain
    };
    print(escaping, text)
}

//! What is asked about the dialogue without moving it.

use serde::{Deserialize, Serialize};

use crate::studio::operation::{StudioOperation, at_once, operations};
use crate::studio::refusal::Refusal;
use crate::studio::workbench::Workbench;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_reports::report::{SourceExcerpt, SvgUse, write_svg};
use fsmsim_reports::view::{
    ConditionView, TurnView, WantedConditions, WhyNotView, conditions_at, excerpt_at,
};

operations! {
    "turn" => at_once(turn);
    "conditions" => at_once(conditions);
    "why_not" => at_once(why_not);
    "compare" => at_once(compare);
    "graph" => at_once(graph);
    "source" => at_once(source);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnBody {
    number: u32,
}

fn turn(bench: &mut Workbench, body: &TurnBody) -> Result<TurnView, Refusal> {
    TurnView::of(&bench.rehearsal, body.number).map_err(|why| Refusal::cannot(why, ""))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionsBody {
    number: u32,
    #[serde(default)]
    find: String,
}

#[derive(Serialize)]
struct ConditionsResponse {
    conditions: Vec<ConditionView>,
}

fn conditions(bench: &mut Workbench, body: &ConditionsBody) -> Result<ConditionsResponse, Refusal> {
    let rehearsal = &bench.rehearsal;
    if body.number > 0 && rehearsal.tree().moment(body.number).is_none() {
        return Err(Refusal::cannot(
            format!("there is no moment {}", body.number),
            "ask about one that the page has told",
        ));
    }
    let session = rehearsal
        .session_at(body.number)
        .map_err(|why| Refusal::cannot(why, ""))?;
    let last = rehearsal.turn_at(body.number).unwrap_or_default();
    let dialogue = rehearsal.dialogue();
    let wanted = match &*body.find {
        "" => WantedConditions::Of(session.position.state, None),
        find => WantedConditions::Named(find),
    };
    Ok(ConditionsResponse {
        conditions: conditions_at(
            dialogue.machine(),
            dialogue.settings(),
            &session,
            &last,
            wanted,
        ),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhyNotBody {
    to: String,
}

fn why_not(bench: &mut Workbench, body: &WhyNotBody) -> Result<WhyNotView, Refusal> {
    WhyNotView::of(&bench.rehearsal, &body.to).map_err(|why| Refusal::cannot(why, ""))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompareBody {
    a: String,
    b: String,
}

#[derive(Serialize)]
struct ComparedBranches {
    a: String,
    b: String,
    parted: u32,
    rows: Vec<ComparedRow>,
}

#[derive(Serialize)]
struct ComparedRow {
    turn: u32,
    a: Option<u32>,
    b: Option<u32>,
    fields: Vec<ComparedField>,
}

#[derive(Serialize)]
struct ComparedField {
    field: &'static str,
    a: String,
    b: String,
}

fn compare(bench: &mut Workbench, body: &CompareBody) -> Result<ComparedBranches, Refusal> {
    let compared = bench
        .rehearsal
        .compare(&body.a, &body.b)
        .map_err(|why| Refusal::cannot(why, ""))?;
    let rows = compared.turns.into_iter().map(|turn| {
        let [a, b] = turn.moments;
        let fields = turn.fields.into_iter();
        let fields = fields.map(|field| ComparedField {
            field: field.field,
            a: field.was,
            b: field.is,
        });
        ComparedRow {
            turn: turn.turn,
            a,
            b,
            fields: fields.collect(),
        }
    });
    Ok(ComparedBranches {
        a: compared.one,
        b: compared.other,
        parted: compared.parted,
        rows: rows.collect(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphBody {
    #[serde(default)]
    overlay: GraphOverlayName,
    #[serde(default)]
    all: bool,
}

/// What is to lie over the picture.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GraphOverlayName {
    #[default]
    None,
    Coverage,
    Traffic,
}

#[derive(Serialize)]
struct GraphView {
    revision: u64,
    svg: String,
    /// Phases stand for their states.
    folded: bool,
    states: Vec<GraphState>,
    about: String,
}

#[derive(Serialize)]
struct GraphState {
    name: String,
    goal: String,
    at: Option<String>,
}

fn graph(bench: &mut Workbench, body: &GraphBody) -> Result<GraphView, Refusal> {
    let graph = MachineGraph::of(&bench.model.machine);
    let drawn = if body.all {
        graph.clone()
    } else {
        graph.overview()
    };
    let overlay = match body.overlay {
        GraphOverlayName::None => GraphOverlay::default(),
        GraphOverlayName::Coverage => bench.coverage_overlay(&graph)?,
        GraphOverlayName::Traffic => bench.traffic_overlay(&graph)?,
    };
    let svg = write_svg(&drawn, &overlay.passed_of(&drawn), SvgUse::Inside)
        .map_err(|error| Refusal::cannot(error.to_string(), ""))?;
    let folded = drawn.nodes.iter().any(|node| !node.members.is_empty());
    let states = graph.nodes.into_iter().map(|node| GraphState {
        name: node.name,
        goal: node.goal,
        at: node.at,
    });
    Ok(GraphView {
        revision: bench.model.revision,
        svg,
        folded,
        states: states.collect(),
        about: graph.about,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceBody {
    at: String,
}

#[derive(Serialize)]
struct SourceView {
    file: String,
    #[serde(flatten)]
    excerpt: SourceExcerpt,
}

/// The lines around a place in a file of the model: no other file is read.
fn source(bench: &mut Workbench, body: &SourceBody) -> Result<SourceView, Refusal> {
    let files = &bench.model.machine.files;
    let refused = || {
        Refusal::cannot(
            "that is no line of the model",
            "ask for a place that the page has told",
        )
    };
    let (file, _) = body.at.rsplit_once(':').ok_or_else(refused)?;
    let excerpt = excerpt_at(&body.at, files)
        .filter(|excerpt| !excerpt.lines.is_empty())
        .ok_or_else(refused)?;
    Ok(SourceView {
        file: file.to_owned(),
        excerpt,
    })
}

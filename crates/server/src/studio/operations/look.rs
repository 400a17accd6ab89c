//! Queries that do not change the dialogue.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::studio::operation::{StudioOperation, at_once, operations};
use crate::studio::refusal::Refusal;
use crate::studio::workbench::Workbench;
use fsmsim_harness::graph::{GraphDirection, GraphOverlay, MachineGraph};
use fsmsim_harness::rehearsal::WhyNot;
use fsmsim_reports::report::{SourceExcerpt, SvgUse, write_svg};
use fsmsim_reports::view::{TurnView, WantedConditions, conditions_at, excerpt_at};

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
    Ok(TurnView::of(&bench.rehearsal, body.number)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionsBody {
    number: u32,
    #[serde(default)]
    find: String,
}

fn conditions(bench: &mut Workbench, body: &ConditionsBody) -> Result<Json, Refusal> {
    let rehearsal = &bench.rehearsal;
    if body.number > 0 && rehearsal.tree().moment(body.number).is_none() {
        return Err(Refusal::cannot(
            format!("there is no moment {}", body.number),
            "ask about one that the page has told",
        ));
    }
    let session = rehearsal.session_at(body.number)?;
    let last = rehearsal.turn_at(body.number).unwrap_or_default();
    let dialogue = rehearsal.dialogue();
    let wanted = match &*body.find {
        "" => WantedConditions::Of(session.position.state, None),
        find => WantedConditions::Named(find),
    };
    let conditions = conditions_at(
        dialogue.machine(),
        dialogue.settings(),
        &session,
        &last,
        wanted,
    );
    Ok(json!({"conditions": conditions}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhyNotBody {
    to: String,
}

fn why_not(bench: &mut Workbench, body: &WhyNotBody) -> Result<WhyNot, Refusal> {
    Ok(bench.rehearsal.why_not(body.to.trim())?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompareBody {
    a: String,
    b: String,
}

fn compare(bench: &mut Workbench, body: &CompareBody) -> Result<Json, Refusal> {
    let compared = bench.rehearsal.compare(&body.a, &body.b)?;
    let rows = compared.turns.iter().map(|turn| {
        let [a, b] = turn.moments;
        let fields = turn.fields.iter();
        let fields =
            fields.map(|field| json!({"field": field.field, "a": field.was, "b": field.is}));
        json!({"turn": turn.turn, "a": a, "b": b, "fields": fields.collect::<Vec<_>>()})
    });
    Ok(json!({
        "a": compared.one,
        "b": compared.other,
        "parted": compared.parted,
        "rows": rows.collect::<Vec<_>>(),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GraphBody {
    #[serde(default)]
    overlay: GraphOverlayName,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    direction: GraphDirection,
}

/// The overlay of a diagram.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GraphOverlayName {
    #[default]
    None,
    Coverage,
    Traffic,
}

fn graph(bench: &mut Workbench, body: &GraphBody) -> Result<Json, Refusal> {
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
    let svg = write_svg(
        &drawn,
        &overlay.passed_of(&drawn),
        body.direction,
        SvgUse::Inside,
    )
    .map_err(|error| Refusal::cannot(error.to_string(), ""))?;
    // Whether phases are drawn instead of their states.
    let folded = drawn.nodes.iter().any(|node| !node.members.is_empty());
    let states = graph.nodes.iter();
    let states = states.map(|node| json!({"name": node.name, "goal": node.goal, "at": node.at}));
    Ok(json!({
        "revision": bench.model.revision,
        "svg": svg,
        "folded": folded,
        "states": states.collect::<Vec<_>>(),
        "about": graph.about,
    }))
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

/// The lines around a location in a file of the model. Other files are not read.
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

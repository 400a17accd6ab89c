//! Queries that do not change the dialogue.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::studio::operation::{StudioOperation, bodies, immediately, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_state::StudioState;
use fsmsim_harness::graph::{GraphDirection, GraphOverlay, MachineGraph};
use fsmsim_harness::interactive::WhyNot;
use fsmsim_reports::dialogue_view::{TurnView, WantedConditions, conditions_in, excerpt_at};
use fsmsim_reports::report::{SourceExcerpt, SvgUse, write_svg};

operations! {
    "turn" => immediately(turn);
    "conditions" => immediately(conditions);
    "why_not" => immediately(why_not);
    "compare" => immediately(compare);
    "graph" => immediately(graph);
    "source" => immediately(source);
}

bodies! {
    struct TurnBody {
        number: u32,
    }

    struct ConditionsBody {
        number: u32,
        #[serde(default)]
        find: String,
    }

    struct WhyNotBody {
        to: String,
    }

    struct CompareBody {
        a: String,
        b: String,
    }

    struct GraphBody {
        #[serde(default)]
        overlay: GraphOverlayName,
        #[serde(default)]
        all: bool,
        #[serde(default)]
        direction: GraphDirection,
    }

    struct SourceBody {
        at: String,
    }
}

fn turn(bench: &mut StudioState, body: &TurnBody) -> Result<TurnView, Refusal> {
    Ok(TurnView::of(&bench.interactive, body.number)?)
}

fn conditions(bench: &mut StudioState, body: &ConditionsBody) -> Result<Json, Refusal> {
    let interactive = &bench.interactive;
    if body.number > 0 && interactive.tree().moment(body.number).is_none() {
        return Err(Refusal::cannot(
            format!("unknown moment {}", body.number),
            "use the number of a turn on the page",
        ));
    }
    let explainer = interactive.explain_conditions(Some(body.number), None)?;
    let wanted = match &*body.find {
        "" => WantedConditions::Of(explainer.session().position.state, None),
        find => WantedConditions::Named(find),
    };
    let conditions = conditions_in(interactive.dialogue().machine(), &explainer, wanted);
    Ok(json!({"conditions": conditions}))
}

fn why_not(bench: &mut StudioState, body: &WhyNotBody) -> Result<WhyNot, Refusal> {
    Ok(bench.interactive.why_not(body.to.trim())?)
}

fn compare(bench: &mut StudioState, body: &CompareBody) -> Result<Json, Refusal> {
    let compared = bench.interactive.compare(&body.a, &body.b)?;
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

/// The overlay of a diagram.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GraphOverlayName {
    #[default]
    None,
    Coverage,
    Traffic,
}

fn graph(bench: &mut StudioState, body: &GraphBody) -> Result<Json, Refusal> {
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
    let states = graph
        .nodes
        .iter()
        .map(|node| json!({"name": node.name, "goal": node.goal, "at": node.at}));
    Ok(json!({
        "revision": bench.model.revision,
        "svg": svg,
        "folded": folded,
        "states": states.collect::<Json>(),
        "about": graph.about,
    }))
}

#[derive(Serialize)]
struct SourceView {
    file: String,
    #[serde(flatten)]
    excerpt: SourceExcerpt,
}

/// The lines around a location in a model file. Other files are not read.
fn source(bench: &mut StudioState, body: &SourceBody) -> Result<SourceView, Refusal> {
    let files = &bench.model.machine.files;
    let refused = || {
        Refusal::cannot(
            "unknown location in the model",
            "use a location that the page shows",
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

//! Diagrams of machines: their content, no overlaps, and small changes after an edit.

use std::collections::BTreeSet;
use std::fmt::Write;

use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::graph::{
    Covered, EdgeKind, EdgeLabel, GraphDirection, GraphEdge, GraphLayout, GraphNodeKind,
    GraphOverlay, MachineGraph, TraversedTransitions,
};
use fsmsim_reports::report::{SvgUse, write_svg};
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;

use crate::support::{Project, cases, home};

const MODELS: [&str; 11] = [
    "flows/bant",
    "flows/bant_parallel.yaml",
    "flows/spin_selling",
    "flows/support.yaml",
    "flows/accounting.yaml",
    "flows/clinic.yaml",
    "flows/it_support.yaml",
    "flows/grant_interview.yaml",
    "flows/handover_interview.yaml",
    "flows/agent_cycle.yaml",
    "states/student",
];

fn graph(path: impl AsRef<std::path::Path>) -> MachineGraph {
    let mut found = Diagnostics::default();
    let machine = Loader::default().load(path.as_ref(), Profile::Documented, None, &mut found);
    MachineGraph::of(&machine.unwrap_or_else(|| panic!("{:#?}", found.items())))
}

const DIRECTIONS: [GraphDirection; 2] = [GraphDirection::Right, GraphDirection::Down];

/// Left, top, right, bottom.
type Frame = (f64, f64, f64, f64);

fn frame(x: f64, top: f64, width: f64, height: f64) -> Frame {
    (x - width / 2.0, top, x + width / 2.0, top + height)
}

/// The frames of all nodes, ports and labels, with their names.
fn frames(layout: &GraphLayout) -> Vec<(String, Frame)> {
    let mut frames = Vec::new();
    for node in &layout.nodes {
        let name = node.name.concat();
        if let Some(port) = &node.port {
            frames.push((
                format!("port of {name}"),
                frame(port.x, port.y, port.width, port.height),
            ));
        }
        frames.push((
            name,
            frame(node.x, node.y - node.height / 2.0, node.width, node.height),
        ));
    }
    for edge in layout
        .edges
        .iter()
        .filter(|edge| !edge.label.lines.is_empty())
    {
        let label = &edge.label;
        frames.push((
            format!("{:?}", label.lines),
            frame(label.x, label.y, label.width, label.height),
        ));
    }
    frames
}

fn check_overlaps(layout: &GraphLayout) -> Result<(), String> {
    let frames = frames(layout);
    for (number, (name, one)) in frames.iter().enumerate() {
        if one.0 < 0.0 || one.1 < 0.0 || one.2 > layout.width || one.3 > layout.height {
            return Err(format!("{name} sticks out: {one:?}"));
        }
        for (other_name, other) in &frames[..number] {
            if one.0 < other.2
                && other.0 < one.2
                && one.1 < other.3 - 0.01
                && other.1 < one.3 - 0.01
            {
                return Err(format!("{name} {one:?} overlaps {other_name} {other:?}"));
            }
        }
    }
    for edge in &layout.edges {
        if edge.points.len() < 2 || edge.points.len() % 2 != 0 {
            return Err(format!("an edge has {} points", edge.points.len()));
        }
        let own = format!("{:?}", edge.label.lines);
        let line = line_of(&edge.points, layout.direction);
        for (name, (left, top, right, bottom)) in frames.iter().filter(|(name, _)| *name != own) {
            // Edges start and end at the sides of nodes.
            let inside = |(x, y): &(f64, f64)| {
                *x > left + 0.5 && *x < right - 0.5 && *y > top + 0.5 && *y < bottom - 0.5
            };
            if let Some(at) = line.iter().find(|at| inside(at)) {
                return Err(format!("an edge crosses {name} at {at:?}"));
            }
        }
    }
    Ok(())
}

/// Points of an edge at small distances: straight parts and bends alternate.
fn line_of(points: &[(f64, f64)], direction: GraphDirection) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    for (number, stretch) in points.windows(2).enumerate() {
        let [(x, y), (to_x, to_y)] = [stretch[0], stretch[1]];
        for step in 0..=20 {
            let along = f64::from(step) / 20.0;
            // A cubic curve whose tangents have the direction of the diagram.
            let across = along * along * (3.0 - 2.0 * along);
            let bent = 1.5 * along * (1.0 - along) + along.powi(3);
            let (of_x, of_y) = match (number % 2 == 0, direction) {
                (true, _) => (along, along),
                (false, GraphDirection::Right) => (bent, across),
                (false, GraphDirection::Down) => (across, bent),
            };
            line.push((x + (to_x - x) * of_x, y + (to_y - y) * of_y));
        }
    }
    line
}

#[test]
fn elements_of_model_diagrams_do_not_overlap() {
    for model in MODELS {
        let graph = graph(home(model));
        for graph in [graph.folded(), graph] {
            for direction in DIRECTIONS {
                check_overlaps(&GraphLayout::of(&graph, direction))
                    .unwrap_or_else(|error| panic!("{model}: {error}"));
            }
        }
    }
}

/// The nodes of each phase in reading order: from left to right, and from top to bottom.
fn phases(graph: &MachineGraph, layout: &GraphLayout) -> Vec<Vec<usize>> {
    let phase = |group: usize| {
        let mut nodes: Vec<usize> = (0..graph.nodes.len())
            .filter(|node| graph.nodes[*node].group == group)
            .collect();
        let position = |node: usize| (layout.nodes[node].column, layout.nodes[node].y);
        nodes.sort_by(|one, other| position(*one).partial_cmp(&position(*other)).unwrap());
        nodes
    };
    (0..graph.groups.len()).map(phase).collect()
}

/// The number of nodes that are in another phase, or that must be removed so that the others have the same order.
fn moved(graph: &MachineGraph, before: &GraphLayout, after: &GraphLayout) -> usize {
    let (before, after) = (phases(graph, before), phases(graph, after));
    graph.nodes.len()
        - before
            .iter()
            .zip(&after)
            .map(|(one, other)| in_order(one, other))
            .sum::<usize>()
}

/// The length of the longest common subsequence.
fn in_order(one: &[usize], other: &[usize]) -> usize {
    let mut longest = vec![0; other.len() + 1];
    for node in one {
        let mut before = 0;
        for (at, there) in other.iter().enumerate() {
            let here = longest[at + 1];
            longest[at + 1] = if node == there {
                before + 1
            } else {
                here.max(longest[at])
            };
            before = here;
        }
    }
    longest[other.len()]
}

/// The graph without each of its edges, and with each of many additional edges.
fn edits(graph: &MachineGraph) -> Vec<(String, MachineGraph)> {
    let name = |node: usize| &graph.nodes[node].name;
    let mut edits = Vec::new();
    for (number, edge) in graph.edges.iter().enumerate() {
        let mut edited = graph.clone();
        edited.edges.remove(number);
        edits.push((
            format!("without {} to {}", name(edge.from), name(edge.to)),
            edited,
        ));
    }
    let count = graph.nodes.len();
    for from in 0..count {
        for to in (from % 3..count).step_by(3) {
            if from != to
                && !graph
                    .edges
                    .iter()
                    .any(|edge| (edge.from, edge.to) == (from, to))
            {
                let (trigger, condition) = ("agreement".to_owned(), String::new());
                let labels = vec![EdgeLabel {
                    trigger,
                    condition,
                    kind: EdgeKind::Move,
                    at: None,
                    is_built_in: false,
                }];
                let mut edited = graph.clone();
                edited.edges.push(GraphEdge { from, to, labels });
                edits.push((format!("with {} to {}", name(from), name(to)), edited));
            }
        }
    }
    edits
}

#[test]
fn edit_of_one_edge_moves_few_nodes() {
    let mut large = 0;
    for model in MODELS {
        let graph = graph(home(model));
        let before = GraphLayout::of(&graph, GraphDirection::Right);
        let (mut all, edits) = (0, edits(&graph));
        for (edit, edited) in &edits {
            let moved = moved(
                edited,
                &before,
                &GraphLayout::of(edited, GraphDirection::Right),
            );
            // Small flows, and those without phases, move more.
            let is_large = graph.nodes.len() >= 20;
            assert!(
                !is_large || moved * 10 < graph.nodes.len(),
                "{model}, {edit}: {moved} nodes moved"
            );
            all += moved;
        }
        large += usize::from(graph.nodes.len() >= 20);
        assert!(
            all * 10 < graph.nodes.len() * edits.len() * 2,
            "{model}: {all} nodes moved in {} edits",
            edits.len()
        );
    }
    assert_eq!(large, 2);
}

#[test]
fn diagram_of_a_machine_is_deterministic() {
    for model in MODELS {
        let project = Project::library();
        let one = project.fsmsim(["graph", model]).succeeds("<svg");
        assert_eq!(one, project.fsmsim(["graph", model]).succeeds("<svg"));
        assert_eq!(
            one.matches("<g ").count(),
            one.matches("</g>").count(),
            "{model}"
        );
        assert!(one.contains("<title>") && one.contains("<desc>") && one.ends_with("</svg>\n"));
    }
}

const SHOP: &str = "flow: {name: shop, policy: sales, description: 'Sells <tea> & \"more\"'}
entry_points: {default: hello}
feature_flags: {circular_flow: true}
phases: {order: [need, deal], mapping: {need: ask, deal: offer}, post_phases_state: bye}
states:
  hello: {transitions: {buy: split, leave: bye}}
  split:
    type: choice
    choices: [{condition: is_rich, next: offer}]
    default: ask
  ask: {required_data: [budget_range], transitions: {data_complete: offer, go_back: hello, leave: bye}, rules: {unclear: again}}
  offer: {transitions: {agree: bye, go_back: ask, leave: bye}, max_turns_in_state: 3, max_turns_fallback: bye}
  bye: {is_final: true}
conditions: {is_rich: {slot: budget_range, at_least: 1000}}
";

#[test]
fn flow_is_drawn_with_its_nodes_and_edges() {
    let project = Project::new().file("shop.yaml", SHOP);
    let shop = graph(project.path().join("shop.yaml"));
    let mut drawn = String::new();
    for node in &shop.nodes {
        writeln!(
            drawn,
            "{} {:?} column {} {}",
            node.name,
            node.kind,
            node.group,
            node.required.join(" ")
        )
        .unwrap();
    }
    for edge in &shop.edges {
        let labels = edge
            .labels
            .iter()
            .map(|label| format!("{} [{}] {:?}", label.trigger, label.condition, label.kind));
        let (from, to) = (&shop.nodes[edge.from].name, &shop.nodes[edge.to].name);
        writeln!(
            drawn,
            "{from} -> {to}: {}",
            labels.collect::<Vec<_>>().join("; ")
        )
        .unwrap();
    }
    insta::assert_snapshot!(drawn);
    insta::assert_snapshot!(
        "shop.mmd",
        project
            .fsmsim(["graph", "shop.yaml", "--format", "mermaid"])
            .succeeds("")
    );
    insta::assert_snapshot!(
        "shop.dot",
        project
            .fsmsim(["graph", "shop.yaml", "--format", "dot"])
            .succeeds("")
    );
    insta::assert_snapshot!(
        "shop.txt",
        project
            .fsmsim(["graph", "shop.yaml", "--format", "text"])
            .succeeds("")
    );
    let svg = project.fsmsim(["graph", "shop.yaml"]).succeeds("");
    assert!(
        svg.contains("<desc>Sells &lt;tea&gt; &amp; &quot;more&quot;. 5 states, initial state hello, final: bye</desc>")
    );
}

#[test]
fn hostile_names_are_escaped() {
    let name = "</text><script>alert(1)</script>\\\"'&";
    let states = format!(
        "states: {{greeting: {{transitions: {{x: {name:?}}}}}, {name:?}: {{is_final: true}}}}"
    );
    let project = Project::new().file("flow.yaml", format!("flow: {{name: {name:?}}}\n{states}\n"));
    for format in ["svg", "mermaid", "html"] {
        let run = project
            .fsmsim(["graph", "flow.yaml", "--format", format])
            .about(format)
            .ends(0, "", "");
        assert!(
            !run.stdout.contains("<script>alert"),
            "{format}: {}",
            run.stdout
        );
    }
    project
        .fsmsim(["graph", "nowhere.yaml"])
        .refuses("nowhere.yaml");
    project
        .fsmsim(["graph", "flow.yaml", "--format", "png"])
        .refuses("invalid value 'png'");
}

#[test]
fn mermaid_has_no_empty_quotes() {
    for model in MODELS {
        let drawn = Project::library()
            .fsmsim(["graph", model, "--format", "mermaid"])
            .succeeds("flowchart");
        assert!(!drawn.contains("\"\""), "{model}: {drawn}");
    }
}

#[test]
fn ampersands_are_escaped_for_graphviz() {
    let flow = "flow: {name: a}\nstates: {greeting: {transitions: {'R&D': '&lt;'}}, '&lt;': {is_final: true}}\n";
    let drawn = Project::new()
        .file("flow.yaml", flow)
        .fsmsim(["graph", "flow.yaml", "--format", "dot"])
        .succeeds("");
    assert!(drawn.contains("\"&lt;\" [label=\"&amp;lt;\""), "{drawn}");
    assert!(drawn.contains("[label=\"R&amp;D\"]"), "{drawn}");
}

#[test]
fn each_note_is_a_separate_node_in_graphviz() {
    let edges = "{transitions: {stop: end, leave: out}}";
    let states = format!("greeting: {edges}, a: {edges}, b: {edges}, c: {edges}, note 0: {edges}");
    let states = format!("states: {{{states}, end: {{is_final: true}}, out: {{is_final: true}}}}");
    let project = Project::new().file("flow.yaml", format!("flow: {{name: a}}\n{states}\n"));
    let drawn = project
        .fsmsim(["graph", "flow.yaml", "--format", "dot"])
        .succeeds("");
    assert!(
        drawn.contains("\"note 0_\" -> \"end\" [label=\"stop\", style=dashed]"),
        "{drawn}"
    );
    assert!(
        drawn.contains("\"note 1\" -> \"out\" [label=\"leave\", style=dashed]"),
        "{drawn}"
    );
}

/// The distinct texts between `begin` and `end`.
fn between<'t>(text: &'t str, begin: &'t str, end: &'t str) -> BTreeSet<&'t str> {
    text.split(begin)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(end)?.0))
        .collect()
}

#[test]
fn html_page_is_self_contained_and_its_links_resolve() {
    for model in MODELS {
        let page = Project::library()
            .fsmsim(["graph", model, "--format", "html"])
            .succeeds("<svg");
        let (anchors, links) = (
            between(&page, "id=\"state-", "\""),
            between(&page, "href=\"#state-", "\""),
        );
        assert_eq!(anchors.len(), graph(home(model)).nodes.len(), "{model}");
        assert!(
            links.is_subset(&anchors) && !links.is_empty(),
            "{model}: {links:?}"
        );
        assert!(
            page.contains("default-src 'none'") && page.contains("prefers-color-scheme: dark"),
            "{model}"
        );
        assert!(
            !page.contains(" style=") && !page.contains(" onclick="),
            "{model}: its content security policy forbids both"
        );
        let named = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http://", "https://", "@import", "url(", "src=\""] {
            assert!(!named.contains(outside), "{model}: {outside}");
        }
    }
}

/// A trace of the shop: `buy` dialogues that buy, and `leave` dialogues that leave.
fn trace(project: &Project, buy: usize, leave: usize) -> String {
    let mut turns = String::new();
    for number in 0..buy {
        let data = if number == 0 {
            r#","data":{"budget_range":5000}"#
        } else {
            ""
        };
        writeln!(
            turns,
            r#"{{"id":"b{number}","turns":[{{"intent":"buy"{data}}},{{"intent":"leave"}}]}}"#
        )
        .unwrap();
    }
    for number in 0..leave {
        writeln!(
            turns,
            r#"{{"id":"l{number}","turns":[{{"intent":"unclear"}},{{"intent":"leave"}}]}}"#
        )
        .unwrap();
    }
    project
        .fsmsim(["trace", "shop.yaml", "--turns", "-"])
        .stdin(turns)
        .succeeds("")
}

#[test]
fn diagram_shows_the_transitions_of_traces() {
    let project = Project::new().file("shop.yaml", SHOP);
    let (a, b) = (trace(&project, 3, 0), trace(&project, 0, 2));
    let project = project.file("a.jsonl", a).file("b.jsonl", b);
    let one = project
        .fsmsim([
            "graph",
            "shop.yaml",
            "--format",
            "text",
            "--trace",
            "a.jsonl",
        ])
        .succeeds("");
    insta::assert_snapshot!("one_trace", one);
    let two = [
        "graph",
        "shop.yaml",
        "--trace",
        "a.jsonl",
        "--trace",
        "b.jsonl",
    ];
    let text = project.fsmsim(two).args(["--format", "text"]).succeeds("");
    insta::assert_snapshot!("two_traces", text);
    let svg = project.fsmsim(two).succeeds("");
    for part in [
        "edge move b\" data-from=\"hello\" data-to=\"bye\"",
        "node none both\" data-state=\"hello\"",
        ">A×3 B×2</text>",
        ">only A</text>",
        ">only B</text>",
        ">A and B</text>",
    ] {
        assert!(svg.contains(part), "{part}\n{svg}");
    }
    let page = project.fsmsim(two).args(["--format", "html"]).succeeds("");
    assert!(
        page.contains("A: a.jsonl") && page.contains("3 dialogues") && page.contains("B: b.jsonl")
    );
    let svg = project
        .fsmsim(["graph", "shop.yaml", "--trace", "a.jsonl"])
        .succeeds("");
    assert!(
        svg.contains("edge move on\" data-from=\"hello\" data-to=\"split\"")
            && !svg.contains(">only A<"),
        "{svg}"
    );
}

#[test]
fn traces_that_do_not_fit_a_diagram_are_reported() {
    let project = Project::new().file("shop.yaml", SHOP);
    let trace = trace(&project, 1, 0).replace("\"split\"", "\"divide\"");
    let project = project
        .file("a.jsonl", trace)
        .file("broken.jsonl", "{\"turn\":1}\n")
        .file("empty.jsonl", "");
    let mut outputs = String::new();
    for arguments in [
        &["--trace", "a.jsonl", "--format", "text"][..],
        &["--trace", "a.jsonl", "--format", "dot"],
        &[
            "--trace", "a.jsonl", "--trace", "a.jsonl", "--trace", "a.jsonl",
        ],
        &["--trace", "-", "--trace", "-"],
        &["--trace", "nowhere.jsonl"],
        &["--trace", "broken.jsonl"],
        &["--trace", "empty.jsonl"],
    ] {
        let run = project.fsmsim(["graph", "shop.yaml"]).args(arguments).run();
        writeln!(
            outputs,
            "{}: exit {}\n{}",
            arguments.join(" "),
            run.code,
            run.stderr
        )
        .unwrap();
    }
    insta::assert_snapshot!(outputs);
}

const WIDE: &str = "flow: {name: широкий, description: \"a\\e[31mred\"}
states:
  greeting: {transitions: {согласие: 漢字, да: \"b\\e[2J\", 漢字: 漢字, очень_длинное_намерение: [{when: _always, then: greeting}]}, rules: {unclear: again}}
  漢字: {is_final: true}
  \"b\\e[2J\": {is_final: true}
  lost: {transitions: {agreement: 漢字}}
conditions: {_always: {turn: 1}}
";

#[test]
fn terminal_text_is_aligned_and_has_no_control_sequences() {
    let project = Project::new().file("wide.yaml", WIDE);
    let text = project
        .fsmsim(["graph", "wide.yaml", "--format", "text"])
        .run();
    insta::assert_snapshot!(text.shown());
    assert!(
        !text.stdout.contains('\u{1b}'),
        "no colors if the output is not a terminal"
    );
    let colored = project
        .fsmsim([
            "--color",
            "always",
            "graph",
            "wide.yaml",
            "--format",
            "text",
        ])
        .run()
        .stdout;
    assert!(
        colored.contains("\u{1b}[1m")
            && !colored.contains("\u{1b}[2J")
            && !colored.contains("\u{1b}[31m")
    );
    for model in MODELS {
        let text = Project::library()
            .fsmsim(["graph", model, "--format", "text"])
            .succeeds("initial");
        let graph = graph(home(model));
        for node in &graph.nodes {
            assert!(
                text.contains(&format!(" {}", node.name)),
                "{model}: {}",
                node.name
            );
        }
        assert!(!text.contains("unreachable"), "{model}");
    }
}

#[test]
fn large_flow_is_drawn_by_phases() {
    let mut flow = String::from(
        "flow: {name: many}\nentry_points: {default: s0}\nphases: {order: [one, two], mapping: {one: s0, two: s30}}\nstates:\n",
    );
    for number in 0..60 {
        let phase = if number < 30 { "one" } else { "two" };
        writeln!(
            flow,
            "  s{number}: {{phase: {phase}, transitions: {{go: s{}}}}}",
            (number + 1) % 60
        )
        .unwrap();
    }
    let project = Project::new().file("many.yaml", flow);
    let all = graph(project.path().join("many.yaml"));
    let overview = all.overview();
    assert_eq!(all.nodes.len(), 60);
    assert!(
        overview
            .nodes
            .iter()
            .filter(|node| node.kind == GraphNodeKind::Phase)
            .count()
            == 2,
        "{:?}",
        overview.nodes
    );
    assert_eq!(overview.node_of("s31"), overview.node_of("s59"));
    assert!(project.fsmsim(["graph", "many.yaml"]).succeeds("").len() < 10_000);
    assert!(
        project
            .fsmsim(["graph", "many.yaml", "--all"])
            .succeeds("")
            .contains("s59")
    );
    // The overview does not show turns within a phase as edges.
    let mut trace = String::from("{\"fsmsim_trace\":3,\"dialogue\":\"a\"}\n");
    for turn in 1..=30 {
        let (from, to) = (turn - 1, turn);
        writeln!(
            trace,
            r#"{{"turn":{turn},"state":{{"from":"s{from}","to":"s{to}"}}}}"#
        )
        .unwrap();
    }
    trace.push_str("{\"end\":\"a\",\"turns\":30}\n");
    let svg = project
        .fsmsim(["graph", "many.yaml", "--trace", "-"])
        .stdin(&trace)
        .succeeds("");
    assert!(
        svg.contains("edge move on\" data-from=\"one\" data-to=\"two\""),
        "{svg}"
    );
    assert!(
        svg.contains("edge move\" data-from=\"two\" data-to=\"one\""),
        "{svg}"
    );
    assert_eq!(
        (svg.matches(">×1</text>").count(), svg.matches(">×").count()),
        (3, 3),
        "two phases and a transition: {svg}"
    );
    let page = project
        .fsmsim(["graph", "many.yaml", "--trace", "-", "--format", "html"])
        .stdin(trace)
        .succeeds("");
    assert!(
        page.contains("standard input") && page.contains("id=\"state-59\""),
        "all states are in the list"
    );
}

#[test]
fn overlays_mark_paths_coverage_and_traffic() {
    let graph = graph(home("flows/bant"));
    let path = GraphOverlay::path([
        ("greeting", "assess_budget"),
        ("assess_budget", "assess_budget"),
    ]);
    let svg = write_svg(&graph, &path, GraphDirection::Right, SvgUse::Inside).unwrap();
    assert_eq!(svg.matches(">1–2</text>").count(), 1);
    assert!(
        svg.contains("class=\"edge move on\" data-from=\"greeting\" data-to=\"assess_budget\"")
    );
    let covered = GraphOverlay::coverage(
        [
            ("greeting".to_owned(), Covered::Full),
            ("close".to_owned(), Covered::Nothing),
        ],
        [(
            ("greeting".to_owned(), "assess_budget".to_owned()),
            Covered::Part,
        )],
    );
    let svg = write_svg(&graph, &covered, GraphDirection::Right, SvgUse::Inside).unwrap();
    // Each once in the diagram and once in the legend.
    for class in ["c-full", "c-part", "c-none"] {
        assert_eq!(
            svg.matches(&format!("{class}\"")).count(),
            2,
            "{class}: {svg}"
        );
    }
    let mut transitions = TraversedTransitions::default();
    transitions.add_way("greeting", "assess_budget", 700);
    transitions.add_way("assess_budget", "greeting", 70);
    transitions.add_way("greeting", "greeting", 90_000);
    let traffic = GraphOverlay::traffic(transitions);
    let svg = write_svg(&graph, &traffic, GraphDirection::Right, SvgUse::Inside).unwrap();
    assert!(
        svg.contains("edge move w10\"") && svg.contains("edge back w1\""),
        "{svg}"
    );
}

/// The diagram of a model shows the coverage of scenarios and the traffic of simulated dialogues.
#[test]
fn diagram_shows_coverage_and_traffic_reports() {
    let project = Project::library();
    let test = [
        "test",
        "scenarios/bant",
        "--coverage",
        "--report",
        "json=test.json",
    ];
    project.fsmsim(test).succeeds("");
    let simulate = [
        "simulate",
        "flows/bant",
        "--dialogues",
        "200",
        "--report",
        "json=traffic.json",
    ];
    project.fsmsim(simulate).succeeds("bant");
    let graph = |arguments: &[&str]| project.fsmsim(["graph", "flows/bant"]).args(arguments);
    let svg = graph(&["--covered", "test.json", "--traffic", "traffic.json"]).succeeds("<svg");
    assert!(
        svg.contains("partly covered") && svg.contains("wider: more turns"),
        "{svg}"
    );
    assert_eq!(
        svg.matches(" w10 ").count() + svg.matches(" w10\"").count(),
        1,
        "one edge is the widest: {svg}"
    );
    insta::assert_snapshot!(graph(&["--covered", "test.json", "--format", "text"]).succeeds(""));
    let page = graph(&["--traffic", "traffic.json", "--format", "html"]).succeeds("");
    assert!(
        page.contains("600 simulated dialogues"),
        "three users of 200 dialogues each"
    );
    // The transitions of the report add up to the simulated turns.
    let report: serde_json::Value = serde_json::from_str(&project.read("traffic.json")).unwrap();
    for persona in report["personas"].as_array().unwrap() {
        let transitions = persona["transitions"].as_array().unwrap();
        let turns: u64 = transitions
            .iter()
            .map(|transition| transition["turns"].as_u64().unwrap())
            .sum();
        assert_eq!(
            turns,
            persona["turns"]["total"].as_u64().unwrap(),
            "{persona}"
        );
    }
    project.write("empty.json", "");
    let refused = [
        graph(&["--covered", "traffic.json"]).refuses(""),
        graph(&["--traffic", "test.json"]).refuses(""),
        graph(&["--traffic", "empty.json"]).refuses(""),
        graph(&["--covered", "nowhere.json"]).refuses(""),
        project
            .fsmsim(["graph", "flows/spin_selling", "--covered", "test.json"])
            .refuses(""),
        graph(&["--covered", "test.json", "--format", "dot"]).refuses(""),
        project
            .fsmsim(["graph", "flows/spin_selling", "--traffic", "traffic.json"])
            .refuses("the report is not about the model"),
    ];
    insta::assert_snapshot!(refused.join("\n"));
}

prop_compose! {
    /// Any graph: 1 to 23 nodes, and up to 59 edges with labels.
    fn any_graph()(nodes in 1..24_usize)(
        edges in prop::collection::vec((0..nodes, 0..nodes, "[a-zа-я_ ]{0,40}", 0..3_u8), 0..60),
        phases in prop::collection::vec(0..4_usize, nodes),
    ) -> MachineGraph {
        use fsmsim_harness::graph::{EdgeLabel, GraphEdge, GraphGroup, GraphNode, GroupKind};
        let groups = (0..4).map(|number| GraphGroup { name: format!("phase {number}"), kind: GroupKind::Phase });
        let node = |(number, group): (usize, &usize)| {
            GraphNode { name: format!("state_{number}_with_a_name"), group: *group, initial: number == 0, ..GraphNode::default() }
        };
        let mut graph = MachineGraph { groups: groups.collect(), nodes: phases.iter().enumerate().map(node).collect(), ..MachineGraph::default() };
        for (from, to, trigger, kind) in edges {
            if graph.edges.iter().any(|edge| (edge.from, edge.to) == (from, to)) {
                continue;
            }
            let kind = [EdgeKind::Move, EdgeKind::Back, EdgeKind::Digress][usize::from(kind)];
            let label = EdgeLabel { trigger, condition: String::new(), kind, at: None, is_built_in: false };
            graph.edges.push(GraphEdge { from, to, labels: vec![label] });
        }
        graph
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn elements_of_any_diagram_do_not_overlap(graph in any_graph()) {
        let layout = GraphLayout::of(&graph, GraphDirection::Right);
        prop_assert_eq!(check_overlaps(&layout), Ok(()));
        prop_assert_eq!(check_overlaps(&GraphLayout::of(&graph, GraphDirection::Down)), Ok(()));
        for edge in &graph.edges {
            let columns = (layout.nodes[edge.from].column, layout.nodes[edge.to].column);
            prop_assert!(edge.from == edge.to || columns.0 != columns.1, "two connected nodes are in one column");
        }
    }
}

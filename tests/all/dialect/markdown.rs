//! State sets in Markdown: the loaded machines, and the findings for invalid files.

use std::fmt::Write;
use std::path::Path;

use fsmsim_core::engine::{Machine, SourceKind};
use fsmsim_core::machine::{Id, Profile, SourceMask};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;

use crate::support::{Invocation, Project, home, text};

/// The machine and the findings, which can include warnings.
fn load(path: &Path) -> (Machine, Diagnostics) {
    let mut found = Diagnostics::default();
    let machine = Loader::default().load(path, Profile::Documented, None, &mut found);
    (
        machine.unwrap_or_else(|| panic!("{:#?}", found.items())),
        found,
    )
}

/// The guidance of each state, without the text of its instruction.
fn guides(machine: &Machine) -> String {
    let mut shown = String::new();
    let state_name = |id| machine.names.states.name(id);
    for (id, state) in machine.declared_states() {
        let guide = machine.policies.guidance().unwrap().of(id).unwrap();
        let reads: Vec<&str> = guide
            .reads
            .iter()
            .map(|slot| machine.names.slots.name(*slot))
            .collect();
        let writes = guide.writes.map(|schema| &*machine.schemas[schema].name);
        let phase = state.phase.map(|phase| machine.names.phases.name(phase));
        writeln!(
            shown,
            "{}: {:?}",
            state_name(id),
            state.goal.as_deref().unwrap_or_default()
        )
        .unwrap();
        writeln!(shown, "  triggers {:?}", guide.triggers).unwrap();
        for declared in &guide.moves {
            writeln!(
                shown,
                "  {:?} -> {}",
                declared.condition,
                state_name(declared.target)
            )
            .unwrap();
        }
        writeln!(shown, "  degradation {:?}", guide.degradation).unwrap();
        writeln!(
            shown,
            "  reads {reads:?} writes {writes:?} phase {phase:?} final {}",
            state.is_final
        )
        .unwrap();
    }
    shown
}

/// Loads a model with the binary and runs no turns.
fn check(project: &Project, model: &str) -> Invocation {
    project.fsmsim(["trace", model, "--turns", "-"])
}

/// A state with these rows in its transition table.
fn state(name: &str, rows: &str) -> String {
    format!("# State: {name}\n\n## Transitions\n\n| Condition | Next state |\n|---|---|\n{rows}\n")
}

#[test]
fn bundled_assistant_loads_completely() {
    let folder = home("states/student");
    let (machine, found) = load(&folder);
    assert!(found.is_empty(), "{:#?}", found.items());
    let header = (&*machine.header.name, machine.header.dialect);
    assert_eq!(header, ("student", "markdown"));
    let names: Vec<&str> = machine
        .declared_states()
        .map(|(id, _)| machine.names.states.name(id))
        .collect();
    assert_eq!(
        (names.len(), names[0], machine.initial.index()),
        (19, "init", 0)
    );
    assert!(names[1..].is_sorted());
    assert_eq!(
        machine.settings().sources,
        SourceMask::NONE.with(SourceKind::Navigation, true)
    );

    let instructions = machine.policies.guidance().unwrap();
    let guide = |name: &str| instructions.of(machine.state_id(name).unwrap()).unwrap();
    for target in ["test_questions", "assess_stage"] {
        let id = machine.state_id(target).unwrap();
        let rule = guide("test_start").move_to(id).unwrap().rule;
        let place = machine.place_of(rule);
        let text = std::fs::read_to_string(&place.path).unwrap();
        assert!(
            text.lines()
                .nth(place.line - 1)
                .unwrap()
                .contains(&format!("| `{target}` |")),
            "{place}"
        );
    }
    let reads = |name: &str| -> Vec<&str> {
        guide(name)
            .reads
            .iter()
            .map(|slot| machine.names.slots.name(*slot))
            .collect()
    };
    assert_eq!(reads("weekly_reflection"), ["week"]);
    assert_eq!(reads("plan_entry"), ["profile", "goals"]);
    assert!(reads("dt_consent").is_empty() && reads("init").is_empty());
    // A state that needs data must describe its degradation.
    for (id, state) in machine.declared_states() {
        let guide = instructions.of(id).unwrap();
        let name = machine.names.states.name(id);
        let needs = !guide.reads.is_empty() && !name.starts_with("dt_") || guide.writes.is_some();
        assert!(!needs || guide.degradation.is_some(), "{name}");
        assert!(
            state.goal.is_some() && !guide.triggers.is_empty() && !guide.moves.is_empty(),
            "{name}"
        );
        let text = std::fs::read_to_string(folder.join(format!("states/{name}.md"))).unwrap();
        assert!(
            text.ends_with(&*guide.instruction) && guide.instruction.starts_with("# Состояние"),
            "{name}"
        );
    }
    let instructions = machine.policies.guidance().unwrap();
    assert_eq!(instructions.consent, machine.state_id("dt_consent"));
    assert_eq!(instructions.no_data_state, machine.state_id("no_dt_mode"));
    let schemas: Vec<&str> = machine.schemas.iter().map(|schema| &*schema.name).collect();
    assert_eq!(schemas, ["assessment", "weekly_plan", "weekly_reflection"]);
    assert_eq!(guide("plan_save").writes.map(Id::index), Some(1));
    let policy = machine.instructions().unwrap();
    assert_eq!(
        policy
            .limits
            .iter()
            .map(|limit| (limit.min, limit.max))
            .collect::<Vec<_>>(),
        [
            (None, Some(3)),
            (Some(1), None),
            (None, Some(3)),
            (Some(2), None),
            (None, Some(1)),
            (Some(1), None)
        ]
    );
    let (system, consent) = (
        instructions.base.find("# Ассистент"),
        instructions.base.find("# Данные и согласие"),
    );
    assert!(system == Some(0) && consent > system && !instructions.base.contains("no_data_state:"));
    // Knowledge files are only for people.
    assert!(!instructions.base.contains("Ступени и их приметы"));
    // The directory of the states loads as the same model.
    assert_eq!(guides(&load(&folder.join("states")).0), guides(&machine));
}

/// The moves in a table: the state and the target of each row.
fn moves(table: &str) -> Vec<(String, String)> {
    let separator = if table.contains(';') { ';' } else { ',' };
    let lines = table
        .lines()
        .map(|line| line.split(separator).collect::<Vec<_>>());
    let lines: Vec<_> = lines.collect();
    let column = |name: &str| lines[0].iter().position(|cell| *cell == name).unwrap();
    let (here, there) = (column("here"), column("there"));
    lines
        .iter()
        .skip(1)
        .map(|line| (line[here].to_owned(), line[there].to_owned()))
        .collect()
}

#[test]
fn each_move_of_the_student_assistant_is_tested() {
    let (machine, _) = load(&home("states/student"));
    let (mut declared, mut undeclared) = (Vec::new(), Vec::new());
    for (from, guide) in machine.policies.guidance().unwrap().all() {
        let others = machine
            .declared_states()
            .map(|(to, _)| to)
            .filter(|to| *to != from);
        let name = |id| machine.names.states.name(id).to_owned();
        for to in others {
            let moves = if guide.move_to(to).is_some() {
                &mut declared
            } else {
                &mut undeclared
            };
            moves.push((name(from), name(to)));
        }
    }
    assert!(undeclared.len() > 200);
    for (kind, mut wanted) in [("declared", declared), ("undeclared", undeclared)] {
        let mut tested = moves(&text(format!("scenarios/student/{kind}.csv")));
        tested.sort();
        wanted.sort();
        let missing: Vec<_> = wanted
            .iter()
            .filter(|pair| !tested.contains(pair))
            .collect();
        let unexpected: Vec<_> = tested
            .iter()
            .filter(|pair| !wanted.contains(pair))
            .collect();
        assert!(
            missing.is_empty() && unexpected.is_empty(),
            "{kind}: missing {missing:?}, unexpected {unexpected:?}"
        );
        assert_eq!(tested, wanted);
    }
}

#[test]
fn transitions_are_read_from_lists_and_table_cells() {
    let list = "# Состояние: init\n\n## Переходы\n\n- Сохранить → `save`\n- `plan`: планировать дальше\n- если сомневается — перейти в `save`\n\
        - Закончить -> done\n- после `plan` => [done](done.md)\n- просто замечание\n- Вернуться: `init`\n";
    let cells = "| Next | When |\n|---|---|\n| → `init` | again |\n| **plan**, done | both |\n| go to done (the end) | more |\n| [[init]] | |\n| — | stay |\n| `init`, `done.md` | last |\n";
    let project = Project::new()
        .file("a/states/init.md", list)
        .file(
            "a/states/save.md",
            format!("Text.\n\n# Transitions\n\n{cells}"),
        )
        .file(
            "a/states/plan.md",
            state("`plan` (the plan)", "| x \\| y | `done` |"),
        )
        .file(
            "a/states/done.md",
            "---\nfinal: true\nphase: end\n---\nThe end.\n",
        )
        .file("a/states/.hidden.md", "# State: init\n")
        .file("a/states/README.md", "About these states.\n")
        .file("a/states/deeper/other.md", "# State: init\n");
    let (machine, found) = load(&project.path().join("a"));
    assert!(found.is_empty(), "{:#?}", found.items());
    insta::assert_snapshot!(guides(&machine));
}

#[test]
fn required_data_comes_from_the_steps_of_a_state() {
    let project = Project::new()
        .file("states/init.md", "Load `dt_load_week` and `dt_load_all`, then `dt_load_wek`.\n\n# Degradation\n\nWithout `dt_load_none`.\n\n# Transitions\n\n- `a`\n- `dt_load_week`\n")
        .file("states/a.md", "---\nreads: []\n---\n# Steps\n\n1. `dt_load_week`\n\n## Переходы\n\n- `init`\n")
        .file("states/dt_load_week.md", "See `dt_load_all`.\n\n# Next\n\n- `init`\n")
        .file("states/dt_load_all.md", "---\nreads: [week, goals]\n---\n# Next\n\n- `init`\n");
    insta::assert_snapshot!(check(&project, "states").ends(0, "", "").stderr);
    insta::assert_snapshot!(guides(&load(&project.path().join("states")).0));
}

#[test]
fn crlf_and_byte_order_mark_are_ignored() {
    let texts = [
        (
            "init",
            format!(
                "---\nphase: start\n---\n{}",
                state("init", "| on | `b` |\n| back | `init` |")
            ),
        ),
        ("b", state("b", "| again | `init` |")),
    ];
    let (mut plain, mut windows) = (Project::new(), Project::new());
    for (name, text) in &texts {
        plain = plain.file(&format!("states/{name}.md"), text);
        windows = windows.file(
            &format!("states/{name}.md"),
            format!("\u{feff}{}", text.replace('\n', "\r\n")),
        );
    }
    let (plain, _) = load(&plain.path().join("states"));
    let (windows, found) = load(&windows.path().join("states"));
    assert!(found.is_empty(), "{:#?}", found.items());
    assert_eq!(guides(&plain), guides(&windows));
    let row = |machine: &Machine| {
        let init = machine
            .policies
            .guidance()
            .unwrap()
            .of(machine.initial)
            .unwrap();
        let place = machine.place_of(init.moves[0].rule);
        (place.line, place.column)
    };
    assert_eq!((row(&plain), row(&windows)), ((10, 8), (10, 8)));
}

#[test]
fn thousand_states_load_as_a_state_set() {
    let mut project = Project::new();
    for number in 0..1000 {
        let next = (number + 1) % 1000;
        project = project.file(
            &format!("states/s{number}.md"),
            state(&format!("s{number}"), &format!("| on | `s{next}` |")),
        );
    }
    insta::assert_snapshot!(check(&project, "states").refuses(""));
    project.write("instructions/system.md", "---\ninitial: s500\n---\n");
    let (machine, _) = load(&project.path().join("states"));
    assert_eq!(machine.declared_states().count(), 1000);
    assert_eq!(machine.names.states.name(machine.initial), "s500");
}

#[test]
fn initial_state_is_inferred_unless_ambiguous() {
    let project = Project::new()
        .file("states/a.md", state("a", "| x | `b` |\n| self | `a` |"))
        .file("states/b.md", state("b", "| x | `b` |\n"));
    let (machine, _) = load(&project.path().join("states"));
    assert_eq!(machine.names.states.name(machine.initial), "a");
    project.write("states/c.md", state("c", "| x | `b` |"));
    insta::assert_snapshot!(check(&project, "states").refuses(""));
}

#[test]
fn invalid_targets_names_and_rows_are_reported_together() {
    let project = Project::new()
        .file("states/init.md", state("init", "| save | `plan_sve` |\n| end |\n| stay | |\n| go on | to the end |\n| ok | plan_save |"))
        .file("states/plan_save.md", "# State: plan_save\n\n# State: other\n\n# Transitions\n\n| Reason | Colour |\n|---|---|\n| a | b |\n")
        .file("states/twice.md", "---\nstat: x\nwrites: plan\nreads: {a: b}\n---\n# State: init\n\n# Transitions\n\n| If | State | Note |\n|---|---|---|\n| a | init | b |\n")
        .file("schemas/plans.json", "{\"type\": \"object\"}")
        .file("instructions/extra.md", "---\ninitial: init\n---\n");
    insta::assert_snapshot!(check(&project, "states").refuses(""));
}

#[test]
fn invalid_settings_schemas_and_limits_are_reported() {
    let project = Project::new()
        .file("states/init.md", state("init", "| a | `init` |"))
        .file(
            "instructions/system.md",
            "---\ninitial: int\nconsent: ask\nlimit: 3\nlimits:\n  - {name: questions, pattern: '[?', max: 3}\n  - {pattern: x, max: -1}\n---\nText\n",
        )
        .file("schemas/a.json", "{\"type\": \"object\",\n \"properties\": {\"x\": {\"type\": \"strng\"}}}\n")
        .file("schemas/b.json", "{\"type\": \"object\",\n}\n")
        .file("schemas/c.json", "{\"$ref\": \"https://example.com/other.json\"}\n");
    insta::assert_snapshot!(check(&project, ".").refuses(""));
}

#[test]
fn unreadable_files_are_rejected() {
    let project = Project::new()
        .file("states/init.md", "text, and nothing else\n")
        .file(
            "states/large.md",
            "a line of a large file\n".repeat(10_000_000 / 23),
        )
        .file(
            "states/other.md",
            b"# State: other\n\n\xcf\xe5\xf0\xe5\xf5\xee\xe4\n",
        );
    insta::assert_snapshot!(check(&project, "states").refuses(""));
}

#[test]
fn directories_without_states_are_rejected() {
    let project = Project::new()
        .file("empty/states/notes.txt", "")
        .file("docs/guide.md", "# A guide\n");
    insta::assert_snapshot!(check(&project, "empty").refuses(""));
    insta::assert_snapshot!(check(&project, "docs").refuses(""));
    // A directory with a flow and states is loaded as a flow.
    let both = Project::new()
        .file("flow.yaml", "flow: {name: f}\nstates: {greeting: {}}\n")
        .file("states/init.md", state("init", "| a | `nowhere` |"));
    assert_eq!(check(&both, ".").succeeds(""), "");
}

const DESIGN: &str = "---\nstatus: accepted\ninitial: idle\nfinal: [done]\n---\n# The lift\n\n| State | Meaning |\n|---|---|\n| idle | waits |\n\n\
    | Event | From | To | Owner |\n|---|---|---|---|\n| call | idle | moving | Ann |\n| arrived | `moving` | `open` | |\n| closed | open | idle | |\n| broken | | done | |\n\n\
    ## moving\n\nThe doors stay shut.\n\n### Sound\n\nNone.\n\n## Later\n\n| From | To |\n|---|---|\n| open | stuck |\n";

#[test]
fn document_with_a_transition_table_loads() {
    let project = Project::new().file("lift.md", DESIGN);
    insta::assert_snapshot!(check(&project, "lift.md").ends(0, "", "").stderr);
    let (machine, _) = load(&project.path().join("lift.md"));
    assert_eq!(
        (
            &*machine.header.name,
            machine.names.states.name(machine.initial)
        ),
        ("The lift", "idle")
    );
    insta::assert_snapshot!(guides(&machine));
    let text = |name: &str| {
        let guide = machine
            .policies
            .guidance()
            .unwrap()
            .of(machine.state_id(name).unwrap());
        guide.unwrap().instruction.to_string()
    };
    assert_eq!(
        text("moving"),
        "## moving\n\nThe doors stay shut.\n\n### Sound\n\nNone."
    );
    assert_eq!(text("idle"), "call | idle | moving | Ann");
}

#[test]
fn documents_without_a_model_are_rejected() {
    let output: Vec<String> = [
        "# Notes\n\nNothing but text.\n",
        "# Words\n\n| Word | Meaning |\n|---|---|\n| a | b |\n\n| State | Meaning |\n|---|---|\n| a | b |\n",
        "# State: init\n\n## Transitions\n\n- `a`\n",
        "| State | If | Next |\n|---|---|---|\n| plan_entry | x | plan_save |\n| plan_save | y | plan_entri |\n| | z |\n",
        "",
    ]
    .into_iter()
    .map(|text| check(&Project::new().file("a.md", text), "a.md").refuses(""))
    .collect();
    insta::assert_snapshot!(output.join("\n"));
}

/// The layout of a state: section order, heading levels, language and column order.
#[derive(Clone, Debug)]
struct Style {
    order: Vec<usize>,
    levels: Vec<usize>,
    russian: Vec<bool>,
    swapped: bool,
    remarks: bool,
}

fn style() -> impl Strategy<Value = Style> {
    (
        Just(vec![0, 1, 2, 3, 4]).prop_shuffle(),
        prop::collection::vec(1_usize..=6, 6),
        prop::collection::vec(any::<bool>(), 7),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(order, levels, russian, swapped, remarks)| Style {
            order,
            levels,
            russian,
            swapped,
            remarks,
        })
}

fn written(style: &Style) -> String {
    const HEADINGS: [[&str; 2]; 5] = [
        ["Goal", "Цель"],
        ["Entry triggers", "Триггеры входа"],
        ["Steps", "Шаги"],
        ["Transitions", "Переходы"],
        ["Degradation", "Деградация"],
    ];
    let word = |at: usize, words: [&'static str; 2]| words[usize::from(style.russian[at])];
    let columns = [
        word(5, ["Condition", "Условие"]),
        word(5, ["Next state", "Следующее состояние"]),
    ];
    let row = |cells: [&str; 2]| {
        if style.swapped {
            format!("| {} | {} |\n", cells[1], cells[0])
        } else {
            format!("| {} | {} |\n", cells[0], cells[1])
        }
    };
    let table = [
        row(columns),
        "|---|---|\n".into(),
        row(["more", "`other`"]),
        row(["again", "init"]),
        row(["a `x` too", "`other`"]),
    ]
    .concat();
    let bodies = [
        "To *greet*.\n",
        "- a word\n- another\n",
        "1. `dt_load_week`\n2. ask\n",
        &table,
        "Ask `twice`.\n",
    ];
    let mut text = format!(
        "{} {}: init\n\n",
        "#".repeat(style.levels[5]),
        word(6, ["State", "Состояние"])
    );
    for section in &style.order {
        // The content below an unknown heading of the highest level is ignored.
        if style.remarks {
            text.push_str("# 🛈 Notes\n\nGoal: none of it `dt_load_nothing`.\n\n");
        }
        let level = "#".repeat(style.levels[*section]);
        write!(
            text,
            "{level} {}\n\n{}\n",
            word(*section, HEADINGS[*section]),
            bodies[*section]
        )
        .unwrap();
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layout_of_a_state_does_not_change_its_meaning(style in style()) {
        let project = Project::new()
            .file("states/init.md", written(&style))
            .file("states/other.md", state("other", "| x | `init` |"));
        let (machine, found) = load(&project.path().join("states"));
        prop_assert!(found.items().iter().all(|item| item.title.contains("dt_load_week")), "{:#?}", found.items());
        let plain = "init: \"To greet.\"\n  triggers [\"a word\", \"another\"]\n  \"more; a x too\" -> other\n  \"again\" -> init\n  \
            degradation Some(\"Ask twice.\")\n  reads [\"week\"] writes None phase None final false\n";
        prop_assert!(guides(&machine).starts_with(plain), "{}\n{}", guides(&machine), written(&style));
    }

    #[test]
    fn loader_never_panics_on_random_text(text in "(# |State: |Цель|\\||---|`a`|→|- |\n|\n\n|[a-z]{1,3}| ){0,60}") {
        for name in ["states/init.md", "table.md", "schemas/a.json"] {
            let project = Project::new().file("states/b.md", state("b", "| x | `b` |")).file(name, &text);
            let mut found = Diagnostics::default();
            let model = if name == "table.md" { name } else { "states" };
            let machine = Loader::default().load(&project.path().join(model), Profile::Documented, None, &mut found);
            prop_assert!(machine.is_some() != found.has_errors());
        }
    }
}

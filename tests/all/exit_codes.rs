//! One convention of exit codes over all commands: 0 all well, 1 the subject fell short, 2 unusable, 3 nobody answered.

use std::collections::BTreeSet;
use std::io::pipe;

use crate::conventions::commands;
use crate::cycle_memory::task;
use crate::support::{Invocation, Project};

/// A command, and arguments with which it ends so or so.
struct Ends {
    command: &'static str,
    /// All is well; `NAME` is a session, or something new, and `ARTIFACT` something that a task has left.
    well: &'static str,
    /// What it is about is missing or not what it should be; `FILE` is such a file. Nothing where it is about nothing.
    unusable: Option<&'static str>,
    /// The subject falls short, where it can.
    short: Option<&'static str>,
    /// Nobody answers, where somebody is asked.
    away: Option<&'static str>,
}

const fn ends(command: &'static str, well: &'static str, unusable: &'static str) -> Ends {
    Ends {
        command,
        well,
        unusable: Some(unusable),
        short: None,
        away: None,
    }
}

impl Ends {
    const fn short(self, short: &'static str) -> Self {
        Self {
            short: Some(short),
            ..self
        }
    }

    const fn away(self, away: &'static str) -> Self {
        Self {
            away: Some(away),
            ..self
        }
    }
}

/// All commands. A new one finds its place here.
const ALL: &[Ends] = &[
    ends("completions", "bash", "none"),
    ends("diff", "s.yaml s.yaml", "FILE s.yaml")
        .short("t.jsonl u.jsonl")
        .away("asks.yaml asks.yaml"),
    ends(
        "eval",
        "tea.yaml said.yaml --llm mock:reads.yaml",
        "tea.yaml FILE",
    )
    .short("tea.yaml said.yaml --llm mock:misreads.yaml --require accuracy=90%")
    .away("tea.yaml said.yaml --llm mock:away.yaml"),
    ends("explain", "FS0101", "nothing_of_the_kind"),
    ends("export", "xstate tea.yaml", "xstate FILE"),
    ends("flaky", "good.json bad.json", "FILE"),
    ends("graph", "tea.yaml", "FILE"),
    ends("import", "xstate tea.json", "xstate FILE"),
    ends("init", "NAME", "tea.yaml"),
    ends("lint", "tea.yaml", "FILE").short("wrong_model.yaml"),
    ends("list", "s.yaml", "FILE"),
    ends("llm check", "", "--format FILE"),
    Ends {
        command: "lsp",
        well: "",
        unusable: None,
        short: None,
        away: None,
    },
    ends("man", "", "tea.yaml"),
    ends("mcp", "states/student", "FILE"),
    ends("merge", "good.json", "FILE")
        .short("bad.json")
        .away("asks.json"),
    ends("prompt", "tea.yaml --say hello", "FILE"),
    ends("review", "s.yaml", "FILE").short("bare.yaml"),
    ends("run", "tea.yaml", "FILE"),
    ends("schema", "flow", "none"),
    ends("sessions export", "NAME --as trace", "none --as trace"),
    Ends {
        command: "sessions list",
        well: "",
        unusable: None,
        short: None,
        away: None,
    },
    ends("sessions show", "NAME", "none"),
    // No longer there for those that come behind it.
    ends("sessions delete", "NAME", "none"),
    ends("simulate", "tea.yaml --dialogues 2", "FILE")
        .away("tea.yaml --dialogues 1 --llm mock:away.yaml"),
    ends("studio", "tea.yaml --no-open", "FILE"),
    ends("test", "s.yaml", "FILE")
        .short("wrong.yaml")
        .away("asks.yaml"),
    ends("trace", "s.yaml", "FILE").away("asks.yaml"),
    ends(
        "verify",
        "t.jsonl --model tea.yaml",
        "FILE --model tea.yaml",
    )
    .short("u.jsonl --model tea.yaml"),
    ends(
        "why",
        "ARTIFACT --memory memory.sqlite",
        "none --memory FILE",
    ),
];

/// Whose result is how much was found, also of what nobody can read: a model with errors falls short.
const COUNTS: &str = "lint";
/// What goes on until it is told to end; it is told so elsewhere.
const STAYS: [&str; 2] = ["lsp", "studio"];

const TEA: &str = "flow: {name: tea}\nstates: {greeting: {transitions: {agreement: bye}}, bye: {is_final: true}}\n";

/// A project with something for each command.
fn project() -> Project {
    let scenario =
        |turn: &str| format!("scenario: A\nmodel: tea.yaml\nllm: away.yaml\nturns: [{turn}]\n");
    let project = task::project()
        .with("states/student")
        .file("tea.yaml", TEA)
        .file(
            "wrong_model.yaml",
            TEA.replace("agreement: bye", "agreement: by"),
        )
        .file(
            "s.yaml",
            scenario("{intent: agreement, expect: {state: bye}}"),
        )
        .file(
            "wrong.yaml",
            scenario("{intent: agreement, expect: {state: greeting}}"),
        )
        .file("bare.yaml", scenario("{intent: agreement}"))
        .file(
            "asks.yaml",
            scenario("{say: hello, expect: {state: greeting}}"),
        )
        .file("said.yaml", "- {say: fine, intent: agreement}\n")
        .file("reads.yaml", "rules: [{answer: {intent: agreement}}]\n")
        .file("misreads.yaml", "rules: [{answer: {intent: unclear}}]\n")
        .file(
            "away.yaml",
            "rules: [{fault: server_error}, {need: play_user, fault: server_error}]\n",
        )
        .file("fsmsim.toml", "[[llm.chain]]\nkind = \"bank\"\n")
        .file("junk.yaml", "{[\n");
    let kept = |file: &str, command: &str| project.write(file, of(&project, command).run().stdout);
    kept("t.jsonl", "trace s.yaml");
    project.write(
        "u.jsonl",
        project.read("t.jsonl").replace("\"bye\"", "\"elsewhere\""),
    );
    kept("tea.json", "export xstate tea.yaml");
    kept("good.json", "test s.yaml --report json");
    kept("bad.json", "test wrong.yaml --report json");
    kept("asks.json", "test asks.yaml --report json");
    // It has nothing to be held against, so it waits for a decision.
    of(&project, "test bare.yaml").fails(1, "", "");
    for name in ["ann", "bob"] {
        of(&project, &format!("run tea.yaml --session {name}"))
            .stdin("agreement\n")
            .warns("", "the session");
    }
    task::play(&project)
        .stdin(task::typed(&task::lines("alpha")))
        .warns("the dialogue is over", "is created");
    project
}

/// Arguments with which all is well, for the session of this name.
fn well(project: &Project, well: &str, name: &str) -> String {
    let artifact = || {
        let known = "SELECT id FROM artifacts WHERE sequence IS NOT NULL ORDER BY sequence";
        task::memory(project)
            .query_row(known, [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    let well = well.replace("NAME", name);
    if well.contains("ARTIFACT") {
        well.replace("ARTIFACT", &artifact())
    } else {
        well
    }
}

/// The program with these arguments.
fn of(project: &Project, line: &str) -> Invocation {
    project.fsmsim(line.split_whitespace()).without_usage()
}

#[test]
fn every_command_ends_with_the_code_that_says_what_came_of_it() {
    let project = project();
    for Ends {
        command,
        well: arguments,
        unusable,
        short,
        away,
    } in ALL
    {
        let run = |arguments: &str| of(&project, &format!("{command} {arguments}"));
        if let Some(unusable) = unusable {
            let missing = run(&unusable.replace("FILE", "none.yaml")).ends(2, "", "");
            assert_ne!(missing.stderr, "", "{missing}");
            assert_eq!(missing.stdout.is_empty(), *command != COUNTS, "{missing}");
            // Beside what cannot be read there may be results.
            let code = if *command == COUNTS { 1 } else { 2 };
            let run = run(&unusable.replace("FILE", "junk.yaml")).ends(code, "", "");
            assert_ne!(run.stderr, "", "{run}");
        }
        if let Some(short) = short {
            run(short).fails(1, "", "");
        }
        if let Some(away) = away {
            run(away).unavailable("", "");
        }
        if STAYS.contains(command) {
            continue;
        }
        let run = run(&well(&project, arguments, "ann")).ends(0, "", "");
        assert!(!run.stderr.contains("error"), "{run}");
    }
}

#[test]
fn nobody_panics_where_nobody_reads() {
    let project = project();
    let closed = |line: &str| {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        of(&project, line).stdout(writer.into()).run()
    };
    for Ends {
        command,
        well: arguments,
        short,
        ..
    } in ALL.iter().filter(|ends| !STAYS.contains(&ends.command))
    {
        let run = closed(&format!("{command} {}", well(&project, arguments, "bob")));
        assert!(run.code == 0 && !run.stderr.contains("panicked"), "{run}");
        // Who has seen enough of the results does not ask what they come to; some tell it all the same.
        if let Some(short) = short {
            let run = closed(&format!("{command} {short}"));
            assert!(
                [0, 1].contains(&run.code) && !run.stderr.contains("panicked"),
                "{run}"
            );
        }
    }
    for (command, _) in commands() {
        let run = closed(&format!("{} --help", command.trim_start_matches("fsmsim")));
        assert!(run.code == 0 && !run.stderr.contains("panicked"), "{run}");
    }
}

#[test]
fn help_is_no_mistake_and_an_option_that_nobody_knows_is_one() {
    let project = Project::new();
    for (command, _) in commands() {
        let command = command.trim_start_matches("fsmsim");
        of(&project, &format!("{command} --help")).succeeds("Usage: fsmsim");
        of(&project, &format!("{command} --no-such-option")).refuses("--no-such-option");
    }
}

#[test]
fn the_table_has_every_command() {
    let all = commands()
        .into_iter()
        .filter(|(_, clap)| clap.get_subcommands().next().is_none());
    let all: BTreeSet<String> = all
        .map(|(name, _)| name.trim_start_matches("fsmsim ").to_owned())
        .collect();
    let told: BTreeSet<String> = ALL.iter().map(|ends| ends.command.to_owned()).collect();
    assert_eq!(told, all);
}

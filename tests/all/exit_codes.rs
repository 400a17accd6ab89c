//! Consistent exit codes of all commands: 0 passed, 1 failed, 2 invalid input, 3 external service unavailable.

use std::collections::BTreeSet;
use std::io::pipe;

use crate::conventions::commands;
use crate::cycle_memory::task;
use crate::support::{Invocation, Project};

/// A command, and arguments for each exit code.
struct Ends {
    command: &'static str,
    /// Arguments for code 0. `NAME` is a session or a new name, `ARTIFACT` is an artifact of a task.
    passing: &'static str,
    /// Arguments for code 2. `FILE` is a missing or invalid file. `None` if the command takes no input.
    invalid: Option<&'static str>,
    /// Arguments for code 1, if the command can fail.
    failing: Option<&'static str>,
    /// Arguments for code 3, if the command uses an external service.
    unavailable: Option<&'static str>,
}

const fn ends(command: &'static str, passing: &'static str, invalid: &'static str) -> Ends {
    Ends {
        command,
        passing,
        invalid: Some(invalid),
        failing: None,
        unavailable: None,
    }
}

impl Ends {
    const fn failing(self, failing: &'static str) -> Self {
        Self {
            failing: Some(failing),
            ..self
        }
    }

    const fn unavailable(self, unavailable: &'static str) -> Self {
        Self {
            unavailable: Some(unavailable),
            ..self
        }
    }
}

/// All commands. Add new commands to this list.
const ALL: &[Ends] = &[
    ends("completions", "bash", "none"),
    ends("diff", "s.yaml s.yaml", "FILE s.yaml")
        .failing("t.jsonl u.jsonl")
        .unavailable("asks.yaml asks.yaml"),
    ends(
        "eval",
        "tea.yaml said.yaml --llm mock:reads.yaml",
        "tea.yaml FILE",
    )
    .failing("tea.yaml said.yaml --llm mock:misreads.yaml --require accuracy=90%")
    .unavailable("tea.yaml said.yaml --llm mock:away.yaml"),
    ends("explain", "FS0101", "nothing_of_the_kind"),
    ends("explore", "tea.yaml", "FILE").unavailable("tea.yaml --depth 1"),
    ends("export", "xstate tea.yaml", "xstate FILE"),
    ends("flaky", "good.json bad.json", "FILE"),
    ends("generate", "tea.yaml", "FILE").unavailable("tea.yaml --states 1"),
    ends("graph", "tea.yaml", "FILE"),
    ends("import", "xstate tea.json", "xstate FILE"),
    ends("init", "NAME", "tea.yaml"),
    ends("lint", "tea.yaml", "FILE").failing("wrong_model.yaml"),
    ends("list", "s.yaml", "FILE"),
    ends("llm check", "", "--format FILE"),
    Ends {
        command: "lsp",
        passing: "",
        invalid: None,
        failing: None,
        unavailable: None,
    },
    ends("man", "", "tea.yaml"),
    ends("mcp", "states/student", "FILE"),
    ends("merge", "good.json", "FILE")
        .failing("bad.json")
        .unavailable("asks.json"),
    ends("mutate", "tea.yaml --scenarios s.yaml", "FILE")
        .failing("tea.yaml --scenarios s.yaml --require 100%"),
    ends("prompt", "tea.yaml --say hello", "FILE"),
    ends("review", "s.yaml", "FILE").failing("bare.yaml"),
    ends("run", "tea.yaml", "FILE"),
    ends("schema", "flow", "none"),
    ends("sessions export", "NAME --as trace", "none --as trace"),
    Ends {
        command: "sessions list",
        passing: "",
        invalid: None,
        failing: None,
        unavailable: None,
    },
    ends("sessions show", "NAME", "none"),
    // After the commands that need the session.
    ends("sessions delete", "NAME", "none"),
    ends("simulate", "tea.yaml --dialogues 2", "FILE")
        .unavailable("tea.yaml --dialogues 1 --llm mock:away.yaml"),
    ends("studio", "tea.yaml --no-open", "FILE"),
    ends("test", "s.yaml", "FILE")
        .failing("wrong.yaml")
        .unavailable("asks.yaml"),
    ends("trace", "s.yaml", "FILE").unavailable("asks.yaml"),
    ends(
        "verify",
        "t.jsonl --model tea.yaml",
        "FILE --model tea.yaml",
    )
    .failing("u.jsonl --model tea.yaml"),
    ends(
        "why",
        "ARTIFACT --memory memory.sqlite",
        "none --memory FILE",
    ),
];

/// Reports counts even if a model cannot be read: such a model counts as an error, so the exit code is 1.
const COUNTS: &str = "lint";
/// Commands that run until they are stopped. Other tests stop them.
const STAYS: [&str; 2] = ["lsp", "studio"];

const TEA: &str = "flow: {name: tea, policy: sales}\nstates: {greeting: {transitions: {agreement: bye}}, bye: {is_final: true}}\n";

/// A project with input for each command.
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
        .file("fsmsim.toml", "[[llm.chain]]\nkind = \"examples\"\n")
        .file("junk.yaml", "{[\n");
    let save =
        |file: &str, command: &str| project.write(file, invoke(&project, command).run().stdout);
    save("t.jsonl", "trace s.yaml");
    project.write(
        "u.jsonl",
        project.read("t.jsonl").replace("\"bye\"", "\"elsewhere\""),
    );
    save("tea.json", "export xstate tea.yaml");
    save("good.json", "test s.yaml --report json");
    save("bad.json", "test wrong.yaml --report json");
    save("asks.json", "test asks.yaml --report json");
    // It has no accepted snapshot, so the new snapshot is pending.
    invoke(&project, "test bare.yaml").fails(1, "", "");
    for name in ["ann", "bob"] {
        invoke(&project, &format!("run tea.yaml --session {name}"))
            .stdin("agreement\n")
            .warns("", "the session");
    }
    task::play(&project)
        .stdin(task::typed(&task::lines("alpha")))
        .warns("the dialogue has ended", "created the memory");
    project
}

/// Fills in `NAME` and `ARTIFACT`.
fn filled_in(project: &Project, arguments: &str, name: &str) -> String {
    let artifact = || {
        let known = "SELECT id FROM artifacts WHERE sequence IS NOT NULL ORDER BY sequence";
        task::memory(project)
            .query_row(known, [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    let arguments = arguments.replace("NAME", name);
    if arguments.contains("ARTIFACT") {
        arguments.replace("ARTIFACT", &artifact())
    } else {
        arguments
    }
}

/// The program with the arguments of a line.
fn invoke(project: &Project, line: &str) -> Invocation {
    project.fsmsim(line.split_whitespace()).without_usage()
}

#[test]
fn every_command_returns_the_documented_exit_code() {
    let project = project();
    for Ends {
        command,
        passing: arguments,
        invalid,
        failing,
        unavailable,
    } in ALL
    {
        let run = |arguments: &str| invoke(&project, &format!("{command} {arguments}"));
        if let Some(invalid) = invalid {
            let missing = run(&invalid.replace("FILE", "none.yaml")).ends(2, "", "");
            assert_ne!(missing.stderr, "", "{missing}");
            assert_eq!(missing.stdout.is_empty(), *command != COUNTS, "{missing}");
            // If some input cannot be read, there can still be results.
            let code = if *command == COUNTS { 1 } else { 2 };
            let run = run(&invalid.replace("FILE", "junk.yaml")).ends(code, "", "");
            assert_ne!(run.stderr, "", "{run}");
        }
        if let Some(failing) = failing {
            run(failing).fails(1, "", "");
        }
        if let Some(unavailable) = unavailable {
            run(unavailable).unavailable("", "");
        }
        if STAYS.contains(command) {
            continue;
        }
        let run = run(&filled_in(&project, arguments, "ann")).ends(0, "", "");
        assert!(!run.stderr.contains("error"), "{run}");
    }
}

#[test]
fn commands_do_not_panic_if_stdout_is_closed() {
    let project = project();
    let closed = |line: &str| {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        invoke(&project, line).stdout(writer.into()).run()
    };
    for Ends {
        command,
        passing: arguments,
        failing,
        ..
    } in ALL.iter().filter(|ends| !STAYS.contains(&ends.command))
    {
        let run = closed(&format!(
            "{command} {}",
            filled_in(&project, arguments, "bob")
        ));
        assert!(run.code == 0 && !run.stderr.contains("panicked"), "{run}");
        // If standard output is closed, a failing command returns 0 or 1.
        if let Some(failing) = failing {
            let run = closed(&format!("{command} {failing}"));
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
fn help_succeeds_and_unknown_options_are_rejected() {
    let project = Project::new();
    for (command, _) in commands() {
        let command = command.trim_start_matches("fsmsim");
        invoke(&project, &format!("{command} --help")).succeeds("Usage: fsmsim");
        invoke(&project, &format!("{command} --no-such-option")).refuses("--no-such-option");
    }
}

#[test]
fn table_has_every_command() {
    let all = commands()
        .into_iter()
        .filter(|(_, clap)| clap.get_subcommands().next().is_none());
    let all: BTreeSet<String> = all
        .map(|(name, _)| name.trim_start_matches("fsmsim ").to_owned())
        .collect();
    let listed: BTreeSet<String> = ALL.iter().map(|ends| ends.command.to_owned()).collect();
    assert_eq!(listed, all);
}

//! Consistent conventions for the options of all commands.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory, Parser};

use fsmsim::cli::Cli;

/// All visible commands with their full names, for example `fsmsim sessions export`.
pub(crate) fn commands() -> Vec<(String, Command)> {
    fn collect(command: &Command, name: &str, into: &mut Vec<(String, Command)>) {
        into.push((name.to_owned(), command.clone()));
        for inner in command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
        {
            collect(inner, &format!("{name} {}", inner.get_name()), into);
        }
    }
    let mut root = Cli::command();
    root.build();
    let mut all = Vec::new();
    collect(&root, "fsmsim", &mut all);
    all
}

/// The form of an option: its short name and its value names.
fn form(arg: &Arg) -> (Option<char>, Vec<String>) {
    let takes = arg.get_action().takes_values();
    let names = arg.get_value_names().filter(|_| takes).unwrap_or_default();
    (
        arg.get_short(),
        names.iter().map(ToString::to_string).collect(),
    )
}

fn help(arg: &Arg) -> String {
    arg.get_long_help()
        .or(arg.get_help())
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// `test --accept` accepts all snapshots, `review --accept ID` those of one edit. `test --against FILE|REV` compares with an
/// earlier run, `eval --against PROVIDER|REPORT` with another recognizer. `explore --memory SIZE` is a bound, `--require NAME`
/// names an answer, and `--save DIR` saves several dialogues; elsewhere they have a database, a share and a file. `test --prove=STATES` can have
/// a number, `diff --prove` has none. `trace --turns FILE` names turns, `generate --turns N` is a bound.
const TWO_FORMS: [&str; 7] = [
    "accept", "against", "memory", "prove", "require", "save", "turns",
];

#[test]
fn an_option_has_one_form_in_all_commands() {
    let mut forms: BTreeMap<String, BTreeMap<_, Vec<String>>> = BTreeMap::new();
    for (command, clap) in commands() {
        for arg in clap.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            forms
                .entry(long.to_owned())
                .or_default()
                .entry(form(arg))
                .or_default()
                .push(command.clone());
        }
    }
    let two: Vec<_> = forms.iter().filter(|(_, forms)| forms.len() > 1).collect();
    let names: Vec<&str> = two.iter().map(|(long, _)| long.as_str()).collect();
    assert_eq!(names, TWO_FORMS, "{two:#?}");
}

#[test]
fn short_form_belongs_to_one_option() {
    let mut longs: BTreeMap<char, Vec<String>> = BTreeMap::new();
    for (_, clap) in commands() {
        for arg in clap.get_arguments() {
            let (Some(short), Some(long)) = (arg.get_short(), arg.get_long()) else {
                continue;
            };
            longs.entry(short).or_default().push(long.to_owned());
        }
    }
    for (short, longs) in &mut longs {
        longs.sort();
        longs.dedup();
        assert_eq!(longs.len(), 1, "-{short}: {longs:?}");
    }
}

#[test]
fn each_option_and_argument_has_help() {
    for (command, clap) in commands() {
        assert!(clap.get_about().is_some(), "{command}");
        for arg in clap.get_arguments() {
            let text = help(arg);
            assert!(!text.is_empty(), "{command}: {}", arg.get_id());
            assert!(!text.ends_with('.'), "{command}: {}: {text}", arg.get_id());
        }
    }
}

/// Options whose effect depends on the command.
const TWO_TEXTS: [&str; 12] = [
    "accept", "against", "changed", "memory", "model", "output", "persona", "prove", "require",
    "save", "trace", "turns",
];

#[test]
fn an_option_has_one_text_in_all_commands() {
    let mut texts: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for (command, clap) in commands() {
        for arg in clap.get_arguments() {
            // `help` and `version` are those of clap. The kinds of `--report` depend on the command.
            let (Some(long), Some(text)) = (arg.get_long(), arg.get_help()) else {
                continue;
            };
            if !["help", "version"].contains(&long) {
                let text = text.to_string();
                let text = text.split(['(', '[']).next().unwrap_or_default().trim();
                let commands = texts.entry(long.to_owned()).or_default();
                commands
                    .entry(text.to_owned())
                    .or_default()
                    .push(command.clone());
            }
        }
    }
    texts.retain(|_, texts| texts.len() > 1);
    assert!(texts.keys().eq(TWO_TEXTS.iter()), "{texts:#?}");
}

#[test]
fn first_line_of_a_command_is_short() {
    for (command, clap) in commands() {
        let about = clap.get_about().unwrap().to_string();
        assert!(
            about.len() <= 60 && !about.contains('\n'),
            "{command}: {about}"
        );
    }
}

/// Splits a command line at spaces outside of single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (number, part) in line.split('\'').enumerate() {
        let mut parts = part.split(if number % 2 == 0 { ' ' } else { '\'' });
        words.last_mut().unwrap().push_str(parts.next().unwrap());
        words.extend(parts.map(str::to_owned));
    }
    words
}

#[test]
fn each_command_ends_with_examples() {
    for (command, clap) in commands() {
        let examples = clap.get_after_long_help().map(ToString::to_string);
        let examples = examples.unwrap_or_else(|| panic!("{command} has no examples"));
        let lines: Vec<&str> = examples.lines().skip(1).map(str::trim).collect();
        assert!((2..=4).contains(&lines.len()), "{command}: {examples}");
        assert!(
            lines.iter().any(|line| line.starts_with(&command)),
            "{command}: {examples}"
        );
        for line in lines.iter().filter(|line| line.starts_with("fsmsim")) {
            let line = line.split(['>', '&']).next().unwrap_or_default().trim();
            if let Err(error) = Cli::try_parse_from(words(line)) {
                panic!("{line}: {error}");
            }
        }
    }
}

#[test]
fn commands_with_a_model_describe_it_and_take_a_profile() {
    let mut takers = 0;
    for (command, clap) in commands() {
        for arg in clap.get_arguments() {
            let is_model = form(arg).1 == ["MODEL"];
            // `sessions export` is exempt: a session knows its model, and `MODEL` only gives its new location.
            if is_model && command != "fsmsim sessions export" {
                takers += 1;
                let text = help(arg);
                assert!(
                    text.contains("directory") && text.contains("`PATH@PROFILE`"),
                    "{command}: {text}"
                );
                let option_help = |long: &str| {
                    clap.get_arguments()
                        .find(|arg| arg.get_long() == Some(long))
                        .map(help)
                };
                assert!(
                    option_help("profile").is_some_and(|text| text.starts_with("Use this profile")),
                    "{command}"
                );
            }
        }
    }
    assert!(takers >= 7, "only {takers}");
}

#[test]
fn commands_with_a_profile_share_one_config_option() {
    let mut roots = BTreeMap::new();
    for (command, clap) in commands() {
        let option_help = |long: &str| {
            clap.get_arguments()
                .find(|arg| arg.get_long() == Some(long))
                .map(help)
        };
        if option_help("profile").is_some() {
            roots.insert(
                option_help("config").unwrap_or_else(|| panic!("{command} has no --config")),
                command,
            );
        }
    }
    assert_eq!(roots.len(), 1, "{roots:?}");
}

/// All values of `--format`, in all commands.
const FORMATS: [&str; 13] = [
    "text",
    "json",
    "jsonl",
    "table",
    "dialogue",
    "chat",
    "transcript",
    "csv",
    "scenario",
    "html",
    "svg",
    "dot",
    "mermaid",
];

#[test]
fn formats_have_the_same_names_in_all_commands() {
    let mut found = 0;
    for (command, clap) in commands() {
        for arg in clap
            .get_arguments()
            .filter(|arg| arg.get_long() == Some("format"))
        {
            found += 1;
            for value in arg.get_possible_values() {
                assert!(
                    FORMATS.contains(&value.get_name()),
                    "{command}: {}",
                    value.get_name()
                );
            }
        }
    }
    assert!(found >= 10, "only {found}");
}

//! Shell completions and manual pages.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::Project;

#[test]
fn completion_scripts_contain_the_commands() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = project.fsmsim(["completions", shell]).succeeds("");
        for word in ["graph", "simulate", "completions", "deny-warnings"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    project
        .fsmsim(["completions", "tcsh"])
        .refuses("invalid value 'tcsh'");
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_completion_script() {
    let script = Project::new().fsmsim(["completions", "bash"]).succeeds("");
    let Ok(mut bash) = Command::new("bash")
        .arg("-s")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    else {
        eprintln!("skipped: bash is not available");
        return;
    };
    let request = "COMP_WORDS=(fsmsim gr); COMP_CWORD=1; _fsmsim fsmsim gr fsmsim; echo \"${COMPREPLY[@]}\"\n";
    bash.stdin
        .take()
        .unwrap()
        .write_all(format!("set -e\n{script}\n{request}").as_bytes())
        .unwrap();
    let output = bash.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "graph\n");
}

#[test]
fn each_command_has_a_manual_page() {
    let project = Project::new();
    let page = project.fsmsim(["man"]).succeeds(".SH NAME\nfsmsim ");
    assert!(page.contains(".SH SYNOPSIS\n\\fBfsmsim\\fR"), "{page}");
    let output = project.fsmsim(["man", "pages"]).succeeds("pages to pages");
    let mut names: Vec<String> = std::fs::read_dir(project.path().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(
        output.starts_with(&format!("wrote {} pages", names.len())),
        "{output}"
    );
    for name in ["fsmsim.1", "fsmsim-graph.1", "fsmsim-sessions-show.1"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    for name in &names {
        let page = std::fs::read_to_string(project.path().join("pages").join(name)).unwrap();
        let command = name.trim_end_matches(".1");
        let words = command
            .replace("fsmsim-sessions-", "fsmsim sessions ")
            .replace("fsmsim-llm-", "fsmsim llm ")
            .replace("fsmsim-", "fsmsim ");
        assert!(
            page.contains(".SH NAME\n") && page.contains(".SH SYNOPSIS\n"),
            "{name}: {page}"
        );
        let names_command = page.contains(&format!("\\fB{words}\\fR"));
        assert!(names_command, "{name} does not name `{words}`: {page}");
    }
    project.write("file", "");
    project
        .fsmsim(["man", "file"])
        .ends(2, "", "cannot write `");
}

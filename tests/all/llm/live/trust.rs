//! Consent of the user to the addresses and environment variables of a project: without it, no request is sent and no
//! variable is read.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use nix::pty::openpty;

use super::models::{project, provider};
use crate::support::loopback::{Server, Shape, reading};
use crate::support::{Invocation, Project};

/// An address that no test may resolve.
const FAR: &str = "http://model.invalid/v1";
const QUESTION: &str = "Allow this until these lines change? [y/N] ";

fn server() -> Server {
    Server::start(vec![Shape::OpenAi.says(&reading("agreement").to_string())])
}

/// A project with a provider on this machine that names an environment variable.
fn with_key(server: &Server) -> Project {
    project(provider("local", &server.url, "api_key_env = \"TINY_KEY\""))
}

fn test(project: &Project) -> Invocation {
    project
        .fsmsim(["test", "--llm", "live", "--accept"])
        .env("TINY_KEY", "planted-secret")
}

/// The terminal output and the exit code of a run in a terminal with this input.
fn typing(run: Invocation, typed: &str) -> (String, i32) {
    let terminal = openpty(None, None).unwrap();
    let mut ours = File::from(terminal.master);
    ours.write_all(typed.as_bytes()).unwrap();
    let theirs: OwnedFd = terminal.slave;
    let child = run.at(|| Stdio::from(theirs.try_clone().unwrap())).spawn();
    drop(theirs);
    let code = child.wait_with_output().unwrap().status.code().unwrap();
    let mut shown = Vec::new();
    // On some systems, reading from a closed terminal ends with an error.
    let _ = ours.read_to_end(&mut shown);
    (
        String::from_utf8(shown).unwrap().replace("\r\n", "\n"),
        code,
    )
}

fn saved_consent(project: &Project) -> String {
    project.read(".config/fsmsim/trust.toml")
}

#[test]
fn missing_consent_is_listed_without_a_terminal() {
    let giga =
        "kind = \"gigachat\"\nauth_url = \"https://auth.invalid/oauth\"\napi_key_env = \"GIGA\"";
    let toml = provider("near", "http://localhost:1/v1", "")
        + &provider("far", FAR, "")
        + &provider("giga", FAR, giga);
    let project = project(toml).file("fixtures/personas/a.yaml", "name: a\n");
    let error = project.fsmsim(["test", "--llm", "live"]).refuses("");
    assert_eq!(
        error,
        "error[FS0306]: the project requests access that you have not approved
--> fsmsim.toml:8:12
 = note: fsmsim.toml:8:12: base_url = \"http://model.invalid/v1\"
 = note: fsmsim.toml:13:12: base_url = \"http://model.invalid/v1\"
 = note: fsmsim.toml:16:12: auth_url = \"https://auth.invalid/oauth\"
 = note: fsmsim.toml:17:15: api_key_env = \"GIGA\"
 = help: check these lines, then run the command in a terminal to approve them once, or add `--trust` for this run

"
    );
    for goes_live in [
        &["test", "--llm", "record"][..],
        &["test", "--llm", "mock:fixtures/m.yaml,live"],
        &["run", "flows/spin_selling", "--llm", "live"],
        &["run", "flows/spin_selling", "--llm", "record:a.jsonl"],
        &["trace", "scenarios/a.yaml", "--llm", "live"],
        &[
            "simulate",
            "flows/spin_selling",
            "--persona",
            "all",
            "--llm",
            "live",
        ],
    ] {
        project.write("fixtures/m.yaml", "rules: []\n");
        assert_eq!(
            project
                .fsmsim(goes_live)
                .about(goes_live.join(" "))
                .refuses(""),
            error
        );
    }
    // The same applies in a subdirectory of the project.
    project.write("inner/a.txt", "");
    project
        .fsmsim(["test", "--llm", "live", "../scenarios"])
        .below("inner")
        .refuses("fsmsim.toml:17:15: api_key_env");
}

#[test]
fn consent_is_not_required_without_live_requests() {
    let project =
        project(provider("far", FAR, "api_key_env = \"TINY_KEY\"")).file("m.yaml", "rules: []\n");
    project
        .fsmsim(["test", "--llm", "replay"])
        .unavailable("", "cannot find the cassette of `Live`");
    project
        .fsmsim(["test", "--llm", "mock:m.yaml"])
        .unavailable("", "");
    project
        .fsmsim(["run", "flows/spin_selling", "--llm", "examples"])
        .stdin("")
        .succeeds("");
    project.fsmsim(["lint", "flows/spin_selling"]).succeeds("");
}

#[test]
fn trust_option_applies_to_one_run() {
    let server = server();
    let project = with_key(&server);
    test(&project).refuses("fsmsim.toml:5:15: api_key_env = \"TINY_KEY\"");
    assert_eq!(server.requests().len(), 0);
    test(&project).args(["--trust"]).ends(0, "", "");
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some("Bearer planted-secret")
    );
    test(&project).refuses("FS0306");
    assert!(!project.path().join(".config").exists());
}

#[test]
fn terminal_prompts_once_and_again_after_a_change() {
    let server = server();
    let project = with_key(&server);
    let question = format!(
        "This project sends messages to these addresses and reads these environment variables:
  fsmsim.toml:3:12: base_url = \"{}\"
  fsmsim.toml:5:15: api_key_env = \"TINY_KEY\"
{QUESTION}",
        server.url
    );
    for refused in ["n\n", "\n", "\u{4}", "yep\n"] {
        let (shown, code) = typing(test(&project), refused);
        assert!(
            code == 2 && shown.contains(&question) && shown.contains("error[FS0306]"),
            "{code} {shown}"
        );
    }
    assert_eq!(server.requests().len(), 0);
    let (shown, code) = typing(test(&project), "y\n");
    assert!(code == 0 && shown.contains(&question), "{code} {shown}");
    let known = saved_consent(&project);
    let folder = project.path().canonicalize().unwrap();
    let start = format!("[[project]]\nfolder = \"{}\"\nlines = \"", folder.display());
    assert!(
        known.starts_with(&start) && known.lines().count() == 3,
        "{known}"
    );
    assert_eq!(
        project
            .files()
            .iter()
            .filter(|path| path.starts_with(".config"))
            .count(),
        1
    );

    // The consent is saved, also for runs without a terminal. Changes of other lines do not affect it.
    test(&project).ends(0, "", "");
    let (shown, _) = typing(test(&project), "");
    assert!(!shown.contains(QUESTION), "{shown}");
    project.write(
        "fsmsim.toml",
        format!("\n# A word.\n{}", project.read("fsmsim.toml")),
    );
    test(&project).ends(0, "", "");

    for (old, new) in [("TINY_KEY", "OTHER_KEY"), ("/v1", "/v2")] {
        let text = project.read("fsmsim.toml");
        project.write("fsmsim.toml", text.replace(old, new));
        test(&project).refuses(new);
        project.write("fsmsim.toml", text);
    }
    let text = project.read("fsmsim.toml");
    project.write("fsmsim.toml", text.clone() + &provider("far", FAR, ""));
    let (shown, code) = typing(test(&project).env("CI", "true"), "y\n");
    assert!(
        code == 2 && !shown.contains(QUESTION),
        "CI must not prompt: {code} {shown}"
    );
    let (shown, code) = typing(test(&project), "да\n");
    assert!(
        code == 0 && shown.contains("fsmsim.toml:10:12: base_url = \"http://model.invalid/v1\""),
        "{code} {shown}"
    );
    assert_eq!(saved_consent(&project).matches("[[project]]").count(), 1);
    // The consent to the extended project replaced the first one.
    project.write("fsmsim.toml", text);
    test(&project).refuses("FS0306");
}

#[test]
fn concurrent_consents_are_all_saved() {
    let server = server();
    let shared = tempfile::tempdir().unwrap();
    let with = |run: Invocation| run.env("XDG_CONFIG_HOME", shared.path().to_str().unwrap());
    let projects: Vec<Project> = (0..8).map(|_| with_key(&server)).collect();
    std::thread::scope(|scope| {
        for project in &projects {
            scope.spawn(|| assert_eq!(typing(with(test(project)), "y\n").1, 0));
        }
    });
    for project in &projects {
        with(test(project)).ends(0, "", "");
    }
    let files: Vec<_> = std::fs::read_dir(shared.path().join("fsmsim"))
        .unwrap()
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn unreadable_and_unsaved_consents_are_reported() {
    let server = server();
    let project = with_key(&server);
    project.write(".config/fsmsim/trust.toml", "[[project]]\nfolder = 1\n");
    test(&project).refuses("cannot read your approvals");
    let (shown, code) = typing(test(&project).env("XDG_CONFIG_HOME", "/dev/null"), "y\n");
    assert!(
        code == 2 && shown.contains("/dev/null/fsmsim/trust.toml"),
        "{code} {shown}"
    );
    // If the consent cannot be saved, it applies to this run only.
    project.write("taken/fsmsim/trust.toml.new/a", "");
    let unwritable = project.path().join("taken");
    let (shown, code) = typing(
        test(&project).env("XDG_CONFIG_HOME", unwritable.to_str().unwrap()),
        "y\n",
    );
    assert!(
        code == 0 && shown.contains("cannot save your approval"),
        "{code} {shown}"
    );
    // A relative `XDG_CONFIG_HOME` is ignored, because it would be inside the project.
    let home = project.path().join("home");
    let run = |run: Invocation| {
        run.env("XDG_CONFIG_HOME", "own")
            .env("HOME", home.to_str().unwrap())
    };
    assert_eq!(typing(run(test(&project)), "y\n").1, 0);
    assert!(!Path::new(&project.path().join("own")).exists());
    assert_eq!(
        project
            .files()
            .iter()
            .filter(|path| path.ends_with(".config/fsmsim/trust.toml"))
            .count(),
        2
    );
    run(test(&project)).ends(0, "", "");
}

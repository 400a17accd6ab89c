//! The session store: concurrent use, and stores that cannot be used.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};

use rusqlite::Connection;

use super::diary::{kept, store};
use crate::support::{Invocation, Project, Run};

const STORE: &str = ".fsmsim/sessions.sqlite";

fn play(project: &Project, name: &str) -> Invocation {
    project.fsmsim(["run", "flows/bant", "--session", name])
}

fn project() -> Project {
    Project::new().with_flows()
}

/// A project with a session.
fn begun() -> Project {
    let project = project();
    play(&project, "ann")
        .stdin("greeting\n")
        .warns("", "started the session");
    project
}

/// All files below `.fsmsim`.
fn left(project: &Project) -> Vec<(String, Vec<u8>)> {
    let names = project
        .files()
        .into_iter()
        .filter(|name| name.starts_with(".fsmsim"));
    names
        .map(|name| {
            (
                name.clone(),
                std::fs::read(project.path().join(name)).unwrap(),
            )
        })
        .collect()
}

/// Starts a session and waits for the end of its first turn.
fn talk(project: &Project, name: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = play(project, name).spawn();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(b"greeting\n")
        .unwrap();
    let mut line = String::new();
    while !line.starts_with("  why") {
        line.clear();
        assert!(
            shown.read_line(&mut line).unwrap() > 0,
            "the dialogue ended without a turn"
        );
    }
    (child, shown)
}

/// Sends the lines, closes the input and returns the exit code and standard error.
fn end(mut child: Child, lines: &str) -> (i32, String) {
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn session_is_locked_by_one_process() {
    let project = project();
    let (first, _shown) = talk(&project, "ann");
    insta::assert_snapshot!(play(&project, "ann").stdin("greeting\n").refuses(""));
    // Another session can run at the same time.
    play(&project, "bob")
        .stdin("greeting\n")
        .warns("", "started the session `bob`");
    assert_eq!(end(first, "greeting\n").0, 0);
    let (mut second, _shown) = talk(&project, "ann");
    assert_eq!(kept(&project, "ann").turns, 3);
    play(&project, "ann").refuses("FS0229");
    // A killed process releases its lock.
    second.kill().unwrap();
    second.wait().unwrap();
    play(&project, "ann")
        .stdin("")
        .warns("", "in `greeting` after 3 turns\n");
}

#[test]
fn several_sessions_of_a_project_run_in_parallel() {
    let project = project();
    // They start at the same time, and no store exists yet.
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let project = &project;
            scope.spawn(move || {
                play(project, name)
                    .stdin("greeting\n".repeat(15))
                    .warns("", "started the session")
            });
        }
    });
    assert_eq!(
        ["a", "b", "c", "d"].map(|name| kept(&project, name).turns),
        [15; 4]
    );
    let check: String = store(&project)
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn invalid_stores_are_reported_and_not_changed() {
    let spoil = |how: &dyn Fn(&Project)| {
        let project = begun();
        how(&project);
        let before = left(&project);
        let run = play(&project, "ann").stdin("greeting\n").run();
        assert_eq!(left(&project), before, "{}", run.shown());
        run
    };
    let sql =
        |sql: &'static str| move |project: &Project| store(project).execute_batch(sql).unwrap();
    let replace = |text: &'static str| move |project: &Project| project.write(STORE, text);
    let runs = [
        spoil(&|project| {
            let mut bytes = std::fs::read(project.path().join(STORE)).unwrap();
            bytes[4096..].fill(0xA5);
            project.write(STORE, bytes);
        }),
        spoil(&replace(
            "Dear diary, this is no database, and it is longer than the header of one would be.",
        )),
        spoil(&|project| {
            std::fs::remove_file(project.path().join(STORE)).unwrap();
            project.write(&format!("{STORE}/inside.txt"), "");
        }),
        spoil(&|project| {
            std::fs::remove_file(project.path().join(STORE)).unwrap();
            Connection::open(project.path().join(STORE))
                .unwrap()
                .execute_batch("CREATE TABLE music (title)")
                .unwrap();
        }),
        spoil(&sql("PRAGMA user_version = 2")),
        spoil(&sql("PRAGMA user_version = 0")),
        spoil(&sql("DROP TABLE turns")),
        spoil(&sql("UPDATE sessions SET saved = '{\"state\": 5}'")),
        spoil(&sql("UPDATE sessions SET memory = '{'")),
        spoil(&sql("UPDATE sessions SET turns = 4294967295")),
        spoil(&sql("UPDATE sessions SET turns = -1")),
        spoil(&sql(
            "INSERT INTO progress VALUES ('ann', 2, 'no_such_intent')",
        )),
    ];
    let errors = runs.map(|run| {
        assert!(run.code == 2 && run.stdout.is_empty(), "{}", run.shown());
        run.stderr
    });
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn file_instead_of_the_directory_is_reported() {
    let project = project().file(".fsmsim", "not a folder");
    let error = play(&project, "ann")
        .stdin("greeting\n")
        .refuses("error[FS0303]: cannot save the session: ");
    assert!(error.contains("check the directory"), "{error}");
    assert_eq!(project.read(".fsmsim"), "not a folder");
}

#[test]
fn locked_store_is_reported_and_loses_nothing() {
    let project = begun();
    let (child, _shown) = talk(&project, "ann");
    let other = store(&project);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (code, errors) = end(child, "greeting\ngreeting\n");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(code, 2, "{errors}");
    insta::assert_snapshot!(errors);
    assert_eq!(
        (kept(&project, "ann").turns, kept(&project, "ann").line),
        (2, None)
    );
    play(&project, "ann")
        .stdin("greeting\n")
        .warns("", "in `greeting` after 2 turns\n");
}

#[test]
fn endless_trigger_in_a_store_is_stopped() {
    let project = begun();
    let endless =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    let trigger = format!("CREATE TRIGGER t BEFORE INSERT ON progress BEGIN {endless}; END");
    store(&project).execute_batch(&trigger).unwrap();
    let started = std::time::Instant::now();
    play(&project, "ann").stdin("greeting\n").fails(
        2,
        "",
        "the session store cannot be read: interrupted",
    );
    assert!(started.elapsed() < std::time::Duration::from_mins(1));
    store(&project).execute_batch("DROP TRIGGER t").unwrap();
    play(&project, "ann")
        .stdin("greeting\n")
        .warns("", "in `greeting` after 1 turn\n");
}

#[test]
fn store_removed_during_use_is_reported() {
    let project = begun();
    let (child, _shown) = talk(&project, "ann");
    std::fs::remove_dir_all(project.path().join(".fsmsim")).unwrap();
    let (code, errors) = end(child, "greeting\n");
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains(
        "error[FS0303]: cannot save the session: the file was deleted while the session was in use"
    ));
    assert!(!project.path().join(".fsmsim").exists());
}

#[cfg(unix)]
#[test]
fn read_only_directory_saves_no_session_and_loses_none() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const NO_RECOGNIZER: u32 = 65534;
    let project = begun();
    // Root ignores permissions, so the program runs as another user in that case.
    let path = |name: &str| project.path().join(name);
    std::fs::copy(env!("CARGO_BIN_EXE_fsmsim"), path("program")).unwrap();
    let superuser = std::fs::metadata(project.path()).unwrap().uid() == 0;
    let set = |name: &str, mode| {
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let run = |name: &str| -> Run {
        let mut command = Command::new(path("program"));
        if superuser {
            command.uid(NO_RECOGNIZER).gid(NO_RECOGNIZER);
        }
        project
            .invoke(command)
            .args(["run", "flows/bant", "--session", name])
            .stdin("greeting\n")
            .run()
    };
    let all = project.files();
    let modes = |folder: u32, file: u32| {
        for name in all.iter().filter(|name| name.starts_with(".fsmsim")) {
            set(name, file);
        }
        for name in [".fsmsim/locks", ".fsmsim", ""] {
            set(name, folder);
        }
    };
    let before = left(&project);
    modes(0o555, 0o444);
    let old = run("ann");
    let new = run("bob");
    // Only the database is read-only.
    modes(0o777, 0o666);
    set(STORE, 0o444);
    let database = run("ann");
    modes(0o755, 0o644);
    for refused in [old, new, database] {
        assert!(
            refused.code == 2 && refused.stdout.is_empty(),
            "{}",
            refused.shown()
        );
        assert!(
            refused
                .stderr
                .starts_with("error[FS0303]: cannot save the session: "),
            "{}",
            refused.shown()
        );
    }
    assert_eq!(
        left(&project).iter().find(|(name, _)| name == STORE),
        before.iter().find(|(name, _)| name == STORE)
    );
    play(&project, "ann")
        .stdin("")
        .warns("", "in `greeting` after 1 turn\n");
}

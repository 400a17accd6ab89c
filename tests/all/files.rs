//! Concurrent writers of one file, and files left by killed processes.

use std::path::Path;

use fsmsim_syntax::files::{LockedFile, make_ignored_folder, write_new, write_whole};

use crate::support::{Project, walk};

const FLOW: &str = "entry_points: {default: a}\nstates: {a: {goal: x, transitions: {agreement: b}}, b: {goal: y, is_final: true}}\n";

#[test]
fn last_writer_of_a_file_wins_and_no_other_file_remains() {
    let project = Project::new();
    let path = project.path().join("deep/report.json");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..40 {
                    write_whole(path, &format!("{writer}").repeat(10_000)).unwrap();
                    let text = std::fs::read_to_string(path).unwrap();
                    assert!(
                        text.len() == 10_000 && text.bytes().all(|byte| byte == text.as_bytes()[0])
                    );
                }
            });
        }
    });
    assert_eq!(walk(&project.path().join("deep")), [path]);
}

#[test]
fn new_file_is_never_seen_empty_and_the_first_writer_wins() {
    let project = Project::new();
    for round in 0..40 {
        let path = project.path().join(format!("{round}/new"));
        let written = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let path = &path;
                    scope.spawn(move || {
                        let written = write_new(path, &format!("{writer}").repeat(1000));
                        assert_eq!(std::fs::read_to_string(path).unwrap().len(), 1000);
                        written.is_ok()
                    })
                })
                .collect();
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap())
                .collect::<Vec<_>>()
        });
        assert_eq!(written.iter().filter(|written| **written).count(), 1);
        assert_eq!(walk(&project.path().join(round.to_string())), [path]);
    }
    let folder = project.path().join("ignored");
    for _ in 0..2 {
        make_ignored_folder(&folder).unwrap();
        assert_eq!(project.read("ignored/.gitignore"), "*\n");
    }
}

#[test]
fn leftovers_of_a_killed_run_are_removed_by_the_next_write() {
    let project = Project::new()
        .file("a/.fsmsim-tmp/4711-0", "half")
        .file("a/.fsmsim-tmp/.gitignore", "*\n");
    write_whole(&project.path().join("a/b"), "whole").unwrap();
    assert_eq!(walk(project.path()), [project.path().join("a/b")]);
}

#[cfg(unix)]
#[test]
fn symlink_at_the_target_is_not_followed() {
    let project = Project::new()
        .file("precious", "kept")
        .file("flow.yaml", FLOW);
    let linked = |name: &str| {
        let path = project.path().join(name);
        std::os::unix::fs::symlink(project.path().join("precious"), &path).unwrap();
        path
    };
    write_whole(&linked("report"), "new").unwrap();
    assert_eq!(project.read("report"), "new");
    assert!(LockedFile::begin(&linked("held")).is_err());
    std::os::unix::fs::symlink(project.path(), project.path().join(".fsmsim-tmp")).unwrap();
    assert!(write_whole(&project.path().join("other"), "new").is_err());
    assert_eq!(project.read("precious"), "kept");
}

#[cfg(unix)]
#[test]
fn replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new().file("tool", "old").file("secret", "old");
    for (name, mode) in [("tool", 0o755), ("secret", 0o600)] {
        let path = project.path().join(name);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let link = project.path().join(format!("link-{name}"));
        std::os::unix::fs::symlink(name, &link).unwrap();
        for path in [path, link] {
            write_whole(&path, "new").unwrap();
            assert_eq!(
                path.symlink_metadata().unwrap().permissions().mode() & 0o777,
                mode
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn device_is_written_to_and_stays_a_device() {
    write_whole(Path::new("/dev/null"), "nothing").unwrap();
    assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
}

#[test]
fn unfinished_file_is_locked_by_one_writer() {
    let project = Project::new().file("a.new", "left by a killed run");
    let path = project.path().join("a.new");
    let mut file = LockedFile::begin(&path).unwrap().unwrap();
    assert!(LockedFile::begin(&path).unwrap().is_none());
    file.append("mine\n").unwrap();
    file.finish(&project.path().join("a")).unwrap();
    assert_eq!(project.read("a"), "mine\n");
    assert!(LockedFile::begin(&path).unwrap().is_some());
}

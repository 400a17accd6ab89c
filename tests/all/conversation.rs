//! Export of a dialogue: `:export` writes it as HTML or Markdown.

use crate::support::Project;

const TALK: &str = "\
Hello! / greeting
I would like a table / book_table
There are four of us / info_provided guests=4
On Friday / info_provided day=Friday
:undo
On Saturday / info_provided day=Saturday
That is right / agreement
";

/// Removes the styles of a page; other tests check them.
fn without_styles(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    let (before, hash) = head.split_once("'sha256-").unwrap();
    let (_, after) = hash.split_once('\'').unwrap();
    format!("{before}'sha256-…'{after}<style>…</style>{body}")
}

fn exported(language: &str, lines: &str) -> (Project, String) {
    let project = Project::new();
    project.fsmsim(["init", "--lang", language]).succeeds("");
    let lines = format!("{lines}:export talk/talk.md\n:export talk/talk.html\n");
    let output = project
        .fsmsim(["run"])
        .stdin(&lines)
        .succeeds("talk/talk.html");
    (project, output)
}

#[test]
fn ended_dialogue_is_exported_with_its_reasons() {
    let (project, _) = exported("en", TALK);
    insta::assert_snapshot!(project.read("talk/talk.md"));
    insta::assert_snapshot!(without_styles(&project.read("talk/talk.html")));
    // The same dialogue gives the same bytes at any hour and in any session.
    let (again, _) = exported("en", TALK);
    for file in ["talk/talk.md", "talk/talk.html"] {
        assert_eq!(project.read(file), again.read(file), "{file}");
    }
}

#[test]
fn the_current_branch_is_exported_up_to_the_current_turn() {
    let lines = "Здравствуйте! / greeting\nХочу столик / book_table\n:fork other\nПередумал / rejection\n:undo\nКогда вы закрываетесь? / opening_hours\n";
    let (project, _) = exported("ru", lines);
    let text = project.read("talk/talk.md");
    assert!(
        text.contains("3 turns on the branch ") && text.contains("полудня"),
        "{text}"
    );
    assert!(!text.contains("Передумал"), "{text}");
    let page = project.read("talk/talk.html");
    assert!(
        page.contains("Здравствуйте! Хотите забронировать столик?"),
        "{page}"
    );
}

#[test]
fn resumed_dialogue_is_exported_from_its_start() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let run = |lines: &str| {
        let run = project.fsmsim(["run", "--session", "friday"]).stdin(lines);
        let run = run.run();
        assert_eq!(run.code, 0, "{run}");
    };
    run("Hello! / greeting\nI want a table / book_table\n");
    run("When do you close? / opening_hours\n:export all.md\n");
    let text = project.read("all.md");
    for expected in ["Hello!", "I want a table", "When do you close?", "noon"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn failed_export_reports_its_reason() {
    let project = Project::new().with_flows().file("there.md", "mine");
    let lines = ":export a.html\ngreeting\n:export\n:export talk.txt\n:export there.md\n:export there.md/a.md\n:export a.HTML\n";
    insta::assert_snapshot!(project.fsmsim(["run", "flows/bant"]).stdin(lines).shown());
    assert_eq!(project.read("there.md"), "mine");
    assert!(project.read("a.HTML").starts_with("<!DOCTYPE html>"));
    let files: Vec<String> = project.files();
    assert!(
        files.iter().all(|file| !file.contains("fsmsim-tmp")),
        "{files:?}"
    );
}

#[test]
fn markup_in_an_export_is_escaped() {
    let name = format!("<img src=x onerror=alert(1)>\\u202e{}", "ж".repeat(200));
    let flow = format!(
        "flow: {{name: \"{name}\"}}\nentry_points: {{default: a}}\nstates:\n  a: {{goal: A, rules: {{hello: answer}}}}\nreplies: {{answer: \"</div><script>alert(2)</script> **bold**\"}}\n"
    );
    let project = Project::new().file("flow.yaml", flow);
    let lines = "\u{1b}[31m<script>alert(3)</script>\u{7} *x* | # / hello\n:export talk.html\n:export talk.md\n";
    project
        .fsmsim(["run", "flow.yaml"])
        .stdin(lines)
        .succeeds("talk.md");
    let (page, text) = (project.read("talk.html"), project.read("talk.md"));
    for written in [&page, &text] {
        let is_unsafe = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!written.contains(is_unsafe), "{written}");
    }
    for tag in ["<script", "<img", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(
        page.contains("default-src 'none'") && !page.contains("script-src"),
        "{page}"
    );
    assert!(
        text.contains("\\<script\\>alert(3)\\</script\\> \\*x\\* \\| #"),
        "{text}"
    );
    assert!(text.contains("\\*\\*bold\\*\\*"), "{text}");
}

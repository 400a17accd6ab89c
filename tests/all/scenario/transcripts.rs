//! Transcripts: dialogues in Markdown that run as scenarios.

use std::path::Path;

use fsmsim_harness::scenario::{ScenarioLoader, ScenarioSource};
use fsmsim_runtime::project::Project as ProjectFiles;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};
use fsmsim_syntax::document::{Content, Node};

use crate::support::{Invocation, Project, text, turns};

/// A compact form of a parsed transcript: one line per turn, with its line number, followed by the findings.
fn tree(text: &str) -> String {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let path = Path::new("talks/morning.md");
    let file = sources.add("talks/morning.md", text);
    let project = ProjectFiles::default();
    let [source] =
        &ScenarioSource::all(file, path, &mut sources, &mut ScenarioLoader::new(&project))[..]
    else {
        panic!("expected one scenario per file")
    };
    let node = source
        .document(&sources, &mut found)
        .map(|document| document.node);
    let mut shown = String::new();
    for (key, value) in node.iter().flat_map(|node| &node.map().unwrap().entries) {
        if let (true, Some(turns)) = (&*key.text == "turns", value.list()) {
            for turn in turns {
                shown.push_str(&format!(
                    "{}: {}\n",
                    sources.place(turn.span).line,
                    flat(turn)
                ));
            }
        } else {
            shown.push_str(&format!("{}: {}\n", key.text, flat(value)));
        }
    }
    shown + &render(&found, &sources, false)
}

fn flat(node: &Node) -> String {
    match &node.content {
        Content::Scalar(scalar) if scalar.plain => scalar.text.to_string(),
        Content::Scalar(scalar) => format!("{:?}", scalar.text),
        Content::List(items) => format!(
            "[{}]",
            items.iter().map(flat).collect::<Vec<_>>().join(", ")
        ),
        Content::Map(map) => {
            let entries = map
                .entries
                .iter()
                .map(|(key, value)| format!("{}: {}", key.text, flat(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A transcript with this dialogue.
fn dialogue(text: &str) -> String {
    format!("---\nscenario: A\nmodel: m\n---\n{text}")
}

#[test]
fn transcript_in_a_code_block_with_calls() {
    insta::assert_snapshot!(tree(
        "---
model: states/student
section: \"3. Как это выглядит\"
---
# Описание ассистента

Термин: слово с двоеточием.

## 2. Настройки

```yaml
user: ivan
```

## 3. Как это выглядит

Ниже разговор: он короткий.

```
Пользователь: Добрый вечер

LLM: [вызывает get_instruction()]
LLM: Добрый вечер! Я умею:
     • Подводить итоги
     • Задавать вопросы

Пользователь: Спроси меня
              о чём-нибудь

LLM: [вызывает get_instruction(state: \"test_start\")]
LLM: **Вопрос: первый**

     Признаки: есть ли у вас час в день?
```

---

## 4. Прочее

Пользователь: это уже о другом
"
    ));
}

#[test]
fn transcript_with_bracketed_speakers_and_a_summary() {
    let text = "## Разговоры

### Первый: про кружок

```
[АГЕНТ] Здравствуйте, помогу с заявкой.

[АГЕНТ] Что за кружок?

[USER] Шахматы во дворе

[АГЕНТ] А для кого? ← уточняет

[USER] Для всех, кому от 7 до 70

[СИСТЕМА] Заявка готова (файл z.txt)
```

**Итог:**
- Вопросов: 2

### Второй: про хор

```
[USER] Хор

...
```
";
    let front = |section: &str| {
        format!("---\nscenario: Заявка\nmodel: interviews/grant.yaml\n{section}---\n{text}")
    };
    insta::assert_snapshot!(tree(&front("section: 'Первый: про кружок'\n")));
    insta::assert_snapshot!(tree(&front("")));
    insta::assert_snapshot!(tree(&front("section: Разговоры\n")));
    insta::assert_snapshot!(tree(&front("section: Разговор\n")));
}

#[test]
fn every_notation_gives_the_same_dialogue() {
    let shapes = [
        "User: Hi\n  there\n\nLLM: Hello.\n",
        "**User:** Hi there\n\n**LLM:** Hello.\n",
        "**User**: Hi\nthere\n\n**LLM**: Hello.\n",
        "> **User:** Hi\n> there\n>\n> **LLM:** Hello.\n",
        "- User: Hi there\n- LLM: Hello.\n",
        "1. [User] Hi there\n   - [LLM] Hello.\n",
        "**[USER]** Hi there\n**[LLM]** Hello.\n",
        "**User:**\nHi there\n\n**LLM:**\n\nHello.\n",
        "Before it: nothing.\n\n```text\nuser: Hi there\nllm: Hello.\n```\n\nAfter: nothing.\n",
        "> ```\n> Клиент: Hi there\n> Бот: Hello.\n> ```\n",
        "- so\n  ~~~\n  Client: Hi\n      there\n  Bot: Hello.\n  ~~~\n",
        "User: Hi there\r\nLLM: Hello.\r\n",
        "User: Hi there <!-- a remark -->\n<!-- TODO: another\none -->\nSystem: a file is sent,\nand more.\nLLM: Hello.",
    ];
    for shape in shapes {
        let shown = tree(&dialogue(shape));
        let turns = shown
            .lines()
            .find_map(|line| line.split_once(": {"))
            .map(|(_, turn)| turn);
        let expected = "say: \"Hi there\", reply: \"Hello.\"}";
        assert_eq!(
            (turns, shown.lines().count()),
            (Some(expected), 3),
            "{shape}\n{shown}"
        );
    }
}

/// The speakers and the texts of a transcript as `say` and `reply`.
fn spoken(text: &str) -> Vec<String> {
    let shown = tree(text);
    let turns = shown.lines().filter_map(|line| line.split_once(": {"));
    turns.map(|(_, turn)| turn.replace('}', "")).collect()
}

#[test]
fn chats_in_other_notations_are_read() {
    let chats = [
        "> User\n\nIs the pool open?\n\n> Bot\n\nUntil nine.\n\n> User\n\nThanks\n",
        "## User\nIs the pool open?\n## Bot\nUntil nine.\n## User\nThanks\n",
        "| Speaker | Text |\n|---|---|\n| User | Is the pool open? |\n| **Bot** | Until nine. |\n| User | Thanks |\n\nThat is all.\n",
        "| # | Client | Bot |\n|---|:-:|---|\n| 1 | Is the pool open? | Until nine. |\n| 2 | Thanks | |\n",
        "{\"role\": \"system\", \"content\": \"Be brief\"}\n{\"role\": \"user\", \"content\": \"Is the pool open?\"}\n\
         {\"role\": \"assistant\", \"content\": \"Until nine.\"}\n{\"role\": \"user\", \"content\": \"Thanks\"}\n",
        "```json\n{\"messages\": [\n  {\"from\": \"Client\", \"text\": [\"Is the \", {\"type\": \"bold\", \"text\": \"pool\"}, \" open?\"]},\n  \
         {\"from\": \"Bot\", \"text\": \"Until nine.\"},\n  {\"from\": \"Client\", \"text\": \"Thanks\"}]}\n```\n\nThe end.\n",
        "[05.03.2025, 10:14:33] User: Is the pool open?\n[05.03.2025, 10:15:02] Bot: Until nine.\n[05.03.2025, 10:15:40] User: Thanks\n",
        "05/03/2025, 10:13 - Messages are encrypted\n05/03/2025, 10:14 - User: Is the pool\nopen?\n05/03/2025, 10:15 - Bot: Until nine.\n\
         05/03/2025, 10:15 - User: Thanks\n",
        "3/5/25, 10:14 AM - User: Is the pool open?\n3/5/25, 10:15 AM - Bot: Until nine.\n3/5/25, 10:15 AM - User: Thanks\n",
        "User, [05.03.2025 10:14]\nIs the pool open?\n\nBot, [05.03.2025 10:15]:\nUntil nine.\n\nUser, [05.03.2025 10:15]\nThanks\n",
    ];
    for chat in chats {
        let expected = [
            "say: \"Is the pool open?\", reply: \"Until nine.\"",
            "say: \"Thanks\"",
        ];
        assert_eq!(spoken(&dialogue(chat)), expected, "{chat}");
    }
}

#[test]
fn tables_and_json_are_text_next_to_lines_of_speakers() {
    let text = "User: What is in it?\n\nBot: This:\n\n| User | Text |\n|---|---|\n| Bot | no |\n\n  {\"role\": \"user\", \"content\": \"no\"}\n";
    let turns = spoken(&dialogue(text));
    assert_eq!(turns.len(), 1, "{turns:?}");
    assert!(turns[0].starts_with("say: \"What is in it?\", reply: \"This:"));
}

#[test]
fn unknown_speakers_of_a_chat_result_in_a_line_to_paste() {
    let chats = [
        "05/03/2025, 10:14 - Ann Lee: Hi\n05/03/2025, 10:15 - The pool: Hello\n",
        "| Who | Text |\n|---|---|\n| Ann Lee | Hi |\n| The pool | Hello |\n",
        "Ann Lee: Hi\n\nThe pool: Hello\n",
    ];
    for chat in chats {
        let shown = tree(&dialogue(chat));
        let line = "speakers: {user: [\"Ann Lee\"], assistant: [\"The pool\"]}";
        assert!(shown.contains(line), "{chat}\n{shown}");
        let named = format!("---\nscenario: A\nmodel: m\n{line}\n---\n{chat}");
        assert_eq!(spoken(&named), ["say: \"Hi\", reply: \"Hello\""], "{chat}");
    }
    let mixed =
        "{\"role\": \"user\", \"content\": \"Hi\"}\n{\"role\": \"critic\", \"content\": \"No\"}\n";
    insta::assert_snapshot!(tree(&dialogue(mixed)));
    let several = "{\"messages\": [{\"role\": \"user\", \"content\": \"One\"}]}\n".repeat(2);
    insta::assert_snapshot!(tree(&dialogue(&several)));
}

#[test]
fn title_is_the_key_or_the_first_heading_or_the_file_name() {
    let title = |text: &str| tree(text).lines().next().unwrap_or_default().to_owned();
    let talk = "# A morning #\nUser: Hi\n";
    assert_eq!(
        title(&format!("---\nscenario: Given\nmodel: m\n---\n{talk}")),
        "scenario: Given"
    );
    assert_eq!(
        title(&format!("---\nmodel: m\n---\n{talk}")),
        "scenario: \"A morning\""
    );
    assert_eq!(
        title("---\nmodel: m\n---\nUser: Hi\n"),
        "scenario: \"morning\""
    );
}

#[test]
fn transcript_can_start_with_the_assistant_and_call_tools() {
    insta::assert_snapshot!(tree(&dialogue(
        "`[calls get_instruction()]`\n\nLLM: Hello.\n\nUser: Test me\n\n[calls get_instruction(state: 'test')]\n\
         LLM: One moment *[calls get_instruction(state: \"questions\")]* First question:\n\n    ```\n    User: not one\n    ```\n\
         \n- one: 1\n- two: 2\n\nIs that so?\n"
    )));
}

#[test]
fn notes_support_the_keys_of_a_turn() {
    insta::assert_snapshot!(tree(&dialogue(
        "User: How much? `{intent: price, data: {size: 50}}`\n<!-- expect: {state: a} -->\nLLM: Much.\n\
         <!--\nfrustration: 2\n-->\nUser: <!-- intent: silence -->\nUser: Use `{this}` please\n"
    )));
    insta::assert_snapshot!(tree(&dialogue(
        "<!-- intent: early -->\nUser: a `{intent: x}` <!-- intent: y -->\nUser: b <!-- say: c, intent -->\n\
         User: d <!-- [1] -->\nUser: e <!-- intent: [ -->\nUser: f <!-- intent: x\n"
    )));
}

#[test]
fn speakers_can_be_configured() {
    let front = "---\nscenario: A\nmodel: m\nspeakers: {user: [Маша, «Вы»], assistant: Door, narrator: [Автор]}\n---\n";
    insta::assert_snapshot!(tree(&format!(
        "{front}**Маша:** Есть кто?\n\n**Door:** Входите.\n\n**Автор:** Скрип.\n\n**«Вы»:** Спасибо.\n"
    )));
    insta::assert_snapshot!(tree(
        "---\nscenario: A\nmodel: m\nspeakers: {usr: [A], user: [B, ''], assistant: b}\n---\nB: hi\n"
    ));
}

#[test]
fn invalid_lines_are_reported_with_their_location() {
    let wrong = [
        "User: Hi\nPolzovatel: what\nLLM: Hello\n[КТО-ТО] я\n**Also this:** no\n  Note: indented\nUsr: x\n",
        "User: Hi\nLLM: [вызывает get_instruction(state: \"x)]\nLLM: [calls save(x)]\nLLM: so [calls get_instruction(\n",
        "LLM: Hello, who is there?\n",
        "Nothing is said here.\n",
        "User:\nLLM: Silence?\n",
    ];
    let shown: Vec<String> = wrong.iter().map(|text| tree(&dialogue(text))).collect();
    insta::assert_snapshot!(shown.join("=====\n"));
}

#[test]
fn invalid_front_matter_is_reported() {
    let shown = [
        "User: Hi\n",
        "---\nscenario: A\nUser: Hi\n",
        "---\n- a\n---\nUser: Hi\n",
        "---\nscenario: [\n---\nUser: Hi\n",
        "---\nscenario: A\nturns: []\nsection: {}\n---\nUser: Hi\n",
    ]
    .map(tree);
    insta::assert_snapshot!(shown.join("=====\n"));
}

const TALK: &str = "\
---
model: flows/spin_selling
tags: [smoke]
end: {data: {company_size: 50}}
---
# A sale begins

**User:** Hello!
<!-- intent: greeting, expect: {state: greeting, action: greet_back} -->

**LLM:** Hello! How can I help?

**User:** How much is it? `{intent: price_question}`

**LLM:** That depends. How many are you?
<!-- expect: {state: spin_situation, class: enter} -->

**User:** Fifty people. `{intent: info_provided, data: {company_size: 50}}`
<!--
expect:
  state: spin_problem
  carryover: {added: [company_size]}
-->
";

fn sale(talk: &str) -> Project {
    Project::new()
        .with_flows()
        .file("scenarios/talks/sale.md", talk)
}

fn test(talk: &str) -> Invocation {
    sale(talk).fsmsim(["test"])
}

#[test]
fn transcript_with_notes_is_a_complete_scenario() {
    test(TALK).succeeds("1 passed in 3 turns");
}

#[test]
fn bot_can_begin_the_log_of_a_flow() {
    let log = "---\nscenario: A log\nmodel: flows/spin_selling\n---\n**Бот:** Здравствуйте!\n\nЧем помочь?\n\n\
         **Клиент:** Сколько стоит? `{intent: price_question, expect: {state: spin_situation}}`\n\n**Бот:** Смотря кому.\n";
    let project = sale(log);
    project.fsmsim(["test"]).succeeds("1 passed in 1 turn");
    // The flow replies in its own words, and the line of the bot is not a second reply.
    let trace = project
        .fsmsim(["trace", "scenarios/talks/sale.md"])
        .succeeds("");
    let replies = turns(&trace)[0]["replies"].to_string();
    assert!(
        replies.contains("Про цену") && !replies.contains("Смотря кому"),
        "{replies}"
    );
    // A note expects a turn, but the flow has no event for it.
    let noted = log.replace("Чем помочь?", "<!-- expect: {state: greeting} -->");
    test(&noted).fails(2, "", "the turn has no input");
    // A flow with the event `open` is opened.
    project.write(
        "flows/door.yaml",
        "flow: {name: door, policy: plain}\nentry_points: {default: start}\nstates:\n  start: {goal: Wait, transitions: {open: hall, ask: hall}}\n\
         \x20 hall: {goal: Talk, transitions: {ask: end}}\n  end: {goal: Leave, is_final: true}\n",
    );
    project.write(
        "scenarios/talks/sale.md",
        "---\nscenario: A\nmodel: flows/door.yaml\n---\nBot: Hello!\n<!-- expect: {state: hall} -->\nUser: Bye `{intent: ask, expect: {state: end}}`\n",
    );
    project.fsmsim(["test"]).succeeds("1 passed in 2 turns");
}

#[test]
fn failure_names_the_line_of_the_note() {
    insta::assert_snapshot!(
        test(
            &TALK
                .replace("class: enter", "class: advance")
                .replace("  state: spin_problem", "  state: close")
                .replace("company_size: 50}}\n---", "company_size: 51}}\n---")
        )
        .shown()
    );
}

#[test]
fn typos_in_notes_and_tool_calls_of_a_flow_are_errors() {
    insta::assert_snapshot!(
        test(
            &TALK
                .replace("expect: {state: greeting", "expct: {state: greeting")
                .replace("That depends.", "[calls get_instruction(state: \"price\")]")
                .replace("  state: spin_problem", "  stat: spin_problem")
        )
        .shown()
    );
    insta::assert_snapshot!(
        test(&TALK.replace("model: flows/spin_selling\n", "scenario: A\n")).shown()
    );
}

#[test]
fn refused_call_fails_unless_it_is_expected() {
    let state = |name: &str, to: &str| {
        format!("# State: {name}\n\n## Goal\nTalk.\n\n## Transitions\n- `{to}`\n")
    };
    let states = [("init", "talk"), ("talk", "init"), ("save", "init")];
    let project = states
        .into_iter()
        .fold(Project::new(), |project, (name, to)| {
            project.file(&format!("set/states/{name}.md"), state(name, to))
        });
    let test = |front: &str, call: &str, note: &str| {
        let talk = format!(
            "---\nscenario: A\nmodel: set\n{front}---\nUser: Go on\nLLM: [calls get_instruction(state: \"{call}\")]\n{note}\n"
        );
        project.write("scenarios/a.md", talk);
        project.fsmsim(["test", "scenarios/a.md"])
    };
    insta::assert_snapshot!(test("", "save", "<!-- expect: {state: init} -->").shown());
    test("", "talk", "<!-- expect: {state: talk} -->").succeeds("1 passed");
    test("", "save", "<!-- expect: {class: blocked} -->").succeeds("1 passed");
    test("end: {class: blocked}\n", "save", "").succeeds("1 passed");
    test("", "save", "<!-- expect: {class: move} -->").fails(1, "class: expected \"move\"", "");
    // A call without an expectation fails too, and its snapshot is not accepted.
    let run = test("", "save", "")
        .args(["--accept"])
        .fails(1, "1 failed", "");
    assert!(run.stdout.contains("expected an accepted call"), "{run}");
    assert!(!project.files().iter().any(|file| file.contains(".snap")));
}

#[test]
fn mock_recognizes_utterances_of_a_plain_transcript() {
    let mock = "rules: [{say: 'how much', answer: {intent: price_question}}]\n";
    let talk = "---\nmodel: flows/spin_selling\nllm: mocks/m.yaml\n---\nUser: And how\n much is it?\n<!-- expect: {state: spin_situation} -->\nBot: Much.\n";
    sale(talk)
        .file("mocks/m.yaml", mock)
        .fsmsim(["test"])
        .succeeds("");
}

#[test]
fn transcript_has_a_separate_snapshot() {
    let bare = TALK.replace(
        "<!-- expect: {state: spin_situation, class: enter} -->\n",
        "",
    );
    let project = sale(&bare);
    project.fsmsim(["test", "--accept"]).succeeds("");
    assert!(
        project
            .files()
            .contains(&"snapshots/talks/sale.md/a-sale-begins.snap".to_owned())
    );
    project.fsmsim(["test", "--check"]).succeeds("");
    project.write(
        "scenarios/talks/sale.md",
        bare.replace("intent: info_provided", "intent: unclear"),
    );
    project.fsmsim(["test", "--check"]).fails(1, "", "");
    project.write("scenarios/talks/sale.md", &bare);
    project.write(
        "scenarios/talks/sale.yaml",
        "scenario: A sale begins\nmodel: flows/spin_selling\nturns: [{intent: greeting}]\n",
    );
    project
        .fsmsim(["test", "--accept"])
        .succeeds("1 snapshot accepted");
    assert!(
        project
            .files()
            .contains(&"snapshots/talks/sale/a-sale-begins.snap".to_owned())
    );
}

#[test]
fn transcript_can_be_traced() {
    insta::assert_snapshot!(
        sale(TALK)
            .fsmsim(["trace", "scenarios/talks/sale.md", "--format", "table"])
            .shown()
    );
}

#[test]
fn other_markdown_is_ignored_unless_it_is_named() {
    let project = sale(TALK)
        .file("scenarios/README.md", "# Notes\n\nUser: not a dialogue\n")
        .file("scenarios/page.md", "---\ntitle: A page\n---\nUser: hi\n")
        .file("scenarios/.hidden.md", TALK);
    project.fsmsim(["test"]).succeeds("1 passed");
    for command in ["test", "trace"] {
        for file in ["scenarios/README.md", "scenarios/page.md"] {
            project
                .fsmsim([command, file])
                .about(format_args!("{command} {file}"))
                .fails(2, "", file);
        }
    }
    // A file with keys of a scenario is not skipped, even if it is invalid.
    for broken in [
        "---\nscenario: A\nmodel: [\n---\n",
        "---\nscenario: A\n---\n",
        "---\nmodel: m\nsection: B\n---\n",
        "---\nmodel: flows/spin_selling\n---\nAbout the model.\n",
        "---\nmodel: flows/spin_selling\n\nUser: not closed\n",
        "---\nstart: {state: close}\n---\nUser: no model\n",
        "---\n{model: flows/spin_selling}\n---\nNobody.\n",
        "---\nmodel: [flows\ntags: a]\n  x\n---\nBroken.\n",
        "\n---\nmodel: flows/spin_selling\n---\nUser: after an empty line\n",
        "model: flows/spin_selling\n---\nUser: not opened\n",
        "---\nspeakers: {user: [Reader]}\n---\n**Reader:** no model\n",
        "---\nmodle: flows/spin_selling\n---\n**Reader:** Hello\n\n**Door:** Hi\n",
    ] {
        project.write("scenarios/broken.md", broken);
        project.fsmsim(["test"]).about(broken).fails(2, "", "");
    }
}

#[test]
fn unknown_speakers_result_in_a_line_to_paste() {
    let talk = TALK
        .replace("**User:**", "**Reader:**")
        .replace("**LLM:**", "**The library:**");
    let run = test(&talk).fails(2, "1 invalid", "no line has a known speaker");
    let (_, help) = run.stderr.split_once("add to the front matter: `").unwrap();
    let (line, _) = help.split_once('`').unwrap();
    assert_eq!(
        line,
        r#"speakers: {user: ["Reader"], assistant: ["The library"]}"#
    );
    let (first, rest) = talk.split_once("tags:").unwrap();
    test(&format!("{first}{line}\ntags:{rest}")).succeeds("1 passed in 3 turns");
    test("---\nmodel: flows/spin_selling\n---\n**Reader:** Hello\n\n**LLM:** Hi\n").fails(
        2,
        "",
        r#"`speakers: {user: ["Reader"], assistant: []}`"#,
    );
}

#[test]
fn transcript_in_the_documentation_passes() {
    let page = text("docs/src/how-to/test-transcripts.md");
    let (_, block) = page
        .split_once("```markdown file=scenarios/talks/sale.md\n")
        .unwrap();
    test(block.split_once("\n```").unwrap().0).succeeds("1 passed in 2 turns");
}

#[test]
fn hostile_transcripts_do_not_panic() {
    let many = |piece: &str| piece.repeat(5_000);
    for text in [
        "User: [calls ".to_owned(),
        format!("User: a\nLLM: {}", many("[calls get_instruction()]")),
        format!("User: a\nLLM: {}", many("[вызывает «")),
        many("User: ё`{ё}`\n"),
        format!("User: a\n{}", many("<!-- intent: ё -->")),
        format!("User: a\n{}", many("<!-- intent:")),
        format!("User: a\n{}", many("```\nUser: ё\n")),
        many("> "),
        many("**"),
        format!("User: {}", many("**ё:**")),
        many("# ё\n[Ё]\n"),
        "User: `{`{}`\n<!--{-->\n<!--}-->\n".to_owned(),
        many("{\"role\":\"ё\",\"content\":\"ё\"}\n"),
        many("[{"),
        many("{\"a\":\n"),
        many("| ё\\|"),
        many("| ё |\n"),
        many("05.03.2025, 10:14 - ё: ё\n"),
        many("ё, [1:1\n"),
    ] {
        let _ = tree(&dialogue(&text));
    }
}

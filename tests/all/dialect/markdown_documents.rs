//! Documents in common notations: each loads as a human reader would understand it.

use std::fmt::Write;

use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;

use crate::support::{Invocation, Project, Run};

/// Loads a document with the binary and runs no turns.
fn check(project: &Project) -> Invocation {
    project.fsmsim(["trace", "a.md", "--turns", "-"])
}

/// The extracted model: the initial state, the final states, then one line per state with its moves.
fn shown(reading: &str) -> String {
    let mut part = "";
    let (mut states, mut initial, mut finals) = (Vec::new(), "", Vec::new());
    let mut moves: Vec<(&str, String)> = Vec::new();
    for line in reading.lines() {
        let Some(item) = line.strip_prefix("  ").map(str::trim_start) else {
            part = line;
            continue;
        };
        let (_, item) = item.split_once("  ").unwrap();
        let (text, why) = item.split_once(": ").unwrap_or((item, ""));
        match part {
            "initial:" => initial = text,
            "final:" => finals.push(text),
            "states:" => states.push(text),
            "transitions:" => {
                let (from, to) = text.split_once(" → ").unwrap();
                moves.push((
                    from,
                    if why.is_empty() {
                        to.to_owned()
                    } else {
                        format!("{why} → {to}")
                    },
                ));
            }
            _ => {}
        }
    }
    let mut shown = format!("initial {initial}");
    if !finals.is_empty() {
        write!(shown, "; final {}", finals.join(", ")).unwrap();
    }
    for state in states {
        let own: Vec<&str> = moves
            .iter()
            .filter(|(from, _)| *from == state)
            .map(|(_, to)| &**to)
            .collect();
        write!(shown, "\n{state}: {}", own.join("; ")).unwrap();
    }
    shown
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Asserts that the extracted model is as expected and that the machine has the same states, initial state and final
/// states.
#[track_caller]
fn assert_extracts(document: &str, expected: &[&str]) {
    let project = Project::new().file("a.md", document);
    let run = project
        .fsmsim(["lint", "--explain-extraction", "a.md"])
        .ends(0, "a.md", "");
    assert_eq!(shown(&run.stdout), expected.join("\n"), "{run}");
    let mut found = Diagnostics::default();
    let path = project.path().join("a.md");
    let machine = Loader::default()
        .load(&path, Profile::Documented, None, &mut found)
        .unwrap();
    let name = |id| machine.names.states.name(id);
    let (mut states, mut finals, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (id, state) in machine.declared_states() {
        states.push(name(id));
        finals.extend(state.is_final.then(|| name(id)));
        pairs.extend(
            machine
                .moves(id)
                .iter()
                .map(|declared| (name(id), name(declared.target))),
        );
    }
    let [head, rest @ ..] = expected else {
        panic!("nothing is expected")
    };
    let (initial, ends) = head.split_once("; final ").unwrap_or((head, ""));
    assert_eq!(initial, format!("initial {}", name(machine.initial)));
    let sorted = |mut list: Vec<&str>| {
        list.sort_unstable();
        list.join(", ")
    };
    assert_eq!(sorted(finals), sorted(ends.split(", ").collect()));
    let named: Vec<&str> = rest
        .iter()
        .map(|line| line.split_once(':').unwrap().0)
        .collect();
    assert_eq!(sorted(states), sorted(named));
    for line in rest {
        let (from, moves) = line.split_once(':').unwrap();
        for target in moves
            .split("; ")
            .filter(|one| !one.trim().is_empty())
            .map(|one| one.rsplit("→ ").next().unwrap())
        {
            assert!(
                pairs.contains(&(from, target.trim())),
                "missing move {from} → {target}: {pairs:?}"
            );
        }
    }
}

#[test]
fn table_with_rows_for_any_state_is_extracted() {
    assert_extracts(
        "# Turnstile\n\n| Current state | Input | Next state |\n|---|---|---|\n| Locked | coin | Unlocked |\n| | push | no change |\n\
         | Unlocked | coin | (self) |\n| | push | Locked |\n| Any | fail | Broken |\n",
        &[
            "initial Locked",
            "Locked: coin → Unlocked; push → Locked; fail → Broken",
            "Unlocked: coin → Unlocked; push → Locked; fail → Broken",
            "Broken:",
        ],
    );
}

#[test]
fn table_with_guards_and_state_types_is_extracted() {
    assert_extracts(
        "---\ntitle: Orders\nowner: sales\n---\n# Order\n\n| State | Description | Type |\n|---|---|---|\n| New | just made | Initial |\n\
         | Paid | money is there | |\n| Shipped | on its way | |\n| Cancelled | over | Final |\n| Done | at home | Final |\n\n\
         | From | Trigger | Guard | To |\n|---|---|---|---|\n| _(new)_ | create | | New |\n| New | PAY | amount > 0 | Paid (after capture) |\n\
         | New / Paid | CANCEL | not shipped | Cancelled [Final] |\n| Paid | SHIP | — | Shipped |\n| Shipped | DELIVER | | Done |\n",
        &[
            "initial New; final Cancelled, Done",
            "New: PAY [amount > 0] → Paid; CANCEL [not shipped] → Cancelled",
            "Paid: CANCEL [not shipped] → Cancelled; SHIP → Shipped",
            "Shipped: DELIVER → Done",
            "Cancelled:",
            "Done:",
        ],
    );
}

#[test]
fn list_below_a_bold_line_is_extracted() {
    assert_extracts(
        "# TCP\n\n**Transitions**\n\n- CLOSED → LISTEN: passive open\n- CLOSED → SYN_SENT: active open\n- LISTEN → SYN_RCVD: rcv SYN\n\
         - SYN_SENT → ESTABLISHED (rcv SYN+ACK)\n- `SYN_RCVD` → `ESTABLISHED` on `ACK`\n- ESTABLISHED --CLOSE--> FIN_WAIT_1\n\
         - ESTABLISHED → CLOSE_WAIT — rcv FIN\n- Any → CLOSED: rcv RST\n",
        &[
            "initial CLOSED",
            "CLOSED: passive open → LISTEN; active open → SYN_SENT; rcv RST → CLOSED",
            "LISTEN: rcv SYN → SYN_RCVD; rcv RST → CLOSED",
            "SYN_SENT: rcv SYN+ACK → ESTABLISHED; rcv RST → CLOSED",
            "SYN_RCVD: ACK → ESTABLISHED; rcv RST → CLOSED",
            "ESTABLISHED: CLOSE → FIN_WAIT_1; rcv FIN → CLOSE_WAIT; rcv RST → CLOSED",
            "FIN_WAIT_1: rcv RST → CLOSED",
            "CLOSE_WAIT: rcv RST → CLOSED",
        ],
    );
}

#[test]
fn sections_with_one_table_per_state_are_extracted() {
    assert_extracts(
        "# Согласование документа\n\n## 1. Черновик (начальное)\n\n| Событие | Новое |\n|---|---|\n| Отправить | На согласовании |\n\n\
         ## 2. На согласовании\n\n| Событие | Новое |\n|---|---|\n| Согласовать | Утверждён |\n| Отклонить | Черновик |\n\
         | Комментарий | без изменений |\n\n## 3. Утверждён\n\nКонечное состояние. Документ хранится пять лет.\n",
        &[
            "initial Черновик; final Утверждён",
            "Черновик: Отправить → На согласовании",
            "На согласовании: Согласовать → Утверждён; Отклонить → Черновик; Комментарий → На согласовании",
            "Утверждён:",
        ],
    );
}

#[test]
fn mermaid_diagram_is_extracted() {
    assert_extracts(
        "# Crash\n\nIt goes so:\n\n```mermaid\nstateDiagram-v2\n    direction LR\n    %% a remark\n    state \"Not moving\" as Still\n\
         \u{20}   state ok <<choice>>\n    [*] --> Still\n    Still --> Moving : go\n    Moving --> ok : check\n    ok --> Still : [fine]\n\
         \u{20}   ok --> Crash : [not fine]\n    Crash --> [*]\n    note right of Crash\n        It hurts. A --> B\n    end note\n\
         \u{20}   state Moving {\n        [*] --> Slow\n        Slow --> Fast : accelerate\n        Fast --> Slow : brake\n    }\n```\n",
        &[
            "initial Still; final Crash",
            "Still: go → Slow",
            "Slow: check [fine] → Still; check [not fine] → Crash; accelerate → Fast",
            "Fast: check [fine] → Still; check [not fine] → Crash; brake → Slow",
            "Crash:",
        ],
    );
}

#[test]
fn diagram_next_to_a_table_defines_start_and_end() {
    assert_extracts(
        "# Заказ\n\n| Текущий статус | Действие | Результат |\n|---|---|---|\n| Оплачен | отгрузить | Отгружен |\n\
         | Создан | оплатить | Оплачен |\n| Отгружен | вручить | Закрыт |\n\n```mermaid\nstateDiagram-v2\n[*] --> Создан\nСоздан --> Оплачен: оплатить\n\
         Закрыт --> [*]\n```\n",
        &[
            "initial Создан; final Закрыт",
            "Оплачен: отгрузить → Отгружен",
            "Создан: оплатить → Оплачен",
            "Отгружен: вручить → Закрыт",
            "Закрыт:",
        ],
    );
}

#[test]
fn exceptions_from_any_state_are_extracted() {
    assert_extracts(
        "| Из | Событие | Куда |\n|---|---|---|\n| Новая | взять | В работе |\n| В работе | решить | Решена |\n\
         | Любое (кроме «Решена») | отменить | Отменена (конечное) |\n| Решена | вернуть | В работе |\n",
        &[
            "initial Новая; final Отменена",
            "Новая: взять → В работе; отменить → Отменена",
            "В работе: решить → Решена; отменить → Отменена",
            "Решена: вернуть → В работе",
            "Отменена:",
        ],
    );
}

#[test]
fn text_defines_initial_and_final_states() {
    assert_extracts(
        "# Job\n\n- **Initial state:** `queued`\n- Final states: done, failed\n\n| State | Event | Outcome |\n|---|---|---|\n\
         | running | exit 0 | done |\n| running | exit 1 | failed |\n| queued | start | running |\n| * | kill | failed |\n",
        &[
            "initial queued; final done, failed",
            "running: exit 0 → done; exit 1 → failed; kill → failed",
            "queued: start → running; kill → failed",
            "done:",
            "failed:",
        ],
    );
    assert_extracts(
        "# Задача\n\nНачальное состояние — «Новая». Дальше как получится.\n\nКонечные состояния: Закрыта.\n\n\
         | Состояние | Событие | Следующее состояние |\n|---|---|---|\n| В работе | готово | Закрыта |\n| Новая | взять | В работе |\n",
        &[
            "initial Новая; final Закрыта",
            "В работе: готово → Закрыта",
            "Новая: взять → В работе",
            "Закрыта:",
        ],
    );
}

#[test]
fn tables_of_several_sections_are_merged() {
    assert_extracts(
        "# Subscription\n\n## Trial\n\n| From | Event | To |\n|---|---|---|\n| [*] | sign up | Trial |\n| Trial | pay | Active |\n\
         | Trial | 14 days | Expired |\n\n## Paid\n\n| From | Event | To |\n|---|---|---|\n| Active | card declined | Past due |\n\
         | Past due | pay | Active |\n| Past due | 30 days | Expired |\n| Active, Past due | cancel | [*] |\n",
        &[
            "initial Trial; final end",
            "Trial: pay → Active; 14 days → Expired",
            "Active: card declined → Past due; cancel → end",
            "Past due: pay → Active; 30 days → Expired; cancel → end",
            "Expired:",
            "end:",
        ],
    );
}

#[test]
fn state_sections_with_bold_list_titles_are_extracted() {
    assert_extracts(
        "# Coffee machine\n\n### State: Idle\n\nWaits for money.\n\n**Transitions:**\n\n- coin → Ready\n- service key → Service\n\n\
         ### State: Ready\n\n**Transitions:**\n\n- button pressed → Brewing\n- refund → Idle\n\n### State: Brewing\n\n**Transitions:**\n\n\
         - done → `Idle`\n- no water → `Service` (a lamp is lit)\n\n### State: Service\n\n**Transitions:**\n\n- key out → Idle\n",
        &[
            "initial Idle",
            "Idle: coin → Ready; service key → Service",
            "Ready: button pressed → Brewing; refund → Idle",
            "Brewing: done → Idle; no water [a lamp is lit] → Service",
            "Service: key out → Idle",
        ],
    );
}

#[test]
fn bold_states_with_arrow_lists_are_extracted() {
    assert_extracts(
        "# Светофор\n\n**Красный**\n\n- таймер → Зелёный\n\n**Зелёный**\n\n- таймер → Жёлтый\n\n**Жёлтый**\n\n- таймер → Красный\n",
        &[
            "initial Красный",
            "Красный: таймер → Зелёный",
            "Зелёный: таймер → Жёлтый",
            "Жёлтый: таймер → Красный",
        ],
    );
}

#[test]
fn transitions_in_a_paragraph_are_extracted() {
    assert_extracts(
        "# Door\n\n## Transitions\n\nopen -> closed: push; closed -> locked: turn the key; locked -> closed: turn it back; closed -> open: pull.\n",
        &[
            "initial open",
            "open: push → closed",
            "closed: turn the key → locked; pull → open",
            "locked: turn it back → closed",
        ],
    );
    assert_extracts(
        "# Дверь\n\n**Переходы**\nоткрыта → закрыта: толкнуть\nзакрыта → открыта: потянуть\n",
        &[
            "initial открыта",
            "открыта: толкнуть → закрыта",
            "закрыта: потянуть → открыта",
        ],
    );
}

#[test]
fn chains_and_leading_events_are_extracted() {
    assert_extracts(
        "# Build\n\n## State transitions\n\n- Queued → Running → Finished\n- abort: Running → Aborted [Final]\n- Running → (timeout) → Failed\n\
         - (Failed, retry) → Queued\n- Failed + give up → Aborted\n",
        &[
            "initial Queued; final Aborted",
            "Queued: Running",
            "Running: Finished; abort → Aborted; timeout → Failed",
            "Failed: retry → Queued; give up → Aborted",
            "Finished:",
            "Aborted:",
        ],
    );
}

#[test]
fn connected_arrows_without_a_heading_are_extracted() {
    assert_extracts(
        "# Лифт\n\nСостояния меняются так:\n\n- стоит → едет: вызов\n- едет → стоит: этаж\n- едет → авария: обрыв\n- авария → стоит (починили)\n",
        &[
            "initial стоит",
            "стоит: вызов → едет",
            "едет: этаж → стоит; обрыв → авария",
            "авария: починили → стоит",
        ],
    );
}

#[test]
fn textbook_notation_of_automata_is_extracted() {
    assert_extracts(
        "| State | Input | Next state |\n|---|---|---|\n| → q0 | 0 | q1 |\n| q0 | 1 | q0 |\n| *q1 | 0 | q0 |\n| *q1 | 1 | q1 |\n",
        &["initial q0", "q0: 0 → q1; 1 → q0", "q1: 0 → q0; 1 → q1"],
    );
}

#[test]
fn spelling_variants_do_not_create_states() {
    assert_extracts(
        "| State | Event | New status | Note |\n|---|---|---|---|\n| **Draft** | submit | In Review | |\n| IN REVIEW | approve | Approved — by two | |\n\
         | in review | reject | back to draft | |\n| Approved | archive | `Archived` (read only) | |\n",
        &[
            "initial Draft",
            "Draft: submit → IN REVIEW",
            "IN REVIEW: approve → Approved; reject → Draft",
            "Approved: archive → Archived",
            "Archived:",
        ],
    );
}

#[test]
fn conditions_without_an_event_are_extracted() {
    assert_extracts(
        "| Current | Condition | Action | Next |\n|---|---|---|---|\n| cold | t < 18 | heat | warm |\n| warm | t > 22 | stop | cold |\n",
        &["initial cold", "cold: t < 18 → warm", "warm: t > 22 → cold"],
    );
    assert_extracts(
        "| Source | Event | Condition | Target |\n|---|---|---|---|\n| off | press | mains | on |\n| on | press | — | off |\n| on | | no mains | off |\n",
        &[
            "initial off",
            "off: press [mains] → on",
            "on: press → off; no mains → off",
        ],
    );
}

#[test]
fn any_state_is_never_the_initial_state() {
    assert_extracts(
        "| State | Event | Next |\n|---|---|---|\n| All states | reset | Ready |\n| Ready | go | Busy |\n| Busy | tick | — |\n| Busy | end | Ready |\n",
        &[
            "initial Ready",
            "Ready: reset → Ready; go → Busy",
            "Busy: reset → Ready; tick → Busy; end → Ready",
        ],
    );
}

#[test]
fn table_in_a_quotation_is_extracted() {
    assert_extracts(
        "> | State | Event | To state |\n> |---|---|---|\n> | a | x | b |\n> | b | y | a |\n",
        &["initial a", "a: x → b", "b: y → a"],
    );
}

#[test]
fn nested_lists_of_states_are_extracted() {
    assert_extracts(
        "# Call\n\n- **Ringing**\n  - answer → Talking\n  - reject → Ended\n- **Talking**\n  - hang up → Ended\n  - hold → On hold\n- **On hold**\n  - resume → Talking\n- **Ended** — final state\n",
        &[
            "initial Ringing; final Ended",
            "Ringing: answer → Talking; reject → Ended",
            "Talking: hang up → Ended; hold → On hold",
            "On hold: resume → Talking",
            "Ended:",
        ],
    );
}

#[test]
fn diagrams_with_cyrillic_names_are_merged() {
    assert_extracts(
        "```mermaid\n---\ntitle: Заявка\n---\nstateDiagram-v2\n  [*] --> Новая\n  Новая --> Принята: принять / уведомить\n  Принята --> [*]\n```\n\n\
         ```mermaid\nstateDiagram\n  Новая --> Отклонена: отклонить\n  Отклонена --> [*]\n```\n\n```mermaid\nflowchart LR\n  A --> B\n```\n",
        &[
            "initial Новая; final Принята, Отклонена",
            "Новая: принять / уведомить → Принята; отклонить → Отклонена",
            "Принята:",
            "Отклонена:",
        ],
    );
}

const TURNSTILE: &str = "# Turnstile\n\n| State | Input | Guard | Next state |\n|---|---|---|---|\n| Locked | coin | | Unlocked |\n\
    | Unlocked | push / go | | Locked |\n| Unlocked | coin | | no change |\n| Locked | Key turned | by day | In service |\n\
    | In service | key turned | by day | Locked |\n| In service | key turned | by night | Unlocked |\n| Any | fail | | Broken [Final] |\n";

#[test]
fn typed_event_selects_its_row() {
    let project = Project::new().file("a.md", TURNSTILE);
    let typed = "coin\n«COIN»\ngo\nkey turned\nkey turned\nkey turned [by night]\nIn service\nIn service / Broken\n";
    insta::assert_snapshot!(project.fsmsim(["run", "a.md"]).stdin(typed).shown());
}

#[test]
fn scenario_turns_can_say_events() {
    let project = Project::new().file("a.md", TURNSTILE).file(
        "s.yaml",
        "scenario: Through\nmodel: a.md\nturns:\n  - {say: coin, expect: {state: Unlocked}}\n  - {say: Coin, expect: {state: Unlocked, class: hold}}\n\
         \u{20} - {say: PUSH, expect: {state: Locked}}\n  - {say: nothing of it, expect: {state: Locked}}\n  - {say: fail, expect: {state: Broken}}\nend: {final: true}\n",
    );
    assert!(
        project
            .fsmsim(["test", "s.yaml"])
            .succeeds("1 passed")
            .contains("5 turns")
    );
}

#[test]
fn example_classifier_uses_the_conditions_of_moves() {
    let project = Project::new().file("a.md", TURNSTILE);
    // The classifier is also the default.
    for options in [&["--llm", "examples"][..], &[]] {
        let run = project
            .fsmsim(["run", "a.md"])
            .args(options)
            .stdin("here is a coin\nI push it\nwhat a day\n")
            .ends(0, "", "");
        assert!(
            run.stdout.contains("Locked → Unlocked") && run.stdout.contains("Unlocked → Locked"),
            "{run}"
        );
    }
    let folder = Project::new()
        .file("a/states/init.md", "# State: init\n\n## Transitions\n\n- The customer knows the tea → `brew`\n- The customer leaves → `parting`\n")
        .file("a/states/brew.md", "---\nfinal: true\n---\n# State: brew\n\n## Entry triggers\n\n- green tea please\n")
        .file("a/states/parting.md", "---\nfinal: true\n---\n# State: parting\n");
    let run = folder
        .fsmsim(["run", "a", "--llm", "examples"])
        .stdin("Green tea, please!\n")
        .ends(0, "init → brew", "");
    assert!(run.stderr.is_empty(), "{run}");
}

#[test]
fn permissive_run_uses_stubs_for_missing_states() {
    let project = Project::new()
        .file(
            "a/states/init.md",
            "# State: init\n\n## Transitions\n\n- Ready → `later`\n- Over → `parting`\n",
        )
        .file(
            "a/states/parting.md",
            "---\nfinal: true\n---\n# State: parting\n",
        );
    project
        .fsmsim(["run", "a"])
        .stdin("later\n")
        .refuses("error[FS0101]: unknown state `later`");
    insta::assert_snapshot!(
        project
            .fsmsim(["run", "a", "--permissive"])
            .stdin("later\ninit\n")
            .shown()
    );
    project
        .fsmsim(["lint", "a"])
        .fails(1, "1 error", "error[FS0101]");
    project
        .fsmsim(["lint", "a", "--permissive"])
        .ends(0, "no errors", "warning[FS0101]");
}

#[test]
fn scenario_can_permit_missing_states() {
    let scenario = |title: &str, start: &str| {
        format!(
            "scenario: {title}\nmodel: a\n{start}turns:\n  - {{goto: later, expect: {{state: later, class: move}}}}\n  \
             - {{goto: init, expect: {{state: init, why: {{contains: [undeclared_transition_permitted]}}}}}}\n"
        )
    };
    let project = Project::new()
        .file("a/states/init.md", "# State: init\n\n## Transitions\n\n- Ready → `later`\n- Over → `parting`\n")
        .file("a/states/parting.md", "---\nfinal: true\n---\n# State: parting\n")
        .file("s.yaml", scenario("Permitted", "start: {permissive: true}\n"))
        .file(
            "both.yaml",
            scenario("Not permitted", "") + "---\n" + &scenario("Permitted", "start: {permissive: true}\n"),
        )
        .file("slip.yaml", scenario("A slip", "start: {permisive: true}\n"))
        .file("word.yaml", scenario("A word", "start: {permissive: maybe}\n"))
        .file("flow.yaml", "flow: {name: f, entry_points: {default: a}}\nstates: {a: {transitions: {go: a}}}\n")
        .file("f.yaml", "scenario: A flow\nmodel: flow.yaml\nstart: {permissive: true}\nturns: [{intent: go}]\n");
    for arguments in [
        &["test", "s.yaml"][..],
        &["test", "both.yaml"],
        &["trace", "--format", "table", "s.yaml"],
    ] {
        insta::assert_snapshot!(project.fsmsim(arguments).shown());
    }
    // With a misspelled or invalid `permissive`, the missing state remains an error.
    project.fsmsim(["test", "slip.yaml"]).ends(
        2,
        "invalid",
        "error[FS0101]: unknown state `later`",
    );
    project.fsmsim(["test", "word.yaml"]).ends(
        2,
        "invalid",
        "error[FS0101]: unknown state `later`",
    );
    project.write("a/states/later.md", "# State: later\n");
    for file in ["slip.yaml", "word.yaml", "f.yaml"] {
        insta::assert_snapshot!(project.fsmsim(["test", file]).shown());
    }
}

#[test]
fn explain_extraction_shows_items_with_their_lines() {
    let document = "---\ntags: [x]\nfinal: [c]\n---\n# Notes\n\n| Word | Meaning |\n|---|---|\n| a | b |\n\n| State | Event | Next | Owner |\n|---|---|---|---|\n\
        | a | x | b | Ann |\n| any open state | stop | c | |\n| b | y | previous state | |\n\n## Transitions\n\n- a → c: at once\n- b → a: back\n\n\
        ```mermaid\nstateDiagram-v2\n  [*] --> b\n  b --> b2\n  this is not understood\n  --\n```\n";
    let project = Project::new().file("a.md", document).file(
        "states/init.md",
        "# State: init\n\n## Transitions\n\n- `init`\n",
    );
    insta::assert_snapshot!(
        project
            .fsmsim(["lint", "--explain-extraction", "a.md"])
            .shown()
    );
    insta::assert_snapshot!(
        project
            .fsmsim(["lint", "--explain-extraction", "states"])
            .shown()
    );
    project
        .fsmsim(["lint", "--explain-extraction", "--format", "jsonl", "a.md"])
        .ends(
            2,
            "",
            "cannot use `--explain-extraction` with `--format jsonl`",
        );
}

#[test]
fn rejected_documents_name_the_missing_parts() {
    let output: Vec<String> = [
        "# Flow\n\nThe user → the server → the model → the user.\n\n## Where\n\n- a file → read\n- a link → refused\n",
        "# Flow\n\n| Event | Next state |\n|---|---|\n| x | a |\n",
        "# Flow\n\n| Status | Meaning |\n|---|---|\n| a | x |\n",
        "| State | Event | Next |\n|---|---|---|\n| a | x | |\n| a | y | Any |\n",
        "```mermaid\nstateDiagram-v2\n```\n",
    ]
    .into_iter()
    .map(|text| check(&Project::new().file("a.md", text)).refuses(""))
    .collect();
    insta::assert_snapshot!(output.join("\n"));
}

#[test]
fn hostile_documents_load_or_fail_in_time() {
    let wide = format!(
        "| State | Event | Next |\n|---|---|---|\n{}{}",
        (0..2_000)
            .map(|number| format!("| s{number} | e | s{} |\n", number + 1))
            .collect::<String>(),
        "| Any | x | s0 |\n".repeat(200),
    );
    let choices: String = (0..40)
        .map(|at| {
            format!(
                "state c{at} <<choice>>\nc{at} --> c{}\nc{at} --> c{}\n",
                at + 1,
                at + 2
            )
        })
        .collect();
    let nested = format!("{}{}", "state a {\n".repeat(3_000), "a --> b\n");
    for text in [
        wide,
        format!("```mermaid\nstateDiagram-v2\na --> c0\n{choices}```\n"),
        format!("```mermaid\nstateDiagram-v2\n{nested}```\n"),
        format!("## Transitions\n\n{}", "a → b; ".repeat(20_000)),
        format!("{}- a → b\n", "- x\n  ".repeat(3_000)),
        format!("## Transitions\n\n- {}\n", "a → ".repeat(50_000)),
        "**\n__\n****\n**:**\n\n| → | * |\n|---|---|\n".repeat(1_000),
    ] {
        let project = Project::new().file("a.md", &text);
        let started = std::time::Instant::now();
        let run = project
            .fsmsim(["lint", "--explain-extraction", "a.md"])
            .run();
        assert!(
            [0, 1, 2].contains(&run.code),
            "{}",
            run.stderr.chars().take(500).collect::<String>()
        );
        assert!(
            started.elapsed().as_secs() < 120,
            "{}",
            text.chars().take(100).collect::<String>()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn loader_never_panics_on_random_documents(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "| State | Event | Next |\n|---|---|---|\n", "| Событие | Новое |\n|---|---|\n", "| a | x | b |\n", "| * | — | (self) |\n",
            "| [*] | | a [Final] |\n", "| b | ", "\n\n", "## a\n", "## Transitions\n", "**b**\n", "- a → b: x\n", "- → \n", "- x → ", "`a`",
            "```mermaid\nstateDiagram-v2\n", "a --> b: x\n", "[*] --> a\n", "a --> [*]\n", "state a {\n", "}\n", "```\n", "Initial state: a\n",
            "- **a**\n  - x → b\n", "> ", "(", "[", "Any except ", "---\n", "é—", "İ → ẞ",
        ]), 0..25)
    ) {
        let project = Project::new().file("a.md", pieces.concat());
        let mut found = Diagnostics::default();
        let machine = Loader::default().load(&project.path().join("a.md"), Profile::Documented, None, &mut found);
        prop_assert!(machine.is_some() != found.has_errors(), "{}", pieces.concat());
        let mut loader = Loader::default();
        let _ = loader.explain(&project.path().join("a.md"));
    }
}

const MATRIX: &str = "# Turnstile\n\n| State \\ Event | coin | push | `reset` |\n|---|---|---|---|\n\
    | Locked | Unlocked | no change | |\n| Unlocked | — | Locked | Locked |\n| Any | | | Broken |\n| Broken (final) | | | |\n";

#[test]
fn matrix_of_states_and_events_is_extracted() {
    let turns = "scenario: Through\nmodel: a.md\nturns:\n  \
        - {say: push, goto: Locked, expect: {state: Locked}}\n  \
        - {say: coin, goto: Unlocked, expect: {state: Unlocked, class: move}}\n  \
        - {say: push, goto: Locked, expect: {state: Locked}}\n  \
        - {say: reset, goto: Broken, expect: {state: Broken, final: true}}\n";
    let project = Project::new().file("a.md", MATRIX).file("s.yaml", turns);
    insta::assert_snapshot!(
        project
            .fsmsim(["lint", "--explain-extraction", "a.md"])
            .shown()
    );
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 4 turns\n");
    insta::assert_snapshot!(
        project
            .fsmsim(["run", "a.md"])
            .stdin("coin\npush\n")
            .shown()
    );
}

#[test]
fn tables_that_resemble_a_matrix_are_ignored() {
    let tables = [
        (
            "a remark in a cell",
            "| State | go | stop |\n|---|---|---|\n| A | B | — |\n| B | B | A |\n| C | A | when it rains |\n",
        ),
        (
            "a state without a row",
            "| | go | stop |\n|---|---|---|\n| A | B | A |\n| B | Gone | A |\n",
        ),
        (
            "states against states",
            "| State | A | B |\n|---|---|---|\n| A | B | A |\n| B | A | A |\n",
        ),
        (
            "one column",
            "| State | go |\n|---|---|\n| A | B |\n| B | A |\n",
        ),
        (
            "a column for an event",
            "| State | Event | Depends |\n|---|---|---|\n| A | B | B |\n| B | A | A |\n",
        ),
        (
            "properties of states",
            "| State | Owner | Colour |\n|---|---|---|\n| A | Ann | red |\n| B | Bob | blue |\n",
        ),
        (
            "another corner",
            "| Customer | go | stop |\n|---|---|---|\n| A | B | A |\n| B | A | A |\n",
        ),
    ];
    let mut shown = String::new();
    for (what, table) in tables {
        let project = Project::new().file("a.md", format!("# Notes\n\n{table}"));
        shown += &format!(
            "== {what}\n{}\n",
            project
                .fsmsim(["lint", "--explain-extraction", "a.md"])
                .shown()
        );
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn plantuml_diagram_is_extracted() {
    let uml = "@startuml order\n' a comment\n/' more\n of it '/\ntitle An order\nskinparam state {\n  Color red\n}\nleft to right direction\n\
        hide empty description\n[*] --> New\nstate \"Not paid yet\" as New #pink\nstate Work {\n  [*] -> Packing\n  Packing -down-> Sending : packed [all there] / weigh\n}\n\
        New -[#red,dashed]-> Work : pay\nNew : waits for money\nstate Ask <<choice>>\nSending --> Ask : sent\nAsk --> Done : [arrived]\nAsk --> New : [lost]\n\
        note right of Work\n  it --> is noise\nend note\nDone <-- Work : cancel\nDone --> [*]\nWork --> [H] : later\n@enduml\n";
    let project = Project::new()
        .file("a.md", format!("# Order\n\n```plantuml\n{uml}```\n"))
        .file("b.md", format!("# Order\n\n```\n{uml}```\n"))
        .file(
            "other.md",
            "# Talk\n\n```plantuml\n@startuml\nparticipant Ann\nAnn -> Bob : hello\n@enduml\n```\n",
        )
        .file(
            "loose.md",
            "# Talk\n\n```plantuml\nAnn -> Bob : hello\nBob -> Ann : hello\n```\n",
        );
    insta::assert_snapshot!(
        project
            .fsmsim(["lint", "--explain-extraction", "a.md"])
            .shown()
    );
    let same = project
        .fsmsim(["lint", "--explain-extraction", "b.md"])
        .shown();
    assert_eq!(
        same.replace("b.md", "a.md"),
        project
            .fsmsim(["lint", "--explain-extraction", "a.md"])
            .shown()
    );
    for other in ["other.md", "loose.md"] {
        insta::assert_snapshot!(project.fsmsim(["lint", other]).shown());
    }
}

#[test]
fn malformed_diagrams_never_cause_a_panic() {
    let nested = "state A {\n".repeat(5_000);
    let arrows = "A -[".repeat(20_000);
    for block in [
        nested,
        arrows,
        "[*] --> \n<- A\n--> B\nstate\nstate {\nstate \"".to_owned(),
        "note left\n@enduml".to_owned(),
    ] {
        for (fence, first) in [
            ("plantuml", "@startuml\n[*] --> A"),
            ("mermaid", "stateDiagram-v2\n[*] --> A"),
        ] {
            let project =
                Project::new().file("a.md", format!("# X\n\n```{fence}\n{first}\n{block}\n"));
            let run = project.fsmsim(["lint", "a.md"]).run();
            assert!(
                run.code <= 2 && !run.stderr.contains("panicked"),
                "{}",
                run.stderr
            );
        }
    }
}

/// Lints a document. Expects this exit code and this text on standard error.
#[track_caller]
fn linted(document: &str, code: i32, stderr: &str) -> Run {
    let project = Project::new().file("a.md", document);
    project
        .fsmsim(["lint", "--explain-extraction", "a.md"])
        .ends(code, "", stderr)
}

#[test]
fn headers_in_many_words_name_the_columns() {
    for header in [
        "Из | В",
        "Было | Стало",
        "От состояния | К состоянию",
        "Текущая стадия | Следующая стадия",
        "Статус | Разрешённые следующие статусы",
        "Экран | Возможные переходы",
        "Old status | New status",
        "State | Valid transitions",
        "Phase | Can transition to",
        "Current step | Possible next steps",
        "Node | Next nodes",
        "Von | Nach",
    ] {
        assert_extracts(
            &format!(
                "# Ticket\n\n| {header} |\n|---|---|\n| new | open |\n| open | closed |\n| closed | open |\n"
            ),
            &["initial new", "new: open", "open: closed", "closed: open"],
        );
    }
}

#[test]
fn cells_decide_which_column_has_the_targets() {
    assert_extracts(
        "# Ticket\n\n| Transition | From | To |\n|---|---|---|\n| take | new | open |\n| close | open | closed |\n",
        &[
            "initial new",
            "new: take → open",
            "open: close → closed",
            "closed:",
        ],
    );
    assert_extracts(
        "# Ticket\n\n| State | Description | Allowed transitions |\n|---|---|---|\n| new | just made | → open, → closed |\n\
         | open | an agent works on it | → closed |\n| closed | over | |\n",
        &[
            "initial new",
            "new: open; closed",
            "open: closed",
            "closed:",
        ],
    );
    // A relation of states is not a transition.
    linted(
        "# Kinds\n\n| State | Parent |\n|---|---|\n| a | b |\n| b | c |\n",
        1,
        "missing column for the next state",
    );
}

#[test]
fn arrows_in_a_column_are_transitions() {
    assert_extracts(
        "# Order\n\n| Transition | When |\n|---|---|\n| new → paid | the money arrives |\n| paid → sent | it is packed |\n",
        &[
            "initial new",
            "new: the money arrives → paid",
            "paid: it is packed → sent",
            "sent:",
        ],
    );
}

#[test]
fn similar_names_are_states_unless_a_table_lists_states() {
    let table = "| From | Event | To |\n|---|---|---|\n";
    for (one, other) in [
        ("Locked", "Unlocked"),
        ("активен", "неактивен"),
        ("FUNDED", "REFUNDED"),
        ("SIGNED", "SINGED"),
        ("approve", "approved"),
        ("`plan_entry`", "`plan_entri`"),
    ] {
        let run = linted(
            &format!(
                "# A\n\n{table}| start | go | {one} |\n| {one} | on | start |\n| start | off | {other} |\n"
            ),
            0,
            "",
        );
        assert!(!run.stderr.contains("FS0431"), "{run}");
    }
    let document = format!("# A\n\n{table}| opened | go | closed |\n| closed | on | openet |\n");
    linted(&document, 0, "name `openet` is used only here");
    let list = "| State | Meaning |\n|---|---|\n| opened | first |\n| closed | last |\n";
    linted(&format!("{document}\n{list}"), 1, "unknown state `openet`");
}

const DRAWN: &str = "# Parcel\n\n```mermaid\nstateDiagram-v2\n[*] --> packed\npacked --> sent: courier / robot\n\
    sent --> packed: returned\nsent --> stored: closed door\nstored --> sent: called\nstored --> lost: [no trace] / refund\n\
    lost --> [*]\n```\n";

const EXTRACTED: &str = "initial packed; final lost\npacked: courier / robot → sent\nsent: returned → packed; closed door → stored\n\
    stored: called → sent; [no trace] / refund → lost\nlost:";

#[test]
fn diagram_replaces_a_line_of_prose_and_a_small_table() {
    let prose = "- **The last step** returns `None`:\n    - `rest`, then `more` → `lost`\n- **One** call: read(box) → Mail | None\n";
    let run = linted(&format!("{DRAWN}\n{prose}"), 0, "");
    assert_eq!(shown(&run.stdout), EXTRACTED, "{run}");
    insta::assert_snapshot!(run.shown());
    let table = "## Roles\n\n| From | To |\n|---|---|\n| clerk | courier |\n";
    let run = linted(
        &format!("{DRAWN}\n{table}"),
        0,
        "transitions of other states are ignored: 1",
    );
    assert_eq!(shown(&run.stdout), EXTRACTED, "{run}");
}

#[test]
fn alternatives_on_an_arrow_select_its_transition() {
    let project = Project::new().file("a.md", DRAWN).file(
        "s.yaml",
        "scenario: Robot\nmodel: a.md\nturns:\n  - {say: robot, expect: {state: sent}}\n  - {say: returned, expect: {state: packed}}\n  \
         - {say: courier, expect: {state: sent}}\n",
    );
    project.fsmsim(["test", "s.yaml"]).succeeds("1 passed");
}

#[test]
fn state_that_is_left_is_not_final() {
    let advert = |end: &str| {
        format!(
            "# Advert\n\n```mermaid\nstateDiagram-v2\n[*] --> live\nlive --> sold: bought\nsold --> live: relisted\n\
             sold --> [*]{end}\n```\n"
        )
    };
    let run = linted(
        &advert(""),
        0,
        "state `sold` is not final: it has transitions",
    );
    assert_eq!(
        shown(&run.stdout),
        "initial live\nlive: bought → sold\nsold: relisted → live",
        "{run}"
    );
    assert_extracts(
        &advert(": archived"),
        &[
            "initial live; final end",
            "live: bought → sold",
            "sold: relisted → live; archived → end",
            "end:",
        ],
    );
    let table = "| From | Event | To |\n|---|---|---|\n| live | bought | sold |\n| sold | relisted | live |\n";
    linted(
        &format!("---\nfinal: [sold]\n---\n# Advert\n\n- Final states: live\n\n{table}"),
        0,
        "state `live` is not final",
    );
}

const CLUBS: &str = "# Clubs\n\n## Membership\n\n- WAITING → ACTIVE: paid\n- ACTIVE → OVER: left\n\n\
    ## Key rental\n\n- FREE → ACTIVE: rented\n- ACTIVE → FREE: returned\n";

#[test]
fn sections_with_common_names_are_separate_models() {
    let scenario = "scenario: Rent\nmodel: a.md#Key rental\nturns:\n  - {say: rented, expect: {state: ACTIVE}}\n  \
        - {say: returned, expect: {state: FREE}}\n";
    let project = Project::new().file("a.md", CLUBS).file("s.yaml", scenario);
    insta::assert_snapshot!(project.fsmsim(["lint", "a.md"]).shown());
    assert!(
        project
            .fsmsim(["test", "s.yaml"])
            .succeeds("1 passed")
            .contains("2 turns")
    );
    project
        .fsmsim(["run", "a.md#membership"])
        .stdin("paid\nleft\n")
        .ends(0, "ACTIVE → OVER", "");
    let sides = ["diff", "a.md#Membership", "a.md#Key rental"];
    project
        .fsmsim(sides)
        .args(["--scenarios", "s.yaml"])
        .fails(1, "1 of 1 dialogue differs", "");
    project
        .fsmsim(["lint", "a.md#Locker"])
        .ends(2, "", "expected one heading `Locker`, found 0");
    project.fsmsim(["lint", "b.md#Locker"]).ends(2, "", "b.md");
    project.write("a.md", format!("---\nsection: Membership\n---\n{CLUBS}"));
    project
        .fsmsim(["lint", "--explain-extraction", "a.md"])
        .ends(0, "WAITING → ACTIVE", "");
    project.write("a.md", format!("---\ninitial: FREE\n---\n{CLUBS}"));
    project.fsmsim(["lint", "a.md"]).ends(0, "no errors", "");
}

#[test]
fn sections_of_one_machine_are_not_separate_models() {
    for document in [
        "# A\n\n## Ordering\n\n- cart → placed: order\n- placed → paid: pay\n\n## Delivery\n\n- paid → sent: pack\n- sent → done: ring\n",
        "# A\n\n## cart\n\n- order → placed\n- leave → gone\n\n## placed\n\n- pay → done\n- cancel → gone\n\n\
         ## held\n\n- resume → placed\n- drop → gone\n",
    ] {
        let run = linted(document, 0, "");
        assert!(!run.stderr.contains("machine"), "{run}");
    }
}

#[test]
fn cells_are_read_as_github_shows_them() {
    assert_extracts(
        "# Ticket\n\n| From | To | Trigger | Guard |\n|---|---|---|---|\n| NEW | OPEN | taken |\n\
         | OPEN | CLOSED | closed | solved || silent |\n| OPEN | NEW | given back | | a remark |\n",
        &[
            "initial NEW",
            "NEW: taken → OPEN",
            "OPEN: closed [solved || silent] → CLOSED; given back → NEW",
            "CLOSED:",
        ],
    );
}

#[test]
fn keywords_in_cells_can_have_remarks() {
    assert_extracts(
        "# App\n\n| From | Event | To |\n|---|---|---|\n| (нет) | launch | start |\n| start | fix | map |\n\
         | map | lost | (unchanged, a badge is shown) |\n| map | clear | `NONE` |\n| `NONE` | tap | map |\n\
         | any (once started) | language | start |\n",
        &[
            "initial start",
            "start: fix → map; language → start",
            "map: lost → map; clear → NONE; language → start",
            "NONE: tap → map; language → start",
        ],
    );
    let run = linted(
        "# App\n\n| From | To |\n|---|---|\n| a | b |\n| b | depends on what the user chose in the dialog before |\n",
        0,
        "transition is ignored: its target is a sentence",
    );
    assert_eq!(shown(&run.stdout), "initial a\na: b\nb:", "{run}");
}

#[test]
fn headings_decide_whether_arrows_are_transitions() {
    let run = linted(
        "# Vehicle\n\n### Ключевые переходы\n\n- free → booked: order\n- booked → free: returned\n\n\
         ### Invalid transitions\n\n- booked → sold\n\n**Forbidden transitions**: free → sold.\n",
        0,
        "",
    );
    assert_eq!(
        shown(&run.stdout),
        "initial free\nfree: order → booked\nbooked: returned → free",
        "{run}"
    );
    assert!(run.stdout.contains("excluded by its heading"), "{run}");
}

#[test]
fn arrows_in_plain_code_blocks_are_read() {
    for (open, close) in [("```", "```"), ("```text", "```"), ("~~~txt", "~~~")] {
        assert_extracts(
            &format!(
                "# Loan\n\n## States\n\n{open}\nsent -> checked -> granted | refused\nchecked ->\n  withdrawn\n{close}\n"
            ),
            &[
                "initial sent",
                "sent: checked",
                "checked: granted; refused; withdrawn",
                "granted:",
                "refused:",
                "withdrawn:",
            ],
        );
    }
}

#[test]
fn refused_documents_name_the_true_cause() {
    let output: Vec<String> = [
        "# Flow\n\n```mermaid\nsequenceDiagram\n  A->>B: hello\n```\n",
        "# Flow\n\nA → B.\n\n| Word | Meaning |\n|---|---|\n| a | b |\n",
        "# Flow\n\n## Invalid transitions\n\n| From | To |\n|---|---|\n| a | b |\n",
    ]
    .into_iter()
    .map(|text| check(&Project::new().file("a.md", text)).refuses(""))
    .collect();
    insta::assert_snapshot!(output.join("\n"));
}

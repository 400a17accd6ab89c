//! `fsmsim run`, with plain lines on standard input.

use crate::support::{Invocation, Project};

fn dialogue(lines: &str) -> Invocation {
    Project::new()
        .with_flows()
        .fsmsim(["run", "flows/spin_selling"])
        .stdin(lines)
}

#[test]
fn interactive_dialogue_prints_its_turns() {
    insta::assert_snapshot!(
        dialogue(
            "Здравствуйте! / greeting\n\
         Сколько стоит? / price_question\n\
         info_provided company_size=50 role=\"head of sales\"\n\
         :state\n\
         :data\n\
         :why\n\
         Дорого / objection_price also:objection_think frustration:2\n\
         agreement\n\
         :quit\n\
         never read / greeting\n",
        )
        .shown()
    );
}

#[test]
fn condition_command_shows_how_a_condition_is_evaluated() {
    let run = dialogue(
        "price_question company_size=50\n:condition can_answer_price\n:cond has_pricing_dta\n:conds pric\n",
    );
    insta::assert_snapshot!(run.shown());
}

#[test]
fn conditions_are_explained_as_the_last_turn_saw_them() {
    let lines = "price_question company_size=50\n:cond repeated_price_question\n:conds repeated_price\n\
                 :context\n:cond repeated_price_question if price_question\n\
                 :cond repeated_price_question if pricequestion\n:cond has_pricing_data if :undo\n\
                 price_question\n:cond repeated_price_question\n:undo\n:cond repeated_price_question\n";
    let run = dialogue(lines).run();
    let shown = run.shown();
    let values: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("  repeated_price_question: "))
        .collect();
    let (yes, no) = (
        "  repeated_price_question: true",
        "  repeated_price_question: false",
    );
    assert_eq!(values, [no, yes, yes, no], "{shown}");
    for part in [
        "  price_question in greeting\n",
        "  false repeated_price_question",
        "    repeated_question         nothing\n",
        "    price_question  1 in a row  1 in total\n",
        "  price_question in spin_situation\n",
        "unknown intent `pricequestion`. A similar intent exists: `price_question`.",
        "expected a turn after `if`",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Before the first turn, a command shows the values of a turn without input.
    let first = dialogue(":set company_size=50\n:cond has_pricing_data\n").shown();
    assert!(
        first.contains("  no intent in greeting\n") && first.contains("  has_pricing_data: true"),
        "{first}"
    );
}

#[test]
fn why_names_the_signal_that_repeats_a_question() {
    let lines = "price_question company_size=50\nprice_question\nquestion_features\n";
    let shown = dialogue(lines).shown();
    assert!(
        shown.contains(
            "Answered answer_with_facts: the signal `repeated_question` contains price_question and"
        ),
        "{shown}"
    );
    let asked = "PriceQuestion has priority for questions about the price";
    assert_eq!(shown.matches(asked).count(), 2, "{shown}");
    let also = dialogue("question_features also:price_question\n").shown();
    assert!(
        also.contains("the signal `secondary_intents` contains price_question"),
        "{also}"
    );
}

#[test]
fn trace_command_prints_the_trace_since_the_last_reset() {
    insta::assert_snapshot!(
        dialogue("greeting\n:trace\n:reset {state: close, data: {company_size: 5}}\n:trace\n")
            .shown()
    );
}

#[test]
fn invalid_lines_change_nothing() {
    insta::assert_snapshot!(
        dialogue(
            "hello_there\n\
         / \n\
         text / pricequestion\n\
         greeting company_size\n\
         greeting =5\n\
         greeting frustration:lots\n\
         greeting note=\"unclosed\n\
         :stat\n\
         :anketa\n\
         :\n\
         :reset {state: nowhere}\n\
         :reset [\n\
         !something_new\n\
         :help\n",
        )
        .shown()
    );
}

#[test]
fn dialogue_starts_in_the_given_state() {
    let project = Project::new().with_flows();
    let start = "{state: spin_problem, data: {company_size: 50}, flags: {circular_flow: true}}";
    let run = project
        .fsmsim(["run", "flows/spin_selling@reference", "--start", start])
        .stdin("go_back\n")
        .run();
    insta::assert_snapshot!(run.shown());
    insta::assert_snapshot!(
        project
            .fsmsim([
                "run",
                "flows/spin_selling",
                "--start",
                "{state: spin_problm}"
            ])
            .shown()
    );
    insta::assert_snapshot!(project.fsmsim(["run", "flows/spin"]).shown());
}

#[test]
fn typed_control_sequences_are_not_printed() {
    let stdout = dialogue("x\u{1b}[2Jy\u{7} / greeting note=\"\u{1b}[31mred\"\n:data\n:trace\n")
        .succeeds("");
    assert!(
        !stdout.contains('\u{1b}') && !stdout.contains('\u{7}'),
        "{stdout:?}"
    );
}

#[test]
fn interactive_contract_prints_its_turns() {
    let project = Project::accounting();
    let start = "{backend: fixtures/backends/accounting.yaml}";
    let lines = "Покажи остатки по ООО Ромашка на март 2020\n\
         спой что-нибудь\n\
         root_qery\n\
         кто поставщик\n\
         выбери позицию \u{1b}[31mБолт\n\
         :state\n\
         кому продали / object_action action=\"кому продали\" outcome:blocked\n\
         кому продали / object_action outcome:[x]\n\
         :why\n\
         / !sing\n\
         мы это обсуждали? / memory_recap cites=[ответ-1, ответ-9]\n\
         :data\n";
    insta::assert_snapshot!(
        project
            .fsmsim(["run", "flows/accounting.yaml", "--start", start])
            .stdin(lines)
            .shown()
    );
}

#[test]
fn interactive_contract_without_a_backend_states_no_fact() {
    let project = Project::accounting();
    insta::assert_snapshot!(
        project
            .fsmsim(["run", "flows/accounting.yaml"])
            .stdin("Покажи остатки\n:state\n")
            .shown()
    );
}

#[test]
fn context_command_shows_all_inputs_of_conditions() {
    let lines = ":context\nЗдравствуйте! / greeting\nprice_question company_size=50\nprice_question note=\"\u{1b}[31mred\"\nобъект / objection_price frustration:4\n!somet\u{1b}[2Jhing\n:context\n:help\n";
    insta::assert_snapshot!(dialogue(lines).shown());
    let library = Project::library();
    for model in [
        "flows/bant_parallel.yaml",
        "flows/accounting.yaml",
        "states/student",
    ] {
        let lines = match model {
            "states/student" => ":context\n",
            "flows/accounting.yaml" => "root_query\n:context\n",
            _ => "agreement\n:context\n",
        };
        insta::assert_snapshot!(library.fsmsim(["run", model]).stdin(lines).shown());
    }
}

#[test]
fn misspelled_intent_with_data_is_not_an_utterance() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let run = project.fsmsim(["run"]).stdin("book_tabel guests=3\n").run();
    assert!(
        run.stderr.contains("`book_table`") && !run.stdout.contains("recognized"),
        "{run}"
    );
}

#[test]
fn why_names_the_entry_action_that_replaces_an_answer() {
    let flow = "flow: {name: hall, policy: plain, entry_points: {default: hall}}\n\
                states:\n  \
                hall: {rules: {go: greet}, transitions: {go: room}}\n  \
                room: {is_final: true, on_enter: {action: welcome}}\n";
    let project = Project::new().file("hall.yaml", flow);
    let run = project.fsmsim(["run", "hall.yaml"]).stdin("go\n");
    let shown = run.succeeds("Answered welcome: `on_enter` of room.");
    assert!(!shown.contains("hall.yaml:3:20"), "{shown}");
}

#[test]
fn argument_of_a_command_without_arguments_is_an_error() {
    let shown = dialogue("greeting\n:why 1\n:states all\n").shown();
    for expected in [
        "`:why` has no argument, found `1`. To see turn 1, first type `:turn 1`.",
        "`:states` has no argument, found `all`.",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
}

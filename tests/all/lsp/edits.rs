//! Random edits never stop the server.

use serde_json::{Value, json};

use super::client::{Client, position};
use crate::support::{Project, tries_everything};

/// A reproducible random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (end.max(1) as u64)).unwrap()
    }

    fn pick<'p>(&mut self, pieces: &[&'p str]) -> &'p str {
        pieces[self.below(pieces.len())]
    }
}

/// Typical and hostile insertions.
const PIECES: &[&str] = &[
    "a",
    "\n",
    "  ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "<<: *a\n",
    "---\n",
    "...\n",
    "\t",
    "\r\n",
    "\r",
    "🙂",
    "Ё",
    "e\u{301}",
    "\u{0}",
    "\u{feff}",
    "\u{2028}",
    "{{x}}",
    "!!str ",
    "|\n",
    ">\n",
    "? ",
    "states:\n",
    "  greeting:\n",
    "    transitions: {black: brew}\n",
    "extends: greeting\n",
    "mixins: [polite]\n",
    "when: {and: [is_hot, ",
    "intent: black\n",
    "a: &x [*x, *x]\n",
    "b: &b {<<: *b}\n",
];

/// The requests that are sent between edits.
const REQUESTS: [&str; 8] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/completion",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/codeLens",
];

#[test]
fn random_edits_never_stop_the_server() {
    let edits = if tries_everything() { 10_000 } else { 500 };
    for seed in [7, 20_261_124] {
        type_at_random(Random(seed), edits / 2);
    }
}

fn type_at_random(mut random: Random, edits: usize) {
    let project = Project::new()
        .file("fsmsim.toml", "")
        .file("tea.yaml", super::FLOW)
        .file("scenarios/tea.yaml", super::SCENARIO)
        .file(
            "set/states/init.md",
            "# State: init\n\n## Transitions\n- Done → `init`\n",
        );
    let files = ["tea.yaml", "scenarios/tea.yaml", "set/states/init.md"];
    let mut client = Client::start(&project);
    for file in files {
        client.open(file);
    }
    for number in 0..edits {
        let file = files[random.below(files.len())];
        let text = client.texts[file].clone();
        let at = boundary(&text, random.below(text.len() + 1));
        let end = boundary(&text, (at + random.below(12)).min(text.len()));
        let huge = "x".repeat(50_000);
        let new = match random.below(40) {
            0 => huge.as_str(),
            1..8 => "",
            _ => random.pick(PIECES),
        };
        match random.below(20) {
            // Positions outside of the document, and in the middle of characters.
            0 => client.change(file, json!({"range": {"start": {"line": random.below(90), "character": random.below(9999)}, "end": {"line": 4_000_000_000_u32, "character": 1}}, "text": new})),
            1 => {}
            _ => {
                let range = json!({"start": position(&text, at), "end": position(&text, end)});
                client.change(file, json!({"range": range, "text": new}));
            }
        }
        if number % 50 == 0 || random.below(20) == 0 {
            let original = if file.contains("states/") {
                "# State: init\n"
            } else if file == "tea.yaml" {
                super::FLOW
            } else {
                super::SCENARIO
            };
            client.write(file, original);
        } else {
            // This text can differ from the text of the server: it only provides positions for later edits.
            let mut typed = text;
            typed.replace_range(at..end.max(at), new);
            client.texts.insert(file.to_owned(), typed);
        }
        let method = REQUESTS[random.below(REQUESTS.len())];
        let mut params = json!({
            "textDocument": {"uri": client.uri(file)},
            "position": {"line": random.below(40), "character": random.below(60)},
            "newName": "other",
            "context": {"includeDeclaration": true},
        });
        if random.below(10) == 0 {
            params["position"] = json!({"line": u32::MAX, "character": u32::MAX});
        }
        let number = client.begin(method, params);
        // An error is also an answer.
        client.answer(number).ok();
    }
    for (file, text) in [
        ("tea.yaml", super::FLOW),
        ("scenarios/tea.yaml", super::SCENARIO),
    ] {
        client.write(file, text);
    }
    client.write("tea.yaml", &super::FLOW.replace("then: brew", "then: brw"));
    client.findings_until("tea.yaml", |found| {
        found.len() == 1 && found[0]["code"] == "FS0101"
    });
    client.write("tea.yaml", super::FLOW);
    client.findings_until("tea.yaml", <[Value]>::is_empty);
    client.findings_until("scenarios/tea.yaml", <[Value]>::is_empty);
    if let Some(pages) = resident(client.id()) {
        assert!(pages < 100_000, "{pages} pages are resident");
    }
    assert_eq!(client.end(), 0);
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The number of resident memory pages of a process, if the system reports it.
fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    text.split(' ').nth(1)?.parse().ok()
}

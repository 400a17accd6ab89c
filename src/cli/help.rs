//! Help texts that several commands share, and the examples of each command.

macro_rules! llm {
    ($more:literal) => {
        concat!(
            "Send requests to this provider, for example `live` or `mock:FILE`\n\n",
            "`live` calls the providers of `fsmsim.toml`, `provider:NAME` one of them, `examples` recognizes text by the examples of the model, ",
            "and `mock:FILE` a mock. Several providers are separated by commas and called in order",
            $more
        )
    };
}

/// Defines constants with the texts of the sections of `help.txt`.
macro_rules! texts {
    ($($name:ident)*) => {
        $(pub(super) const $name: &str = section(include_str!("help.txt"), stringify!($name));)*
    };
}

texts! {
    CONFIG
    FROM
    LLM
    MAP
    MEMORY
    MODEL
    PERMISSIVE
    PERSONAS
    REQUIRE_COVERAGE
    SEED
    SESSION
    SHARD
    SINCE
    START
    TWIN
    TWIN_FROM
}

pub(super) const LLM_OF_DIALOGUES: &str = llm!(
    ".\n\n`record:FILE` calls the providers of `fsmsim.toml` and records their answers in a cassette. `replay:FILE` replays \
     the cassette, and `record-missing:FILE` records only the answers that it lacks"
);
pub(super) const LLM_OF_SCENARIOS: &str = llm!(
    ".\n\nBy default (`mock`), each scenario selects its mock or cassette, and the examples of the model recognize the others. `record` calls the providers of `fsmsim.toml` \
     and records the cassettes of the scenarios, `replay` replays them, and `record-missing` records only missing answers"
);
pub(super) const LLM_OF_SERVERS: &str = llm!("");

/// The examples of a command.
pub(super) const fn examples(command: &str) -> &'static str {
    section(include_str!("examples.txt"), command)
}

/// A section of a text: the lines between `[NAME]` and the next empty line. It is evaluated when the program is
/// compiled, so that the sections cost nothing at startup.
#[expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a text without the section does not compile"
)]
const fn section(text: &'static str, name: &str) -> &'static str {
    let bytes = text.as_bytes();
    let name = name.as_bytes();
    let mut at = 0;
    let mut start = None;
    while at < bytes.len() {
        if bytes[at] == b'[' && (at == 0 || bytes[at - 1] == b'\n') {
            if let Some(start) = start {
                return text.split_at(at - 2).0.split_at(start).1;
            }
            let mut matched = 0;
            while matched < name.len() && bytes[at + 1 + matched] == name[matched] {
                matched += 1;
            }
            if matched == name.len() && bytes[at + 1 + matched] == b']' {
                start = Some(at + matched + 3);
            }
        }
        at += 1;
    }
    match start {
        Some(start) => text.split_at(bytes.len() - 1).0.split_at(start).1,
        None => panic!("the text has no section of this name"),
    }
}

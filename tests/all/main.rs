//! End-to-end tests of the built binary on real files, and tests of the library on recorded data. Modules are named after those
//! of `src`, lowest layer first.

#![allow(
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod book;
mod docs;
mod documents;
#[cfg(all(feature = "sqlite", feature = "serve"))]
mod exit_codes;
mod explain;
mod explore;
mod explore_liveness;
mod explore_pair;
mod explore_questions;
mod explore_reports;
mod flaky;
mod generate;
mod graph;
mod import_cycles;
mod init;
mod layering;
mod mutate;
mod shell;
mod subject;
mod support;

mod machine {
    mod switches;
}
mod engine {
    mod asides;
    mod branches;
    mod consent;
    mod degradation;
    mod disambiguation;
    mod effects;
    mod events;
    mod laws;
    mod operations;
    mod outside_moves;
    mod properties;
    mod recordings;
    mod sessions;
    mod vectors;
}
mod dialect {
    mod contract {
        mod broken;
        mod intents;
        mod laws;
        mod meaning;
        mod one_meaning;
        mod parts;
        mod random_play;
        mod rules;
        mod templates;
        mod words;
    }
    mod cycle {
        mod enumeration;
        mod gates;
        mod schemas;
    }
    mod flow {
        mod active;
        mod broken;
        mod intents;
        mod plain;
        mod replies;
    }
    mod interview {
        #[cfg(feature = "sqlite")]
        mod knowledge;
        mod points;
        mod random;
    }
    mod markdown;
    mod markdown_documents;
}
mod world;
mod sessions {
    pub(crate) mod diary;
    mod goes_on;
    #[cfg(feature = "live")]
    mod interview_kills;
    mod interviews;
    #[cfg(feature = "live")]
    mod kills;
    mod shelf;
    mod stores;
    mod travel_kills;
}

#[cfg(feature = "sqlite")]
mod cycle_memory {
    mod at_once;
    mod audit;
    mod kills;
    pub(crate) mod task;
}

mod llm {
    #[cfg(feature = "live")]
    mod cassettes;
    mod example_classifier;
    #[cfg(feature = "live")]
    mod faults;
    #[cfg(feature = "live")]
    mod live {
        mod check;
        mod errors;
        mod families;
        mod imitation;
        mod limits;
        mod mended;
        mod models;
        mod parameters;
        mod said;
        mod tiny;
        #[cfg(unix)]
        mod trust;
        mod wires;
    }
    mod hostile;
    #[cfg(feature = "live")]
    mod judge;
    #[cfg(feature = "live")]
    mod open_requests;
    mod plain_text;
    mod prompts;
    #[cfg(feature = "live")]
    mod record_missing;
    #[cfg(feature = "live")]
    mod simulated;
    mod slots;
    #[cfg(feature = "live")]
    mod unwritable;
}
mod chats;
mod costs;
mod files;
mod terminal;
mod trace;

mod project;

mod scenario {
    mod cases;
    pub(crate) mod expectations;
    mod expected_failures;
    mod files;
    mod long;
    mod repeats;
    mod replies;
    mod selection;
    mod shared;
    mod transcripts;
    mod updates;
}
mod snapshot;

mod conventions;
mod conversation;
mod convert {
    mod imports;
    mod other_tools;
    mod rasa;
    mod round_trips;
}
mod coverage;
mod diff;
mod eval {
    mod formats;
    mod measures;
    mod readers;
    mod side_by_side;
}
mod language;
mod lint;
mod lint_examples;
mod lint_never;
mod mistakes;
mod one_edit;
mod scale;
mod simulate;
mod simulate_speech;
#[cfg(feature = "serve")]
mod studio {
    mod client;
    mod dialogue;
    mod new_project;
    mod server;
}
mod threads;
mod time_travel;
mod vocabulary;
mod verify {
    mod breach;
    mod broken;
    mod checks;
    mod cycle {
        mod agreement;
        mod broken;
        mod joined;
        mod recording;
        mod refused;
        mod table;
    }
    mod events;
    mod follow;
    mod foreign;
    mod logs;
    mod interview {
        mod agreement;
        mod broken;
        mod model;
        mod recording;
        mod table;
        mod trace;
    }
    mod properties;
    mod recordings;
    mod traces;
    mod unchecked;
    mod values;
}

#[cfg(feature = "serve")]
mod lsp;
#[cfg(feature = "serve")]
mod mcp;
mod packaging;
#[cfg(feature = "serve")]
mod reference;
mod references;
mod schemas;
mod report {
    mod merge;
    mod paths;
    mod pull_request;
    mod sarif;
    mod verdicts;
}
mod loaded;
mod repl;
mod review;
mod review_decisions;

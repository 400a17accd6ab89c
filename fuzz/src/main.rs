//! Fuzzes every reader of the program, and dialogues of any model.
//!
//! The first byte of an input selects the reader of the rest (`readers.txt`). If a reader needs several files, the line
//! `%%%%` separates the parts of the input. `tests/fuzz/run` creates the seeds from files of the repository and starts the
//! fuzzer.

#![no_main]

mod commands;
mod dialogue;
mod reader;
mod workspace;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|input: &[u8]| -> Corpus {
    let read = input
        .split_first()
        .and_then(|(letter, rest)| reader::read(*letter, rest));
    if read.is_some() {
        Corpus::Keep
    } else {
        Corpus::Reject
    }
});

//! Hostile input for every reader of the program, and dialogues that are played by any model.
//!
//! The first byte of an input chooses who reads the rest of it (`readers.txt`). What a reader needs beside one text stands
//! in one input, with the line `%%%%` between the parts. `tests/fuzz/run` makes the first inputs from the files of the
//! repository, and starts it.

#![no_main]

mod commands;
mod dialogue;
mod reader;
mod room;

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

//! Nothing passes in silence: a correct file of ours with one edit is told, or plays differently.
//!
//! *Told* is a finding that was not there before. *Plays differently* is, of a model, that the engine is given something else to
//! carry out: the machine that is made of it differs in more than places, since a scenario library does not walk every edge;
//! of everything else, that a command which uses the file says something else than before. What is neither is silence. Prose,
//! comments and what is expected are not edited: a slip there is one in words, or fails.

mod digest;
mod edits;
mod subjects;

use std::collections::BTreeMap;

use edits::{Dice, Edit, EditKind, Format, edit, tree};
use subjects::Subject;

use crate::support::tries_everything;

/// Of a hundred edits fewer than so many may pass in silence.
const MOST_SILENT: usize = 2;

/// How many edits are tried in all, where not everything is asked for.
const USUAL: usize = 120;
const FULL: usize = 4000;

#[test]
fn an_edit_is_told_or_plays_differently() {
    let count = std::env::var("FSMSIM_EDITS")
        .ok()
        .and_then(|count| count.parse().ok());
    let count = count.unwrap_or(if tries_everything() { FULL } else { USUAL });
    let subjects = Subject::all();
    let mut dice = Dice(17);
    let mut tried: BTreeMap<EditKind, [usize; 3]> = BTreeMap::new();
    let mut silent = Vec::new();
    for number in 0..count {
        let subject = &subjects[number % subjects.len()];
        // What YAML reads as before is no edit.
        let is_yaml = matches!(subject.format(), Format::Yaml | Format::Scenarios);
        let before = tree(subject.text()).filter(|_| is_yaml);
        let is_edit = |edit: &Edit| {
            before.is_none() || tree(&edit.text).is_none_or(|now| Some(now) != before)
        };
        let edit = (0..400)
            .find_map(|_| edit(subject.text(), subject.format(), &mut dice).filter(is_edit));
        let edit = edit.unwrap_or_else(|| panic!("nothing can be edited in {}", subject.file()));
        let came_to = subject.judge(&edit.text);
        tried.entry(edit.kind).or_default()[came_to as usize] += 1;
        if came_to == Effect::Silent {
            silent.push(shown(subject, &edit));
        }
    }
    println!("edit            told  differs  silent");
    for (kind, [told, differs, silent]) in &tried {
        println!("{:14} {told:5} {differs:8} {silent:7}", format!("{kind:?}"));
    }
    let list = silent.join("\n");
    println!("{list}");
    assert!(
        silent.len() * 100 < count * MOST_SILENT,
        "{} of {count} edits pass in silence:\n{list}",
        silent.len()
    );
}

/// What judges edits sees nothing where there is none.
#[test]
fn what_is_no_edit_is_neither_told_nor_plays_differently() {
    for subject in Subject::all() {
        assert_eq!(
            subject.judge(subject.text()),
            Effect::Silent,
            "{} as it is",
            subject.file()
        );
        let moved = match subject.format() {
            Format::Markdown => format!("{}\n\n", subject.text().trim_end()),
            _ => format!("# nothing\n{}", subject.text()),
        };
        assert_eq!(
            subject.judge(&moved),
            Effect::Silent,
            "{} a line further",
            subject.file()
        );
    }
}

/// What an edit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Told,
    Differs,
    Silent,
}

fn shown(subject: &Subject, edit: &Edit) -> String {
    format!(
        "{}:{}: {:?}: {}",
        subject.file(),
        edit.line,
        edit.kind,
        edit.what
    )
}

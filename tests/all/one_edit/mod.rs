//! One edit in a correct file must have an effect: a finding is reported, or the behavior differs.
//!
//! *Reported* means that there is a new finding. *Differs* means for a model that its machine differs in more than source
//! locations: the scenario library does not cover every transition, so running it is not enough. For other files it means
//! that the output of a command that uses the file differs. Otherwise the edit is *silent*. Prose, comments and
//! expectations are not edited: a typo there changes only the wording, or fails.

mod digest;
mod edits;
mod subjects;

use std::collections::BTreeMap;

use edits::{Dice, Edit, EditKind, Format, edit, tree};
use subjects::Subject;

use crate::support::tries_everything;

/// Silent edits must be below this percentage.
const MAX_SILENT: usize = 2;

/// Number of edits in a normal run, and in a run that tries everything.
const USUAL: usize = 120;
const FULL: usize = 4000;

#[test]
fn edit_is_reported_or_changes_behavior() {
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
        // A change that YAML parses to the same values is not an edit.
        let is_yaml = matches!(subject.format(), Format::Yaml | Format::Scenarios);
        let before = tree(subject.text()).filter(|_| is_yaml);
        let is_edit = |edit: &Edit| {
            before.is_none() || tree(&edit.text).is_none_or(|now| Some(now) != before)
        };
        let edit = (0..400)
            .find_map(|_| edit(subject.text(), subject.format(), &mut dice).filter(is_edit));
        let edit = edit.unwrap_or_else(|| panic!("no possible edit in {}", subject.file()));
        let effect = subject.judge(&edit.text);
        tried.entry(edit.kind).or_default()[effect as usize] += 1;
        if effect == Effect::Silent {
            silent.push(shown(subject, &edit));
        }
    }
    println!("edit            reported  differs  silent");
    for (kind, [reported, differs, silent]) in &tried {
        println!(
            "{:14} {reported:9} {differs:8} {silent:7}",
            format!("{kind:?}")
        );
    }
    let list = silent.join("\n");
    println!("{list}");
    assert!(
        silent.len() * 100 < count * MAX_SILENT,
        "{} of {count} edits have no effect:\n{list}",
        silent.len()
    );
}

#[test]
fn change_without_effect_is_silent() {
    for subject in Subject::all() {
        assert_eq!(
            subject.judge(subject.text()),
            Effect::Silent,
            "{} unchanged",
            subject.file()
        );
        let moved = match subject.format() {
            Format::Markdown => format!("{}\n\n", subject.text().trim_end()),
            _ => format!("# nothing\n{}", subject.text()),
        };
        assert_eq!(
            subject.judge(&moved),
            Effect::Silent,
            "{} with one more line",
            subject.file()
        );
    }
}

/// The effect of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Reported,
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

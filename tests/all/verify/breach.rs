//! What is broken in which dialogue and turn: as `verify` finds it, and as a second computation tells it.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::home;

/// Something that is broken in a turn of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Breach {
    pub(super) dialogue: String,
    pub(super) turn: u64,
    /// The rule; of a property, its name.
    pub(super) rule: String,
}

impl Breach {
    /// A finding of `verify`.
    pub(super) fn of(finding: &Value) -> Self {
        let rule = finding["rule"].as_str().unwrap();
        let name = finding["found"]
            .as_str()
            .and_then(|found| found.split('`').nth(1));
        Self {
            dialogue: finding["dialogue"].as_str().unwrap().to_owned(),
            turn: finding["turn"].as_u64().unwrap(),
            rule: if rule == "broken_property" {
                name.unwrap()
            } else {
                rule
            }
            .to_owned(),
        }
    }

    /// What the second computation finds, a script, in a folder of recordings; nothing, and a word about it, where there is no
    /// Python.
    pub(super) fn judged_apart(script: &str, folder: &Path) -> Option<BTreeSet<Self>> {
        let Ok(run) = Command::new("python3")
            .arg(home(script))
            .arg(folder)
            .output()
        else {
            eprintln!("skipped: there is no python3 for the second computation");
            return None;
        };
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        let told = String::from_utf8(run.stdout).unwrap();
        Some(told.lines().map(|line| Self::told(line).unwrap()).collect())
    }

    /// A line of the second computation.
    fn told(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (dialogue, turn) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        Some(Self {
            dialogue,
            turn,
            rule: parts.next()?.to_owned(),
        })
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.turn, self.rule)
    }
}

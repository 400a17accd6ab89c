//! Violations with their dialogue and turn, as reported by `verify` and by an independent second implementation.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::home;

/// A violation in a turn of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Breach {
    pub(super) dialogue: String,
    pub(super) turn: u64,
    /// The rule, or the name of the property.
    pub(super) rule: String,
}

impl Breach {
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

    /// Runs the second implementation, a script, on a folder of recordings. Returns `None` if Python is not installed.
    pub(super) fn expected(script: &str, folder: &Path) -> Option<BTreeSet<Self>> {
        let Ok(run) = Command::new("python3")
            .arg(home(script))
            .arg(folder)
            .output()
        else {
            eprintln!("skipped: python3 is not installed");
            return None;
        };
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        let stdout = String::from_utf8(run.stdout).unwrap();
        Some(
            stdout
                .lines()
                .map(|line| Self::parse(line).unwrap())
                .collect(),
        )
    }

    /// Parses a line of the second implementation.
    fn parse(line: &str) -> Option<Self> {
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

//! Rules for accepting interpretations: the constants under `disambiguation`, and the intents that bypass
//! disambiguation.

use super::layers::Layers;
use fsmsim_core::engine::{ConfidenceThresholds, DisambiguationRules};
use fsmsim_core::machine::{MachineBuilder, Traits};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Node, count_of, number_of, text_of, wrong_type};

/// The required keys of a taxonomy entry. An entry without them is ignored (docs/src/explanation/recognition.md).
const TAXONOMY_KEYS: [&str; 3] = ["category", "super_category", "semantic_domain"];

/// Reads the constants. `bypass` lists intents that are accepted with any confidence, in addition to those of the
/// taxonomy.
pub(super) fn read(
    constants: &Layers<'_>,
    bypass: Vec<Box<str>>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> DisambiguationRules {
    for node in constants.all("disambiguation") {
        if node.map().is_none() && !node.is_null() {
            wrong_type(node, "`disambiguation` is a map", found);
        }
    }
    let section = constants.maps("disambiguation");
    let thresholds = section.maps("thresholds");
    let options = section.maps("options");
    // The value is not used, but it is checked to find typos.
    share(&thresholds, "low_confidence", found);
    let ambiguous = constants
        .section("roles")
        .texts("ambiguous", found)
        .first()
        .map(|name| builder.intent(name));
    // Clarification produces this intent. Recognizers do not return it.
    if let Some(intent) = ambiguous {
        builder.intents[intent].traits.insert(Traits::INTERNAL);
    }
    DisambiguationRules {
        thresholds: ConfidenceThresholds {
            high: share(&thresholds, "high_confidence", found),
            medium: share(&thresholds, "medium_confidence", found),
            minimum: share(&thresholds, "min_confidence", found),
            gap: share(&section, "gap_threshold", found),
        },
        none_below: thresholds
            .given("none_below")
            .map(|_| share(&thresholds, "none_below", found)),
        most_options: count(&options, "max_options", found) as usize,
        least_option: share(&options, "min_option_confidence", found),
        cooldown: count(&section, "cooldown_turns", found),
        excluded: names(&section, "excluded_intents", found),
        social: names(&section, "compound_bypass_intents", found),
        bypass: bypass.into_iter().chain(taxonomy(constants)).collect(),
        question: section
            .given("question")
            .and_then(|node| text_of(node, "question", found))
            .map(Into::into),
        ambiguous,
    }
}

/// The intents of the taxonomy that bypass disambiguation.
fn taxonomy(constants: &Layers<'_>) -> Vec<Box<str>> {
    constants
        .section("intent_taxonomy")
        .entries()
        .into_iter()
        .filter(|(_, entry)| TAXONOMY_KEYS.iter().all(|key| entry.get(key).is_some()))
        .filter(|(_, entry)| {
            entry.get("bypass_disambiguation").and_then(Node::boolean) == Some(true)
        })
        .map(|(key, _)| key.text.clone())
        .collect()
}

/// A number from 0 to 1, or a finding.
fn share(section: &Layers<'_>, key: &str, found: &mut Diagnostics) -> f64 {
    let Some(node) = section.given(key) else {
        return 0.0;
    };
    let Some(number) = number_of(node, key, found) else {
        return 0.0;
    };
    if !(0.0..=1.0).contains(&number) {
        Diagnostic::error(
            Code::WrongType,
            format!("expected a number from 0 to 1 for `{key}`, found {number}"),
        )
        .at(node.span, "out of range")
        .help("use a fraction, such as `0.85`")
        .add_to(found);
    }
    number
}

fn count(section: &Layers<'_>, key: &str, found: &mut Diagnostics) -> u32 {
    section
        .given(key)
        .and_then(|node| count_of(node, key, found))
        .unwrap_or(0)
}

fn names(section: &Layers<'_>, key: &str, found: &mut Diagnostics) -> Box<[Box<str>]> {
    section
        .texts(key, found)
        .into_iter()
        .map(Into::into)
        .collect()
}

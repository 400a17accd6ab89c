//! Intent descriptions of flows and of their root.

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, render};

use crate::support::Project;

const STATES: &str = "states: {greeting: {rules: {agreement: nod}}}\n";

/// The flow `a.yaml` of a project, and the findings of loading it.
fn load(project: &Project) -> (Option<Machine>, String) {
    let mut loader = Loader::default();
    let mut found = Diagnostics::default();
    let machine = loader.load(
        &project.path().join("a.yaml"),
        Profile::Documented,
        None,
        &mut found,
    );
    let findings = render(&found, &loader.sources, false);
    (
        machine,
        findings.replace(project.path().to_str().unwrap(), ""),
    )
}

fn meaning<'m>(machine: &'m Machine, intent: &str) -> (&'m str, Vec<&'m str>) {
    let meaning = machine.description(machine.names.intents.id(intent).unwrap());
    (
        &meaning.description,
        meaning.examples.iter().map(|text| &**text).collect(),
    )
}

#[test]
fn flow_overrides_each_key_of_its_root_separately() {
    let root = "\
intents:
  meanings:
    agreement: {description: Says yes, examples: [yes, sure]}
    rejection: {description: Says no, bypass_disambiguation: true}
    farewell:
";
    let flow = format!(
        "{STATES}constants: {{intents: {{meanings: {{rejection: {{examples: nope}}}}}}}}
intents:
  agreement: {{examples: [42, no]}}
  never_seen: {{description: New}}
  rejection: {{bypass_disambiguation: false}}
"
    );
    let project = Project::new()
        .file("constants.yaml", root)
        .file("a.yaml", &flow);
    let (machine, findings) = load(&project);
    assert_eq!(findings, "");
    let machine = machine.unwrap();
    assert_eq!(
        meaning(&machine, "agreement"),
        ("Says yes", vec!["42", "no"])
    );
    assert_eq!(meaning(&machine, "rejection"), ("Says no", vec!["nope"]));
    assert_eq!(meaning(&machine, "never_seen"), ("New", vec![]));
    assert_eq!(meaning(&machine, "farewell"), ("", vec![]));
    assert_eq!(meaning(&machine, "price_question"), ("", vec![]));
    assert!(machine.sales().unwrap().disambiguation.bypass.is_empty());
    // A root that only describes intents leaves the built-in categories unchanged.
    assert!(machine.names.categories.id("objection").is_some());
}

#[test]
fn intents_can_be_described_under_the_flow_key() {
    let flow =
        format!("flow: {{name: a, intents: {{agreement: {{description: Says yes}}}}}}\n{STATES}");
    let (machine, _) = load(&Project::new().file("a.yaml", flow));
    assert_eq!(meaning(&machine.unwrap(), "agreement").0, "Says yes");
}

#[test]
fn described_intent_is_not_reported_as_unreferenced() {
    let flow = format!(
        "{STATES}conditions: {{asked: {{expression: {{intent: quiet_wish}}}}, other: {{expression: {{intent: loud_wish}}}}}}
intents: {{quiet_wish: {{examples: [psst]}}}}
"
    );
    let (_, findings) = load(&Project::new().file("a.yaml", flow));
    assert!(
        findings.contains("`loud_wish`") && !findings.contains("intent `quiet_wish`"),
        "{findings}"
    );
}

#[test]
fn invalid_intent_descriptions_are_reported() {
    let root = "intents: {meanings: {agreement: {exmples: [yes]}}}\n";
    let flow = format!(
        "{STATES}intents:
  agreement: {{descripton: Says yes, examples: {{a: b}}, bypass_disambiguation: maybe}}
  rejection: no
  farewell: {{description: [bye], examples: [bye, [bye]]}}
"
    );
    let project = Project::new()
        .file("constants.yaml", root)
        .file("a.yaml", flow);
    insta::assert_snapshot!(load(&project).1);
    for (intents, fine) in [
        ("[agreement]", false),
        ("5", false),
        ("{}", true),
        ("", true),
    ] {
        let (machine, findings) =
            load(&Project::new().file("a.yaml", format!("{STATES}intents: {intents}\n")));
        assert_eq!(machine.is_some(), fine, "{intents}: {findings}");
        assert_eq!(findings.is_empty(), fine, "{intents}: {findings}");
    }
}

//! Laws of divergence and reconvergence that hold for any two dialogues.

use fsmsim_core::trace::TurnReport;
use fsmsim_harness::diff::{DifferenceKind, Divergence, FieldDifference, Reconvergence, Sides};
use proptest::prelude::*;
use serde_json::{Value, json};

fn turns(of: &[(&str, &str, Value)]) -> Vec<TurnReport> {
    let turn = |(number, (intent, state, data)): (usize, &(&str, &str, Value))| {
        serde_json::from_value(json!({
            "turn": number + 1, "input": {"intent": intent}, "state": {"from": null, "to": state},
            "class": "hold", "data": data,
        }))
        .unwrap()
    };
    of.iter().enumerate().map(turn).collect()
}

fn found(a: &[TurnReport], b: &[TurnReport]) -> (DifferenceKind, Reconvergence) {
    let divergence = Divergence::find(a, b, &[], 1).unwrap();
    (divergence.kind, divergence.reconvergence)
}

fn after(a: u32, b: u32) -> Reconvergence {
    Reconvergence::After(Sides { a, b })
}

#[test]
fn dialogues_reconverge_when_state_phase_and_data_are_equal() {
    let none = || json!({});
    let a = turns(&[("x", "s", none()), ("y", "t", none()), ("z", "u", none())]);
    let away = turns(&[("x", "s", none()), ("y", "v", none()), ("z", "u", none())]);
    let permanently = turns(&[("x", "s", none()), ("y", "v", none()), ("z", "v", none())]);
    let data = turns(&[
        ("x", "s", json!({"k": 1})),
        ("y", "t", none()),
        ("z", "u", none()),
    ]);
    let more = turns(&[
        ("x", "s", none()),
        ("w", "q", none()),
        ("y", "t", none()),
        ("z", "u", none()),
    ]);
    assert_eq!(found(&a, &away), (DifferenceKind::State, after(3, 3)));
    assert_eq!(
        found(&a, &permanently),
        (DifferenceKind::State, Reconvergence::Never)
    );
    assert_eq!(found(&a, &data), (DifferenceKind::Data, after(2, 2)));
    assert_eq!(found(&a, &more), (DifferenceKind::Turns, after(2, 3)));
    assert_eq!(
        found(&a, &[]),
        (DifferenceKind::Turns, Reconvergence::Never)
    );
    assert_eq!(
        Divergence::find(
            &a,
            &data,
            &[DifferenceKind::State, DifferenceKind::Turns],
            1
        ),
        None
    );
    assert_eq!(Divergence::find(&a, &a, &[], 1), None);
}

fn some_turns() -> impl Strategy<Value = Vec<TurnReport>> {
    prop::collection::vec(("[ab]", "[st]", 0..2), 0..8).prop_map(|drafts| {
        let drafts: Vec<(&str, &str, Value)> = drafts
            .iter()
            .map(|(intent, state, value)| (&**intent, &**state, json!({"k": value})))
            .collect();
        turns(&drafts)
    })
}

proptest! {
    #[test]
    fn dialogue_never_diverges_from_itself(a in some_turns()) {
        prop_assert_eq!(Divergence::find(&a, &a, &[], 1), None);
    }

    #[test]
    fn swapped_sides_give_the_mirrored_divergence(a in some_turns(), b in some_turns()) {
        let (there, back) = (Divergence::find(&a, &b, &[], 1), Divergence::find(&b, &a, &[], 1));
        prop_assert_eq!(there.is_some(), back.is_some());
        if let (Some(there), Some(back)) = (there, back) {
            let mirrored = match there.reconvergence {
                Reconvergence::After(Sides { a, b }) => after(b, a),
                same => same,
            };
            prop_assert_eq!(there.kind, back.kind);
            prop_assert_eq!(mirrored, back.reconvergence);
            let turned = |field: &FieldDifference| (field.field.clone(), field.b.clone(), field.a.clone());
            let plain = |field: &FieldDifference| (field.field.clone(), field.a.clone(), field.b.clone());
            prop_assert!(there.step.fields.iter().map(turned).eq(back.step.fields.iter().map(plain)));
        }
    }
}

//! Comparison of values in a recorded trace with values of a model.

use fsmsim_core::machine::Value;
use fsmsim_harness::verify::import::BorrowedJson;

fn tree(text: &str) -> BorrowedJson<'_> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn borrowed_json_equals_serde_json() {
    for text in [
        "null",
        "-1",
        "1.5",
        "18446744073709551615",
        r#"{"a\n":["x\u0414",true,{}],"б":{"c":[]},"d":-0.0}"#,
    ] {
        let plain: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(tree(text).to_value(), Value::from(plain), "{text}");
        assert_eq!(
            BorrowedJson::from(&tree(text).to_value()),
            tree(text),
            "{text}"
        );
    }
    assert_eq!(tree(r#"{"a":1,"a":2}"#).at("a"), &BorrowedJson::Int(2));
}

#[test]
fn key_order_and_null_values_do_not_affect_equality() {
    let pairs = [
        (
            r#"{"a":1,"b":[1.0,"x"]}"#,
            r#"{"b":[1,"x"],"a":1,"c":null}"#,
            true,
        ),
        (r#"{"a":1,"c":null}"#, r#"{"a":1}"#, true),
        (r#"{"a":1}"#, r#"{"a":1,"b":0}"#, false),
        (r#"{"a":1,"b":0}"#, r#"{"a":1}"#, false),
        ("[1]", "[1,2]", false),
        ("true", "1", false),
    ];
    for (one, other, agree) in pairs {
        assert_eq!(
            tree(one).agrees(&tree(other).to_value()),
            agree,
            "{one} {other}"
        );
    }
}

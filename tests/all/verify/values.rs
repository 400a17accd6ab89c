//! Values of a recorded trace, held against those of a model.

use fsmsim_core::machine::Value;
use fsmsim_harness::verify::import::BorrowedJson;

fn tree(text: &str) -> BorrowedJson<'_> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_tree_is_what_serde_json_reads() {
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
fn values_agree_whatever_the_order_of_keys_and_with_nulls_for_absence() {
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

use super::anomalies::REPORTED_MAX;
use super::*;
use crate::processor_time::processor_time;
use proptest::prelude::*;
use std::time::Duration;

fn check(input: impl AsRef<[u8]>, expect: &str) {
    let input = input.as_ref();
    let got = match parse(input) {
        Ok(value) => value.to_compact_string(),
        Err(error) => error.to_string(),
    };
    let shown = String::from_utf8_lossy(&input[..input.len().min(200)]).into_owned();
    assert_eq!(got, expect, "for {shown}");
}

#[test]
fn takes_what_json_is() {
    for (input, expect) in [
        ("{}", "{}"),
        (" \r\n\t[ ] ", "[]"),
        ("null", "null"),
        ("[true,false]", "[true,false]"),
        (r#"{"b":1,"a":2}"#, r#"{"b":1,"a":2}"#),
        ("[1,1.0,1e2,1E-2,-0,-0.0]", "[1,1.0,100.0,0.01,0,-0.0]"),
        ("[9007199254740992,-9007199254740992]", "[9007199254740992,-9007199254740992]"),
        ("1e-400", "0.0"),
        (r#""\"\\\/\b\f\n\r\t\u00e9""#, "\"\\\"\\\\/\\b\\f\\n\\r\\té\""),
        (r#""\ud83d\ude00""#, "\"😀\""),
        ("\"\u{7f}\u{2028}\"", "\"\u{7f}\u{2028}\""),
        (r#"{"":{"":1}}"#, r#"{"":{"":1}}"#),
    ] {
        check(input, expect);
    }
}

#[test]
fn refuses_and_names_the_place() {
    for (input, expect) in [
        ("", "the body is empty; send {} if there are no fields"),
        ("  ", "the body is not JSON at line 1 column 3: it ends where a value should be"),
        ("{\n \"é\" 1}", "the body is not JSON at line 2 column 6: '1' where ':' should be"),
        ("[1,]", "the body is not JSON at line 1 column 4: ']' where a value should be"),
        ("{\"a\":1,}", "the body is not JSON at line 1 column 8: '}' where a key in quotes should be"),
        ("{} x", "the body is not JSON at line 1 column 4: 'x' where the end of the body should be"),
        ("\u{feff}{}", "the body is not JSON at line 1 column 1: '\\u{feff}' where a value should be"),
        ("nul", "the body is not JSON at line 1 column 1: 'n' where a value should be"),
        ("NaN", "the body is not JSON at line 1 column 1: 'N' where a value should be"),
        ("01", "the body is not JSON at line 1 column 2: '1' where no digit after a leading 0 should be"),
        ("1.", "the body is not JSON at line 1 column 3: it ends where a digit should be"),
        ("+1", "the body is not JSON at line 1 column 1: '+' where a value should be"),
        ("\"a", "the body is not JSON at line 1 column 3: it ends where '\"' should be"),
        ("\"\\x\"", "the body is not JSON at line 1 column 3: 'x' where an escape should be"),
        ("\"\\u12g4\"", "the body is not JSON at line 1 column 6: 'g' where a hexadecimal digit should be"),
        ("\"\n\"", "the body is not JSON at line 1 column 2: '\\n' where an escaped character should be"),
        (r#"{"configuration":{"bayesian":1,"x":2,"bayesian":1}}"#, "configuration.bayesian appears twice"),
        (r#"{"a":1,"\u0061":2}"#, "a appears twice"),
        (r#"{"a b":1,"a b":2}"#, r#"["a b"] appears twice"#),
        (r#"{"variants":[{},{"name":"x\u0000"}]}"#, "variants[1].name holds a NUL character"),
        ("[\"\0\"]", "[0] holds a NUL character"),
        (r#"{"a":{"\u0000":1}}"#, "a has a key that holds a NUL character"),
        (r#"{"\u0000":1}"#, "the body has a key that holds a NUL character"),
        (r#"["\ud800"]"#, "[0] holds half of a surrogate pair"),
        (r#"["\udc00"]"#, "[0] holds half of a surrogate pair"),
        (r#"["\ud800\ud800"]"#, "[0] holds half of a surrogate pair"),
        (r#"["\ud800x"]"#, "[0] holds half of a surrogate pair"),
        (r#"{"a":[9007199254740993]}"#, "a[0] is a number beyond ±9007199254740992"),
        (r#"{"a":-9007199254740993}"#, "a is a number beyond ±9007199254740992"),
        ("99999999999999999999999999", "the body is a number beyond ±9007199254740992"),
        ("1e16", "the body is a number beyond ±9007199254740992"),
        ("-1e999", "the body is a number beyond ±9007199254740992"),
    ] {
        check(input, expect);
    }
    check(b"{\"a\":\n\"\xff\"}", "the body is not UTF-8 at line 2 column 2");
    check(b"\"\xed\xa0\x80\"", "the body is not UTF-8 at line 1 column 2");
}

#[test]
fn bodies_of_events_are_repaired_or_judged_event_by_event() {
    let whole = |event: &str| format!(r#"{{"visitor":{{"id":"v"}},"events":[{event},{{"id":1}}]}}"#);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let string_at_depth = format!("{}\"]\\\"\"{}", "[".repeat(40), "]".repeat(40));
    for (event, value, note, refusal) in [
        (r#"{"a":"x\ud83d"}"#, r#"{"a":"x�"}"#, Some("a holds half of a surrogate pair; it became U+FFFD"), None),
        (
            r#"{"a":"\ud83d\ud83d\ude00"}"#,
            r#"{"a":"�😀"}"#,
            Some("a holds half of a surrogate pair; it became U+FFFD"),
            None,
        ),
        (r#"{"a":"\ud83d\u0041"}"#, r#"{"a":"�A"}"#, Some("a holds half of a surrogate pair; it became U+FFFD"), None),
        (r#"{"p":{"a":"\u0000"}}"#, r#"{"p":{"a":"�"}}"#, Some("p.a holds a NUL character; it became U+FFFD"), None),
        (
            r#"{"p":{"\udc00":1}}"#,
            r#"{"p":{"�":1}}"#,
            Some("p has a key that holds half of a surrogate pair; it became U+FFFD"),
            None,
        ),
        (
            r#"{"p":{"a":12345678901234567890}}"#,
            r#"{"p":{"a":"12345678901234567890"}}"#,
            Some("p.a is a number beyond ±9007199254740992; it became text"),
            None,
        ),
        (r#"{"a":-1e300}"#, r#"{"a":"-1e300"}"#, Some("a is a number beyond ±9007199254740992; it became text"), None),
        (r#""\u0000""#, r#""�""#, Some("the event holds a NUL character; it became U+FFFD"), None),
        (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#, None, Some("a appears twice")),
        (r#"{"p":{"\u0000":1,"\ud800":2}}"#, r#"{"p":{"�":1,"�":2}}"#, None, Some("p[\"�\"] appears twice")),
        (&format!(r#"{{"a":{}}}"#, nested(40)), "", None, Some("nests deeper than 32 levels")),
        (&format!(r#"{{"a":{}}}"#, nested(100_000)), "", None, Some("nests deeper than 32 levels")),
        (&format!(r#"{{"a":{string_at_depth}}}"#), "", None, Some("nests deeper than 32 levels")),
    ] {
        let (body, anomalies) = parse_events(whole(event).as_bytes(), MAX_VALUES).unwrap();
        let events = body.get("events").and_then(Json::as_array).unwrap();
        if !value.is_empty() {
            assert_eq!(events[0].to_compact_string(), value);
        }
        assert_eq!(events[1].to_compact_string(), r#"{"id":1}"#, "{event:.80}");
        assert_eq!((anomalies.note(1), anomalies.refusal(1)), (None, None), "{event:.80}");
        let message = anomalies.refusal(0).unwrap_or_default();
        assert!(message.contains(refusal.unwrap_or_default()) && message.is_empty() == refusal.is_none(), "{message}");
        if refusal.is_none() {
            assert_eq!(anomalies.note(0).as_deref(), note, "{event}");
        }
    }
}

#[test]
fn values_outside_of_events_are_repaired_except_the_visitors_id() {
    let body = r#"{"visitor":{"id":"v","attributes":{"n":1e300,"t":"\ud83d"}},"events":[{},{}]}"#;
    let (body, anomalies) = parse_events(body.as_bytes(), MAX_VALUES).unwrap();
    let visitor = body.get("visitor").unwrap().to_compact_string();
    assert_eq!(visitor, r#"{"id":"v","attributes":{"n":"1e300","t":"�"}}"#);
    let expected = "visitor.attributes.n is a number beyond ±9007199254740992; it became text. \
                visitor.attributes.t holds half of a surrogate pair; it became U+FFFD";
    assert_eq!((anomalies.note(0).as_deref(), anomalies.note(1).as_deref()), (Some(expected), Some(expected)));
    for (body, expect) in [
        (r#"{"visitor":{"id":"v\ud83d"},"events":[]}"#, "visitor.id holds half of a surrogate pair"),
        (r#"{"visitor":{"id":5e300},"events":[]}"#, "visitor.id is a number beyond ±9007199254740992"),
        (r#"{"visitor":{"id":"v"},"visitor":{"id":"w"}}"#, "visitor appears twice"),
        (r#"{"visitor":{"id":"v","id":"w"}}"#, "visitor.id appears twice"),
        (
            "{\"visitor\":{\"id\":\"\0\"}}",
            "the body is not JSON at line 1 column 19: '\\0' where an escaped character should be",
        ),
    ] {
        assert_eq!(parse_events(body.as_bytes(), MAX_VALUES).unwrap_err().to_string(), expect);
    }
    let deep = format!(r#"{{"visitor":{}}}"#, "[".repeat(40));
    assert!(parse_events(deep.as_bytes(), MAX_VALUES).unwrap_err().to_string().ends_with("32 levels"));
}

#[test]
fn few_of_many_anomalies_are_reported() {
    let odd = vec![r#""\u0000""#; 5_000].join(",");
    let body = format!(r#"{{"events":[{{"a":[{odd}],"b":1,"b":2}}],"visitor":[{odd}]}}"#);
    let (_, anomalies) = parse_events(body.as_bytes(), MAX_VALUES).unwrap();
    assert_eq!((anomalies.events[&0].len(), anomalies.elsewhere.len()), (REPORTED_MAX + 1, REPORTED_MAX));
    assert_eq!(anomalies.refusal(0).as_deref(), Some("b appears twice"));
}

#[test]
fn bounds_depth_and_count() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    check(nested(MAX_DEPTH + 1), &format!("{} nests deeper than 32 levels", "[0]".repeat(MAX_DEPTH)));
    check("[".repeat(1 << 20), &format!("{} nests deeper than 32 levels", "[0]".repeat(MAX_DEPTH)));
    let list = |items: usize| format!("[{}]", vec!["0"; items].join(","));
    assert!(parse(list(MAX_VALUES - 1).as_bytes()).is_ok());
    check(list(MAX_VALUES), "the body holds more than 50000 values");
    let long = "k".repeat(1000);
    check(format!(r#"{{"{long}":1,"{long}":1}}"#), &format!("{}… appears twice", "k".repeat(64)));
}

#[test]
fn hostile_bodies_stay_fast() {
    let keys = |count: usize, prefix: &str| {
        let members: Vec<_> = (0..count).map(|i| format!("\"{prefix}{i}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    let bodies = [
        keys(100_000, "key"),
        keys(49_999, &"x".repeat(30)),
        format!("{{{}}}", vec!["\"k\":0"; 49_000].join(",")),
        format!("[{}]", "9".repeat(2 << 20)),
        format!("0.{}", "1".repeat(2 << 20)),
        format!("\"{}\"", "\\u0061".repeat(340_000)),
        "\n".repeat(2 << 20),
    ];
    for body in bodies {
        let start = processor_time();
        let _ = parse(body.as_bytes());
        let took = processor_time() - start;
        assert!(took < Duration::from_secs(10), "{} took {took:?}", &body[..20.min(body.len())]);
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let text = "[^\u{0}]{0,8}";
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (-MAX_NUMBER..=MAX_NUMBER).prop_map(Json::Int),
        (-1e15f64..1e15).prop_map(Json::Float),
        text.prop_map(Json::Text),
    ];
    leaf.prop_recursive(5, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::Array),
            prop::collection::btree_map(text, inner, 0..24).prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(value in any_json()) {
        let text = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(parse(text.as_bytes()).unwrap(), value.clone());
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(parse(pretty.as_bytes()).unwrap(), value);
    }

    #[test]
    fn agrees_with_serde_json(text in r#"[\[\]{}",:truefalsn0-9.eE+\\ \-]{0,12}"#) {
        let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
        match (parse(text.as_bytes()), theirs) {
            (Ok(ours), Ok(theirs)) => {
                // `-0` is an integer here and a float there.
                let again: serde_json::Value = serde_json::from_str(&ours.to_compact_string()).unwrap();
                prop_assert_eq!(
                    again.to_string().replace("-0.0", "0"),
                    theirs.to_string().replace("-0.0", "0")
                );
            }
            (Err(_), Err(_)) => {}
            (Ok(ours), Err(error)) => prop_assert!(false, "took {ours}, serde_json says {error}"),
            (Err(error), Ok(theirs)) => {
                let sentence = error.to_string();
                prop_assert!(
                    sentence.ends_with("appears twice") || sentence.contains("beyond"),
                    "refused {theirs}: {sentence}"
                );
            }
        }
    }

    #[test]
    fn mutated_documents_agree(value in any_json(), at in any::<prop::sample::Index>(), byte in prop::sample::select(br#"{}[]",:0\1eE.-"#.to_vec())) {
        let mut bytes = serde_json::to_vec(&value).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let theirs: Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
        match (parse(&bytes), theirs) {
            (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
            (Ok(ours), Err(error)) => prop_assert!(false, "took {ours}, serde_json says {error}"),
            (Err(error), Ok(theirs)) => {
                let sentence = error.to_string();
                // A changed digit can produce `\u0000`, which serde_json
                // accepts.
                let nul = theirs.to_string().contains(r"\u0000") && sentence.contains("NUL");
                prop_assert!(nul || sentence.ends_with("appears twice") || sentence.contains("beyond"), "{sentence}");
            }
        }
    }
}

use super::*;
use proptest::prelude::*;

fn event(value: serde_json::Value) -> Event {
    Event::parse(value.to_string().as_bytes(), "192.0.2.1").unwrap()
}

fn raised() -> serde_json::Value {
    json!({
        "event_id": "fc6d8c0c43fc4630ad850ee518f1b9d0",
        "timestamp": "2026-01-31T15:10:45Z",
        "platform": "python",
        "exception": {"values": [
            {"type": "KeyError", "value": "'a'"},
            {"type": "ValueError", "value": "no 7", "module": null, "stacktrace": {"frames": [
                {"function": "outer", "module": "app"}, {"function": "inner", "module": "app.db"},
            ]}},
        ]},
    })
}

#[test]
fn an_exception_is_told_by_the_one_that_was_raised() {
    let read = event(raised());
    assert_eq!(read.event_id.as_deref(), Some("fc6d8c0c43fc4630ad850ee518f1b9d0"));
    assert_eq!((read.name.as_str(), read.description.as_str()), ("ValueError", "no 7"));
    assert_eq!((read.actor.as_str(), read.platform.as_str()), ("inner(app.db)", "python"));
    assert_eq!((read.level, read.environment.as_str()), (Level::Error, "production"));
    assert_eq!(read.occurred_at.unwrap().to_string(), "2026-01-31T15:10:45Z");
}

#[test]
fn chains_have_three_forms() {
    let one = json!({"type": "E", "value": "v"});
    for form in [json!({"values": [one]}), json!([one]), one] {
        assert_eq!(event(json!({"exception": form})).name, "E", "{form}");
    }
}

#[test]
fn the_place_is_the_transaction_or_the_innermost_frame() {
    let actor = |changes: serde_json::Value| {
        let mut sent = raised();
        for (key, value) in changes.as_object().unwrap() {
            sent[key] = value.clone();
        }
        event(sent).actor
    };
    assert_eq!(actor(json!({"transaction": "GET /x"})), "GET /x");
    assert_eq!(actor(json!({"transaction": ""})), "inner(app.db)");
    assert_eq!(actor(json!({"culprit": "old"})), "old");
    let frame = |frame| json!({"exception": [{"type": "E", "stacktrace": {"frames": [frame]}}]});
    assert_eq!(actor(frame(json!({"function": "f", "filename": "a.js"}))), "f(a.js)");
    assert_eq!(actor(frame(json!({"function": "f"}))), "f");
    assert_eq!(actor(frame(json!(null))), "");
}

#[test]
fn a_message_is_told_by_its_first_line_and_grouped_by_its_template() {
    let of =
        |n: i64| json!({"logentry": {"message": "user %s", "formatted": format!("user {n}\nx")}});
    let (one, two) = (event(of(1)), event(of(2)));
    assert_eq!((one.name.as_str(), one.description.as_str()), (MESSAGE, "user 1"));
    assert_eq!(one.fingerprint, two.fingerprint);
    assert_eq!(event(json!({"message": "hello"})).description, "hello");
    assert_eq!(event(json!({"message": {"message": "hello"}})).description, "hello");
    assert_eq!(event(json!({"message": {"formatted": "hello"}})).description, "hello");
    let other = event(json!({"logentry": {"message": "group %s", "formatted": "user 1"}}));
    assert_ne!(one.fingerprint, other.fingerprint);
}

#[test]
fn a_description_does_not_tell_errors_apart_but_name_place_and_platform_do() {
    let key = |changes: serde_json::Value| {
        let mut sent = json!({"platform": "go", "transaction": "t",
            "exception": [{"type": "E", "value": "v"}]});
        for (key, value) in changes.as_object().unwrap() {
            sent[key] = value.clone();
        }
        event(sent).fingerprint
    };
    let usual = key(json!({}));
    assert_eq!(usual, key(json!({"exception": [{"type": "E", "value": "w"}]})));
    assert_ne!(usual, key(json!({"exception": [{"type": "F", "value": "v"}]})));
    assert_ne!(usual, key(json!({"transaction": "u"})));
    assert_ne!(usual, key(json!({"platform": "c"})));
    let own = key(json!({"fingerprint": ["a", 1]}));
    assert_ne!(usual, own);
    assert_eq!(own, key(json!({"fingerprint": ["a", "1"], "transaction": "u"})));
    assert_eq!(usual, key(json!({"fingerprint": ["{{ default }}"]})));
    assert_eq!(usual, key(json!({"fingerprint": []})));
    let both = |transaction| {
        key(json!({"fingerprint": ["{{ default }}", "x"], "transaction": transaction}))
    };
    assert_ne!(both("t"), both("u"));
    assert_ne!(
        key(json!({"fingerprint": ["ab", "c"]})),
        key(json!({"fingerprint": ["a", "bc"]}))
    );
}

#[test]
fn people_are_told_apart_by_the_best_that_is_known() {
    let user = |value: serde_json::Value| event(json!({"message": "m", "user": value})).user;
    assert_eq!(user(json!({"id": 7, "email": "a@x"})), user(json!({"id": "7", "email": "b@x"})));
    assert_ne!(user(json!({"id": "7"})), user(json!({"username": "7"})));
    assert_eq!(
        user(json!({"ip_address": "{{auto}}"})),
        user(json!({"ip_address": "192.0.2.1"}))
    );
    for nobody in [json!(null), json!({}), json!("jane"), json!({"id": ""}), json!({"id": [1]})] {
        assert_eq!(user(nobody.clone()), None, "{nobody}");
    }
}

#[test]
fn odd_optional_parts_are_dropped() {
    let odd = json!({
        "event_id": 7, "timestamp": "9999-99-99", "platform": null, "level": "odd",
        "environment": [], "release": {"a": 1}, "transaction": false, "logger": null,
        "message": "m\u{0}m", "logentry": "x", "exception": "none", "user": 3,
        "fingerprint": {"a": 1}, "unknown": [[[1]]],
    });
    let read = event(odd);
    assert_eq!(read.event_id, None);
    assert_eq!((read.description.as_str(), read.level), ("mm", Level::Error));
    assert_eq!((read.occurred_at, read.user), (None, None));
}

#[test]
fn long_parts_are_cut_and_a_long_platform_is_refused() {
    let long = "é".repeat(2_000);
    let read = event(json!({"transaction": long, "exception": [{"type": long, "value": long}]}));
    assert_eq!(read.name.chars().count(), MAX_NAME);
    assert_eq!(read.actor.chars().count(), MAX_NAME);
    assert_eq!(read.description.chars().count(), MAX_DESCRIPTION);
    let refused = json!({"message": "m", "platform": long}).to_string();
    assert!(Event::parse(refused.as_bytes(), "").is_err());
}

#[test]
fn what_is_no_event_is_refused() {
    let deep =
        format!("{{\"message\":\"m\",\"extra\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    let texts = [
        "",
        "[]",
        "{",
        "{}",
        "nul",
        "{\"message\":\"\"}",
        "{\"message\":1}",
        "{\"level\":\"error\"}",
    ];
    for text in texts {
        assert!(Event::parse(text.as_bytes(), "").is_err(), "{text}");
    }
    // Whether it is read or refused, the stack holds.
    let _ = Event::parse(deep.as_bytes(), "");
    assert!(Event::parse(b"{\"message\":\"\xff\"}", "").is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
        let _ = Event::parse(&bytes, "");
    }

    #[test]
    fn any_exception_is_kept_within_its_limits(kind in "(?s).{1,300}", value in "(?s).{0,1100}") {
        let sent = json!({"exception": [{"type": kind, "value": value}]}).to_string();
        if let Ok(read) = Event::parse(sent.as_bytes(), "") {
            prop_assert!(read.name.chars().count() <= MAX_NAME);
            prop_assert!(read.description.chars().count() <= MAX_DESCRIPTION);
            prop_assert!(!read.name.contains('\0') && !read.description.contains('\0'));
        }
    }
}

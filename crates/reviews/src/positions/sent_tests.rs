use super::*;
use kernel::http::params::FromParams;
use serde_json::{Value, json};

fn id(digit: u8) -> ObjectId {
    ObjectId::from_bytes([digit * 17; 20])
}

fn current() -> Shas {
    Shas { base: id(7), start: id(8), head: id(9) }
}

/// A whole position with some of it sent otherwise.
fn read(otherwise: Value) -> Result<Wanted, Refusal> {
    let mut all = json!({
        "base_sha": "1".repeat(40),
        "start_sha": "2".repeat(40),
        "head_sha": "3".repeat(40),
        "position_type": "text",
        "new_path": "a.rs",
        "new_line": 5,
    });
    let (Some(all), Value::Object(more)) = (all.as_object_mut(), otherwise) else {
        panic!("objects")
    };
    all.extend(more);
    Sent::from_params(all).expect("parameters").wanted(current())
}

fn text(old: Option<u32>, new: Option<u32>, start: Option<Numbers>) -> WantedSpot {
    WantedSpot::Text { numbers: Numbers { old, new }, start }
}

#[test]
fn a_position_is_read() {
    let wanted = read(json!({})).expect("a position");
    assert_eq!(wanted.shas, Shas { base: id(1), start: id(2), head: id(3) });
    assert_eq!(wanted.paths, WantedPaths::New("a.rs".into()));
    assert_eq!(wanted.spot, text(None, Some(5), None));
    let numbers = read(json!({"old_line": "4", "new_line": "5"})).expect("numbers as text");
    assert_eq!(numbers.spot, text(Some(4), Some(5), None));
    let blank = read(json!({"old_line": "", "old_path": null})).expect("blank is absent");
    assert_eq!(blank.spot, text(None, Some(5), None));
}

#[test]
fn what_is_missing_makes_it_incomplete() {
    for otherwise in [
        json!({"base_sha": null}),
        json!({"start_sha": ""}),
        json!({"head_sha": null}),
        json!({"position_type": null}),
        json!({"position_type": "sound"}),
        json!({"new_path": ""}),
        json!({"new_line": null}),
        json!({"position_type": "image", "x": 1}),
    ] {
        assert_eq!(read(otherwise.clone()), Err(Refusal::Incomplete), "{otherwise}");
    }
}

#[test]
fn what_cannot_be_is_no_line() {
    for otherwise in [
        json!({"base_sha": "1".repeat(39)}),
        json!({"head_sha": "A".repeat(40)}),
        json!({"head_sha": "1".repeat(64)}),
        json!({"new_path": "../a"}),
        json!({"new_path": "a//b"}),
        json!({"new_line": 0}),
        json!({"new_line": -1}),
        json!({"new_line": 2_147_483_648_i64}),
        json!({"old_line": i64::MAX}),
        json!({"position_type": "image", "width": 1, "height": 1, "x": -1, "y": 1}),
        json!({"position_type": "image", "width": 1e300, "height": 1, "x": 1, "y": 1}),
    ] {
        assert_eq!(read(otherwise.clone()), Err(Refusal::NoLine), "{otherwise}");
    }
}

#[test]
fn images_and_files_are_read() {
    let image = json!({"position_type": "image", "width": "20", "height": 10, "x": 3.6, "y": 0});
    let point = Point { width: 20, height: 10, x: 4, y: 0 };
    assert_eq!(read(image).map(|wanted| wanted.spot), Ok(WantedSpot::Image(point)));
    let file = json!({"position_type": "file", "new_line": null});
    assert_eq!(read(file).map(|wanted| wanted.spot), Ok(WantedSpot::File));
}

#[test]
fn several_lines_begin_somewhere() {
    let code = |path: &str, ends: &str| format!("{}_{ends}", path.repeat(40));
    let start = |start: Value, end: Value| {
        read(json!({"line_range": {"start": start, "end": end}})).map(|wanted| wanted.spot)
    };
    let first = |old, new| Ok(text(None, Some(5), Some(Numbers { old, new })));
    let none = json!({});
    assert_eq!(
        start(json!({"new_line": "3", "type": "new"}), none.clone()),
        first(None, Some(3))
    );
    let named = json!({"line_code": code("a", "0_3"), "type": "new"});
    assert_eq!(start(named.clone(), none.clone()), first(None, Some(3)));
    let named_old = json!({"line_code": code("a", "2_0"), "type": "old"});
    assert_eq!(start(named_old, none.clone()), first(Some(2), None));
    let both = json!({"line_code": code("a", "2_3"), "type": null});
    assert_eq!(start(both, none.clone()), first(Some(2), Some(3)));
    let wrong = json!({"line_code": "nonsense", "new_line": 3});
    assert_eq!(start(wrong, named.clone()), first(None, Some(3)));
    let other = json!({"line_code": code("b", "0_5")});
    assert_eq!(start(named, other), Err(Refusal::NoLine));
    assert_eq!(start(json!({"type": "new"}), none), Err(Refusal::NoLine));
}

#[test]
fn a_line_of_the_newest_version_is_named_by_few_words() {
    let brief = |sent: Value| {
        let sent = sent.as_object().cloned().unwrap_or_default();
        Sent::from_params(&sent).expect("parameters").wanted(current())
    };
    let new = brief(json!({"path": "a.rs", "line": 3})).expect("a line");
    assert_eq!((new.shas, new.spot), (current(), text(None, Some(3), None)));
    let old = brief(json!({"path": "a.rs", "line": "3", "side": "old"})).expect("a line");
    assert_eq!(old.paths, WantedPaths::Old("a.rs".into()));
    assert_eq!(old.spot, text(Some(3), None, None));
    let file = brief(json!({"path": "a.rs"})).expect("a file");
    assert_eq!(file.spot, WantedSpot::File);
    assert_eq!(brief(json!({})), Err(Refusal::Incomplete));
}

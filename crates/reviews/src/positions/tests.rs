use super::*;
use serde_json::{Value, json};

fn id(digit: u8) -> ObjectId {
    ObjectId::from_bytes([digit * 17; 20])
}

fn position(spot: Spot) -> Position {
    let paths = Paths { old: "old.rs".into(), new: "new.rs".into() };
    Position {
        shas: Shas { base: id(1), start: id(2), head: id(3) },
        paths,
        spot,
    }
}

fn shown(spot: Spot) -> Value {
    serde_json::to_value(position(spot)).expect("a position is JSON")
}

fn line(kind: Kind, old: u32, new: u32) -> Line {
    Line { kind, old, new }
}

#[test]
fn lines_have_names() {
    let added = line(Kind::Added, 5, 5);
    let name = position(Spot::Text { line: added, lines: None }).line_code();
    assert!(name.is_some_and(|name| name.ends_with("_5_5")));
    // The digest of a known text.
    let known = line_code("abc", line(Kind::Removed, 7, 8));
    assert_eq!(known, "a9993e364706816aba3e25717850c26c9cd0d89d_7_8");
    assert_eq!(position(Spot::File).line_code(), None);
}

#[test]
fn text_is_shown_in_wire_order() {
    let seen = shown(Spot::Text { line: line(Kind::Added, 5, 6), lines: None });
    let expected = json!({
        "base_sha": "1".repeat(40),
        "start_sha": "2".repeat(40),
        "head_sha": "3".repeat(40),
        "old_path": "old.rs",
        "new_path": "new.rs",
        "position_type": "text",
        "old_line": null,
        "new_line": 6,
        "line_range": null,
    });
    assert_eq!(seen, expected);
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    assert_eq!(keys(&seen), keys(&expected));
}

#[test]
fn several_lines_have_two_ends() {
    let (start, end) = (line(Kind::Removed, 3, 4), line(Kind::Same, 4, 4));
    let seen = shown(Spot::Text { line: end, lines: Some(Lines { start, end }) });
    let range = seen.get("line_range").expect("two ends");
    assert_eq!(
        range.get("start"),
        Some(&json!({
            "line_code": line_code("new.rs", start), "type": "old", "old_line": 3, "new_line": null,
        }))
    );
    assert_eq!(
        range.get("end"),
        Some(&json!({
            "line_code": line_code("new.rs", end), "type": null, "old_line": 4, "new_line": 4,
        }))
    );
}

#[test]
fn images_and_files_have_no_lines() {
    let image = shown(Spot::Image(Point { width: 20, height: 10, x: 3, y: 4 }));
    assert_eq!((&image["position_type"], &image["x"]), (&json!("image"), &json!(3)));
    assert!(image.get("old_line").is_none() && image.get("line_range").is_none());
    let file = shown(Spot::File);
    assert_eq!(file.as_object().map(serde_json::Map::len), Some(6));
}

#[test]
fn what_is_nowhere_is_null() {
    let nowhere = serde_json::to_value(PositionEntity::nowhere()).expect("JSON");
    let fields = nowhere.as_object().cloned().unwrap_or_default();
    let (set, null): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| !value.is_null());
    assert_eq!((set.len(), null.len()), (1, 8));
    assert_eq!(nowhere["position_type"], "text");
}

#[test]
fn positions_are_stored_whole() {
    let lines = Lines { start: line(Kind::Added, 2, 3), end: line(Kind::Added, 2, 5) };
    for spot in [
        Spot::Text { line: line(Kind::Added, 2, 5), lines: Some(lines) },
        Spot::Text { line: line(Kind::Added, 0, 1), lines: None },
        Spot::Text { line: line(Kind::Removed, 9, 4), lines: None },
        Spot::Text { line: line(Kind::Same, 9, 4), lines: None },
        Spot::Image(Point { width: 20, height: 10, x: 3, y: 4 }),
        Spot::File,
    ] {
        let position = position(spot);
        assert_eq!(Position::from_json(&position.to_json()), Some(position));
    }
    for wrong in ["", "{}", "[]", r#"{"position_type":"text"}"#, r#"{"position_type":"x"}"#] {
        assert_eq!(Position::from_json(wrong), None, "{wrong}");
    }
}

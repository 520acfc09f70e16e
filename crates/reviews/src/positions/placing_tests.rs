use super::*;
use crate::diffs::shown::tests::file;

const HUNK: &str = "@@ -3 +3,2 @@\n-gone\n+come\n+more\n";

fn new(number: u32) -> Numbers {
    Numbers { old: None, new: Some(number) }
}

#[test]
fn files_are_found_by_one_path_or_both() {
    let renamed = FileDiff {
        old_path: "a".into(),
        change: Change::Renamed,
        ..file("b", HUNK)
    };
    let diffs = Diffs { files: vec![renamed, file("c", HUNK)], overflow: false };
    let found = |paths: WantedPaths| -> Vec<String> {
        candidates(&diffs, &paths).iter().map(|file| file.new_path.clone()).collect()
    };
    let both = |old: &str, new: &str| WantedPaths::Both { old: old.into(), new: new.into() };
    assert_eq!(found(both("a", "b")), ["b"]);
    assert_eq!(found(both("b", "b")), ["b"]);
    assert!(found(both("a", "c")).is_empty());
    assert_eq!(found(WantedPaths::Old("a".into())), ["b"]);
    assert_eq!(found(WantedPaths::New("c".into())), ["c"]);
    assert!(found(WantedPaths::New("a".into())).is_empty());
}

#[test]
fn several_lines_end_with_the_line() {
    let edits = edits(&file("a", HUNK)).expect("a text");
    let line = |new| Line { kind: Kind::Added, old: 4, new };
    let lines = Some(Lines { start: line(3), end: line(4) });
    let spot = |numbers, start| text(&edits, numbers, start);
    assert_eq!(spot(new(4), Some(new(3))), Some(Spot::Text { line: line(4), lines }));
    assert_eq!(spot(new(3), None), Some(Spot::Text { line: line(3), lines: None }));
    assert_eq!(spot(new(3), Some(new(4))), None);
    let far = Numbers { old: None, new: Some(10_004) };
    assert_eq!(spot(far, Some(new(4))), None);
    let removed = Numbers { old: Some(3), new: None };
    assert!(spot(new(3), Some(removed)).is_some());
    assert_eq!(spot(new(3), Some(Numbers { old: Some(9), new: None })), None);
}

#[test]
fn lines_are_counted_with_and_without_an_end() {
    let counted = [&b""[..], b"a", b"a\n", b"a\nb", b"\n\n"].map(count);
    assert_eq!(counted, [0, 1, 1, 2, 2]);
}

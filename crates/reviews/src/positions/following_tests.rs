use super::*;
use crate::diffs::shown::tests::file;
use crate::positions::edits::tests::hunks;
use repositories::diffs::{Change, FileDiff};

fn id(digit: u8) -> ObjectId {
    ObjectId::from_bytes([digit * 17; 20])
}

const FROM: Shas = Shas {
    base: ObjectId::ZERO,
    start: ObjectId::ZERO,
    head: ObjectId::ZERO,
};

fn to() -> Shas {
    Shas { base: id(3), start: id(5), head: id(4) }
}

/// What differs of one file, which is at these paths.
fn differs((old_path, old): (&str, &str), (new_path, new): (&str, &str)) -> FileDiff {
    let change = match old_path == new_path {
        true => Change::Changed,
        false => Change::Renamed,
    };
    FileDiff {
        old_path: old_path.into(),
        change,
        new_id: if old == new { id(1) } else { id(2) },
        old_id: id(1),
        ..file(new_path, &hunks(old, new))
    }
}

fn files(files: Vec<FileDiff>) -> Files {
    Files::new(Arc::new(Diffs { files, overflow: false }))
}

fn at_path(old: &str, new: &str, spot: Spot) -> Position {
    Position {
        shas: FROM,
        paths: Paths { old: old.into(), new: new.into() },
        spot,
    }
}

fn added(old: u32, new: u32) -> Spot {
    Spot::Text { line: Line { kind: Kind::Added, old, new }, lines: None }
}

#[test]
fn renames_are_followed() {
    let (a, b) = ("1\n2\n", "1\nmore\n2\n");
    let mut between = Between {
        bases: files(vec![]),
        heads: files(vec![differs(("x.rs", b), ("y.rs", "top\n1\nmore\n2\n"))]),
        now: files(vec![differs(("x.rs", a), ("y.rs", "top\n1\nmore\n2\n"))]),
    };
    let found = between.follow(&at_path("x.rs", "x.rs", added(2, 2)), to());
    let expected = Position { shas: to(), ..at_path("x.rs", "y.rs", added(2, 3)) };
    assert_eq!(found, Some(Followed::Moved(expected)));
}

#[test]
fn outdated_positions_tell_where_it_is_seen() {
    let b = "1\nmore\n2\n";
    let mut between = Between {
        bases: files(vec![]),
        heads: files(vec![differs(("x.rs", b), ("x.rs", "1\n2\n"))]),
        now: files(vec![]),
    };
    let found = between.follow(&at_path("x.rs", "x.rs", added(2, 2)), to());
    let Some(Followed::Outdated(Some(seen))) = found else {
        panic!("{found:?}")
    };
    assert_eq!(seen.shas, Shas { base: FROM.head, start: FROM.head, head: to().head });
    assert_eq!(seen.line(), Some(Line { kind: Kind::Removed, old: 2, new: 2 }));
}

#[test]
fn several_lines_move_together() {
    let (a, b) = ("1\n2\n", "1\nx\ny\n2\n");
    let line = |new| Line { kind: Kind::Added, old: 2, new };
    let lines = Some(Lines { start: line(2), end: line(3) });
    let position = at_path("x.rs", "x.rs", Spot::Text { line: line(3), lines });
    let lines_at = |d: &str| {
        let heads = files(vec![differs(("x.rs", b), ("x.rs", d))]);
        let now = files(vec![differs(("x.rs", a), ("x.rs", d))]);
        let mut between = Between { bases: files(vec![]), heads, now };
        match between.follow(&position, to()) {
            Some(Followed::Moved(Position { spot: Spot::Text { lines, .. }, .. })) => lines,
            other => panic!("{other:?}"),
        }
    };
    let moved = lines_at("top\n1\nx\ny\n2\n").expect("both are there");
    assert_eq!((moved.start.new, moved.end.new), (3, 4));
    assert_eq!(lines_at("1\ny\n2\n"), None);
}

#[test]
fn images_are_outdated_when_their_file_changed() {
    let spot = Spot::Image(crate::positions::Point { width: 2, height: 2, x: 1, y: 1 });
    let follow = |heads: Vec<FileDiff>| {
        let (bases, now) = (files(vec![]), files(vec![]));
        let mut between = Between { bases, heads: files(heads), now };
        between.follow(&at_path("a.png", "a.png", spot), to())
    };
    let same = Position { shas: to(), ..at_path("a.png", "a.png", spot) };
    assert_eq!(follow(vec![]), Some(Followed::Moved(same)));
    let moved = follow(vec![differs(("a.png", ""), ("b.png", ""))]);
    let Some(Followed::Moved(moved)) = moved else { panic!("{moved:?}") };
    assert_eq!(moved.path(), "b.png");
    let changed = FileDiff { is_binary: true, ..file("a.png", "") };
    assert_eq!(follow(vec![changed]), Some(Followed::Outdated(None)));
}

#[test]
fn what_was_not_read_is_not_known() {
    let unread = |file: FileDiff| {
        let heads = files(vec![file]);
        let mut between = Between { bases: files(vec![]), heads, now: files(vec![]) };
        between.follow(&at_path("x.rs", "x.rs", added(2, 2)), to())
    };
    assert_eq!(unread(FileDiff { is_too_large: true, ..file("x.rs", "") }), None);
    let cut = Files::new(Arc::new(Diffs { files: vec![], overflow: true }));
    let mut between = Between { bases: files(vec![]), heads: cut, now: files(vec![]) };
    assert_eq!(between.follow(&at_path("x.rs", "x.rs", added(2, 2)), to()), None);
}

use super::*;
use proptest::prelude::*;
use similar::{DiffTag, TextDiff};

/// What differs of two texts, as git tells it.
pub(crate) fn hunks(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(3).to_string()
}

pub(crate) fn edits(old: &str, new: &str) -> Edits {
    Edits::read(&hunks(old, new)).expect("few hunks")
}

fn added(old: u32, new: u32) -> Line {
    Line { kind: Kind::Added, old, new }
}

fn removed(old: u32, new: u32) -> Line {
    Line { kind: Kind::Removed, old, new }
}

fn same(old: u32, new: u32) -> Line {
    Line { kind: Kind::Same, old, new }
}

#[test]
fn lines_have_counters_of_both_sides() {
    let text = "@@ -1,5 +1,6 @@\n a\n b\n c\n d\n+new\n e\n@@ -20 +21,2 @@\n x\n+y\n";
    let read = Edits::read(text).expect("few hunks");
    // Added behind four lines that are the same.
    assert_eq!(read.at_new(5), added(5, 5));
    assert_eq!(read.at_new(4), same(4, 4));
    assert_eq!(read.at_new(22), added(21, 22));
    assert_eq!(read.at_new(23), same(21, 23));
    let replaced = Edits::read("@@ -3 +3,2 @@\n-gone\n+come\n+more\n").expect("few hunks");
    assert_eq!(replaced.at_old(3), removed(3, 3));
    assert_eq!(replaced.at_new(4), added(4, 4));
    assert_eq!(replaced.at_old(4), same(4, 5));
}

#[test]
fn whole_files_come_and_go() {
    let new = Edits::read("@@ -0,0 +1,2 @@\n+a\n+b\n").expect("few hunks");
    assert_eq!((new.at_new(1), new.at_new(2)), (added(0, 1), added(0, 2)));
    let gone = Edits::read("@@ -1,2 +0,0 @@\n-a\n-b\n").expect("few hunks");
    assert_eq!((gone.at_old(1), gone.at_old(2)), (removed(1, 0), removed(2, 0)));
}

#[test]
fn lines_are_found_by_what_is_known_of_them() {
    let read = Edits::read("@@ -3 +3,2 @@\n-gone\n+come\n+more\n").expect("few hunks");
    assert_eq!(read.find(None, Some(3)), Some(added(4, 3)));
    assert_eq!(read.find(None, Some(9)), Some(same(8, 9)));
    assert_eq!(read.find(Some(3), None), Some(removed(3, 3)));
    assert_eq!(read.find(Some(8), Some(9)), Some(same(8, 9)));
    assert_eq!(read.find(Some(8), None), None);
    assert_eq!(read.find(Some(7), Some(9)), None);
    assert_eq!(read.find(Some(4), Some(4)), None);
    assert_eq!(read.find(None, None), None);
}

#[test]
fn three_lines_around_a_change_are_shown() {
    let read = Edits::read("@@ -10 +10 @@\n-gone\n+come\n").expect("few hunks");
    let shown: Vec<u32> = (1..20).filter(|at| read.shows(read.at_new(*at))).collect();
    assert_eq!(shown, [7, 8, 9, 10, 11, 12, 13]);
    assert!(read.shows(removed(10, 10)) && !Edits::default().shows(same(1, 1)));
}

/// Lines of few kinds, so that many are alike.
pub(crate) fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec("[abc]\n", 0..40).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn lines_are_where_another_reader_finds_them(old in text(), new in text()) {
        let read = edits(&old, &new);
        let mut seen = (0, 0);
        for op in TextDiff::from_lines(old.as_str(), new.as_str()).ops() {
            let (tag, before, after) = op.as_tag_tuple();
            for at in after.clone() {
                let line = read.at_new(at as u32 + 1);
                let is_same = tag == DiffTag::Equal;
                prop_assert_eq!(line.kind == Kind::Same, is_same);
                if is_same {
                    let expected = before.start + (at - after.start) + 1;
                    prop_assert_eq!(line.old as usize, expected);
                    prop_assert_eq!(read.at_old(line.old), line);
                }
                seen.1 += 1;
            }
            for at in before {
                let line = read.at_old(at as u32 + 1);
                prop_assert_eq!(line.kind == Kind::Same, tag == DiffTag::Equal);
                seen.0 += 1;
            }
        }
        prop_assert_eq!(seen, (old.lines().count(), new.lines().count()));
    }

    #[test]
    fn what_is_the_same_has_the_same_text(old in text(), new in text()) {
        let read = edits(&old, &new);
        let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        for (at, text) in after.iter().enumerate() {
            let line = read.at_new(at as u32 + 1);
            if line.kind == Kind::Same {
                prop_assert_eq!(before[line.old as usize - 1], *text);
            }
        }
    }

    #[test]
    fn any_text_breaks_nothing(text in "(@@ -[0-9]{1,10}(,[0-9])? \\+[0-9]{1,10} @@\n|[ +-]\n|.{0,5}\n){0,9}", at: u32) {
        if let Some(read) = Edits::read(&text) {
            let _ = (read.at_old(at), read.shows(read.at_new(at)), read.find(Some(at), Some(at)));
        }
    }
}

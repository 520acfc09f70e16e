use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;

fn text(base: &str, ours: &str, theirs: &str) -> Text {
    let until = Instant::now() + Duration::from_secs(60);
    Text::of(base.into(), ours.into(), theirs.into(), until)
}

fn kinds(text: &Text) -> Vec<Kind> {
    text.sections.iter().map(|section| section.kind).collect()
}

fn picked(text: &Text, pick: Pick) -> String {
    let picks = vec![Some(pick); text.conflicts().count()];
    text.resolved(&picks).expect("a side of each")
}

#[test]
fn changes_of_one_side_are_agreed() {
    let merged = text("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n");
    assert_eq!(kinds(&merged), [Kind::Ours, Kind::Same, Kind::Theirs]);
    assert_eq!(merged.resolved(&[]).as_deref(), Some("A\nb\nc\nd\nE\n"));
    let alike = text("a\nb\n", "a\nx\n", "a\nx\n");
    assert_eq!(kinds(&alike), [Kind::Same, Kind::Both]);
}

#[test]
fn changes_that_touch_conflict() {
    let both = text("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n");
    assert_eq!(kinds(&both), [Kind::Same, Kind::Conflict, Kind::Same]);
    assert_eq!(both.resolved(&[None]), None);
    assert_eq!(picked(&both, Pick::Ours), "a\nX\nc\n");
    assert_eq!(picked(&both, Pick::Theirs), "a\nY\nc\n");
    let beside = text("a\nb\n", "A\nb\n", "a\nB\n");
    assert_eq!(kinds(&beside), [Kind::Conflict]);
    let added = text("", "x\ny\n", "x\nz\n");
    assert_eq!(kinds(&added), [Kind::Both, Kind::Conflict]);
    assert_eq!(picked(&added, Pick::Theirs), "x\nz\n");
    let inserted = text("a\nb\n", "a\n1\nb\n", "a\n2\nb\n");
    assert_eq!(kinds(&inserted), [Kind::Same, Kind::Conflict, Kind::Same]);
}

#[test]
fn what_both_changed_alike_is_agreed() {
    let begun = text("a\nb\n", "x\n1\ny\n", "x\n2\ny\n");
    assert_eq!(kinds(&begun), [Kind::Both, Kind::Conflict, Kind::Both]);
    assert_eq!(picked(&begun, Pick::Ours), "x\n1\ny\n");
}

#[test]
fn lines_without_an_end_get_one_before_others() {
    let ended = text("a\nb", "a\nB", "a\nb\nc\n");
    assert_eq!(picked(&ended, Pick::Ours), "a\nB");
    assert_eq!(picked(&ended, Pick::Theirs), "a\nb\nc\n");
    let marked = ended.marked(&[], ("side", "main"));
    assert_eq!(marked, "a\n<<<<<<< side\nB\n=======\nb\nc\n>>>>>>> main\n");
    assert!(ended.has_marks(&marked) && ended.has_marks(&marked.replace('\n', "\r\n")));
    assert_eq!(ended.marked(&[Some(Pick::Ours)], ("x", "y")), "a\nB");
}

#[test]
fn marks_that_a_side_has_itself_stay() {
    let own = "how:\n<<<<<<< ours\n=======\n>>>>>>> theirs\n";
    let about = text("a\n", own, "b\n");
    assert!(!about.has_marks(own) && !about.has_marks("Title\n=======\n"));
    assert!(about.has_marks("<<<<<<< mine\n"));
    assert!(!about.has_marks("<<<<<<<<<< wide\n"));
}

#[test]
fn conflicts_are_named_by_their_lines() {
    let twice = text("a\n-\nb\n-\na\n", "x\n-\nB\n-\nx\n", "y\n-\nb\n-\ny\n");
    let names = twice.names();
    assert_eq!(names.len(), 2);
    assert_eq!(names[0].split('-').next(), names[1].split('-').next());
    assert_ne!(names[0], names[1]);
    let longer = text("0\na\n-\nb\n-\na\n", "0\nx\n-\nB\n-\nx\n", "0\ny\n-\nb\n-\ny\n");
    assert_eq!(longer.names(), names);
}

fn lines() -> impl Strategy<Value = String> {
    (vec("[a-d]\n", 0..10), "[a-d]?").prop_map(|(lines, end)| lines.concat() + &end)
}

proptest! {
    #[test]
    fn sections_hold_all_of_each_side(base in lines(), ours in lines(), theirs in lines()) {
        let merged = text(&base, &ours, &theirs);
        let all = |side: fn(&Text, &Section) -> String| -> String {
            merged.sections.iter().map(|section| side(&merged, section)).collect()
        };
        prop_assert_eq!(all(|text, section| text.base_lines(section).to_owned()), base);
        prop_assert_eq!(all(|text, section| text.our_lines(section).to_owned()), ours);
        prop_assert_eq!(all(|text, section| text.their_lines(section).to_owned()), theirs);
    }

    #[test]
    fn one_side_alone_is_the_merge(base in lines(), changed in lines()) {
        for merged in [text(&base, &changed, &base), text(&base, &base, &changed)] {
            prop_assert_eq!(merged.conflicts().count(), 0);
            prop_assert_eq!(merged.resolved(&[]), Some(changed.clone()));
        }
        prop_assert_eq!(text(&base, &changed, &changed).resolved(&[]), Some(changed.clone()));
    }

    /// Where nothing is agreed that one side alone changed, either side can be had whole.
    #[test]
    fn one_side_of_all_conflicts_is_that_side(
        base in lines(), ours in lines(), theirs in lines()
    ) {
        let merged = text(&base, &ours, &theirs);
        let has = |kind: Kind| merged.sections.iter().any(|section| section.kind == kind);
        if !has(Kind::Theirs) {
            prop_assert_eq!(picked(&merged, Pick::Ours), ours.clone());
        }
        if !has(Kind::Ours) {
            prop_assert_eq!(picked(&merged, Pick::Theirs), theirs.clone());
        }
        let swapped = text(&base, &theirs, &ours);
        prop_assert_eq!(swapped.conflicts().count(), merged.conflicts().count());
        prop_assert_eq!(picked(&swapped, Pick::Theirs), picked(&merged, Pick::Ours));
    }
}

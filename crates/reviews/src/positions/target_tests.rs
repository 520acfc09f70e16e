use super::super::edits::tests::hunks as differ;
use super::*;
use crate::diffs::shown::tests::file;

/// Thirty lines, of which some are others.
fn lines(changed: &[(usize, &str)]) -> String {
    let line = |at: usize| match changed.iter().find(|(changed, _)| *changed == at) {
        Some((_, text)) => (*text).to_owned(),
        None => format!("{at}\n"),
    };
    (1..=30).map(line).collect()
}

fn diffs(old: &str, new: &str) -> Arc<Diffs> {
    let files = match old == new {
        true => Vec::new(),
        false => vec![file("a", &differ(old, new))],
    };
    Arc::new(Diffs { files, overflow: false })
}

/// What is left of what differs between the heads of two versions, each a base and a head.
fn left(older: (&str, &str), newer: (&str, &str)) -> Option<String> {
    let (before, after) = (diffs(older.0, older.1), diffs(newer.0, newer.1));
    let mut target = TargetChanges::new(before, diffs(older.0, newer.0), after);
    target.without(&file("a", &differ(older.1, newer.1))).map(|file| file.text)
}

#[test]
fn what_came_with_the_target_is_left_out() {
    let (old, new) = (lines(&[]), lines(&[(25, "theirs\nand more\n")]));
    let head = lines(&[(3, "ours\n"), (4, "")]);
    let next = lines(&[(3, "ours\n"), (4, ""), (14, "14\nlater\n"), (25, "theirs\nand more\n")]);
    let text = left((&old, &head), (&new, &next)).expect("the target's is left out");
    assert!(text.contains("+later\n") && !text.contains("theirs"), "{text}");
    assert!(text.starts_with("@@ -11,6 +11,7 @@"), "{text}");
    // Lines that only came, and lines that only went.
    let new = lines(&[(20, ""), (28, "28\nextra\n")]);
    let next = lines(&[(3, "ours\n"), (4, ""), (10, "x\n"), (20, ""), (28, "28\nextra\n")]);
    let text = left((&old, &head), (&new, &next)).expect("the target's is left out");
    assert!(
        text.contains("+x\n") && !text.contains("extra") && !text.contains("-20"),
        "{text}"
    );
    // Rebased without more: nothing is left.
    let next = lines(&[(3, "ours\n"), (4, ""), (20, ""), (28, "28\nextra\n")]);
    assert_eq!(left((&old, &head), (&new, &next)).as_deref(), Some(""));
}

#[test]
fn what_may_be_of_the_source_is_shown() {
    let (old, head) = (lines(&[]), lines(&[(3, "ours\n")]));
    let new = lines(&[(25, "theirs\n")]);
    // Beside what the target changed, in one run with it.
    let next = lines(&[(3, "ours\n"), (24, "by us\n"), (25, "theirs\n")]);
    assert_eq!(left((&old, &head), (&new, &next)), None);
    // In one hunk with it.
    let next = lines(&[(3, "ours\n"), (22, "by us\n"), (25, "theirs\n")]);
    assert_eq!(left((&old, &head), (&new, &next)), None);
    // The same words elsewhere.
    let next = lines(&[(3, "ours\n"), (10, "theirs\n"), (25, "theirs\n")]);
    let text = left((&old, &head), (&new, &next)).expect("the target's is left out");
    assert!(text.contains("-10\n+theirs\n") && !text.contains("-25\n"), "{text}");
    // What the target changed, the source had changed before, and gave up.
    let head = lines(&[(25, "by us\n")]);
    assert_eq!(left((&old, &head), (&new, &new)), None);
    // What the target came to, the source goes on from.
    let next = lines(&[(25, "by us\n")]);
    assert_eq!(left((&old, &old), (&new, &next)), None);
    // Nothing came with the target.
    assert_eq!(left((&old, &old), (&old, &next)), None);
}

#[test]
fn of_what_is_not_known_all_is_shown() {
    let (old, new) = (lines(&[]), lines(&[(25, "theirs\n")]));
    let heads = file("a", &differ(&old, &new));
    let cut = Arc::new(Diffs { files: Vec::new(), overflow: true });
    let bases = diffs(&old, &new);
    let mut known = TargetChanges::new(Arc::default(), bases.clone(), Arc::default());
    assert_eq!(
        known.without(&heads).map(|file| (file.text, file.stats)),
        Some(Default::default())
    );
    for [before, bases, after] in [
        [cut.clone(), bases.clone(), Arc::default()],
        [Arc::default(), cut.clone(), Arc::default()],
        [Arc::default(), bases.clone(), cut],
    ] {
        assert_eq!(TargetChanges::new(before, bases, after).without(&heads), None);
    }
    let collapsed = FileDiff { is_collapsed: true, ..heads.clone() };
    assert_eq!(known.without(&collapsed), None);
    let moved = FileDiff { new_mode: "100755".into(), ..heads };
    assert_eq!(known.without(&moved), None);
}

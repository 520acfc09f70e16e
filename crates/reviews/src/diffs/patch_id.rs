//! What two sets of changes have in common that change the same, wherever they begin.

use repositories::diffs::{Diffs, FileDiff};
use repositories::formats::object_id::ObjectId;
use sha1::{Digest, Sha1};
use std::collections::{BTreeSet, HashMap};

/// A name of changes that stays the same when they are made onto something else: of files,
/// and of the lines that came and went, in their order, without the lines around them and
/// without numbers. None where nothing changed.
///
/// Where less is known than all, it is another one for each head, so that nothing passes
/// for known that was never seen.
pub fn of(diffs: &Diffs, head: ObjectId) -> Option<String> {
    if diffs.files.is_empty() && !diffs.overflow {
        return None;
    }
    let mut sum = Sha1::new();
    diffs.files.iter().for_each(|file| add(&mut sum, file));
    if diffs.overflow {
        sum.update(head.bytes());
    }
    Some(hex::encode(sum.finalize()))
}

/// The paths at which other lines changed in one set of changes than in another; all of
/// both where less is known than all.
pub fn touched(before: &Diffs, after: &Diffs) -> Vec<String> {
    let (old, new) = (of_files(before), of_files(after));
    let is_part = before.overflow || after.overflow;
    let paths = old.keys().chain(new.keys());
    let differ = paths.filter(|paths| is_part || old.get(*paths) != new.get(*paths));
    let once: BTreeSet<&str> = differ.flat_map(|(from, to)| [*from, *to]).collect();
    once.into_iter().map(str::to_owned).collect()
}

/// What changed in each file, by its two paths.
fn of_files(diffs: &Diffs) -> HashMap<(&str, &str), [u8; 20]> {
    let files = diffs.files.iter();
    files
        .map(|file| ((file.old_path.as_str(), file.new_path.as_str()), of_file(file)))
        .collect()
}

/// The same of one file, whose text is read as far as it can be.
pub fn of_file(file: &FileDiff) -> [u8; 20] {
    let mut sum = Sha1::new();
    add(&mut sum, file);
    sum.finalize().into()
}

fn add(sum: &mut Sha1, file: &FileDiff) {
    for word in [&file.old_path, &file.new_path, &file.old_mode, &file.new_mode] {
        sum.update(word.as_bytes());
        sum.update([0]);
    }
    // The text is not there, or does not tell bytes apart that are no UTF-8.
    let is_unknown = file.is_binary || file.is_too_large || file.is_collapsed;
    if is_unknown || file.text.contains(char::REPLACEMENT_CHARACTER) {
        sum.update(file.old_id.bytes());
        sum.update(file.new_id.bytes());
    }
    add_lines(sum, &file.text);
    sum.update([0]);
}

/// Adds the lines that changed; those that follow one another are one run, so that a run
/// that is torn apart is another one.
fn add_lines(sum: &mut Sha1, text: &str) {
    let mut is_running = false;
    for line in text.split_inclusive('\n') {
        let goes_on = match line.as_bytes().first() {
            Some(b'+' | b'-') => true,
            // The end of a file without an end of line is a part of its last line.
            Some(b'\\') => is_running,
            _ => false,
        };
        if goes_on {
            sum.update(line.as_bytes());
        } else if is_running {
            sum.update([0]);
        }
        is_running = goes_on;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diffs::shown::tests::file;

    const HEAD: ObjectId = ObjectId::ZERO;

    fn named(text: &str) -> Option<String> {
        of(&Diffs { files: vec![file("a.rs", text)], overflow: false }, HEAD)
    }

    #[test]
    fn where_it_stands_and_what_is_around_it_does_not_count() {
        let one = named("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n");
        assert_eq!(one, named("@@ -91,3 +92,3 @@ fn x()\n e\n-b\n+c\n f\n"));
        assert_ne!(one, named("@@ -1,3 +1,3 @@\n a\n-b\n+C\n d\n"));
        assert_ne!(one, named("@@ -1,3 +1,3 @@\n a\n-b\n d\n+c\n"));
        assert_ne!(one, named("@@ -1,3 +1,3 @@\n a\n-b\n+c\n\\ No newline at end of file\n"));
    }

    #[test]
    fn files_whose_lines_are_others_are_touched() {
        let set = |files: &[(&str, &str)]| Diffs {
            files: files.iter().map(|(path, text)| file(path, text)).collect(),
            overflow: false,
        };
        let before = set(&[("a.rs", "@@ -1 +1 @@\n-a\n+b\n"), ("b.rs", "@@ -1 +1 @@\n-a\n+b\n")]);
        let moved = set(&[("a.rs", "@@ -9 +9 @@\n-a\n+b\n"), ("b.rs", "@@ -1 +1 @@\n-a\n+c\n")]);
        assert_eq!(touched(&before, &moved), ["b.rs"]);
        let other = set(&[("a.rs", "@@ -1 +1 @@\n-a\n+b\n"), ("c.rs", "@@ -1 +1 @@\n-a\n+b\n")]);
        assert_eq!(touched(&before, &other), ["b.rs", "c.rs"]);
        let cut = Diffs { overflow: true, ..before.clone() };
        assert_eq!(touched(&before, &cut), ["a.rs", "b.rs"]);
        assert!(touched(&before, &before).is_empty());
    }

    #[test]
    fn what_is_not_known_is_never_the_same() {
        let empty = Diffs::default();
        assert_eq!(of(&empty, HEAD), None);
        let cut = Diffs { overflow: true, ..Diffs::default() };
        assert_ne!(of(&cut, HEAD), of(&cut, ObjectId::from_bytes([1; 20])));
        let binary = |id: u8| {
            let new_id = ObjectId::from_bytes([id; 20]);
            let file = FileDiff { is_binary: true, new_id, ..file("a.png", "") };
            of(&Diffs { files: vec![file], overflow: false }, HEAD)
        };
        assert_ne!(binary(1), binary(2));
        assert_eq!(binary(1), binary(1));
    }
}

//! What clients see of what differs.

use super::limits::DiffLimits;
use super::order::by_parts;
use code::diff::generated::Generated;
use code::entity::CommitDiff;
use repositories::diffs::{Diffs, FileDiff};

/// Files that are shown at once, unless more are asked for.
const FILES: usize = 100;
/// Lines likewise.
const LINES: usize = 5_000;
/// Bytes likewise.
const BYTES: usize = 512_000;

/// Whether all texts are shown that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Long files, and those behind many others, come collapsed.
    Some(DiffLimits),
    All,
}

/// How files are written.
#[derive(Debug, Clone, Copy)]
pub struct Style<'g> {
    /// Their texts begin with the names of both sides.
    pub unidiff: bool,
    /// What is known of files that programs wrote.
    pub generated: &'g Generated,
}

/// All files in the order in which they are shown.
pub fn ordered(diffs: &Diffs) -> Vec<&FileDiff> {
    let mut files: Vec<&FileDiff> = diffs.files.iter().collect();
    files.sort_by(|one, other| by_parts(&one.new_path, &other.new_path));
    files
}

/// All files as clients see them.
pub fn entities(diffs: &Diffs, opening: Opening, style: Style<'_>) -> Vec<CommitDiff> {
    let files = ordered(diffs);
    let collapsed = collapsed(&files, opening);
    let both = files.into_iter().zip(collapsed);
    both.map(|(file, is_collapsed)| entity(file, is_collapsed, style)).collect()
}

/// One file as clients see it.
pub fn entity(file: &FileDiff, is_collapsed: bool, style: Style<'_>) -> CommitDiff {
    let generated_file = style.generated.has(&file.new_path);
    let shown = CommitDiff::of(file.clone(), style.unidiff);
    match is_collapsed {
        true => CommitDiff {
            diff: String::new(),
            collapsed: true,
            generated_file,
            ..shown
        },
        false => CommitDiff { generated_file, ..shown },
    }
}

/// Which files come without their text, one for one. A single one always has it.
fn collapsed(files: &[&FileDiff], opening: Opening) -> Vec<bool> {
    let limits = match opening {
        Opening::Some(limits) if files.len() > 1 => limits,
        _ => return vec![false; files.len()],
    };
    let (mut lines, mut bytes) = (0, 0);
    let is_collapsed = |(at, file): (usize, &&FileDiff)| {
        lines += file.text.lines().count();
        bytes += file.text.len();
        let is_beyond = at >= FILES || lines > LINES || bytes > BYTES;
        let is_long = file.text.len() >= limits.collapsed_bytes();
        !file.text.is_empty() && (is_beyond || is_long)
    };
    files.iter().enumerate().map(is_collapsed).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use repositories::diffs::{Change, Stats};
    use repositories::formats::object_id::ObjectId;

    /// A file that changed so.
    pub(crate) fn file(path: &str, text: &str) -> FileDiff {
        FileDiff {
            old_path: path.to_owned(),
            new_path: path.to_owned(),
            old_mode: "100644".into(),
            new_mode: "100644".into(),
            old_id: ObjectId::from_bytes([1; 20]),
            new_id: ObjectId::from_bytes([2; 20]),
            change: Change::Changed,
            is_binary: false,
            text: text.to_owned(),
            is_collapsed: false,
            is_too_large: false,
            stats: Stats::default(),
        }
    }

    fn shown(files: Vec<FileDiff>, opening: Opening) -> Vec<CommitDiff> {
        let generated = Generated::default();
        let style = Style { unidiff: false, generated: &generated };
        entities(&Diffs { files, overflow: false }, opening, style)
    }

    fn usual() -> Opening {
        Opening::Some(DiffLimits::default())
    }

    #[test]
    fn files_are_in_order_and_marked() {
        let files = vec![file("Cargo.lock", "x\n"), file("src/a.rs", "y\n"), file("a.rs", "z\n")];
        let seen = shown(files, usual());
        let told: Vec<_> =
            seen.iter().map(|one| (one.new_path.as_str(), one.generated_file)).collect();
        assert_eq!(told, [("src/a.rs", false), ("Cargo.lock", true), ("a.rs", false)]);
    }

    #[test]
    fn long_files_come_collapsed_unless_they_are_alone() {
        let long = "x".repeat(20_480);
        let both = shown(vec![file("a", &long), file("b", "y\n")], usual());
        assert!(both[0].collapsed && both[0].diff.is_empty() && !both[1].collapsed);
        let alone = shown(vec![file("a", &long)], usual());
        assert!(!alone[0].collapsed && alone[0].diff.len() == long.len());
        let all = shown(vec![file("a", &long), file("b", "y\n")], Opening::All);
        assert!(all.iter().all(|one| !one.collapsed));
    }

    #[test]
    fn files_behind_many_come_collapsed() {
        let named = |at: usize, text: &str| file(&format!("{at:04}"), text);
        let many = shown((0..101).map(|at| named(at, "x\n")).collect(), usual());
        let open = many.iter().filter(|one| !one.collapsed).count();
        assert_eq!((open, many[100].collapsed), (100, true));
        let lines = "x\n".repeat(2_000);
        let some = shown((0..3).map(|at| named(at, &lines)).collect(), usual());
        assert_eq!([some[1].collapsed, some[2].collapsed], [false, true]);
    }
}

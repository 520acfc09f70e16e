//! Why a file is not resolved in a browser, in words.

use repositories::edits::merges::{ConflictKind, ConflictedFile};
use repositories::objects::Path;

/// The part of a mode that says what something is, and that of files.
const MODE_KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// It is no text.
    Binary,
    /// Its text is no UTF-8.
    OtherText,
    TooLarge,
    /// It stands for a file that is kept elsewhere.
    LargeFile,
    Deleted,
    Renamed,
    Mode,
    /// It is no file on one side.
    NoFile,
    Folder,
    Submodule,
    /// Its name is no UTF-8.
    OtherName,
    /// With the other files it is more than is resolved in a browser.
    TooMany,
    Other,
}

impl Obstacle {
    pub fn text(self) -> &'static str {
        match self {
            Obstacle::Binary => "It is no text.",
            Obstacle::OtherText => "Its text is not in UTF-8.",
            Obstacle::TooLarge => "It is larger than 200 KiB.",
            Obstacle::LargeFile => "It is stored by Git LFS.",
            Obstacle::Deleted => "One side deleted it, and the other changed it.",
            Obstacle::Renamed => "It was renamed, and the other side did something else with it.",
            Obstacle::Mode => "Both sides changed its mode.",
            Obstacle::NoFile => "It is a link on one side.",
            Obstacle::Folder => "It is a folder on one side, and a file on the other.",
            Obstacle::Submodule => "It is a submodule.",
            Obstacle::OtherName => "Its name is not in UTF-8.",
            Obstacle::TooMany => "It is one of too many.",
            Obstacle::Other => "Git cannot say how its sides fit together.",
        }
    }

    /// What is in the way of a file before its sides are read.
    pub fn of(file: &ConflictedFile) -> Option<Obstacle> {
        let of_kind = match file.kind {
            ConflictKind::Content => None,
            ConflictKind::Binary => Some(Obstacle::Binary),
            ConflictKind::ModifyDelete => Some(Obstacle::Deleted),
            ConflictKind::Rename => Some(Obstacle::Renamed),
            ConflictKind::Mode => Some(Obstacle::Mode),
            ConflictKind::FileDirectory => Some(Obstacle::Folder),
            ConflictKind::Submodule => Some(Obstacle::Submodule),
            ConflictKind::Other => Some(Obstacle::Other),
        };
        of_kind.or_else(|| of_sides(file))
    }
}

fn of_sides(file: &ConflictedFile) -> Option<Obstacle> {
    let path = std::str::from_utf8(&file.path).ok().and_then(|path| Path::read(path).ok());
    if path.is_none_or(|path| path.is_root()) {
        return Some(Obstacle::OtherName);
    }
    let (Some(ours), Some(theirs)) = (file.ours, file.theirs) else {
        return Some(Obstacle::Deleted);
    };
    let sides = [Some(ours), Some(theirs), file.base];
    if sides.iter().flatten().any(|side| side.mode & MODE_KIND != REGULAR) {
        return Some(Obstacle::NoFile);
    }
    let base = file.base.map(|base| base.mode);
    let is_changed = |mode: u32| Some(mode) != base;
    let differ = ours.mode != theirs.mode && is_changed(ours.mode) && is_changed(theirs.mode);
    differ.then_some(Obstacle::Mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use repositories::edits::merges::Side;
    use repositories::formats::object_id::ObjectId;

    fn side(mode: u32) -> Option<Side> {
        Some(Side { mode, id: ObjectId::ZERO })
    }

    fn file(modes: [Option<Side>; 3]) -> ConflictedFile {
        let [base, ours, theirs] = modes;
        let kind = ConflictKind::Content;
        ConflictedFile { path: b"a/b".to_vec(), kind, base, ours, theirs }
    }

    #[test]
    fn texts_with_one_mode_are_resolved() {
        let (plain, program, link) = (side(0o100_644), side(0o100_755), side(0o120_000));
        for (modes, obstacle) in [
            ([plain, plain, plain], None),
            ([None, plain, plain], None),
            ([plain, program, plain], None),
            ([plain, program, program], None),
            ([None, program, plain], Some(Obstacle::Mode)),
            ([plain, plain, None], Some(Obstacle::Deleted)),
            ([plain, link, plain], Some(Obstacle::NoFile)),
        ] {
            assert_eq!(Obstacle::of(&file(modes)), obstacle, "{modes:?}");
        }
        let odd = ConflictedFile { path: b"\xff".to_vec(), ..file([plain, plain, plain]) };
        assert_eq!(Obstacle::of(&odd), Some(Obstacle::OtherName));
        let renamed = ConflictedFile { kind: ConflictKind::Rename, ..file([plain; 3]) };
        assert_eq!(Obstacle::of(&renamed), Some(Obstacle::Renamed));
    }
}

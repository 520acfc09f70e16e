//! How much of what differs is read and shown; a part of it the instance sets.

use kernel::error::{Error, Result};
use repositories::diffs::Limits;

/// Most bytes of one file that may be set.
const MOST_BYTES: i64 = 500 * 1024;
/// Most files that may be set.
const MOST_FILES: i64 = 3_000;
/// Most lines that may be set.
const MOST_LINES: i64 = 100_000;
/// Bytes that all files together may have, for each file that there may be.
const BYTES_OF_FILE: usize = 5 * 1024;
/// A file with one part in so many of the bytes that it may have comes collapsed.
const COLLAPSED_PART: usize = 10;

kernel::setting! {
    /// How much of a merge request is shown.
    #[derive(Copy, PartialEq, Eq, Hash)]
    pub struct DiffLimits = "reviews.diffs" {
        /// Bytes at which what differs of a file is too large.
        pub diff_max_patch_bytes: i64 = 200 * 1024,
        /// Files.
        pub diff_max_files: i64 = 1_000,
        /// Lines of all files.
        pub diff_max_lines: i64 = 50_000,
    }
}

identity::settings_part! {
    DiffLimits {
        /// Bytes at which what differs of a file is not shown.
        diff_max_patch_bytes: i64 => diff_max_patch_bytes,
        /// Files of a merge request that are shown.
        diff_max_files: i64 => diff_max_files,
        /// Lines of all files of a merge request that are shown.
        diff_max_lines: i64 => diff_max_lines,
    } sealed {}
}

impl DiffLimits {
    fn validate(self) -> Result<()> {
        for (name, number, most) in [
            ("diff_max_patch_bytes", self.diff_max_patch_bytes, MOST_BYTES),
            ("diff_max_files", self.diff_max_files, MOST_FILES),
            ("diff_max_lines", self.diff_max_lines, MOST_LINES),
        ] {
            if !(1..=most).contains(&number) {
                return Err(Error::invalid(name, format!("must be between 1 and {most}")));
            }
        }
        Ok(())
    }

    /// What is read of a merge request.
    pub fn hard(self) -> Limits {
        let files = size(self.diff_max_files);
        Limits {
            files,
            lines: size(self.diff_max_lines),
            bytes: files.saturating_mul(BYTES_OF_FILE),
            // At the bound itself a file is too large.
            file_bytes: size(self.diff_max_patch_bytes).saturating_sub(1),
            ..Limits::default()
        }
    }

    /// Bytes at which a file comes collapsed.
    pub fn collapsed_bytes(self) -> usize {
        size(self.diff_max_patch_bytes) / COLLAPSED_PART
    }
}

fn size(number: i64) -> usize {
    usize::try_from(number.max(1)).unwrap_or(usize::MAX)
}

/// What is read where all is wanted: what a server can hold.
pub fn whole() -> Limits {
    Limits {
        files: 20_000,
        lines: usize::MAX,
        bytes: 32 * 1024 * 1024,
        file_bytes: 8 * 1024 * 1024,
        ..Limits::default()
    }
}

/// What is read of a few files by themselves.
pub fn few() -> Limits {
    Limits {
        files: 1_000,
        lines: usize::MAX,
        bytes: 8 * 1024 * 1024,
        file_bytes: 2 * 1024 * 1024,
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_bounds() {
        let usual = DiffLimits::default();
        assert!(usual.validate().is_ok());
        let hard = usual.hard();
        assert_eq!((hard.files, hard.bytes, hard.file_bytes), (1000, 5_120_000, 204_799));
        assert_eq!(usual.collapsed_bytes(), 20_480);
        for wrong in [
            DiffLimits { diff_max_files: 0, ..usual },
            DiffLimits { diff_max_files: 3_001, ..usual },
            DiffLimits { diff_max_lines: 100_001, ..usual },
            DiffLimits { diff_max_patch_bytes: -1, ..usual },
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}

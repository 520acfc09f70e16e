//! How many bytes the code of a project and its large files may have: as the project
//! says, or the nearest group above it, or the instance. Asked in the transaction that
//! adds to them, so that no two pass the limit together.

use crate::lfs;
use crate::model::RepositoryKind;
use crate::store;
use ::store::Tx;
use kernel::error::{Error, Result};
use kernel::settings;
use spaces::store::size_limits;

kernel::setting! {
    /// How large repositories may grow.
    #[derive(Copy)]
    pub struct SizeLimit = "repositories.size_limit" {
        pub bytes: i64 = 0,
    }
}

identity::settings_part! {
    SizeLimit {
        /// Bytes that the code of a project and its large files may have, unless it or a
        /// group above it says otherwise; 0 for any number.
        repository_size_limit: i64 => bytes,
    } sealed {}
}

impl SizeLimit {
    fn validate(self) -> Result<()> {
        match self.bytes >= 0 {
            true => Ok(()),
            false => {
                let text = "must be greater than or equal to 0";
                Err(Error::invalid("repository_size_limit", text))
            }
        }
    }
}

/// A project that has, or would have, more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    limit: i64,
    used: i64,
    more: i64,
}

/// Whether a project may have so many bytes more; who has more than they may already
/// gets nothing more.
pub fn check(tx: &mut Tx<'_>, project_id: i64, more: i64) -> Result<Result<(), TooLarge>> {
    let own = size_limits::of_project(tx, project_id)?;
    let limit = match own {
        Some(limit) => limit,
        None => settings::read::<SizeLimit>(tx)?.bytes,
    };
    if limit == 0 {
        return Ok(Ok(()));
    }
    let code = store::of_project(tx, project_id, RepositoryKind::Project)?;
    let large_files = lfs::sizes(tx, &[project_id])?.remove(&project_id);
    let used = code.map_or(0, |code| code.size).saturating_add(large_files.unwrap_or(0));
    Ok(within(limit, used, more))
}

/// Whether something that takes so many bytes may take so many more.
pub fn within(limit: i64, used: i64, more: i64) -> Result<(), TooLarge> {
    match used.saturating_add(more) > limit {
        true => Err(TooLarge { limit, used, more }),
        false => Ok(()),
    }
}

impl TooLarge {
    /// What somebody is told who pushes.
    pub fn of_push(self) -> String {
        if self.used > self.limit {
            return TooLarge { more: 0, ..self }.of_files();
        }
        format!(
            "Your push to this repository would cause it to exceed the size limit of {} so it has \
             been rejected. {CONTACT}",
            shown(self.limit)
        )
    }

    /// The same of large files.
    pub fn of_files(self) -> String {
        format!("Your push has been rejected, {}. {CONTACT}", self.because())
    }

    /// The same of a change by REST or on a page.
    pub fn of_commit(self) -> String {
        format!("Your changes could not be committed, {}", self.because())
    }

    fn because(self) -> String {
        let over = self.used.saturating_add(self.more) - self.limit;
        let (limit, over) = (shown(self.limit), shown(over));
        format!("because this repository has exceeded its size limit of {limit} by {over}")
    }
}

const CONTACT: &str = "Please contact your Service administrator for more information.";

/// Bytes as people read them, to two places.
fn shown(bytes: i64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    match bytes {
        1 => return "1 Byte".into(),
        ..1024 => return format!("{bytes} Bytes"),
        _ => {}
    }
    let (mut value, mut unit) = (bytes as f64 / 1024.0, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, text) in [
            (0, "0 Bytes"),
            (1, "1 Byte"),
            (1023, "1023 Bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (1 << 20, "1 MiB"),
            (1 << 30, "1 GiB"),
            (1_000_000, "976.56 KiB"),
            (i64::MAX, "8192 PiB"),
        ] {
            assert_eq!(shown(bytes), text);
        }
    }

    #[test]
    fn what_is_too_much_is_said_in_words() {
        let of = |used: i64, more: i64| TooLarge { limit: 1 << 30, used, more };
        assert_eq!(
            of((1 << 30) + (1 << 20), 5).of_push(),
            "Your push has been rejected, because this repository has exceeded its size limit of \
             1 GiB by 1 MiB. Please contact your Service administrator for more information."
        );
        assert_eq!(
            of(0, (1 << 30) + 1).of_push(),
            "Your push to this repository would cause it to exceed the size limit of 1 GiB so it \
             has been rejected. Please contact your Service administrator for more information."
        );
        assert_eq!(
            of(1 << 30, 1).of_commit(),
            "Your changes could not be committed, because this repository has exceeded its size \
             limit of 1 GiB by 1 Byte"
        );
    }
}

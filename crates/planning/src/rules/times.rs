//! Time that people estimate and spend, for issues and merge requests alike.

use crate::model::{human_span, parse_span};
use crate::store::listed::Listed;
use crate::store::times as rows;
use kernel::error::{Error, Result};
use store::Tx;

/// Most letters of what time was spent on.
const LONGEST: usize = 255;

/// What takes time.
pub trait Timed: Sized {
    /// Where it is stored.
    const LISTED: Listed;

    fn id(&self) -> i64;

    /// Seconds that were estimated, and that were spent.
    fn times(&self) -> (i64, i64);

    /// Tells what was done, under the name of who did it.
    fn remark(&self, tx: &mut Tx<'_>, actor: Option<i64>, text: &str) -> Result<()>;

    /// The same as it is now.
    fn reread(&self, tx: &mut Tx<'_>) -> Result<Self>;
}

/// Reads a time as people write it: `1w 2d 3h 30m`.
///
/// # Errors
///
/// 400 for what is no time.
pub fn span(text: &str) -> Result<i64> {
    parse_span(text).ok_or_else(|| Error::Parameters(vec!["duration is invalid".into()]))
}

/// Sets how long it is estimated to take; nothing for 0.
///
/// # Errors
///
/// 400 for a time below zero.
pub fn estimate<T: Timed>(tx: &mut Tx<'_>, actor: Option<i64>, it: &T, seconds: i64) -> Result<T> {
    if seconds < 0 {
        return Err(Error::invalid(
            "time_estimate",
            "must have a valid format and be greater than or equal to zero.",
        ));
    }
    rows::estimate(tx, T::LISTED, it.id(), seconds)?;
    let text = match human_span(seconds) {
        Some(span) => format!("changed time estimate to {span}"),
        None => "removed time estimate".to_owned(),
    };
    it.remark(tx, actor, &text)?;
    it.reread(tx)
}

/// Adds time that was spent, with what it was spent on.
///
/// # Errors
///
/// 400 for no time, and for more taken away than there is.
pub fn spend<T: Timed>(
    tx: &mut Tx<'_>, actor: Option<i64>, it: &T, (seconds, summary): (i64, &str),
) -> Result<T> {
    if seconds == 0 {
        return Err(Error::invalid("time_spent", "can't be zero"));
    }
    if !rows::spend(tx, T::LISTED, it.id(), seconds)? {
        return Err(Error::invalid("time_spent", "Time to subtract exceeds the total time spent"));
    }
    if summary.chars().count() > LONGEST {
        return Err(Error::invalid("summary", "is too long (maximum is 255 characters)"));
    }
    let verb = if seconds < 0 { "subtracted" } else { "added" };
    let span = human_span(seconds.abs()).unwrap_or_default();
    let on = if summary.is_empty() {
        String::new()
    } else {
        format!(": {summary}")
    };
    it.remark(tx, actor, &format!("{verb} {span} of time spent{on}"))?;
    it.reread(tx)
}

/// Forgets the time that was spent.
///
/// # Errors
///
/// Only those of the server.
pub fn reset<T: Timed>(tx: &mut Tx<'_>, actor: Option<i64>, it: &T) -> Result<T> {
    rows::reset_spent(tx, T::LISTED, it.id())?;
    it.remark(tx, actor, "removed time spent")?;
    it.reread(tx)
}

//! Time tracking.

use super::{found, remark};
use crate::model::{Issue, human_span, parse_span};
use crate::store::issues as rows;
use kernel::error::{Error, Result};
use store::Tx;

pub fn span(text: &str) -> Result<i64> {
    parse_span(text).ok_or_else(|| Error::Parameters(vec!["duration is invalid".into()]))
}

/// Sets how long an issue is estimated to take; nothing for 0.
pub fn estimate(tx: &mut Tx<'_>, actor: Option<i64>, issue: &Issue, seconds: i64) -> Result<Issue> {
    if seconds < 0 {
        return Err(Error::invalid(
            "time_estimate",
            "must have a valid format and be greater than or equal to zero.",
        ));
    }
    rows::estimate(tx, issue.id, seconds)?;
    let text = match human_span(seconds) {
        Some(span) => format!("changed time estimate to {span}"),
        None => "removed time estimate".to_owned(),
    };
    remark(tx, issue, actor, &text)?;
    found(tx, issue.id)
}

pub fn spend(tx: &mut Tx<'_>, actor: Option<i64>, issue: &Issue, seconds: i64) -> Result<Issue> {
    if seconds == 0 {
        return Err(Error::invalid("time_spent", "can't be zero"));
    }
    if !rows::spend(tx, issue.id, seconds)? {
        return Err(Error::invalid("time_spent", "Time to subtract exceeds the total time spent"));
    }
    let verb = if seconds < 0 { "subtracted" } else { "added" };
    let span = human_span(seconds.abs()).unwrap_or_default();
    remark(tx, issue, actor, &format!("{verb} {span} of time spent"))?;
    found(tx, issue.id)
}

pub fn reset(tx: &mut Tx<'_>, actor: Option<i64>, issue: &Issue) -> Result<Issue> {
    rows::reset_spent(tx, issue.id)?;
    remark(tx, issue, actor, "removed time spent")?;
    found(tx, issue.id)
}

//! Setting a status.

use super::model::{CommitStatus, State};
use super::store as rows;
use kernel::error::{Error, Result};
use serde_json::json;
use store::Tx;

/// Letters of a name, a description, and an address.
const LONGEST: usize = 255;
const LONGEST_TEXT: usize = 1_024;
/// Statuses of one commit, old ones too.
const MOST: i64 = 10_000;

/// Sets how far something is: the newest of its ref and name goes on, or another begins
/// where that has ended.
///
/// # Errors
///
/// `Exact` 400 if the state cannot follow the one there, `Invalid` if a text is wrong.
pub fn set(tx: &mut Tx<'_>, project: i64, wanted: &CommitStatus) -> Result<CommitStatus> {
    check(wanted)?;
    let (now, state) = (tx.now(), wanted.status);
    let before = rows::newest(tx, project, wanted)?;
    let started = (state == State::Running).then_some(now);
    let finished = (!state.is_open()).then_some(now);
    if let Some(before) = before.clone().filter(|before| before.status.is_open()) {
        if let Some(text) = state.refusal_after(before.status) {
            return Err(Error::Exact(400, json!({"message": text})));
        }
        let status = CommitStatus {
            status: state,
            target_url: wanted.target_url.clone().or(before.target_url),
            description: wanted.description.clone().or(before.description),
            coverage: wanted.coverage.or(before.coverage),
            started_at: before.started_at.or(started),
            finished_at: finished,
            author_id: wanted.author_id,
            ..before
        };
        rows::update(tx, &status)?;
        return Ok(status);
    }
    if rows::count(tx, project, &wanted.sha)? >= MOST {
        return Err(Error::BadRequest(format!("A commit has at most {MOST} statuses")));
    }
    if let Some(before) = before {
        rows::retire(tx, before.id)?;
    }
    let mut status = CommitStatus {
        created_at: now,
        started_at: started,
        finished_at: finished,
        ..wanted.clone()
    };
    status.id = rows::insert(tx, project, &status)?;
    Ok(status)
}

fn check(input: &CommitStatus) -> Result<()> {
    let too_long = |field: &str, text: &str, longest: usize| match text.chars().count() > longest {
        true => {
            Err(Error::invalid(field, format!("is too long (maximum is {longest} characters)")))
        }
        false => Ok(()),
    };
    too_long("name", &input.name, LONGEST)?;
    too_long("ref", &input.on_ref, LONGEST)?;
    too_long("description", input.description.as_deref().unwrap_or_default(), LONGEST_TEXT)?;
    let url = input.target_url.as_deref().unwrap_or_default();
    too_long("target_url", url, LONGEST_TEXT)?;
    let is_web = |url: &str| url.starts_with("http://") || url.starts_with("https://");
    if !url.is_empty() && (!is_web(url) || url.chars().any(char::is_control)) {
        let text = "is blocked: Only allowed schemes are http, https";
        return Err(Error::invalid("target_url", text));
    }
    match input.coverage.is_none_or(|coverage| (0.0..=100.0).contains(&coverage)) {
        true => Ok(()),
        false => Err(Error::invalid("coverage", "must be between 0 and 100")),
    }
}

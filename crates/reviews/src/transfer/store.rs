//! SQL of merge requests that come whole and go whole; the rest is that of the room.

use super::model::{MergeRequest as Coming, Outcome};
use crate::merging::MergeStatus;
use crate::model::{EventKind, MergeRequest, ReviewState, State, Version};
use crate::store::SELECT;
use ::store::{Fragment, FromRow, Json, Tx, grouped, sql};
use kernel::error::Result;
use kernel::time::Timestamp;
use planning::store::notes::{MERGE_REQUEST, Note};
use serde_json::{Value, json};
use std::collections::HashMap;

/// As the state of one is stored.
pub(super) fn state(outcome: Outcome) -> State {
    match outcome {
        Outcome::Opened => State::Opened,
        Outcome::Closed => State::Closed,
        Outcome::Merged => State::Merged,
    }
}

/// Adds a merge request with nothing but its number, branches, author and times; its id,
/// unless the number is taken, or another one of its branches is open.
pub(super) fn insert(
    tx: &mut Tx<'_>, project_id: i64, new: &Coming<i64>, status: MergeStatus,
) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "insert into merge_requests (target_project_id, iid, source_project_id, source_branch,
                target_branch, title, title_folded, state, draft, author_id, squash,
                allow_collaboration, merge_params, merge_status, time_estimate, time_spent,
                created_at, updated_at)
             values ($1, $2, $1, $3, $4, '', '', $5, false, $6, false, false, $7, $8, $9, $10,
                $11, $12)
             on conflict do nothing returning id"
        ),
        (
            project_id,
            new.number,
            new.source_branch.as_str(),
            new.target_branch.as_str(),
            state(new.state),
            new.author,
            Json(json!({})),
            status,
            new.time_estimate.max(0),
            new.time_spent.max(0),
            new.created_at,
            new.updated_at,
        ),
    )?)
}

/// Notes who reviews since when, and what they said last.
pub(super) fn review(
    tx: &mut Tx<'_>, id: i64, (user_id, state): (i64, ReviewState), at: Timestamp,
) -> Result<()> {
    tx.execute(
        sql!(
            "insert into merge_request_reviewers (merge_request_id, user_id, state, created_at)
             values ($1, $2, $3, $4)
             on conflict (merge_request_id, user_id) do update set state = $3"
        ),
        (id, user_id, state, at),
    )?;
    Ok(())
}

/// Notes an approval of some time.
pub(super) fn approve(tx: &mut Tx<'_>, id: i64, user_id: i64, at: Timestamp) -> Result<()> {
    tx.execute(
        sql!(
            "insert into merge_request_approvals (merge_request_id, user_id, created_at)
             values ($1, $2, $3) on conflict (merge_request_id, user_id) do nothing"
        ),
        (id, user_id, at),
    )?;
    Ok(())
}

/// Notes who closed it at some time, where that is not known, or was the last time.
pub(super) fn closed_by(tx: &mut Tx<'_>, id: i64, user_id: i64, at: Timestamp) -> Result<()> {
    tx.execute(
        sql!(
            "update merge_requests set closed_by_id = $2
             where id = $1 and state = 'closed' and (closed_by_id is null or closed_at <= $3)"
        ),
        (id, user_id, at),
    )?;
    Ok(())
}

/// Notes who merged it and when, where that is not known.
pub(super) fn merged_by(
    tx: &mut Tx<'_>, id: i64, user_id: i64, at: Option<Timestamp>,
) -> Result<()> {
    tx.execute(
        sql!(
            "update merge_requests set merge_user_id = coalesce(merge_user_id, $2),
                merged_at = coalesce(merged_at, $3)
             where id = $1 and state = 'merged'"
        ),
        (id, user_id, at),
    )?;
    Ok(())
}

/// Since when, and by whom, a thread is resolved that is.
pub(super) fn resolution(
    tx: &mut Tx<'_>, discussion_id: &str,
) -> Result<Option<(Timestamp, Option<i64>)>> {
    Ok(tx.optional(
        sql!(
            "select resolved_at, resolved_by_id from notes
             where discussion_id = $1 and resolved_at is not null order by id limit 1"
        ),
        (discussion_id,),
    )?)
}

/// Resolves what of a thread is not, as of some time.
pub(super) fn resolve(
    tx: &mut Tx<'_>, discussion_id: &str, (at, by): (Timestamp, Option<i64>),
) -> Result<()> {
    tx.execute(
        sql!(
            "update notes set resolved_at = $2, resolved_by_id = $3
             where discussion_id = $1 and in_thread and not is_system and resolved_at is null"
        ),
        (discussion_id, at, by),
    )?;
    Ok(())
}

/// Whether a thread stands in code already.
pub(super) fn stands(tx: &mut Tx<'_>, discussion_id: &str) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select id from review_threads where discussion_id = $1"),
        (discussion_id,),
    )?;
    Ok(found.is_some())
}

/// Open merge requests of a project after this one, by id.
pub(super) fn open_after(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.target_project_id = $1 and merge_requests.id > $2
                and merge_requests.state = 'opened'
             order by merge_requests.id limit $3"
        ),
        (project_id, after, limit),
    )?)
}

/// Merge requests of a project after this one, by id.
pub(super) fn requests_after(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.target_project_id = $1 and merge_requests.id > $2
             order by merge_requests.id limit $3"
        ),
        (project_id, after, limit),
    )?)
}

/// The numbers of merge requests, by their ids.
pub(super) fn numbers(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(sql!("select id, iid from merge_requests where id in_list($1)"), (ids,))?)
}

/// The ids of merge requests of a project by their numbers, of those that there are.
pub(super) fn ids(tx: &mut Tx<'_>, project_id: i64, numbers: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!(
            "select iid, id from merge_requests
             where target_project_id = $1 and iid in_list($2)"
        ),
        (project_id, numbers),
    )?)
}

/// All versions of some merge requests, the oldest first.
pub(super) fn versions(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<Version>>> {
    let rows: Vec<Version> = tx.all(
        sql!(
            "select ",
            Version::COLUMNS,
            " from merge_request_versions
             where merge_request_versions.merge_request_id in_list($1)
             order by merge_request_versions.id"
        ),
        (ids,),
    )?;
    Ok(grouped(rows.into_iter().map(|version| (version.merge_request_id, version))))
}

/// Notes about merge requests of a project, after this one, by id; of those that stand in code
/// or of the others. What the program tells of events goes with these, and what it tells of
/// things that not everybody sees stays.
pub(super) fn notes(
    tx: &mut Tx<'_>, project_id: i64, in_code: bool, (after, limit): (i64, i64),
) -> Result<Vec<Note>> {
    let mut query = Fragment::new("select notes.* from notes where notes.project_id = ");
    query
        .bind(project_id)
        .push(" and notes.noteable_type = ", MERGE_REQUEST)
        .push(" and notes.id > ", after)
        .raw(if in_code { " and " } else { " and not " })
        .raw(
            "exists (select 1 from review_threads
                where review_threads.discussion_id = notes.discussion_id)
             and not (notes.is_system and (notes.names_epic_id is not null
                or notes.names_code_of_id is not null or notes.names_request_id is not null
                or exists (select 1 from issues
                    where issues.id = notes.names_issue_id and issues.confidential)
                or exists (select 1 from merge_request_events told
                    left join milestones on milestones.id = told.milestone_id
                    where told.merge_request_id = notes.noteable_id
                        and told.created_at = notes.created_at
                        and notes.body = case
                            when told.kind = 'state' then told.action
                            when told.kind = 'milestone' and told.action = 'add'
                                then 'changed milestone to %\"' || milestones.title || '\"'
                            when told.kind = 'milestone' then 'removed milestone'
                            else '' end)))",
        )
        .push(" order by notes.id limit ", limit);
    Ok(tx.query(query)?)
}

/// Of the notes of these discussions, those that begin them.
pub(super) fn beginning(tx: &mut Tx<'_>, discussions: &[String]) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select id from notes where discussion_id in_list($1) and begins"),
        (discussions,),
    )?)
}

/// Where a thread stood at first.
#[derive(Debug, Clone, FromRow)]
pub(super) struct Original {
    pub discussion_id: String,
    pub original_position: Json<Value>,
}

/// Those of these discussions.
pub(super) fn originals(tx: &mut Tx<'_>, discussions: &[String]) -> Result<Vec<Original>> {
    Ok(tx.all(
        sql!(
            "select discussion_id, original_position from review_threads
             where discussion_id in_list($1)"
        ),
        (discussions,),
    )?)
}

/// What became of a merge request, with the titles of what it is about.
#[derive(Debug, Clone, FromRow)]
pub(super) struct EventRow {
    pub id: i64,
    pub iid: i64,
    pub user_id: Option<i64>,
    pub kind: EventKind,
    pub action: String,
    pub label: Option<String>,
    pub milestone: Option<String>,
    pub created_at: Timestamp,
}

/// What became of merge requests of a project, after this, by id. What was about a label or a
/// milestone that is gone is left out.
pub(super) fn events(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<EventRow>> {
    Ok(tx.all(
        sql!(
            "select e.id, merge_requests.iid, e.user_id, e.kind, e.action,
                labels.title as label, milestones.title as milestone, e.created_at
             from merge_request_events e
             join merge_requests on merge_requests.id = e.merge_request_id
             left join labels on labels.id = e.label_id
             left join milestones on milestones.id = e.milestone_id
             where merge_requests.target_project_id = $1 and e.id > $2
                and (e.kind = 'state' or labels.id is not null or milestones.id is not null)
             order by e.id limit $3"
        ),
        (project_id, after, limit),
    )?)
}

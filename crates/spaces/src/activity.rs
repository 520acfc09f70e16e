//! What people did, written in the transaction that does it. Rooms record here;
//! the room `activity` lists it for who may see what it is about.

use crate::model::SourceKind;
use kernel::error::Result;
use kernel::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Fragment, Json, Tx, sql};

kernel::choices! {
    /// What somebody did, in the words that lists are filtered by.
    pub enum Action {
        Created = "created",
        Updated = "updated",
        Closed = "closed",
        Reopened = "reopened",
        Pushed = "pushed",
        Commented = "commented",
        Merged = "merged",
        Joined = "joined",
        Left = "left",
        Destroyed = "destroyed",
        Expired = "expired",
        Approved = "approved",
    }
}

/// What something was done to, by its kind: `Project`, `Issue`.
#[derive(Debug, Clone, Copy)]
pub struct Target<'t> {
    pub kind: &'static str,
    pub id: Option<i64>,
    /// Its title, where it is gone afterwards.
    pub title: Option<&'t str>,
}

impl Target<'_> {
    pub fn new(kind: &'static str, id: i64) -> Target<'static> {
        Target { kind, id: Some(id), title: None }
    }
}

/// The project itself.
pub const PROJECT: &str = "Project";
/// Somebody in a project or group.
pub const MEMBER: &str = "Member";

/// Where something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Project(i64),
    Group(i64),
}

impl Where {
    /// The project, if it is one.
    pub fn project_id(self) -> Option<i64> {
        match self {
            Where::Project(id) => Some(id),
            Where::Group(_) => None,
        }
    }

    /// The group, if it is one.
    pub fn group_id(self) -> Option<i64> {
        match self {
            Where::Project(_) => None,
            Where::Group(id) => Some(id),
        }
    }
}

impl From<(SourceKind, i64)> for Where {
    fn from((kind, id): (SourceKind, i64)) -> Where {
        match kind {
            SourceKind::Project => Where::Project(id),
            SourceKind::Group => Where::Group(id),
        }
    }
}

/// Writes down what somebody did. What the program does by itself has no author
/// and is no activity.
pub fn record(
    tx: &mut Tx<'_>, author_id: Option<i64>, action: Action, place: Where, target: Target<'_>,
) -> Result<()> {
    write(tx, author_id, action, (place.project_id(), place.group_id()), target)
}

/// The same of what is a person's own, and in no project or group.
pub fn record_own(
    tx: &mut Tx<'_>, author_id: Option<i64>, action: Action, target: Target<'_>,
) -> Result<()> {
    write(tx, author_id, action, (None, None), target)
}

fn write(
    tx: &mut Tx<'_>, author_id: Option<i64>, action: Action,
    (project_id, group_id): (Option<i64>, Option<i64>), target: Target<'_>,
) -> Result<()> {
    let Some(author_id) = author_id else {
        return Ok(());
    };
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into activity_events (project_id, group_id, author_id, action, target_type,
                target_id, target_title, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        (
            project_id,
            group_id,
            author_id,
            action.as_str(),
            target.kind,
            target.id,
            target.title,
            now,
        ),
    )?;
    Ok(())
}

/// Refs that were pushed.
pub const PUSH: &str = "Push";

kernel::choices! {
    /// What became of a ref that was pushed.
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PushAction {
        Created = "created",
        Removed = "removed",
        Pushed = "pushed",
    }
}

/// What was pushed, as events show it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PushData {
    pub commit_count: i64,
    pub action: PushAction,
    /// `branch` or `tag`.
    pub ref_type: String,
    pub commit_from: Option<String>,
    pub commit_to: Option<String>,
    /// The branch or tag; nothing where one event stands for many.
    #[serde(rename = "ref")]
    pub name: Option<String>,
    pub commit_title: Option<String>,
    /// How many it stands for.
    pub ref_count: Option<i64>,
}

/// Somebody pushed to a project.
pub fn record_push(
    tx: &mut Tx<'_>, author_id: Option<i64>, project_id: i64, push: &PushData,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into activity_events (project_id, author_id, action, target_type, push_data,
                created_at) values ($1, $2, $3, $4, $5, $6)"
        ),
        (project_id, author_id, Action::Pushed.as_str(), PUSH, Json(push), now),
    )?;
    Ok(())
}

/// What somebody pushed to a project since a time, the last first.
pub fn pushes_since(
    tx: &mut Tx<'_>, author_id: i64, project_id: i64, since: Timestamp, most: i64,
) -> Result<Vec<(PushData, Timestamp)>> {
    let rows: Vec<(Json<PushData>, Timestamp)> = tx.all(
        sql!(
            "select push_data, created_at from activity_events
             where author_id = $1 and project_id = $2 and target_type = $3
                and push_data is not null and created_at >= $4
             order by id desc limit $5"
        ),
        (author_id, project_id, PUSH, since, most),
    )?;
    Ok(rows.into_iter().map(|(Json(push), at)| (push, at)).collect())
}

/// Somebody became a member, or is none any longer.
pub fn member(
    tx: &mut Tx<'_>, source: (SourceKind, i64), user_id: i64, action: Action,
) -> Result<()> {
    let target = Target { kind: MEMBER, id: None, title: None };
    record(tx, Some(user_id), action, source.into(), target)
}

/// Writes down what a thing was called that is about to go, so that what was done to
/// it can still be told.
pub fn keep_title(tx: &mut Tx<'_>, target: Target<'_>) -> Result<()> {
    tx.execute(
        sql!(
            "update activity_events set target_title = $1
             where target_type = $2 and target_id = $3"
        ),
        (target.title, target.kind, target.id),
    )?;
    Ok(())
}

/// Forgets what was done to things that are gone: those of a kind whose ids a
/// statement selects.
pub fn forget(tx: &mut Tx<'_>, kind: &'static str, ids: Fragment) -> Result<()> {
    let mut gone = Fragment::new("delete from activity_events where target_type = ");
    gone.bind(kind).raw(" and target_id in (").append(ids).raw(")");
    tx.change_by(gone)?;
    Ok(())
}

//! `merge_request_versions` and `merge_request_commits`.

use crate::model::{Version, VersionState};
use ::store::{Fragment, FromRow, Tx, sql};
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use planning::store::pages::{self, KeyType, List, Order};
use repositories::formats::object_id::ObjectId;
use serde_json::json;
use std::collections::{HashMap, HashSet};

const SELECT: &str = ::store::concat!("select ", Version::COLUMNS, " from merge_request_versions ");

/// Most commits of a version that are stored by their names.
pub const MOST_COMMITS: usize = 1_000;
/// Rows of one statement.
const BATCH: usize = 200;

/// A version that is to be.
#[derive(Debug, Clone)]
pub struct NewVersion {
    pub head_id: ObjectId,
    pub base_id: ObjectId,
    pub start_id: ObjectId,
    pub state: VersionState,
    pub files_count: i64,
    pub commits_count: i64,
    pub patch_id: Option<String>,
    /// The newest first.
    pub commits: Vec<ObjectId>,
}

/// Adds a version of a merge request.
pub fn insert(tx: &mut Tx<'_>, request_id: i64, new: &NewVersion) -> Result<Version> {
    let now = tx.now();
    insert_at(tx, request_id, new, now)
}

/// The same of what it was earlier.
pub fn insert_at(
    tx: &mut Tx<'_>, request_id: i64, new: &NewVersion, at: Timestamp,
) -> Result<Version> {
    let made: Version = tx.one(
        sql!(
            "insert into merge_request_versions (merge_request_id, head_id, base_id, start_id,
                state, files_count, commits_count, patch_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ",
            Version::COLUMNS
        ),
        (
            request_id,
            new.head_id,
            new.base_id,
            new.start_id,
            new.state,
            new.files_count,
            new.commits_count,
            &new.patch_id,
            at,
        ),
    )?;
    insert_commits(tx, made.id, &new.commits)?;
    Ok(made)
}

fn insert_commits(tx: &mut Tx<'_>, version_id: i64, commits: &[ObjectId]) -> Result<()> {
    let commits = commits.get(..MOST_COMMITS).unwrap_or(commits);
    for (chunk, ids) in commits.chunks(BATCH).enumerate() {
        let mut query = Fragment::new(
            "insert into merge_request_commits (version_id, place, commit_id) values ",
        );
        for (at, id) in ids.iter().enumerate() {
            let place = i64::try_from(chunk * BATCH + at).unwrap_or(i64::MAX);
            let comma = if at == 0 { "(" } else { ", (" };
            query.raw(comma).bind(version_id).push(", ", place).push(", ", *id).raw(")");
        }
        tx.change_by(query)?;
    }
    Ok(())
}

/// The newest version of a merge request.
pub fn latest(tx: &mut Tx<'_>, request_id: i64) -> Result<Option<Version>> {
    Ok(tx.optional(
        sql!(SELECT, "where merge_request_id = $1 order by id desc limit 1"),
        (request_id,),
    )?)
}

/// The newest version of each, of those that have any.
pub fn latest_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Version>> {
    let found: Vec<Version> = tx.all(
        sql!(
            SELECT,
            "where id in (select max(newest.id) from merge_request_versions newest
                where newest.merge_request_id in_list($1) group by newest.merge_request_id)"
        ),
        (ids,),
    )?;
    Ok(found.into_iter().map(|one| (one.merge_request_id, one)).collect())
}

/// A version of a merge request by its id.
pub fn by_id(tx: &mut Tx<'_>, request_id: i64, id: i64) -> Result<Option<Version>> {
    Ok(tx.optional(sql!(SELECT, "where merge_request_id = $1 and id = $2"), (request_id, id))?)
}

/// The newest version of a merge request with this head.
pub fn by_head(tx: &mut Tx<'_>, request_id: i64, head: &str) -> Result<Option<Version>> {
    Ok(tx.optional(
        sql!(SELECT, "where merge_request_id = $1 and head_id = $2 order by id desc limit 1"),
        (request_id, head),
    )?)
}

/// The newest versions of a merge request, the newest first, and how many there are.
pub fn newest(tx: &mut Tx<'_>, request_id: i64, most: i64) -> Result<(Vec<Version>, i64)> {
    let versions: Vec<Version> = tx.all(
        sql!(SELECT, "where merge_request_id = $1 order by id desc limit $2"),
        (request_id, most),
    )?;
    let count = match i64::try_from(versions.len()).unwrap_or(i64::MAX) {
        few if few < most => few,
        _ => tx.one(
            sql!("select count(*) from merge_request_versions where merge_request_id = $1"),
            (request_id,),
        )?,
    };
    Ok((versions, count))
}

/// One page of the versions of a merge request, the newest first.
pub fn of_request(tx: &mut Tx<'_>, request_id: i64, paging: Paging) -> Result<Paged<Version>> {
    let mut condition = Fragment::new("merge_request_versions.merge_request_id = ");
    condition.bind(request_id);
    let list = List {
        select: Fragment::new(::store::concat!("select ", Version::COLUMNS)),
        from: Fragment::new("merge_request_versions"),
        condition,
        order: Order {
            by: "merge_request_versions.id".into(),
            key: Some(KeyType::Int),
            id: "merge_request_versions.id",
            descending: true,
        },
    };
    pages::page(tx, list, paging, |version: &Version| (json!(version.id), version.id))
}

/// Those of some versions that have any of these commits among their stored ones.
pub fn holding(tx: &mut Tx<'_>, versions: &[i64], commits: &[ObjectId]) -> Result<HashSet<i64>> {
    let ids: Vec<String> = commits.iter().map(ObjectId::to_string).collect();
    let found: Vec<i64> = tx.all(
        sql!(
            "select distinct version_id from merge_request_commits
             where version_id in_list($1) and commit_id in_list($2)"
        ),
        (versions, ids),
    )?;
    Ok(found.into_iter().collect())
}

/// A commit, and which of its version it is.
#[derive(Debug, Clone, FromRow)]
pub struct CommitAt {
    pub nth: i64,
    pub commit_id: ObjectId,
}

/// A page for each of these merge requests of the stored commits of its newest version, the
/// newest first.
pub fn commit_pages(tx: &mut Tx<'_>, ids: &[i64], window: &Window) -> Result<Vec<Owned<CommitAt>>> {
    let mut from = Fragment::new(
        " from merge_request_commits
         join merge_request_versions on merge_request_versions.id = merge_request_commits.version_id
         where merge_request_versions.id in (select max(newest.id)
            from merge_request_versions newest where",
    );
    from.in_list("newest.merge_request_id", ids)
        .raw(" group by newest.merge_request_id)");
    let columns = "merge_request_commits.place as nth, merge_request_commits.commit_id";
    let owner = "merge_request_versions.merge_request_id";
    Ok(tx.query(window.narrow_each(columns, owner, from))?)
}

/// The stored commits of each of these versions, the newest first.
pub fn commits_of(tx: &mut Tx<'_>, versions: &[i64]) -> Result<HashMap<i64, Vec<ObjectId>>> {
    Ok(tx.grouped(
        sql!(
            "select version_id, commit_id from merge_request_commits
             where version_id in_list($1) order by version_id, place"
        ),
        (versions,),
    )?)
}

/// The stored commits of a version, the newest first.
pub fn commits(tx: &mut Tx<'_>, version_id: i64) -> Result<Vec<ObjectId>> {
    let rows: Vec<(ObjectId,)> = tx.all(
        sql!("select commit_id from merge_request_commits where version_id = $1 order by place"),
        (version_id,),
    )?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

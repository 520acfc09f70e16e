//! `project_files`, `project_file_members`.

use super::format::List;
use ::store::{Fragment, FromRow, Json, Tx, concat, sql};
use jiff::SignedDuration;
use kernel::blobs::Stored;
use kernel::error::Result;
use serde_json::{Map, Value};

/// How long a file is kept of which nothing more is brought.
const KEPT: SignedDuration = SignedDuration::from_hours(14 * 24);

/// A file that came, or is to come.
#[derive(Debug, Clone, FromRow)]
#[columns("project_files")]
pub struct FileRow {
    pub id: i64,
    pub project_id: i64,
    /// Where it is fetched, until it came.
    pub sealed_origin: Option<String>,
    /// Settings of the project in place of those in the file.
    pub overrides: Json<Map<String, Value>>,
    /// As the file says.
    pub default_branch: Option<String>,
    pub blob_key: Option<String>,
    pub unpacked_at: Option<kernel::time::Timestamp>,
}

const SELECT: &str = concat!("select ", FileRow::COLUMNS, " from project_files where ");

/// What is known of a file that is to be brought.
#[derive(Debug, Clone)]
pub struct NewFile {
    pub project_id: i64,
    pub came: Came,
    pub overrides: Map<String, Value>,
}

/// Where the bytes are.
#[derive(Debug, Clone)]
pub enum Came {
    /// Here.
    Stored(Stored),
    /// Elsewhere, at a sealed place.
    Sealed(String),
}

/// Adds one; its id.
pub fn insert(tx: &mut Tx<'_>, new: &NewFile) -> Result<i64> {
    let now = tx.now();
    let (sealed, key) = match &new.came {
        Came::Stored(stored) => {
            kernel::blob_rows::insert(tx, stored)?;
            (None, Some(stored.key.as_str()))
        }
        Came::Sealed(text) => (Some(text.as_str()), None),
    };
    Ok(tx.one(
        sql!(
            "insert into project_files (project_id, sealed_origin, overrides, blob_key, created_at)
             values ($1, $2, $3, $4, $5) returning id"
        ),
        (new.project_id, sealed, Json(new.overrides.clone()), key, now),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<FileRow>> {
    Ok(tx.optional(sql!(SELECT, "project_files.id = $1"), (id,))?)
}

/// It was fetched.
pub fn fetched(tx: &mut Tx<'_>, id: i64, stored: &Stored) -> Result<()> {
    kernel::blob_rows::insert(tx, stored)?;
    tx.run(
        sql!("update project_files set sealed_origin = null, blob_key = $2 where id = $1"),
        (id, stored.key.as_str()),
    )
}

/// All of it lies here in parts: the whole is not needed any more.
pub fn unpacked(tx: &mut Tx<'_>, id: i64, default_branch: Option<&str>) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update project_files set unpacked_at = $2, default_branch = $3, blob_key = null
             where id = $1"
        ),
        (id, now, default_branch),
    )
}

/// A part of a file.
#[derive(Debug, Clone, FromRow)]
#[columns("project_file_members")]
pub struct Member {
    pub name: String,
    pub size: i64,
    pub blob_key: String,
    /// Of what came of it, where nothing else tells.
    pub local_id: Option<i64>,
}

const MEMBERS: &str =
    concat!("select ", Member::COLUMNS, " from project_file_members where file_id = $1 ");

/// Notes parts, in the place of those of the same names.
pub fn put_members(tx: &mut Tx<'_>, file: i64, members: &[(String, Stored)]) -> Result<()> {
    if members.is_empty() {
        return Ok(());
    }
    let mut insert =
        Fragment::new("insert into project_file_members (file_id, name, size, blob_key) values");
    let mut between = " (";
    for (name, stored) in members {
        let size = kernel::blob_rows::insert(tx, stored)?;
        insert
            .push(between, file)
            .push(", ", name.as_str())
            .push(", ", size)
            .push(", ", stored.key.as_str())
            .raw(")");
        between = ", (";
    }
    insert.raw(
        " on conflict (file_id, name) do update set size = excluded.size,
            blob_key = excluded.blob_key",
    );
    tx.change_by(insert)?;
    Ok(())
}

pub fn member(tx: &mut Tx<'_>, file: i64, name: &str) -> Result<Option<Member>> {
    Ok(tx.optional(sql!(MEMBERS, "and name = $2"), (file, name))?)
}

/// Those of these names that there are.
pub fn members(tx: &mut Tx<'_>, file: i64, names: &[String]) -> Result<Vec<Member>> {
    Ok(tx.all(sql!(MEMBERS, "and name in_list($2)"), (file, names))?)
}

/// The parts of a list from this name on, at most so many.
pub fn parts(
    tx: &mut Tx<'_>, file: i64, list: List, from: &str, limit: i64,
) -> Result<Vec<Member>> {
    let (before, behind) = list.bounds();
    let from = from.max(before.as_str());
    Ok(tx.all(
        sql!(MEMBERS, "and name >= $2 and name < $3 order by name limit $4"),
        (file, from, behind.as_str(), limit),
    )?)
}

/// Notes what came of a part.
pub fn set_local(tx: &mut Tx<'_>, file: i64, name: &str, local_id: i64) -> Result<()> {
    tx.run(
        sql!("update project_file_members set local_id = $3 where file_id = $1 and name = $2"),
        (file, name, local_id),
    )
}

/// Forgets some that are brought, or that nobody goes on with; how many.
pub fn delete_old(tx: &mut Tx<'_>, most: i64) -> Result<u64> {
    let before = tx.now() - KEPT;
    Ok(tx.execute(
        sql!(
            "delete from project_files where id in (select f.id from project_files f
                where not exists (select 1 from imports i where i.project_id = f.project_id
                    and (i.status in ('scheduled', 'started') or (f.created_at >= $1
                        and (i.status = 'failed' or i.failures > 0))))
                order by f.id limit $2)"
        ),
        (before, most),
    )?)
}

/// Says which server an import comes from, once its file says so.
pub fn set_host(tx: &mut Tx<'_>, import: i64, host: &str) -> Result<()> {
    tx.run(sql!("update imports set host = $2 where id = $1"), (import, host))
}

/// Which of some numbers issues, merge requests or milestones of a project have already.
pub fn numbers_taken(
    tx: &mut Tx<'_>, project_id: i64, list: List, numbers: Vec<i64>,
) -> Result<Vec<i64>> {
    let statement = match list {
        List::Issues => sql!("select iid from issues where project_id = $1 and iid in_list($2)"),
        List::Milestones => {
            sql!("select iid from milestones where project_id = $1 and iid in_list($2)")
        }
        List::MergeRequests => {
            sql!("select iid from merge_requests where target_project_id = $1 and iid in_list($2)")
        }
        _ => return Ok(Vec::new()),
    };
    Ok(tx.all(statement, (project_id, numbers))?)
}

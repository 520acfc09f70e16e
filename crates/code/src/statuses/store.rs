//! `commit_statuses` and `commit_comments`.

use super::model::{CommitStatus, State};
use jiff::Timestamp;
use kernel::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::{Fragment, FromRow, Tx, sql};

const SELECT: &str = ::store::concat!("select ", CommitStatus::COLUMNS, " from commit_statuses ");

/// What statuses of a commit are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub on_ref: Option<String>,
    pub name: Option<String>,
    /// Also those that others came after.
    pub all: bool,
}

fn condition(project: i64, sha: &str, wanted: &Wanted) -> Fragment {
    let mut condition = Fragment::new("commit_statuses.project_id = ");
    condition.bind(project).push(" and commit_statuses.sha = ", sha);
    if !wanted.all {
        condition.raw(" and commit_statuses.is_newest");
    }
    for (column, text) in [("ref", &wanted.on_ref), ("name", &wanted.name)] {
        if let Some(text) = text {
            condition.push(&format!(" and commit_statuses.{column} = "), text.as_str());
        }
    }
    condition
}

/// A part of the statuses of a commit, the oldest first, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, (project, sha): (i64, &str), wanted: &Wanted, limit: i64, offset: i64,
) -> Result<(Vec<CommitStatus>, i64)> {
    let condition = condition(project, sha, wanted);
    let total = spaces::store::count(tx, "commit_statuses", &condition)?;
    let mut list = Fragment::new(::store::concat!(SELECT, "where "));
    list.append(condition)
        .push(" order by commit_statuses.id limit ", limit)
        .push(" offset ", offset);
    Ok((tx.query(list)?, total))
}

/// The newest one with the commit, ref and name of another.
pub fn newest(tx: &mut Tx<'_>, project: i64, like: &CommitStatus) -> Result<Option<CommitStatus>> {
    let CommitStatus { sha, on_ref, name, .. } = like;
    Ok(tx.optional(
        sql!(
            SELECT,
            "where project_id = $1 and sha = $2 and ref = $3 and name = $4 and is_newest"
        ),
        (project, sha, on_ref, name),
    )?)
}

/// The newest states of a commit.
pub fn states(tx: &mut Tx<'_>, project: i64, sha: &str) -> Result<Vec<State>> {
    let rows: Vec<String> = tx.all(
        sql!("select status from commit_statuses where project_id = $1 and sha = $2 and is_newest"),
        (project, sha),
    )?;
    Ok(rows.iter().filter_map(|text| State::from_text(text)).collect())
}

/// How many there are of a commit, others came after them or not.
pub fn count(tx: &mut Tx<'_>, project: i64, sha: &str) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from commit_statuses where project_id = $1 and sha = $2"),
        (project, sha),
    )?)
}

/// Makes one no longer the newest.
pub fn retire(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("update commit_statuses set is_newest = false where id = $1"), (id,))?;
    Ok(())
}

/// Adds a status, the newest; its id.
pub fn insert(tx: &mut Tx<'_>, project: i64, new: &CommitStatus) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "insert into commit_statuses (project_id, sha, ref, name, status, target_url,
                description, coverage, author_id, is_newest, created_at, started_at, finished_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, $10, $11, $12) returning id"
        ),
        (
            project,
            new.sha.as_str(),
            new.on_ref.as_str(),
            new.name.as_str(),
            new.status,
            new.target_url.as_deref(),
            new.description.as_deref(),
            new.coverage,
            new.author_id,
            new.created_at,
            new.started_at,
            new.finished_at,
        ),
    )?)
}

/// Writes how far one is, and what is said of it.
pub fn update(tx: &mut Tx<'_>, status: &CommitStatus) -> Result<()> {
    tx.execute(sql!(CommitStatus::UPDATE), status.values())?;
    Ok(())
}

/// What is said of a commit, or of a line of it.
#[derive(Debug, Clone, FromRow, Serialize, JsonSchema)]
#[columns("commit_comments")]
pub struct Remark {
    pub note: String,
    pub path: Option<String>,
    pub line: Option<i64>,
    pub line_type: Option<String>,
}

/// What somebody said of a commit.
#[derive(Debug, Clone, FromRow)]
#[columns("commit_comments")]
pub struct CommitComment {
    #[nested]
    pub remark: Remark,
    pub author_id: Option<i64>,
    pub created_at: Timestamp,
}

pub fn insert_comment(
    tx: &mut Tx<'_>, (project, sha): (i64, &str), comment: &CommitComment,
) -> Result<()> {
    tx.execute(
        sql!(
            "insert into commit_comments (project_id, sha, note, path, line, line_type, author_id,
                created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        (
            project,
            sha,
            comment.remark.note.as_str(),
            comment.remark.path.as_deref(),
            comment.remark.line,
            comment.remark.line_type.as_deref(),
            comment.author_id,
            comment.created_at,
        ),
    )?;
    Ok(())
}

/// A part of the comments on a commit, the oldest first, and how many there are.
pub fn comments(
    tx: &mut Tx<'_>, (project, sha): (i64, &str), limit: i64, offset: i64,
) -> Result<(Vec<CommitComment>, i64)> {
    let rows = tx.all(
        sql!(
            "select ",
            CommitComment::COLUMNS,
            " from commit_comments where project_id = $1 and sha = $2
             order by id limit $3 offset $4"
        ),
        (project, sha, limit, offset),
    )?;
    let total = tx.one(
        sql!("select count(*) from commit_comments where project_id = $1 and sha = $2"),
        (project, sha),
    )?;
    Ok((rows, total))
}

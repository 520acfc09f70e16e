//! `commit_comments`.

use jiff::Timestamp;
use kernel::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::{FromRow, Tx, sql};

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

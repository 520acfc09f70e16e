//! `release_evidences`, and what of a project they are made of.

use crate::model::Evidence;
use kernel::error::Result;
use kernel::time::{Date, Timestamp};
use store::{FromRow, Tx, sql};

/// The evidence of some releases, the oldest first.
pub fn of_releases(tx: &mut Tx<'_>, releases: &[i64]) -> Result<Vec<Evidence>> {
    Ok(tx.all(
        sql!(
            "select ",
            Evidence::COLUMNS,
            " from release_evidences
             where release_id in_list($1) order by id"
        ),
        (releases,),
    )?)
}

/// What evidence says; of a release, that of this id or, without one, its last.
pub fn summary(tx: &mut Tx<'_>, release_id: i64, id: Option<i64>) -> Result<Option<String>> {
    Ok(tx.optional(
        sql!(
            "select summary from release_evidences
             where release_id = $1 and (cast($2 as bigint) is null or id = $2)
             order by id desc limit 1"
        ),
        (release_id, id),
    )?)
}

pub fn insert(tx: &mut Tx<'_>, release_id: i64, summary: &str, sha: &str) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into release_evidences (release_id, summary, sha, collected_at)
             values ($1, $2, $3, $4)"
        ),
        (release_id, summary, sha, now),
    )?;
    Ok(())
}

/// An issue as evidence tells of it.
#[derive(Debug, Clone, FromRow)]
#[columns("issues")]
pub struct EvidenceIssue {
    pub id: i64,
    pub iid: i64,
    pub milestone_id: Option<i64>,
    pub title: String,
    pub description: Option<String>,
    pub state: String,
    pub due_on: Option<Date>,
    pub created_at: Timestamp,
}

/// Issues of a project that are for these milestones and open to all who see it, at
/// most so many.
pub fn issues(
    tx: &mut Tx<'_>, project_id: i64, milestones: &[i64], most: i64,
) -> Result<Vec<EvidenceIssue>> {
    Ok(tx.all(
        sql!(
            "select ",
            EvidenceIssue::COLUMNS,
            " from issues
             where project_id = $1 and milestone_id in_list($2) and not confidential
             order by id limit $3"
        ),
        (project_id, milestones, most),
    )?)
}

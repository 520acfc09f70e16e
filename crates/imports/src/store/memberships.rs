//! `import_memberships`: who is to be a member once it is known who they are here.

use kernel::error::Result;
use kernel::ids::Reference;
use kernel::time::{Date, date_of};
use spaces::access::{find_project, role_in_project};
use spaces::model::{Project, SourceKind};
use spaces::store::members::{self, NewRow};
use store::{Tx, sql};

/// What somebody is to be in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub access_level: i64,
    pub expires_at: Option<Date>,
    /// Who gives it.
    pub by: i64,
}

/// Notes what a placeholder stands for somebody to be; what it was said before is forgotten.
pub fn wait(
    tx: &mut Tx<'_>, placeholder_id: i64, project_id: i64, standing: Standing,
) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into import_memberships (user_id, project_id, access_level, expires_at,
                created_by_id, created_at)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (user_id, project_id) do update set access_level = excluded.access_level,
                expires_at = excluded.expires_at, created_by_id = excluded.created_by_id"
        ),
        (
            placeholder_id,
            project_id,
            standing.access_level,
            standing.expires_at,
            standing.by,
            now,
        ),
    )
}

/// Makes somebody a member of all that the placeholder was to be one of whom they are.
pub fn settle(tx: &mut Tx<'_>, placeholder_id: i64, user_id: i64) -> Result<()> {
    let waiting: Vec<(i64, i64, Option<Date>, i64)> = tx.all(
        sql!(
            "delete from import_memberships where user_id = $1
             returning project_id, access_level, expires_at, created_by_id"
        ),
        (placeholder_id,),
    )?;
    for (project_id, access_level, expires_at, by) in waiting {
        if let Some(project) = find_project(tx, &Reference::Id(project_id))? {
            join(tx, &project, user_id, Standing { access_level, expires_at, by })?;
        }
    }
    Ok(())
}

/// Makes somebody a member, unless they are one, may as much by the groups above, or the day
/// it ends on has come. Nobody is told.
pub fn join(tx: &mut Tx<'_>, project: &Project, user_id: i64, standing: Standing) -> Result<()> {
    let Standing { access_level, expires_at, by } = standing;
    let today = date_of(tx.now());
    let is_over = expires_at.is_some_and(|day| day <= today);
    if is_over || role_in_project(tx, user_id, project)? >= access_level {
        return Ok(());
    }
    let row = NewRow {
        source: (SourceKind::Project, project.id),
        user_id,
        level: access_level,
        created_by_id: Some(by),
        expires_at,
    };
    members::insert(tx, &row).map(drop)
}

//! Which issue was made about an error.

use identity::viewer::Viewer;
use kernel::error::Result;
use planning::access::{Scope, visible};
use planning::model::IssueState;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx, sql};

/// The issue about an error, as far as pages of the error show it.
#[derive(Debug, Clone, FromRow)]
pub struct Linked {
    pub error_id: i64,
    /// Number of the issue in its project.
    pub iid: i64,
    pub state: IssueState,
    pub project_path: String,
}

impl Linked {
    pub fn path(&self) -> String {
        format!("/{}/-/issues/{}", self.project_path, self.iid)
    }
}

/// The issues about these errors that the viewer may see, by error.
pub fn seen(tx: &mut Tx<'_>, viewer: &Viewer, errors: Vec<i64>) -> Result<HashMap<i64, Linked>> {
    let mut query = Fragment::new(
        "select about.error_id, issues.iid, issues.state, projects.full_path as project_path
         from error_tracking_issues about join issues on issues.id = about.issue_id
         join projects on projects.id = issues.project_id where",
    );
    query.in_list("about.error_id", errors).raw(" and ");
    query.append(visible(tx, viewer, &Scope::Everywhere));
    let rows: Vec<Linked> = tx.query(query)?;
    Ok(rows.into_iter().map(|row| (row.error_id, row)).collect())
}

pub fn of_error(tx: &mut Tx<'_>, error_id: i64) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!("select issue_id from error_tracking_issues where error_id = $1"),
        (error_id,),
    )?)
}

/// Says that this issue is about the error, and no other.
pub fn link(tx: &mut Tx<'_>, error_id: i64, issue_id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into error_tracking_issues (error_id, issue_id, created_at)
             values ($1, $2, $3)
             on conflict (error_id) do update
             set issue_id = excluded.issue_id, created_at = excluded.created_at"
        ),
        (error_id, issue_id, now),
    )?;
    Ok(())
}

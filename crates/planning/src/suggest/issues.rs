//! Issues of a project, or of the projects below a group.

use super::{MOST, Suggestion};
use crate::access::{Parent, ParentAccess, ProjectAccess, Scope, visible};
use crate::model::IssueState;
use crate::store::contains;
use identity::viewer::Viewer;
use kernel::error::Result;
use store::{Fragment, Tx};

/// Issues, the newest, whose titles are looked through; older ones are found
/// by their number.
const RECENT: i64 = 5_000;

/// Open ones first, then the newest. The value is what stands behind the `#`
/// in a project, and the whole reference in a group.
pub fn titled(
    tx: &mut Tx<'_>, viewer: &Viewer, here: ParentAccess, typed: &str,
) -> Result<Vec<Suggestion>> {
    let number: Option<i64> = typed.trim_start_matches('#').parse().ok();
    let (scope, newest_first) = match here.parent {
        Parent::Project(project) => {
            let desk = ProjectAccess { project: *project, level: here.level };
            (Scope::Project(Box::new(desk)), "issues.iid desc")
        }
        Parent::Group(group) => (Scope::Group(group), "issues.id desc"),
    };
    let is_project = matches!(scope, Scope::Project(_));
    let looked_through = looked_through(&visible(tx, viewer, &scope), newest_first, number);
    let mut query = Fragment::new(
        "select issues.iid, issues.title, issues.state, projects.full_path
         from issues join projects on projects.id = issues.project_id where issues.id in (",
    );
    query.append(looked_through).raw(")");
    match number {
        Some(number) => {
            query
                .push(" and (cast(issues.iid as text) like ", format!("{number}%"))
                .raw(" or (1 = 1");
            contains(&mut query, &["issues.title_folded"], typed);
            query
                .push(")) order by case when issues.iid = ", number)
                .raw(" then 0 else 1 end, ");
        }
        None => {
            contains(&mut query, &["issues.title_folded"], typed);
            query.raw(" order by ");
        }
    }
    query.push("issues.state desc, issues.id desc limit ", MOST);
    let found = tx.query::<(i64, String, IssueState, String)>(query)?;
    let issue = |(iid, label, state, path): (i64, String, IssueState, String)| {
        let closed = if state == IssueState::Closed { ", closed" } else { "" };
        let (value, path) = match is_project {
            true => (iid.to_string(), String::new()),
            false => (format!("{path}#{iid}"), path),
        };
        let detail = format!("{path}#{iid}{closed}");
        Suggestion { value, label, detail, ..Suggestion::default() }
    };
    Ok(found.into_iter().map(issue).collect())
}

/// Ids of the newest issues that the viewer sees, and of those of a number.
fn looked_through(seen: &Fragment, newest_first: &str, number: Option<i64>) -> Fragment {
    const FROM: &str = "select issues.id from issues
        join projects on projects.id = issues.project_id where ";
    let mut ids = Fragment::new("select newest.id from (");
    ids.raw(FROM)
        .append(seen.clone())
        .raw(&format!(" order by {newest_first}"))
        .push(" limit ", RECENT)
        .raw(") as newest");
    if let Some(number) = number {
        ids.raw(" union ")
            .raw(FROM)
            .append(seen.clone())
            .push(" and issues.iid = ", number);
    }
    ids
}

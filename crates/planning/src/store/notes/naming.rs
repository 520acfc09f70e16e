//! What notes of the program name: only who sees that sees them.

use super::{ISSUE, Noteable};
use crate::access::epics::is_visible;
use crate::access::{Scope, visible};
use crate::requests;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{Purpose, visible_projects};
use store::{Fragment, Tx, sql};

/// The project whose code a note of the program names.
pub fn name_code(tx: &mut Tx<'_>, id: i64, project_id: i64) -> Result<()> {
    tx.execute(sql!("update notes set names_code_of_id = $2 where id = $1"), (id, project_id))?;
    Ok(())
}

/// The epic that a note of the program names.
pub fn name_epic(tx: &mut Tx<'_>, id: i64, epic_id: i64) -> Result<()> {
    tx.execute(sql!("update notes set names_epic_id = $2 where id = $1"), (id, epic_id))?;
    Ok(())
}

/// The merge request that a note of the program names.
pub fn name_request(tx: &mut Tx<'_>, id: i64, request_id: i64) -> Result<()> {
    tx.execute(sql!("update notes set names_request_id = $2 where id = $1"), (id, request_id))?;
    Ok(())
}

/// Whether the program has said exactly this of a thing.
pub fn is_told(tx: &mut Tx<'_>, of: Noteable, body: &str) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from notes where noteable_type = $1 and noteable_id = $2 and is_system
                and body = $3 limit 1"
        ),
        (of.kind, of.id, body),
    )?;
    Ok(found.is_some())
}

/// What a note of the program names.
#[derive(Debug, Clone, Copy)]
pub enum Naming {
    Issue(i64),
    Epic(i64),
    Request(i64),
}

/// Whether the program has told of a thing, in words that begin so, that another names it.
pub fn is_named(tx: &mut Tx<'_>, of: Noteable, by: Naming, words: &str) -> Result<bool> {
    let mut query = Fragment::new("select notes.id from notes where notes.noteable_type = ");
    query
        .bind(of.kind)
        .push(" and notes.noteable_id = ", of.id)
        .raw(" and notes.is_system");
    match by {
        Naming::Issue(id) => query.push(" and notes.names_issue_id = ", id),
        Naming::Epic(id) => query.push(" and notes.names_epic_id = ", id),
        Naming::Request(id) => query.push(" and notes.names_request_id = ", id),
    };
    query
        .push(" and notes.body like ", format!("{words}%"))
        .raw(" escape '\\' limit 1");
    Ok(!tx.query::<i64>(query)?.is_empty())
}

/// ` and …` on `notes` about things of a kind, or of any but epics: the epic and the merge
/// request that they name, the code, and on all but issues the issue, is what the viewer
/// sees. It costs nothing for the rest.
pub fn naming_what_is_seen(tx: &Tx<'_>, viewer: &Viewer, kind: Option<&str>) -> Fragment {
    let mut seen = Fragment::new(" and (notes.names_epic_id is null or ");
    seen.append(is_visible(tx, viewer, "notes.names_epic_id"))
        .raw(") and (notes.names_request_id is null or ")
        .append(request_is_visible(tx, viewer))
        .raw(
            ") and (notes.names_code_of_id is null or exists (select 1 from projects
                where projects.id = notes.names_code_of_id and ",
        )
        .append(visible_projects(tx, viewer, Purpose::DownloadCode))
        .raw("))");
    if kind == Some(ISSUE) {
        // Those on issues name some of the same project.
        return seen;
    }
    seen.raw(" and (notes.names_issue_id is null");
    if kind.is_none() {
        seen.push(" or notes.noteable_type = ", ISSUE);
    }
    seen.raw(
        " or exists (select 1 from issues join projects on projects.id = issues.project_id
            where issues.id = notes.names_issue_id and ",
    )
    .append(visible(tx, viewer, &Scope::Everywhere))
    .raw("))");
    seen
}

/// Condition on `notes`: the merge request that they name is one that the viewer sees.
fn request_is_visible(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    requests::is_visible(tx, viewer, "notes.names_request_id")
}

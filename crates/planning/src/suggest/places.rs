//! Projects and groups that the viewer sees.

use super::{MOST, Suggestion, beginnings_first};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::PageViewer;
use spaces::access::{Purpose, visible_groups, visible_projects};
use spaces::store::filters::{search_groups, search_projects};
use spaces::store::{namespaces, projects as projects_in};
use store::{Fragment, Tx};

/// Those where something happened last come first.
pub fn projects(tx: &mut Tx<'_>, viewer: &Viewer, typed: &str) -> Result<Vec<Suggestion>> {
    let mut condition = visible_projects(tx, viewer, Purpose::Read);
    search_projects(&mut condition, typed);
    let order = "projects.last_activity_at desc, projects.id desc";
    let found = projects_in(tx, &condition, order, MOST, 0)?;
    let names = found.into_iter().map(|project| suggestion(project.name, project.full_path));
    Ok(names.collect())
}

/// By path.
pub fn groups(tx: &mut Tx<'_>, viewer: &Viewer, typed: &str) -> Result<Vec<Suggestion>> {
    let mut condition = visible_groups(tx, viewer);
    search_groups(&mut condition, Some(typed));
    let found = namespaces(tx, &condition, "namespaces.full_path_folded", MOST, 0)?;
    let names = found.into_iter().map(|group| suggestion(group.name, group.full_path));
    Ok(names.collect())
}

/// Groups that texts may name, those first whose path begins so.
pub fn mentionable_groups(
    tx: &mut Tx<'_>, viewer: &Viewer, typed: &str,
) -> Result<Vec<Suggestion>> {
    let mut query =
        Fragment::new("select namespaces.name, namespaces.full_path from namespaces where ");
    query
        .append(visible_groups(tx, viewer))
        .raw(" and coalesce(namespaces.mentions_disabled, false) = false");
    search_groups(&mut query, Some(typed));
    query.raw(" order by ");
    beginnings_first(&mut query, &["namespaces.full_path_folded"], typed);
    query.push("namespaces.full_path_folded limit ", MOST);
    let found = tx.query::<(String, String)>(query)?;
    let group = |(name, path): (String, String)| Suggestion {
        letters: Some(PageViewer::initials(&name)),
        label: name,
        detail: format!("@{path}, group"),
        value: path,
        color: None,
    };
    Ok(found.into_iter().map(group).collect())
}

fn suggestion(name: String, full_path: String) -> Suggestion {
    Suggestion {
        value: full_path.clone(),
        label: name,
        detail: full_path,
        ..Suggestion::default()
    }
}

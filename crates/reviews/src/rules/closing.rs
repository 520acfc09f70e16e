//! Issues that go with the merge: those that the title, the description and the commits
//! say they close, as far as who says so sees them. Only a merge into the default branch
//! closes any.

use crate::model::MergeRequest;
use crate::store::closing as rows;
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use planning::access::{Scope, visible};
use planning::formats::closing::closed;
use planning::formats::references::{Name, named};
use planning::model::Issue;
use planning::rules::references::{own_address, project_path};
use planning::store::issues;
use repositories::objects::Commit;
use spaces::model::Project;

/// Commits whose messages are read.
const MOST_COMMITS: usize = 100;

/// Whether merging it closes issues.
pub fn closes_any(project: &Project, request: &MergeRequest) -> bool {
    project.default_branch.as_deref() == Some(request.target_branch.as_str())
}

/// Writes which issues the text of a merge request closes.
pub fn note_text(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<()> {
    let own = own_address(tx)?;
    let names = match closes_any(project, request) {
        true => closed(&format!("{}\n\n{}", request.title, request.text()), own),
        false => Vec::new(),
    };
    let issues = issues_of(tx, viewer, project, &names)?;
    let ids: Vec<i64> = issues.iter().map(|issue| issue.id).collect();
    rows::set(tx, request.id, &ids, false)
}

/// Writes which issues the newest commits of a merge request close.
pub fn note_commits(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest, commits: &[Commit],
) -> Result<()> {
    let (mut names, own) = (Vec::new(), own_address(tx)?);
    if closes_any(project, request) {
        for commit in commits.iter().take(MOST_COMMITS) {
            names.extend(closed(&commit.message, own));
        }
    }
    let issues = issues_of(tx, viewer, project, &names)?;
    let ids: Vec<i64> = issues.iter().map(|issue| issue.id).collect();
    rows::set(tx, request.id, &ids, true)
}

/// The issues that texts name, as far as the viewer sees them.
pub fn named_in<'t>(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, texts: impl IntoIterator<Item = &'t str>,
) -> Result<Vec<Issue>> {
    let own = own_address(tx)?;
    let names: Vec<Name> = texts.into_iter().flat_map(|text| named(text, own)).collect();
    issues_of(tx, viewer, project, &names)
}

/// The issues of some names that the viewer sees, in one statement.
fn issues_of(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, names: &[Name],
) -> Result<Vec<Issue>> {
    let mut places: Vec<(String, i64)> = Vec::new();
    for name in names {
        if let Some(place) = place(project, name)
            && places.len() < rows::MOST
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let (paths, iids): (Vec<String>, Vec<i64>) = places.iter().cloned().unzip();
    let mut wanted = Fragment::default();
    wanted
        .in_list("projects.full_path_folded", paths)
        .raw(" and")
        .in_list("issues.iid", iids)
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere));
    let mut found = issues::of_condition(tx, wanted)?;
    found.retain(|issue| places.contains(&(fold(&issue.project_path), issue.iid)));
    Ok(found)
}

/// The folded path of the project that a name means, and the number of the issue.
fn place(project: &Project, name: &Name) -> Option<(String, i64)> {
    match name {
        Name::Issue(path, iid) => Some((fold(&project_path(project, path.as_deref())), *iid)),
        _ => None,
    }
}

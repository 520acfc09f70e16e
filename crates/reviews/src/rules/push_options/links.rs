//! Where the merge requests of pushed branches are, or are made.

use super::apply::usual_target;
use super::{Branch, MOST, Push};
use crate::access::{Scope, is_switched_on, visible};
use crate::model::MergeRequest;
use crate::store::{self as rows, settings};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::model::Project;
use spaces::pages::filtered;

/// The lines for all branches; none where their project does not wish for them.
pub(super) async fn of(push: &Push<'_>) -> Result<Vec<String>> {
    let few: Vec<Branch> = push.branches.iter().take(MOST).cloned().collect();
    let (viewer, project) = (push.viewer.clone(), push.project.clone());
    let base_url = push.app.base_url().to_owned();
    let read = move |tx: &mut Tx<'_>| lines(tx, &viewer, (&project, &base_url), &few);
    push.app.read(read).await
}

fn lines(
    tx: &mut Tx<'_>, viewer: &Viewer, (project, base_url): (&Project, &str), branches: &[Branch],
) -> Result<Vec<String>> {
    if !settings::of_project(tx, project.id)?.print_links {
        return Ok(Vec::new());
    }
    let names: Vec<String> = branches.iter().map(|branch| branch.name.clone()).collect();
    let open = rows::pending_from(tx, project.id, &names)?;
    let ids: Vec<i64> = open.iter().map(|request| request.id).collect();
    let condition = visible(tx, viewer, &Scope::Everywhere);
    let seen = rows::by_ids(tx, &ids, condition)?;
    let makes_some = is_switched_on(&usual_target(tx, viewer, project)?);
    let mut lines = Vec::new();
    for name in &names {
        let urls: Vec<String> = seen
            .iter()
            .filter(|request: &&MergeRequest| request.source_branch == *name)
            .map(|request| format!("{base_url}{}", request.path()))
            .collect();
        lines.extend(match urls.is_empty() {
            false => told(&format!("View merge request for {name}:"), urls),
            true if makes_some => {
                let page = format!("{}/-/merge_requests/new", project.web_url(base_url));
                let url = filtered(&page, &[("merge_request[source_branch]", name)]);
                told(&format!("To create a merge request for {name}, visit:"), vec![url])
            }
            true => Vec::new(),
        });
    }
    Ok(lines)
}

/// Some addresses below what they are of, with room around them.
fn told(heading: &str, urls: Vec<String>) -> Vec<String> {
    let mut lines = vec![String::new(), heading.to_owned()];
    lines.extend(urls.into_iter().map(|url| format!("  {url}")));
    lines.push(String::new());
    lines
}

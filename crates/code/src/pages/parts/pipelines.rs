//! How far the newest pipelines of commits are, beside the commits.

use crate::hooks::{self, LastPipeline};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{StateDot, state_dot};
use repositories::formats::object_id::ObjectId;
use spaces::model::Project;

/// A mark for each of some commits, one for one, read all at once; none for who sees no
/// pipelines, and for commits that have none.
pub async fn of_commits(
    app: &App, viewer: &Viewer, (project, url): (&Project, &str), commits: &[ObjectId],
) -> Result<Vec<Option<StateDot>>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let (viewer, project) = (viewer.clone(), project.clone());
    let shas: Vec<String> = commits.iter().map(ToString::to_string).collect();
    let found = app.read(move |tx| {
        let keys: Vec<(&Project, String)> =
            shas.iter().map(|sha| (&project, sha.clone())).collect();
        let found = hooks::last_pipelines(tx, &viewer, &keys)?;
        let id = project.id;
        Ok(shas.into_iter().map(|sha| found.get(&(id, sha)).cloned()).collect::<Vec<_>>())
    });
    Ok(found.await?.into_iter().map(|one| one.map(|last| dot(&last, url))).collect())
}

fn dot(last: &LastPipeline, project_url: &str) -> StateDot {
    let url = format!("{project_url}/-/pipelines/{}", last.id);
    let text = format!("Pipeline: {}", last.look.text);
    state_dot(text, &last.look.group, last.look.picture, url)
}

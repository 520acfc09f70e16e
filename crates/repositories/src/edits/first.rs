//! The first commit of all.

use super::{Action, ActionKind, EditRequest, Refused, commit, pushing};
use crate::objects::Commit;
use crate::store;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use spaces::model::Project;

/// Makes the default branch of a project that has none yet, with a README.
pub async fn initialize(
    app: &App, viewer: &Viewer, project: &Project, readme: String,
) -> Result<Result<Commit, Refused>> {
    let id = pushing(app, viewer, project).await?.repository_id;
    let repository = app.read(move |tx| store::by_id(tx, id)?.found("Repository")).await?;
    let branch = repository.head.as_branch().unwrap_or_default();
    let action = Action {
        content: Some(readme.into()),
        ..Action::new(ActionKind::Create, "README.md")
    };
    let request = EditRequest::new(branch, "Initial commit", vec![action]);
    commit(app, viewer, project, request).await
}

/// The same for a project that was just made.
pub fn initialize_new(
    app: App, viewer: Viewer, project: Project,
) -> BoxFuture<'static, Result<()>> {
    let begun = async move {
        let made = initialize(&app, &viewer, &project, readme(&project)).await?;
        made.map(drop).map_err(Into::into)
    };
    begun.boxed()
}

fn readme(project: &Project) -> String {
    match project.description.as_deref().filter(|text| !text.is_empty()) {
        Some(description) => format!("# {}\n\n{description}\n", project.name),
        None => format!("# {}\n", project.name),
    }
}

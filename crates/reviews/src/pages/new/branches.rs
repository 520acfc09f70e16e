//! Which branches a merge request is made of.

use super::places::{Begun, Places};
use ::store::Tx;
use askama::Template;
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Html, Page};
use kernel::http::Response;
use repositories::model::RepositoryKind;
use repositories::store::{of_project, refs};
use spaces::model::Project;
use spaces::pages::{Section, Visit};
use spaces::rules::may_fork;

/// Names of branches that a field suggests.
const SUGGESTED: usize = 500;

#[derive(Template)]
#[template(path = "merge_request/branches.html")]
struct BranchesView {
    page: Page,
    /// Where both are compared.
    url: String,
    back: String,
    /// Where the project is forked, for who writes to none of its branches and may.
    fork_url: Option<String>,
    source: Side,
    target: Side,
    errors: Errors,
}

/// One of the two branches.
struct Side {
    projects: Vec<Choice>,
    project_id: String,
    branch: String,
    suggested: Vec<String>,
}

impl BranchesView {
    /// Whether there is a branch for each side.
    fn is_possible(&self) -> bool {
        !self.source.projects.is_empty() && !self.target.projects.is_empty()
    }
}

/// The form that asks for both branches.
pub async fn render(app: &App, visit: Visit, begun: Begun, refusal: Refusal) -> Result<Response> {
    let page = refusal.page(app, &visit.viewer, "New merge request");
    let status = refusal.status();
    let view = app.read(move |tx| {
        let places = Places::find(tx, &visit, &begun)?;
        let here = places.space.project()?;
        let back = format!("{}/-/merge_requests", places.space.url());
        let head = places.space.head(tx, &visit.viewer)?;
        let default = places.target.as_ref().and_then(|target| target.default_branch.clone());
        let into = match begun.target_branch.trim() {
            "" => default.unwrap_or_default(),
            name => name.to_owned(),
        };
        let from = begun.source_branch.trim().to_owned();
        let fork_url = match places.source.is_none() && may_fork(tx, &visit.viewer, here)? {
            true => Some(format!("{}/-/forks/new", places.space.url())),
            false => None,
        };
        Ok(BranchesView {
            page: head.page_below(page, Section::MergeRequests),
            url: format!("{back}/new"),
            source: side(tx, &places.sources, places.source.as_ref(), from)?,
            target: side(tx, &places.targets, places.target.as_ref(), into)?,
            errors: refusal.errors,
            fork_url,
            back,
        })
    });
    Ok(Html::new(&view.await?)?.status(status).response())
}

fn side(
    tx: &mut Tx<'_>, projects: &[Project], chosen: Option<&Project>, branch: String,
) -> Result<Side> {
    let choice = |project: &Project| Choice {
        value: project.id.to_string(),
        label: project.full_path.clone(),
    };
    Ok(Side {
        projects: projects.iter().map(choice).collect(),
        project_id: chosen.map(|project| project.id.to_string()).unwrap_or_default(),
        suggested: match chosen {
            Some(project) => suggested(tx, project)?,
            None => Vec::new(),
        },
        branch,
    })
}

/// The first branches by name.
fn suggested(tx: &mut Tx<'_>, project: &Project) -> Result<Vec<String>> {
    let Some(repository) = of_project(tx, project.id, RepositoryKind::Project)? else {
        return Ok(Vec::new());
    };
    let found = refs::beginning(tx, repository.id, &["refs/heads/".to_owned()])?;
    let names = found.iter().filter_map(|one| one.name.as_branch());
    Ok(names.take(SUGGESTED).map(str::to_owned).collect())
}

//! Which repositories somebody searches: those they may read, and no others.

use super::{MOST_REPOSITORIES, store};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Commit, Objects, Revision};
use repositories::store as repositories_store;
use spaces::access::{self, Purpose};
use spaces::model::Project;
use spaces::search::Place;
use std::collections::HashMap;

/// A repository that is searched, at one commit of it.
#[derive(Debug, Clone)]
pub struct Searched {
    pub project: Project,
    pub repository: Repository,
    revision: Revision,
    /// The branch, tag or commit as it is named.
    pub ref_name: String,
}

/// What narrows the repositories of a place.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Of one project, the branch, tag or commit; the default branch unless said.
    pub ref_name: Option<String>,
    /// Also archived projects, where none was named.
    pub with_archived: bool,
}

impl Searched {
    /// The commit that is searched; none if there is no such one.
    pub(super) async fn tip(&self, app: &App) -> Result<Option<Commit>> {
        let revision = self.revision.clone();
        let find = move |objects: &Objects| objects.commit_at(&revision);
        objects::read(app, &self.repository, find).await
    }

    /// Where the project is on this server.
    pub fn project_url(&self) -> String {
        format!("/{}", self.project.full_path)
    }
}

/// Whether the viewer may read code there at all: of a project, its own.
pub fn is_open(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<bool> {
    match place {
        Place::Project(project, _) => access::may(tx, viewer, project, Purpose::DownloadCode),
        Place::Everywhere | Place::Group(_) => Ok(true),
    }
}

/// The repositories of a place that the viewer may read, those pushed to last first.
pub fn read(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, wanted: &Wanted,
) -> Result<Vec<Searched>> {
    let projects = match place {
        Place::Project(project, _) => match is_open(tx, viewer, place)? {
            true => vec![project.as_ref().clone()],
            false => Vec::new(),
        },
        Place::Everywhere | Place::Group(_) => {
            store::pushed_last(tx, viewer, place, wanted.with_archived, MOST_REPOSITORIES)?
        }
    };
    let ref_name = match place {
        Place::Project(..) => wanted.ref_name.as_deref().filter(|name| !name.is_empty()),
        Place::Everywhere | Place::Group(_) => None,
    };
    with_revisions(tx, projects, ref_name)
}

/// Those of some projects that have what a name stands for; without one, HEAD.
fn with_revisions(
    tx: &mut Tx<'_>, projects: Vec<Project>, ref_name: Option<&str>,
) -> Result<Vec<Searched>> {
    let ids = projects.iter().map(|project| project.id).collect();
    let repositories = repositories_store::of_projects(tx, ids, RepositoryKind::Project)?;
    let named: Vec<&Repository> = repositories.iter().collect();
    let revisions = objects::named_in_each(tx, &named, ref_name.unwrap_or("HEAD"))?;
    let found = repositories.iter().cloned().zip(revisions);
    let mut found: HashMap<Option<i64>, (Repository, Option<Revision>)> =
        found.map(|(one, revision)| (one.project_id, (one, revision))).collect();
    let searched = projects.into_iter().filter_map(|project| {
        let (repository, revision) = found.remove(&Some(project.id))?;
        let head = repository.head.as_branch().unwrap_or("HEAD");
        Some(Searched {
            ref_name: ref_name.unwrap_or(head).to_owned(),
            revision: revision?,
            project,
            repository,
        })
    });
    Ok(searched.collect())
}

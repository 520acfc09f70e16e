//! Code on the first page of a project: the default branch, how to take it away, and
//! how to begin where there is none yet.

use super::contents::FolderView;
use super::parts::{CloneBox, Mirrored, RefMenu};
use super::{CodeHead, Spot};
use crate::access::{self, Code};
use crate::counts;
use crate::folder::Folder;
use askama::Template;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui;
use repositories::model::RepositoryKind;
use repositories::objects::{self, Objects};
use repositories::store::refs;
use spaces::access::{Purpose, may};
use spaces::model::Project;
use spaces::pages::code_front::{CodeFront, CodeHtml};
use spaces::pages::{Space, SpaceHead};
use store::Tx;

/// What is read of the repository.
struct Begun {
    viewer: Viewer,
    head: CodeHead,
    spot: Spot,
    refs: RefMenu,
    branches: i64,
    tags: i64,
    mirrored: Option<Mirrored>,
}

/// A repository that nothing was pushed to.
struct Empty {
    project: Project,
    branch: String,
    mirrored: Option<Mirrored>,
}

#[derive(Template)]
#[template(path = "home_code.html")]
struct HomeView {
    mirrored: Option<Mirrored>,
    refs: RefMenu,
    clone: CloneBox,
    find_url: String,
    /// Number, what is counted, and where it is listed.
    counts: Vec<(String, &'static str, String)>,
    folder: FolderView,
}

#[derive(Template)]
#[template(path = "empty_repository.html")]
struct EmptyView {
    mirrored: Option<Mirrored>,
    clone: CloneBox,
    new: String,
    existing: String,
}

/// Reads what the first page shows of a project's code.
pub fn front(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, head: &SpaceHead,
) -> Result<Option<Box<dyn CodeFront>>> {
    let project = space.project()?;
    let mirrored = Mirrored::read(tx, project, head)?;
    let repository = repositories::store::of_project(tx, project.id, RepositoryKind::Project)?;
    let spot = match &repository {
        Some(repository) => Spot::read(tx, repository, "", None)?,
        None => None,
    };
    if let (Some(repository), Some(spot)) = (&repository, spot) {
        let at = (head.url.as_str(), "tree");
        let (branches, tags) = refs::counts(tx, repository.id)?;
        return Ok(Some(Box::new(Begun {
            viewer: viewer.clone(),
            refs: RefMenu::read(tx, repository, at, &spot, None)?,
            head: CodeHead {
                space: space.clone(),
                head: head.clone(),
                code: Code {
                    project: project.clone(),
                    repository: repository.clone().into(),
                },
                can_push: false,
            },
            spot,
            branches,
            tags,
            mirrored,
        })));
    }
    let has_refs = match &repository {
        Some(repository) => refs::counts(tx, repository.id)? != (0, 0),
        None => false,
    };
    if has_refs || !may(tx, viewer, project, Purpose::PushCode)? {
        return Ok(None);
    }
    let branch = repository.as_ref().and_then(|one| one.head.as_branch());
    let branch = branch.or(project.default_branch.as_deref()).unwrap_or("main").to_owned();
    Ok(Some(Box::new(Empty { project: project.clone(), branch, mirrored })))
}

impl CodeFront for Begun {
    fn html(self: Box<Self>, app: App) -> BoxFuture<'static, Result<CodeHtml>> {
        Box::pin(async move {
            let shown = match self.view(&app).await {
                Ok(view) => view.render(),
                // The rest of the page does without.
                Err(error) => {
                    tracing::warn!(%error, "no code on the page of a project");
                    ui::alert("The code cannot be shown now. Try again later.").render()
                }
            };
            Ok(CodeHtml { html: shown.map_err(Error::internal)?, is_begun: true })
        })
    }
}

impl Begun {
    async fn view(self, app: &App) -> Result<HomeView> {
        let Begun { viewer, head, spot, refs, branches, tags, mirrored } = self;
        let revision = spot.revision.clone();
        let read = move |objects: &Objects| {
            let commit = access::commit(objects, &revision, "Tree")?;
            Folder::read(objects, commit, &Default::default(), 0)
        };
        let repository = head.code.repository()?;
        let folder = objects::read(app, repository, read).await?.ok_or(Error::NotFound("Tree"))?;
        let (commits, has_more) = counts::commits(app, repository, folder.commit.id).await?;
        let more = if has_more { "+" } else { "" };
        let at = |page: &str| format!("{}/-/{page}", head.url());
        let noun = |number: i64, one, many| if number == 1 { one } else { many };
        Ok(HomeView {
            mirrored,
            refs,
            clone: CloneBox::of(app.base_url(), &head.code.project, Some(&spot.name)),
            find_url: spot.url(head.url(), "find_file", &Default::default()),
            counts: vec![
                (
                    format!("{commits}{more}"),
                    noun(commits as i64, "commit", "commits"),
                    spot.url(head.url(), "commits", &Default::default()),
                ),
                (branches.to_string(), noun(branches, "branch", "branches"), at("branches")),
                (tags.to_string(), noun(tags, "tag", "tags"), at("tags")),
            ],
            folder: FolderView::of(app, &viewer, (&head, &spot), &folder, 0).await?,
        })
    }
}

impl CodeFront for Empty {
    fn html(self: Box<Self>, app: App) -> BoxFuture<'static, Result<CodeHtml>> {
        Box::pin(async move {
            let html = self.view(app.base_url()).render().map_err(Error::internal)?;
            Ok(CodeHtml { html, is_begun: false })
        })
    }
}

impl Empty {
    /// What is typed to begin.
    fn view(&self, base_url: &str) -> EmptyView {
        let Empty { project, branch, mirrored } = self;
        let url = format!("{base_url}/{}.git", project.full_path);
        let path = &project.path;
        // Names of branches may hold what shells read.
        let branch = format!("'{}'", branch.replace('\'', "'\\''"));
        EmptyView {
            mirrored: mirrored.clone(),
            clone: CloneBox::of(base_url, project, None),
            new: format!(
                "git clone {url}\ncd {path}\ngit switch --create {branch}\n\
                 echo '# {path}' > README.md\ngit add README.md\n\
                 git commit --message 'Add a README'\n\
                 git push --set-upstream origin {branch}"
            ),
            existing: format!(
                "git remote add origin {url}\n\
                 git push --set-upstream origin --all\n\
                 git push --set-upstream origin --tags"
            ),
        }
    }
}

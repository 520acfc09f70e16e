//! The type `Repository`, below `Project`.

use super::commits::CommitView;
use super::{each, ref_arguments, ref_of, revisions};
use identity::graph::viewer;
use kernel::graph::{Args, Context, Cost, Fault, Graph, HasTypeRef, INT, STRING, argument, object};
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::protection::model::fits;
use repositories::store;
use spaces::access::{Levels, Purpose};
use spaces::graph::ProjectView;
use spaces::model::Project;
use std::collections::HashMap;
use std::sync::Arc;

/// Most names of branches that are answered at once.
const MOST_NAMES: usize = 1_000;

/// The repository of a project whose code the viewer may read.
pub struct RepositoryView {
    pub project: Project,
    /// It has one once something was written.
    pub repository: Option<Repository>,
    pub is_empty: bool,
    base_url: String,
}

impl RepositoryView {
    /// The address of the project without the host.
    pub fn path(&self) -> String {
        format!("/{}", self.project.full_path)
    }

    /// An address as others reach it.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    fn head(&self) -> Option<&RefName> {
        let repository = self.repository.as_ref().filter(|_| !self.is_empty);
        repository.map(|repository| &repository.head)
    }

    /// A ref as addresses have it: `HEAD` is the branch it stands for.
    pub fn shown_ref(&self, name: &str) -> String {
        let head = self.head().and_then(|head| head.as_branch());
        match name {
            "HEAD" => head.unwrap_or(name).to_owned(),
            _ => name.to_owned(),
        }
    }
}

pub fn graph(g: &mut Graph) {
    let [name, kind] = ref_arguments();
    g.object::<RepositoryView>("Repository", "The code of a project.")
        .value("rootRef", "The default branch.", |it| {
            it.head().and_then(|head| head.as_branch()).map(str::to_owned)
        })
        .value("empty", "Whether it has no branch yet.", |it| it.is_empty)
        .value("exists", "Whether anything was written into it.", |it| it.repository.is_some())
        .value("diskPath", "Where it lies on a disk: nowhere, its packs are blobs.", |_| {
            None::<String>
        })
        .level("branchNames", STRING.required().list(), names)
        .describe("The branches whose names fit a pattern, in their order.")
        .cost(Cost::Constant(170))
        .arg(argument("searchPattern", STRING.required()).describe("`*` stands for any text."))
        .arg(argument("offset", INT.required()).describe("How many are skipped."))
        .arg(argument("limit", INT.required()).describe("Most that are answered, up to 1000."))
        .level("commit", object::<CommitView>("Commit"), commits)
        .describe("What a ref stands for.")
        .cost(Cost::LookedUp)
        .git()
        .arg(name)
        .arg(kind);
    g.on::<ProjectView>("Project")
        .level("repository", object::<RepositoryView>("Repository"), |of, _, context| {
            repositories_of(of, context)
        })
        .describe("Its code; null for those who may not read that.");
}

async fn repositories_of(
    projects: Vec<Arc<ProjectView>>, context: Context,
) -> Result<Vec<Option<Arc<RepositoryView>>>, Fault> {
    let projects: Vec<Project> = projects.iter().map(|it| it.project.clone()).collect();
    views(&context, projects).await
}

/// The repositories of projects, one for one, in as many statements for any number; null
/// where the viewer may not read code.
pub async fn views(
    context: &Context, projects: Vec<Project>,
) -> Result<Vec<Option<Arc<RepositoryView>>>, Fault> {
    let reader = viewer(context);
    let base_url = context.app()?.base_url().to_owned();
    let found = context.app()?.read(move |tx| {
        let rows: Vec<&Project> = projects.iter().collect();
        let levels = Levels::in_projects(tx, &reader, &rows)?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let begun = store::sizes(tx, &ids)?;
        let there = store::of_projects(tx, ids, RepositoryKind::Project)?;
        let there: HashMap<Option<i64>, Repository> =
            there.into_iter().map(|one| (one.project_id, one)).collect();
        let view = |project: &Project| {
            levels.may(project, Purpose::DownloadCode).then(|| {
                Arc::new(RepositoryView {
                    project: project.clone(),
                    repository: there.get(&Some(project.id)).cloned(),
                    is_empty: !begun.contains_key(&project.id),
                    base_url: base_url.clone(),
                })
            })
        };
        Ok(projects.iter().map(view).collect())
    });
    Ok(found.await?)
}

async fn names(
    of: Vec<Arc<RepositoryView>>, args: Args, context: Context,
) -> Result<Vec<Option<Vec<String>>>, Fault> {
    let (pattern, offset, limit): (String, i64, i64) =
        (args.get("searchPattern")?, args.get("offset")?, args.get("limit")?);
    let ids: Vec<i64> = of.iter().filter_map(|it| it.repository.as_ref()).map(|it| it.id).collect();
    let read = context.app()?.read(move |tx| store::refs::branches_of_each(tx, ids));
    let (found, count) = (read.await?, |number: i64| usize::try_from(number).unwrap_or_default());
    let part = |it: &Arc<RepositoryView>| {
        let all = it.repository.as_ref().and_then(|one| found.get(&one.id));
        let names = all.into_iter().flatten().filter_map(|name| name.as_branch());
        let fitting = names.filter(|name| fits(&pattern, name)).map(str::to_owned);
        Some(fitting.skip(count(offset)).take(count(limit).min(MOST_NAMES)).collect())
    };
    Ok(of.iter().map(part).collect())
}

async fn commits(
    of: Vec<Arc<RepositoryView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<CommitView>>>, Fault> {
    let (_, text) = ref_of(&args)?;
    let found = revisions(&context, &of, text).await?;
    let asked = of.into_iter().zip(found).collect();
    each(&context, asked, |objects, view, revision| {
        let commit = objects.commit_at(revision)?;
        Ok(commit.map(|commit| Arc::new(CommitView { view: view.clone(), commit })))
    })
    .await
}

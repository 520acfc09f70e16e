//! The type `Project`, and one project by its path.

use super::{Groups, NamespaceView, Namespaces, PROJECT_ID, ProjectView, shown};
use crate::access::{self, Purpose};
use crate::entities::{Sizes, sizes};
use crate::imports;
use crate::model::{Project, Visibility};
use crate::store::projects_where;
use identity::graph::viewer;
use identity::viewer::Viewer;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::{
    BOOLEAN, Context, Cost, FLOAT, Fault, Graph, HasTypeRef, ID, INT, Mark, ObjectBuilder, STRING,
    TIME, argument, object,
};
use kernel::ids::{Reference, fold};
use kernel::markup;
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    statistics(g);
    let project = g.object::<ProjectView>("Project", "A project.");
    let project = addresses(described(project));
    features(project)
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| {
            Some(it.project.namespace_id)
        })
        .describe("The group it is in; null in a user's namespace.")
        .load::<Namespaces, _>("namespace", object::<NamespaceView>("Namespace"), |it| {
            Some(it.project.namespace_id)
        })
        .describe("Where it is.");
    g.query()
        .answer("project", object::<ProjectView>("Project"), |args, context| async move {
            let path: String = args.get("fullPath")?;
            let reader = viewer(&context);
            let found = context.app()?.read(move |tx| find(tx, &reader, path));
            Ok(Some(shown(&context, found.await?)?))
        })
        .describe("One project.")
        .arg(argument("fullPath", ID.required()).describe("Its full path."));
}

fn described(project: ObjectBuilder<'_, ProjectView>) -> ObjectBuilder<'_, ProjectView> {
    project
        .field("id", ID.required(), |it| PROJECT_ID.of(it.project.id))
        .describe("Global ID.")
        .field("path", STRING.required(), |it| it.project.path.clone())
        .describe("Last part of its path.")
        .field("name", STRING.required(), |it| it.project.name.clone())
        .describe("Display name.")
        .field("nameWithNamespace", STRING.required(), |it| it.project.name_with_namespace())
        .describe("Display name with those of the groups above.")
        .field("description", STRING, |it| it.project.description.clone())
        .describe("What it is, in Markdown.")
        .level("descriptionHtml", STRING, |projects, _, _| descriptions(projects))
        .describe("What it is, as HTML.")
        .cost(Cost::RENDERED)
        .field("visibility", STRING, |it| {
            Some(Visibility::of(it.project.visibility).as_str().to_owned())
        })
        .describe("Who sees it: private, internal or public.")
        .field("archived", BOOLEAN, |it| Some(it.project.archived))
        .describe("Whether it is read-only.")
        .field("avatarUrl", STRING, |_| None)
        .describe("Its picture.")
        .field("topics", STRING.required().list(), |it| Some(it.project.topics.0.clone()))
        .describe("What it is about.")
        .field("tagList", STRING, |it| Some(it.project.topics.0.join(", ")))
        .describe("What it is about, in one text.")
        .mark(Mark::Deprecated {
            reason: "This was renamed",
            milestone: "13.12",
            replacement: Some("Project.topics"),
        })
        .field("starCount", INT.required(), |it| it.project.star_count)
        .describe("How many users starred it.")
        .field("forksCount", INT.required(), |it| it.project.forks_count)
        .describe("How many forks it has.")
        .level("openIssuesCount", INT, |projects, _, context| open_issues(projects, context))
        .describe("How many of its issues are open, confidential ones apart.")
        .field("importStatus", STRING, |it| Some(imports::shown(&it.project).to_string()))
        .describe("How far it is made of another project; `none` unless it was.")
        .field("createdAt", TIME, |it| Some(it.project.created_at))
        .describe("When it was made.")
        .field("lastActivityAt", TIME, |it| Some(it.project.last_activity_at))
        .describe("When something last happened in it.")
}

fn addresses(project: ObjectBuilder<'_, ProjectView>) -> ObjectBuilder<'_, ProjectView> {
    project
        .field("fullPath", ID.required(), |it| it.project.full_path.clone())
        .describe("Its path with those of the groups above.")
        .field("webUrl", STRING, |it| Some(it.project.web_url(&it.base_url)))
        .describe("Its page.")
        .field("httpUrlToRepo", STRING, |it| {
            Some(format!("{}/{}.git", it.base_url, it.project.full_path))
        })
        .describe("Where to clone from over HTTP.")
        .field("sshUrlToRepo", STRING, |it| Some(it.ssh_url.clone()))
        .describe("Where to clone from over SSH.")
}

fn features(project: ObjectBuilder<'_, ProjectView>) -> ObjectBuilder<'_, ProjectView> {
    let on =
        |name: &'static str| move |it: &ProjectView| Some(it.project.feature(name) != "disabled");
    project
        .field("issuesEnabled", BOOLEAN, on("issues"))
        .describe("Whether it has issues.")
        .field("mergeRequestsEnabled", BOOLEAN, on("merge_requests"))
        .describe("Whether it has merge requests.")
        .field("jobsEnabled", BOOLEAN, on("builds"))
        .describe("Whether it has pipelines.")
        .field("snippetsEnabled", BOOLEAN, on("snippets"))
        .describe("Whether it has snippets.")
        .field("wikiEnabled", BOOLEAN, on("wiki"))
        .describe("Whether it has a wiki.")
        .field("lfsEnabled", BOOLEAN, |it| Some(it.project.lfs_enabled))
        .describe("Whether it takes large files.")
}

/// Descriptions as HTML, off the workers that serve requests.
async fn descriptions(projects: Vec<Arc<ProjectView>>) -> Result<Vec<Option<String>>, Fault> {
    let render = move || {
        let one = |it: &Arc<ProjectView>| it.project.description.as_deref().map(markup::render);
        projects.iter().map(one).collect()
    };
    let _turn = markup::turn().await?;
    let rendered = tokio::task::spawn_blocking(render).await;
    rendered.map_err(|error| Error::internal(error).into())
}

/// Open issues, where the viewer sees any.
async fn open_issues(
    projects: Vec<Arc<ProjectView>>, context: Context,
) -> Result<Vec<Option<i64>>, Fault> {
    let (reader, asked) = (viewer(&context), projects.clone());
    let counts = context.app()?.read(move |tx| {
        let rows: Vec<&Project> = asked.iter().map(|it| &it.project).collect();
        crate::entities::open_issues(tx, &reader, &rows)
    });
    let counts = counts.await?;
    let of = |it: &Arc<ProjectView>| counts.get(&it.project.id).copied();
    Ok(projects.iter().map(of).collect())
}

/// Bytes in use.
struct Statistics(Sizes);

fn statistics(g: &mut Graph) {
    let mut statistics = g
        .object::<Statistics>("ProjectStatistics", "How much a project holds.")
        .field("storageSize", FLOAT.required(), |it| it.0.all() as f64)
        .describe("Bytes of everything.")
        .field("packagesSize", FLOAT.required(), |it| it.0.packages as f64)
        .describe("Bytes of packages.")
        .field("repositorySize", FLOAT.required(), |it| it.0.code as f64)
        .describe("Bytes of the repository.")
        .field("lfsObjectsSize", FLOAT.required(), |it| it.0.large_files as f64)
        .describe("Bytes of large files.");
    for (name, text) in [
        ("commitCount", "How many commits it has."),
        ("buildArtifactsSize", "Bytes of job artifacts."),
    ] {
        statistics = statistics.field(name, FLOAT.required(), |_| 0.0).describe(text);
    }
    for (name, text) in [
        ("pipelineArtifactsSize", "Bytes of pipeline artifacts."),
        ("snippetsSize", "Bytes of snippets."),
        ("containerRegistrySize", "Bytes of the container registry."),
    ] {
        statistics = statistics.field(name, FLOAT, |_| Some(0.0)).describe(text);
    }
    statistics
        .field("wikiSize", FLOAT, |it| Some(it.0.wiki as f64))
        .describe("Bytes of the wiki.")
        .field("uploadsSize", FLOAT, |it| Some(it.0.uploads as f64))
        .describe("Bytes of uploads.");
    g.on::<ProjectView>("Project")
        .level(
            "statistics",
            object::<Statistics>("ProjectStatistics"),
            |projects, _, context| measured(projects, context),
        )
        .describe("How much it holds, for reporters and higher.");
}

async fn measured(
    projects: Vec<Arc<ProjectView>>, context: Context,
) -> Result<Vec<Option<Arc<Statistics>>>, Fault> {
    let ids: Vec<i64> = projects.iter().map(|it| it.project.id).collect();
    let (reader, asked) = (viewer(&context), ids.clone());
    let found = context.app()?.read(move |tx| sizes(tx, &reader, asked));
    let found = found.await?;
    let of = |id: &i64| found.get(id).map(|sizes| Arc::new(Statistics(*sizes)));
    Ok(ids.iter().map(of).collect())
}

/// The project at a path, or where it moved to.
fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: String) -> Outcome<Project> {
    let mut wanted = access::visible_projects(tx, viewer, Purpose::Read);
    wanted.push(" and projects.full_path_folded = ", fold(&path));
    if let Some(project) = projects_where(tx, wanted)?.pop() {
        return Ok(project);
    }
    match access::project(tx, viewer, &Reference::Path(path), Purpose::Read) {
        Err(Error::Moved(id)) => {
            let reference = Reference::Id(id.parse().unwrap_or(-1));
            access::project(tx, viewer, &reference, Purpose::Read)
        }
        found => found,
    }
}

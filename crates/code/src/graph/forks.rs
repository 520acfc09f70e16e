//! How far forks are from their sources, and forks that follow them.

use super::{AT_ONCE, MOST_REPOSITORIES};
use ::store::Tx;
use futures_util::{StreamExt, TryStreamExt, stream};
use identity::graph::{caller, viewer};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::{
    Args, Context, Cost, Done, Fault, Graph, HasTypeRef, ID, STRING, argument, object,
};
use kernel::ids::Reference;
use repositories::forks::{self, distance};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::Divergence;
use repositories::store::{self, refs};
use spaces::access::{Levels, Purpose};
use spaces::graph::ProjectView;
use spaces::model::Project;
use std::collections::HashMap;
use std::sync::Arc;

/// How far a branch of a fork is from that of its source; none where that is not known.
struct ForkDetails(Option<Divergence>);

impl ForkDetails {
    /// Only what follows can follow.
    fn has_conflicts(&self) -> bool {
        self.0.is_some_and(|it| it.ahead > 0 && it.behind > 0)
    }
}

kernel::graph_input! {
    struct SyncFork {
        /// Full path of the fork.
        project_path: String = ID.required(),
        /// Its branch.
        target_branch: String = STRING.required(),
    }
}

pub fn graph(g: &mut Graph) {
    let count = |number: Option<u64>| number.and_then(|it| i64::try_from(it).ok());
    g.object::<ForkDetails>("ForkDetails", "How far a branch of a fork is from its source.")
        .value("ahead", "Commits that the source lacks.", move |it| {
            count(it.0.map(|it| it.ahead))
        })
        .value("behind", "Commits that the fork lacks.", move |it| {
            count(it.0.map(|it| it.behind))
        })
        .value("isSyncing", "Whether it is being made to follow: that is done at once.", |_| {
            false
        })
        .value("hasConflicts", "Whether it went another way, so that it cannot follow.", |it| {
            it.has_conflicts()
        });
    g.on::<ProjectView>("Project")
        .level("forkDetails", object::<ForkDetails>("ForkDetails"), details)
        .describe("How far it is from what it was forked from, for who may read the code of both.")
        .cost(Cost::LookedUp)
        .git()
        .arg(argument("ref", STRING).describe("Its branch; the default branch unless said."));
    g.mutation::<Arc<ForkDetails>>(
        "projectSyncFork",
        "Has a branch of a fork follow that of its source.",
    )
    .answers("details", object::<ForkDetails>("ForkDetails"), |it| Some(it.clone()))
    .handle(sync);
}

/// Both ends of what is compared.
struct Ends {
    ours: (Repository, ObjectId),
    theirs: (Repository, ObjectId),
}

async fn details(
    of: Vec<Arc<ProjectView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<ForkDetails>>>, Fault> {
    let name: Option<String> = args.get("ref")?;
    let projects: Vec<Project> = of.iter().map(|it| it.project.clone()).collect();
    if projects.iter().filter(|it| it.is_fork()).count() > MOST_REPOSITORIES {
        let text = format!("No more than {MOST_REPOSITORIES} repositories are read at once");
        return Err(Fault::argument(text));
    }
    told(context.app()?, &viewer(&context), projects, name).await
}

async fn told(
    app: &App, viewer: &Viewer, projects: Vec<Project>, name: Option<String>,
) -> Result<Vec<Option<Arc<ForkDetails>>>, Fault> {
    let reader = viewer.clone();
    let found = app.read(move |tx| ends(tx, &reader, &projects, name.as_deref())).await?;
    let app = app.clone();
    let counted = found.into_iter().map(move |ends| {
        let app = app.clone();
        async move {
            let Some(Ends { ours, theirs }) = ends else {
                return Ok(None);
            };
            let counted = distance(&app, (&ours.0, ours.1), (&theirs.0, theirs.1)).await;
            counted.map(|counted| Some(Arc::new(ForkDetails(counted)))).map_err(Fault::from)
        }
    });
    stream::iter(counted).buffered(AT_ONCE).try_collect().await
}

/// The ends of some projects, those that are forks of what the viewer may read, in as many
/// statements for any number.
fn ends(
    tx: &mut Tx<'_>, viewer: &Viewer, projects: &[Project], name: Option<&str>,
) -> Outcome<Vec<Option<Ends>>> {
    let sources = spaces::store::forks::sources(tx, viewer, projects)?;
    let all: Vec<&Project> = projects.iter().chain(sources.values()).collect();
    let levels = Levels::in_projects(tx, viewer, &all)?;
    let ids = all.iter().map(|project| project.id).collect();
    let there = store::of_projects(tx, ids, RepositoryKind::Project)?;
    let repositories: HashMap<i64, &Repository> =
        there.iter().filter_map(|one| Some((one.project_id?, one))).collect();
    let branch = name.map(RefName::branch).transpose().ok().flatten();
    let mut names: Vec<RefName> = there.iter().map(|one| one.head.clone()).collect();
    names.extend(branch.clone());
    let tips = refs::some_of_each(tx, there.iter().map(|one| one.id).collect(), &names)?;
    let tip = |one: &Repository, name: &RefName| {
        let found = tips.get(&one.id)?.iter().find(|it| it.name == *name)?;
        Some((one.clone(), found.object_id))
    };
    let end = |fork: &Project| {
        let source = sources.get(&fork.forked_from_id?)?;
        let may = |project| levels.may(project, Purpose::DownloadCode);
        let (ours, theirs) = (repositories.get(&fork.id)?, repositories.get(&source.id)?);
        if name.is_some() && branch.is_none() || !may(fork) || !may(source) {
            return None;
        }
        let name = branch.as_ref().unwrap_or(&ours.head);
        Some(Ends {
            ours: tip(ours, name)?,
            // A branch that its source has not is compared with the default one.
            theirs: tip(theirs, name).or_else(|| tip(theirs, &theirs.head))?,
        })
    };
    Ok(projects.iter().map(end).collect())
}

async fn sync(input: SyncFork, context: Context) -> Result<Done<Arc<ForkDetails>>, Fault> {
    if context.request.atomic {
        let text = "Code cannot be changed in a request whose mutations are undone together";
        return Err(Fault::argument(text));
    }
    let (app, viewer) = caller(&context)?;
    let reference = Reference::Path(input.project_path);
    forks::count(&app, &viewer)?;
    let branch = Some(input.target_branch).filter(|name| !name.is_empty());
    match forks::sync(&app, &viewer, reference.clone(), branch.clone()).await {
        Ok(()) => {}
        Err(Error::BadRequest(text) | Error::Conflict(text)) => {
            return Ok(Done { errors: vec![text], payload: None });
        }
        Err(error) => return Err(error.into()),
    }
    let reader = viewer.clone();
    let project = app
        .read(move |tx| spaces::access::project(tx, &reader, &reference, Purpose::DownloadCode))
        .await?;
    let mut told = told(&app, &viewer, vec![project], branch).await?;
    Ok(told.pop().flatten().unwrap_or_else(|| Arc::new(ForkDetails(None))).into())
}

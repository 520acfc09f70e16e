//! Reads the file of a pipeline and plans its jobs.

use super::Request;
use super::inputs::nodes;
use super::world::{Wanted, World};
use crate::pipelines::files::{Reader, USUAL_NAMES};
use crate::pipelines::model::{ConfigSource, Source};
use crate::pipelines::paths;
use kernel::error::{Error, Result};
use pipeline_file::yaml::Map;
use pipeline_file::{
    Changed, Configuration, Files, Loader, Message, Origin, Outcome, Paths, Plan, PlannedJob,
    Start, Step, Variable, Variables, plan as plan_jobs,
};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Objects};
use std::sync::Arc;
use std::time::Duration;

const MISSING: &str = "Missing CI config file";
const TOO_SLOW: &str = "Request timed out when fetching configuration files.";
/// How long all files may take to come.
const FETCHING: Duration = Duration::from_secs(30);
/// How often a plan is made again for what its rules asked.
const MOST_ROUNDS: usize = 5;

/// What comes of the file of a pipeline.
pub enum Planned {
    Plan(Planning),
    /// Nothing is wrong with the file; there is no pipeline all the same.
    Refused(String),
    /// The file is wrong.
    Wrong {
        text: String,
        config_source: ConfigSource,
    },
}

/// The jobs that a pipeline is to have.
pub struct Planning {
    pub plan: Box<Plan>,
    pub config_source: ConfigSource,
}

/// A file, and what it is called.
struct Config {
    pub name: String,
    pub text: String,
    pub origin: Origin,
    pub source: ConfigSource,
    /// Its own project began it by a job.
    pub child: bool,
}

pub(super) async fn plan(request: &Request) -> Result<Planned> {
    let Some(config) = config(request).await? else {
        return Ok(Planned::Refused(MISSING.into()));
    };
    let config_source = config.source;
    if config.text.trim().is_empty() {
        let text = format!("Please provide content of {}", config.name);
        return Ok(Planned::Wrong { text, config_source });
    }
    let Worked { outcome, .. } = work(request, config).await?;
    Ok(match outcome {
        Outcome::Pipeline(plan) => Planned::Plan(Planning { plan, config_source }),
        Outcome::Failed(_) => {
            Planned::Wrong { text: outcome.refusal().unwrap_or_default(), config_source }
        }
        Outcome::Filtered | Outcome::Empty => {
            Planned::Refused(outcome.refusal().unwrap_or_default())
        }
    })
}

/// A file that was read, and what comes of it.
pub(in crate::pipelines) struct Worked {
    pub configuration: Arc<Configuration>,
    pub outcome: Outcome,
}

impl Worked {
    /// What is wrong with the file; where that is nothing and a pipeline is planned, why
    /// there would be none.
    pub fn errors(&self, plans: bool) -> Vec<String> {
        let texts = |all: &[Message]| all.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
        let errors = texts(&self.configuration.errors);
        match &self.outcome {
            _ if !errors.is_empty() || !plans => errors,
            Outcome::Failed(all) => texts(all),
            outcome => outcome.refusal().into_iter().collect(),
        }
    }

    pub fn warnings(&self) -> Vec<String> {
        self.configuration.warnings.iter().map(|one| one.text.clone()).collect()
    }

    /// The jobs that a pipeline would have.
    pub fn jobs(&self) -> &[PlannedJob] {
        match &self.outcome {
            Outcome::Pipeline(plan) => &plan.jobs,
            _ => &[],
        }
    }
}

/// Reads a file with all that it includes, and plans its jobs.
async fn work(request: &Request, config: Config) -> Result<Worked> {
    let variables = request.variables();
    let world = world(request).await?;
    let given = (variables.as_slice(), nodes(&request.creation.inputs));
    let (world, configuration) = load(request, config, given, world).await?;
    run(request, Arc::new(configuration), variables, world).await
}

/// The same for who only wants to know: of this text, or of the file of the commit; none
/// where there is no file.
pub(in crate::pipelines) async fn lint(
    request: &Request, content: Option<String>,
) -> Result<Option<Worked>> {
    let config = match content {
        Some(text) => Some(Config {
            name: USUAL_NAMES[1].to_owned(),
            text,
            origin: origin(request),
            source: ConfigSource::Parameter,
            child: false,
        }),
        None => config(request).await?,
    };
    match config {
        Some(config) => work(request, config).await.map(Some),
        None => Ok(None),
    }
}

fn origin(request: &Request) -> Origin {
    let facts = &request.facts;
    Origin::Project {
        path: facts.project.full_path.clone(),
        sha: facts.commit.id.to_string(),
    }
}

async fn config(request: &Request) -> Result<Option<Config>> {
    let (reader, commit) = (&request.reader, request.facts.commit.id);
    let origin = origin(request);
    if let Some(child) = request.creation.parent.as_ref().and_then(|it| it.child.as_ref()) {
        return Ok(Some(Config {
            name: USUAL_NAMES[1].to_owned(),
            text: child.file.clone(),
            origin,
            source: ConfigSource::Bridge,
            child: true,
        }));
    }
    let path = request.settings.config_path.as_deref().unwrap_or_default();
    if path.starts_with("https://") || path.starts_with("http://") {
        let text = including(&serde_json::json!({"remote": path}));
        let (name, source) = (path.to_owned(), ConfigSource::Remote);
        return Ok(Some(Config { name, text, origin, source, child: false }));
    }
    if let Some((file, place)) = path.split_once('@') {
        let (project, reference) = match place.split_once(':') {
            Some((project, reference)) => (project, Some(reference)),
            None => (place, None),
        };
        let mut item = serde_json::json!({"project": project, "file": file});
        if let Some(reference) = reference {
            item["ref"] = reference.into();
        }
        let (name, source) = (path.to_owned(), ConfigSource::ExternalProject);
        let text = including(&item);
        return Ok(Some(Config { name, text, origin, source, child: false }));
    }
    let found = match path {
        "" => reader.first(commit, USUAL_NAMES).await?,
        path => reader.first(commit, &[path]).await?,
    };
    Ok(found.map(|(name, text)| Config {
        name,
        text,
        origin,
        source: ConfigSource::Repository,
        child: false,
    }))
}

/// A file that holds nothing but what it includes.
fn including(item: &serde_json::Value) -> String {
    serde_json::json!({"include": [item]}).to_string()
}

/// What rules ask of the commit of a request.
async fn world(request: &Request) -> Result<World> {
    let facts = &request.facts;
    let new = facts.commit.id;
    let range = range(request);
    let repository = &request.reader.home.repository;
    let (files, changed) = objects::read(&request.reader.app, repository, move |objects| {
        let commit = objects.commit(new)?;
        let Some(tree) = commit.map(|commit| commit.tree) else {
            return Ok((Vec::new(), None));
        };
        let ends = match range {
            Some((old, new)) => objects.commit(old)?.zip(objects.commit(new)?),
            None => None,
        };
        let changed = ends.map(|(old, new)| paths::changed(objects, old.tree, new.tree));
        Ok((paths::all(objects, tree)?, changed.transpose()?))
    })
    .await?;
    let changed = match changed {
        Some(paths) => Changed::Paths(Arc::new(Paths::new(paths))),
        None => Changed::Undecidable,
    };
    Ok(World::new(facts, Paths::new(files), changed))
}

/// Between which commits rules count what changed: of a merge request since its source left
/// the target, of a push to a branch since the one before.
fn range(request: &Request) -> Option<(ObjectId, ObjectId)> {
    let facts = &request.facts;
    match (facts.source, &request.creation.request) {
        (Source::MergeRequestEvent, Some(of)) => of.base.parse().ok().zip(of.head.parse().ok()),
        (Source::Push, _) if !facts.tag => {
            let old = request.creation.before_sha.and_then(ObjectId::present)?;
            Some((old, facts.commit.id))
        }
        _ => None,
    }
}

/// Reads a file and all that it includes.
async fn load(
    request: &Request, config: Config, (variables, inputs): (&[Variable], Map), world: World,
) -> Result<(World, Configuration)> {
    let (name, reader) = (config.name.clone(), &request.reader);
    let mut loader = Loader::new(Start {
        name: config.name,
        text: config.text,
        origin: config.origin,
        inputs,
        variables: Variables::merge(variables.iter().cloned()),
        child: config.child,
        limits: request.limits.clone(),
    });
    let mut world = world;
    let fetching = async {
        loop {
            let step;
            (loader, world, step) = tokio::task::spawn_blocking(move || {
                let step = loader.next(&world);
                (loader, world, step)
            })
            .await
            .map_err(Error::internal)?;
            match step {
                Step::Done(configuration) | Step::Failed(configuration) => {
                    return Ok((world, *configuration));
                }
                Step::Need(requests) => {
                    for request in requests {
                        let answer = reader.answer(&request).await?;
                        loader.answer(request.id, answer);
                    }
                }
            }
        }
    };
    match tokio::time::timeout(FETCHING, fetching).await {
        Ok(loaded) => loaded,
        Err(_) => Err(Error::Unprocessable(format!("{name}: {TOO_SLOW}"))),
    }
}

/// Plans, until all that rules ask is known.
async fn run(
    request: &Request, configuration: Arc<Configuration>, variables: Vec<Variable>, world: World,
) -> Result<Worked> {
    let (variables, mut world) = (Arc::new(variables), world);
    for _ in 0..MOST_ROUNDS {
        let (file, given) = (configuration.clone(), variables.clone());
        let limits = request.limits.clone();
        let outcome;
        (outcome, world) = tokio::task::spawn_blocking(move || {
            let outcome = plan_jobs(&file, &given, &world, &limits);
            (outcome, world)
        })
        .await
        .map_err(Error::internal)?;
        let wanted = world.take_wanted();
        if wanted.is_empty() {
            return Ok(Worked { configuration, outcome });
        }
        for one in wanted {
            find_out(request, one, &mut world).await?;
        }
    }
    let error = pipeline_file::Message::new("the rules of all jobs take too long to decide");
    Ok(Worked { configuration, outcome: Outcome::Failed(vec![error]) })
}

async fn find_out(request: &Request, wanted: Wanted, world: &mut World) -> Result<()> {
    let reader = &request.reader;
    match wanted {
        Wanted::ChangedSince(name) => {
            let changed = changed_since(reader, request.facts.commit.id, &name).await?;
            world.since.insert(name, changed);
        }
        Wanted::FilesOf { project, reference } => {
            let at = reference.clone().unwrap_or_else(|| "HEAD".to_owned());
            let files = match reader.place(&project).await? {
                Some(place) => match reader.commit(&place, &at).await? {
                    Some(commit) => Files::Paths(Arc::new(reader.listing(&place, commit).await?)),
                    None => Files::NoAccess,
                },
                None => Files::NoAccess,
            };
            world.elsewhere.insert((project, reference), files);
        }
    }
    Ok(())
}

/// The files that changed since a commit has left another ref.
async fn changed_since(reader: &Reader, commit: ObjectId, name: &str) -> Result<Changed> {
    let Some(other) = reader.commit(&reader.home, name).await? else {
        return Ok(Changed::NoSuchRef);
    };
    let found = objects::read(&reader.app, &reader.home.repository, move |objects: &Objects| {
        let base = objects.merge_base(other, commit)?.unwrap_or(other);
        let (base, new) = (objects.commit(base)?, objects.commit(commit)?);
        match base.zip(new) {
            Some((base, new)) => paths::changed(objects, base.tree, new.tree).map(Some),
            None => Ok(None),
        }
    });
    Ok(match found.await? {
        Some(paths) => Changed::Paths(Arc::new(Paths::new(paths))),
        None => Changed::NoSuchRef,
    })
}

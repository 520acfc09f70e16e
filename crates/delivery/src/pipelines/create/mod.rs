//! A pipeline begins: what is asked for is checked in the order of the contract (10.1),
//! its file is read and planned, and all of it is written in one transaction.

pub mod inputs;
mod limits;
mod plan;
mod save;
mod world;

use super::begun_by::BegunBy;
use super::files::{Place, Reader};
use super::model::{Pipeline, Source};
use super::predefined::{Facts, NO_COMMIT};
use super::requests::{OfRequest, Told};
use super::settings::ProjectSettings;
use super::store;
use super::variables::{Given, check};
use super::{access, hooks};
use crate::environments::freezes;
use crate::variables::{For, for_job, may_override};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::Run;
use pipeline_file::model::AutoCancel;
use pipeline_file::{Level, Limits, Variable};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::objects::{self, Commit, Objects};
use repositories::store::refs;
use spaces::access::{Purpose, find_project, may};
use std::sync::Arc;

use inputs::Inputs;
use plan::{Planned, Planning};
pub(super) use plan::{Worked, lint};

/// What somebody wants a pipeline for.
#[derive(Debug, Clone)]
pub struct Creation {
    pub project_id: i64,
    /// A branch or tag, by its short or its whole name; of a merge request one of its refs.
    pub on_ref: String,
    /// Its commit; where it is now, unless given.
    pub sha: Option<ObjectId>,
    /// Where it was before.
    pub before_sha: Option<ObjectId>,
    pub source: Source,
    pub variables: Vec<Given>,
    /// For the inputs that its file declares.
    pub inputs: Inputs,
    /// The schedule or trigger that begins it.
    pub begun_by: Option<BegunBy>,
    /// The push said that nothing is to run.
    pub skip: bool,
    pub parent: Option<Parent>,
    /// The merge request it is of. Its commit has to be given.
    pub request: Option<OfRequest>,
    /// Nothing is to run: its file is looked at for who may see it.
    pub only_looks: bool,
}

impl Creation {
    pub fn new(project_id: i64, on_ref: &str, source: Source) -> Creation {
        Creation {
            project_id,
            on_ref: on_ref.to_owned(),
            sha: None,
            before_sha: None,
            source,
            variables: Vec::new(),
            inputs: Inputs::new(),
            begun_by: None,
            skip: false,
            parent: None,
            request: None,
            only_looks: false,
        }
    }
}

/// The job of another pipeline that begins this one.
#[derive(Debug, Clone)]
pub struct Parent {
    pub job_id: i64,
    /// Of a child: the pipeline above it, how deep it lies, and what its file includes.
    pub child: Option<Child>,
}

#[derive(Debug, Clone)]
pub struct Child {
    pub pipeline_id: i64,
    pub depth: i64,
    pub file: String,
}

/// Why there is no pipeline, in words for who asked; or one that failed at once.
#[derive(Debug, Clone)]
pub struct Refused {
    pub text: String,
    /// What was written down of it.
    pub pipeline: Option<Pipeline>,
}

impl Refused {
    fn new(text: impl Into<String>) -> Refused {
        Refused { text: text.into(), pipeline: None }
    }
}

/// What is asked for, with all that was found for it.
pub struct Request {
    pub creation: Creation,
    pub facts: Facts,
    pub settings: ProjectSettings,
    pub limits: Limits,
    pub reader: Reader,
    /// Those of the project, its groups and the instance.
    pub stored: Vec<Variable>,
}

impl Request {
    /// Variables of all levels but those of the file.
    fn variables(&self) -> Vec<Variable> {
        let mut all = self.facts.variables(&self.reader.app);
        all.extend(self.creation.begun_by.iter().flat_map(BegunBy::variables));
        all.extend(self.stored.iter().cloned());
        all.extend(self.given().map(|one| one.at_level(Level::Pipeline)));
        all
    }

    /// Those that were given, and what came with them.
    fn given(&self) -> impl Iterator<Item = Given> {
        let given = &self.creation.variables;
        let payload = self.creation.begun_by.as_ref().and_then(BegunBy::payload);
        let payload = payload.filter(|one| given.iter().all(|other| other.key != one.key));
        given.iter().cloned().chain(payload)
    }
}

type Judged<T> = std::result::Result<T, Refused>;

/// Makes a pipeline.
///
/// # Errors
///
/// Where the database or the repository cannot be read. What is wrong with the request
/// is `Refused`.
pub async fn create(
    app: &App, viewer: &Viewer, creation: Creation, by: Option<Run>,
) -> Result<Judged<Pipeline>> {
    let request = match find(app, viewer, creation).await? {
        Ok(request) => Arc::new(request),
        Err(refused) => return Ok(Err(refused)),
    };
    let skips = matches!(request.creation.source, Source::Push | Source::MergeRequestEvent);
    if skips && (request.creation.skip || says_skip(&request.facts.commit.message)) {
        let saved = save::skipped(&request, by).await?;
        return Ok(saved.ok_or_else(|| Refused::new("Done before")));
    }
    match plan::plan(&request).await? {
        Planned::Plan(plan) => limits::within(request, plan, by).await,
        Planned::Wrong { text, config_source } if is_recorded(request.creation.source) => {
            let pipeline = save::failed(&request, &text, config_source, by).await?;
            Ok(Err(Refused { text, pipeline }))
        }
        Planned::Wrong { text, .. } | Planned::Refused(text) => Ok(Err(Refused::new(text))),
    }
}

/// Whether somebody looks for a pipeline that could not begin, without having asked.
fn is_recorded(source: Source) -> bool {
    matches!(
        source,
        Source::Push | Source::Schedule | Source::MergeRequestEvent | Source::ParentPipeline
    )
}

/// Whether the message of a commit says that nothing is to run for it.
pub fn says_skip(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["ci skip", "ci-skip", "ci_skip", "skip ci", "skip-ci", "skip_ci"]
        .iter()
        .any(|words| message.contains(&format!("[{words}]")))
}

/// Finds all that a pipeline is made of, but its file.
pub(super) async fn find(
    app: &App, viewer: &Viewer, creation: Creation,
) -> Result<Judged<Request>> {
    let (secrets, by) = (app.secrets().clone(), viewer.clone());
    let asked = creation.clone();
    let found = app.read(move |tx| look(tx, &secrets, &by, &asked)).await?;
    let found = match found {
        Ok(found) => found,
        Err(refused) => return Ok(Err(refused)),
    };
    let id = creation.sha.unwrap_or(found.commit);
    let commit =
        objects::read(app, &found.place.repository, move |objects: &Objects| objects.peeled(id));
    let Some(commit) = commit.await? else {
        return Ok(Err(Refused::new("Commit not found")));
    };
    Ok(Ok(request(app, viewer, creation, found, commit)))
}

fn request(
    app: &App, viewer: &Viewer, creation: Creation, found: Looked, commit: Commit,
) -> Request {
    let before = creation.before_sha.and_then(ObjectId::present);
    let config_path = found.settings.config_path.clone();
    let facts = Facts {
        project: found.place.project.clone(),
        source: creation.source,
        on_ref: found.on_ref,
        tag: found.tag,
        before_sha: before.map_or_else(|| NO_COMMIT.to_owned(), |id| id.to_string()),
        protected: found.protected,
        commit,
        created_at: app.now(),
        config_path: config_path.unwrap_or_else(|| ".gitlab-ci.yml".to_owned()),
        is_frozen: found.is_frozen,
        told: Told { open: found.open, request: creation.request.clone() },
    };
    let reader = Reader { app: app.clone(), viewer: viewer.clone(), home: found.place };
    Request {
        creation,
        facts,
        settings: found.settings,
        limits: found.limits,
        reader,
        stored: found.stored,
    }
}

/// What the database says of a request.
struct Looked {
    place: Place,
    on_ref: String,
    tag: bool,
    commit: ObjectId,
    protected: bool,
    settings: ProjectSettings,
    limits: Limits,
    stored: Vec<Variable>,
    is_frozen: bool,
    /// Open merge requests of the branch.
    open: Vec<String>,
}

fn look(
    tx: &mut Tx<'_>, secrets: &kernel::secrets::Secrets, viewer: &Viewer, asked: &Creation,
) -> Result<Judged<Looked>> {
    let refused = |text: &str| Ok(Err(Refused::new(text)));
    let Some(project) = find_project(tx, &Reference::Id(asked.project_id))? else {
        return refused("Project not found");
    };
    if project.feature("builds") == "disabled" {
        return refused("Pipelines are disabled!");
    }
    if !asked.only_looks && !may(tx, viewer, &project, Purpose::RunPipelines)? {
        return refused("Insufficient permissions to create a new pipeline");
    }
    let Some(repository) = access::repository(tx, &project)? else {
        return refused("Reference not found");
    };
    let (short, tag, commit) = match spot(tx, repository.id, asked)? {
        Ok(found) => found,
        Err(text) => return refused(text),
    };
    if !asked.only_looks && !access::may_run_on(tx, viewer, &project, (&short, tag))? {
        return Ok(Err(Refused::new(format!(
            "You do not have sufficient permission to run a pipeline on '{short}'. Please select \
             a different branch or contact your administrator for assistance."
        ))));
    }
    let given = asked.parent.is_none() && !asked.variables.is_empty();
    if given && !may_override(tx, viewer, &project)? {
        return refused("Insufficient permissions to set pipeline variables");
    }
    if let Err(Error::Invalid(problems)) = check(&asked.variables) {
        let texts = problems.into_iter().flat_map(|(_, texts)| texts);
        return Ok(Err(Refused::new(texts.collect::<Vec<_>>().join(", "))));
    }
    if asked.inputs.len() > inputs::MOST {
        let text = format!("There cannot be more than {} inputs", inputs::MOST);
        return Ok(Err(Refused::new(text)));
    }
    let request = asked.request.as_ref();
    let protected = match request {
        Some(request) => {
            access::is_request_protected(tx, viewer, (&project, &repository), request)?
        }
        None => access::is_protected(tx, &project, &repository, (&short, tag))?,
    };
    let job = For {
        is_protected: protected,
        environment: None,
        is_foreign: request.is_some_and(|one| one.is_foreign_to(project.id)),
    };
    let stored = for_job(secrets, tx, &project, &job)?;
    let open = match request {
        Some(one) => hooks::open(tx, viewer, (one.source_project_id, &one.source_branch))?,
        None if tag => Vec::new(),
        None => hooks::open(tx, viewer, (project.id, &short))?,
    };
    let settings = store::settings::of_project(tx, project.id)?;
    let plan_limits = kernel::settings::read(tx)?;
    let is_frozen = freezes::is_on(tx, project.id)?;
    Ok(Ok(Looked {
        place: Place { project, repository },
        on_ref: short,
        tag,
        commit,
        protected,
        settings,
        limits: limits::of_file(&plan_limits),
        stored: stored.iter().map(stored_variable).collect(),
        is_frozen,
        open,
    }))
}

/// The branch or tag that is asked for, whether it is a tag, and its commit; why there is
/// none. The refs of a merge request are in its target, and its pipeline may be elsewhere.
fn spot(
    tx: &mut Tx<'_>, repository: i64, asked: &Creation,
) -> Result<std::result::Result<(String, bool, ObjectId), &'static str>> {
    const NONE: &str = "Reference not found";
    if asked.request.is_some() {
        return Ok(asked.sha.map(|sha| (asked.on_ref.clone(), false, sha)).ok_or(NONE));
    }
    Ok(named(tx, repository, &asked.on_ref)?.and_then(|(name, commit)| {
        let short = name.as_branch().or(name.as_tag()).ok_or(NONE)?;
        Ok((short.to_owned(), name.as_tag().is_some(), commit))
    }))
}

/// A variable of the project, its groups or the instance; which of them won is decided.
fn stored_variable(given: &crate::variables::JobVariable) -> Variable {
    Variable {
        raw: given.raw,
        file: given.variable_type == crate::variables::model::VariableType::File,
        masked: given.masked,
        ..Variable::new(Level::Project, given.key.as_str(), given.value.expose())
    }
}

/// The branch or tag of a name, and its commit; why there is none.
pub(crate) fn named(
    tx: &mut Tx<'_>, repository: i64, text: &str,
) -> Result<std::result::Result<(RefName, ObjectId), &'static str>> {
    let names: Vec<RefName> = match text.starts_with("refs/") {
        true => text.parse().ok().into_iter().collect(),
        false => [RefName::branch(text).ok(), RefName::tag(text).ok()]
            .into_iter()
            .flatten()
            .collect(),
    };
    let mut found = refs::some(tx, repository, &names)?;
    Ok(match found.len() {
        0 => Err("Reference not found"),
        1 => {
            let one = found.remove(0);
            Ok((one.name, one.peeled_id.unwrap_or(one.object_id)))
        }
        _ => Err("Ref is ambiguous"),
    })
}

/// What a file says that is silent on it.
const NOTHING_SAID: AutoCancel = AutoCancel { on_new_commit: None, on_job_failure: None };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_may_say_that_nothing_runs() {
        for text in ["x [ci skip]", "[SKIP CI]\n", "a\n\n[skip-ci] b", "[ci_skip]"] {
            assert!(says_skip(text), "{text}");
        }
        for text in ["ci skip", "[ci  skip]", "[skip]", "[no ci]", ""] {
            assert!(!says_skip(text), "{text}");
        }
    }
}

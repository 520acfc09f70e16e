//! Runners are made, changed, given to projects and taken away.

use super::access::{check_room, kind};
use super::model::{
    AccessLevel, NO_SYSTEM, REGISTRATION_PREFIX, Runner, RunnerType, TOKEN_PREFIX, Tags,
    short_token,
};
use super::settings::RunnerSettings;
use super::store::{self, managers::Said};
use crate::place::Place;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::secrets::{self, Secret};
use serde_json::json;
use spaces::access::{find_group, find_project};
use spaces::pages::Space;

const BOTH: &str = "active, paused are mutually exclusive";
const MORE_PROJECTS: &str = "Runner associated with more than one project";

kernel::params! {
    /// What of a runner may be said when it is made, and later.
    #[derive(Default)]
    pub struct RunnerOptions {
        /// What people call it.
        pub description: Option<String>,
        /// Whether it takes no jobs.
        pub paused: Option<bool>,
        /// Whether it takes jobs, by the old name.
        pub active: Option<bool>,
        /// Whether it takes no further projects.
        pub locked: Option<bool>,
        /// Which refs it takes jobs of.
        pub access_level: Option<AccessLevel>,
        /// Whether it takes jobs without tags.
        pub run_untagged: Option<bool>,
        /// What jobs find it by.
        pub tag_list: Option<Vec<String>>,
        /// Most seconds that a job of it runs.
        pub maximum_timeout: Patch<i64>,
        /// A note for who looks after it.
        pub maintenance_note: Option<String>,
        /// The same, by its old name.
        pub maintainer_note: Option<String>,
    }
}

impl RunnerOptions {
    /// What the runner is to be.
    ///
    /// # Errors
    ///
    /// Where two names of one thing are sent.
    pub fn over(&self, before: Runner) -> Result<Runner> {
        if self.active.is_some() && self.paused.is_some() {
            return Err(Error::Parameters(vec![BOTH.into()]));
        }
        let note = self.maintenance_note.clone().or(self.maintainer_note.clone());
        let paused = self.paused.or(self.active.map(|active| !active));
        Ok(Runner {
            description: self.description.clone().or(before.description),
            maintenance_note: note.or(before.maintenance_note),
            paused: paused.unwrap_or(before.paused),
            locked: self.locked.unwrap_or(before.locked),
            access_level: self.access_level.unwrap_or(before.access_level),
            run_untagged: self.run_untagged.unwrap_or(before.run_untagged),
            tags: self.tag_list.clone().map_or(before.tags, Tags::new),
            maximum_timeout: self.maximum_timeout.clone().sent().unwrap_or(before.maximum_timeout),
            ..before
        })
    }

    pub fn is_empty(&self) -> bool {
        let RunnerOptions {
            description,
            paused,
            active,
            locked,
            access_level,
            run_untagged,
            tag_list,
            maximum_timeout,
            maintenance_note,
            maintainer_note,
        } = self;
        description.is_none()
            && paused.or(*active).or(*locked).or(*run_untagged).is_none()
            && access_level.is_none()
            && tag_list.is_none()
            && maximum_timeout.clone().sent().is_none()
            && maintenance_note.is_none()
            && maintainer_note.is_none()
    }
}

/// A runner with its token, which nobody is told again.
pub struct Made {
    pub runner: Runner,
    pub token: Secret,
}

fn fresh_token() -> (Secret, Vec<u8>, String) {
    let token = secrets::random_token(TOKEN_PREFIX);
    let (digest, short) = (secrets::digest(token.expose()), short_token(token.expose()));
    (token, digest, short)
}

/// Makes a runner in a place that the viewer manages.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, options: &RunnerOptions,
) -> Result<Made> {
    let made = make(tx, place, options, viewer.user_id())?;
    record(tx, viewer, "runner.create", place, &made.runner)?;
    Ok(made)
}

fn make(
    tx: &mut Tx<'_>, place: &Place, options: &RunnerOptions, creator_id: Option<i64>,
) -> Result<Made> {
    let (token, token_digest, short_token) = fresh_token();
    let now = tx.now();
    let runner = options.over(Runner {
        id: 0,
        runner_type: kind(place),
        group_id: place.group_id(),
        token_digest,
        short_token,
        description: None,
        maintenance_note: None,
        tags: Tags::default(),
        run_untagged: true,
        locked: false,
        paused: false,
        access_level: AccessLevel::default(),
        maximum_timeout: None,
        creator_id,
        created_at: now,
        updated_at: now,
        contacted_at: None,
    })?;
    runner.problems().check()?;
    check_room(tx, place)?;
    let runner = store::insert(tx, runner)?;
    if let Some(project) = place.project_id() {
        store::assign(tx, runner.id, project)?;
    }
    Ok(Made { runner, token })
}

/// Makes a runner for who holds a registration token.
///
/// # Errors
///
/// 410 where the instance has none any more, 403 where it is another one.
pub fn register(
    tx: &mut Tx<'_>, token: &str, options: &RunnerOptions, said: &Said,
) -> Result<Made> {
    check_registration(tx)?;
    let digest = secrets::digest(token);
    let found = store::registration(tx, digest)?.ok_or_else(|| Error::forbidden(""))?;
    let place = match found {
        (Some(id), _) => {
            let project = find_project(tx, &Reference::Id(id))?;
            Place::of(Space::Project(project.ok_or_else(|| Error::forbidden(""))?, 0))
        }
        (None, Some(id)) => {
            let group = find_group(tx, &Reference::Id(id))?;
            Place::of(Space::Group(group.ok_or_else(|| Error::forbidden(""))?, 0))
        }
        (None, None) => Place::Instance,
    };
    let made = make(tx, &place, options, None)?;
    if said.version.is_some() {
        store::managers::note(tx, made.runner.id, NO_SYSTEM, said)?;
    }
    record(tx, &Viewer::Anonymous, "runner.register", &place, &made.runner)?;
    Ok(made)
}

/// Refuses where runners do not register any more.
pub fn check_registration(tx: &mut Tx<'_>) -> Result<()> {
    let settings: RunnerSettings = kernel::settings::read(tx)?;
    if settings.registration_tokens {
        return Ok(());
    }
    let text = "410 Gone - registration tokens are switched off; create the runner first";
    Err(Error::Exact(410, json!({"message": text})))
}

/// Gives a place another registration token.
pub fn reset_registration(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<Secret> {
    let token = secrets::random_token(REGISTRATION_PREFIX);
    let digest = secrets::digest(token.expose());
    store::set_registration(tx, place.project_id(), place.group_id(), digest)?;
    let details = json!({"kind": kind(place).as_str()});
    audit::record(tx, viewer, "runner.reset_registration_token", place.target(), details)?;
    Ok(token)
}

pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, before: Runner, options: &RunnerOptions,
) -> Result<Runner> {
    let now = tx.now();
    let after = Runner { updated_at: now, ..options.over(before)? };
    after.problems().check()?;
    store::update(tx, &after)?;
    record_of(tx, viewer, "runner.update", &after)?;
    Ok(after)
}

/// Gives a runner another token; the one before ends.
pub fn reset_token(tx: &mut Tx<'_>, viewer: &Viewer, before: Runner) -> Result<Made> {
    let (token, token_digest, short_token) = fresh_token();
    let now = tx.now();
    let runner = Runner { token_digest, short_token, updated_at: now, ..before };
    store::update(tx, &runner)?;
    record_of(tx, viewer, "runner.reset_token", &runner)?;
    Ok(Made { runner, token })
}

/// Takes a runner away for somebody who manages it.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, runner: &Runner) -> Result<()> {
    let is_of_many = store::projects(tx, runner.id)?.len() > 1;
    if is_of_many && !viewer.is_admin() {
        return Err(Error::forbidden(MORE_PROJECTS));
    }
    unregister(tx, viewer, runner)
}

/// The same for the runner itself.
pub fn unregister(tx: &mut Tx<'_>, viewer: &Viewer, runner: &Runner) -> Result<()> {
    store::delete(tx, runner.id)?;
    record_of(tx, viewer, "runner.destroy", runner)
}

/// Gives a project runner to a project of the viewer.
pub fn enable(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, runner: &Runner) -> Result<()> {
    let project = place.project_id().ok_or(Error::NotFound("Project"))?;
    match runner.runner_type {
        RunnerType::Instance => return Err(Error::forbidden("Runner is an instance runner")),
        RunnerType::Group => return Err(Error::forbidden("Runner is a group runner")),
        RunnerType::Project if runner.locked && !viewer.is_admin() => {
            return Err(Error::forbidden("Runner is locked"));
        }
        RunnerType::Project => {}
    }
    check_room(tx, place)?;
    if !store::assign(tx, runner.id, project)? {
        return Err(Error::invalid("runner_id", "has already been taken"));
    }
    touch(tx, runner)?;
    record(tx, viewer, "runner.enable", place, runner)
}

/// Takes a runner from a project that is not its only one.
pub fn disable(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, runner: &Runner) -> Result<()> {
    let project = place.project_id().ok_or(Error::NotFound("Project"))?;
    let projects = store::projects(tx, runner.id)?;
    if !projects.contains(&project) {
        return Err(Error::NotFound("Runner"));
    }
    match projects.as_slice() {
        [_] => {
            let text = "Only one project associated with the runner. Please remove the runner \
                        instead";
            return Err(Error::forbidden(text));
        }
        [own, ..] if *own == project => {
            return Err(Error::forbidden("You cannot unassign a runner from its own project"));
        }
        _ => {}
    }
    store::unassign(tx, runner.id, project)?;
    touch(tx, runner)?;
    record(tx, viewer, "runner.disable", place, runner)
}

/// What servers remember of a runner is looked up again where it changed.
fn touch(tx: &mut Tx<'_>, runner: &Runner) -> Result<()> {
    let now = tx.now();
    store::update(tx, &Runner { updated_at: now, ..runner.clone() })
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, place: &Place, runner: &Runner,
) -> Result<()> {
    audit::record(tx, viewer, action, place.target(), details(runner))
}

fn record_of(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, runner: &Runner,
) -> Result<()> {
    let name = runner.description.clone().unwrap_or_default();
    audit::record(tx, viewer, action, ("Runner", runner.id, &name), details(runner))
}

fn details(runner: &Runner) -> serde_json::Value {
    json!({
        "runner_id": runner.id,
        "runner_type": runner.runner_type,
        "tags": runner.tags.as_slice(),
        "paused": runner.paused,
        "locked": runner.locked,
        "access_level": runner.access_level,
    })
}

//! Runners as JSON.

use super::model::{AccessLevel, ContactStatus, Manager, Runner, RunnerType};
use super::rules::Made;
use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{Levels, Purpose, find_group, find_projects};
use spaces::model::Project;

/// A runner as lists have it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RunnerEntity {
    pub id: i64,
    pub description: Option<String>,
    /// Always blank: what is known of machines is said of its managers.
    pub ip_address: String,
    /// Whether it takes jobs, by the old name.
    pub active: bool,
    /// Whether it takes no jobs.
    pub paused: bool,
    /// Whether it is of the instance.
    pub is_shared: bool,
    pub runner_type: RunnerType,
    pub name: Option<String>,
    /// Null where it was never heard of.
    pub online: Option<bool>,
    /// `paused` while it is; else `online`, `offline`, `stale` or `not_connected`.
    pub status: String,
}

impl RunnerEntity {
    pub fn of(runner: &Runner, now: Timestamp) -> RunnerEntity {
        let status = match runner.paused {
            true => "paused",
            false => runner.contact(now).as_str(),
        };
        RunnerEntity {
            id: runner.id,
            description: runner.description.clone(),
            ip_address: String::new(),
            active: !runner.paused,
            paused: runner.paused,
            is_shared: runner.is_shared(),
            runner_type: runner.runner_type,
            name: None,
            online: runner.online(now),
            status: status.to_owned(),
        }
    }
}

/// A runner with all that is said of it.
#[derive(Serialize, JsonSchema)]
pub struct RunnerDetails {
    #[serde(flatten)]
    pub short: RunnerEntity,
    pub tag_list: Vec<String>,
    pub run_untagged: bool,
    pub locked: bool,
    /// Seconds.
    pub maximum_timeout: Option<i64>,
    pub access_level: AccessLevel,
    pub version: Option<String>,
    pub revision: Option<String>,
    pub platform: Option<String>,
    pub architecture: Option<String>,
    pub contacted_at: Option<String>,
    pub maintenance_note: Option<String>,
    /// Of runners of projects and of the instance: the projects that the viewer sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<RunnerProject>>,
    /// Of runners of groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<RunnerGroup>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RunnerProject {
    pub id: i64,
    pub name: String,
    pub name_with_namespace: String,
    pub path: String,
    pub path_with_namespace: String,
}

impl RunnerProject {
    pub fn of(project: &Project) -> RunnerProject {
        RunnerProject {
            id: project.id,
            name: project.name.clone(),
            name_with_namespace: project.name_with_namespace(),
            path: project.path.clone(),
            path_with_namespace: project.full_path.clone(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct RunnerGroup {
    pub id: i64,
    pub name: String,
    pub web_url: String,
}

impl RunnerDetails {
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, base_url: &str, runner: &Runner,
    ) -> Result<RunnerDetails> {
        let machine = store::managers::latest(tx, vec![runner.id])?.remove(&runner.id);
        let (projects, groups) = match runner.runner_type {
            RunnerType::Group => (None, Some(group(tx, base_url, runner)?)),
            RunnerType::Project => (Some(projects(tx, viewer, runner)?), None),
            RunnerType::Instance => (Some(Vec::new()), None),
        };
        let said = |what: fn(&Manager) -> &Option<String>| what(machine.as_ref()?).clone();
        Ok(RunnerDetails {
            short: RunnerEntity::of(runner, tx.now()),
            tag_list: runner.tags.as_slice().to_vec(),
            run_untagged: runner.run_untagged,
            locked: runner.locked,
            maximum_timeout: runner.maximum_timeout,
            access_level: runner.access_level,
            version: said(|machine| &machine.version),
            revision: said(|machine| &machine.revision),
            platform: said(|machine| &machine.platform),
            architecture: said(|machine| &machine.architecture),
            contacted_at: runner.contacted_at.map(wire::text),
            maintenance_note: runner.maintenance_note.clone(),
            projects,
            groups,
        })
    }
}

fn group(tx: &mut Tx<'_>, base_url: &str, runner: &Runner) -> Result<Vec<RunnerGroup>> {
    let found = match runner.group_id {
        Some(id) => find_group(tx, &Reference::Id(id))?,
        None => None,
    };
    let shown = found.map(|group| RunnerGroup {
        id: group.id,
        web_url: group.web_url(base_url),
        name: group.name,
    });
    Ok(shown.into_iter().collect())
}

/// The projects of a runner that somebody sees.
pub fn visible(tx: &mut Tx<'_>, viewer: &Viewer, runner: &Runner) -> Result<Vec<Project>> {
    let ids = store::projects(tx, runner.id)?;
    let mut found = find_projects(tx, &ids)?;
    let all: Vec<&Project> = found.iter().collect();
    let levels = Levels::in_projects(tx, viewer, &all)?;
    found.retain(|project| levels.may(project, Purpose::Read));
    found.sort_by_key(|project| ids.iter().position(|id| *id == project.id));
    Ok(found)
}

fn projects(tx: &mut Tx<'_>, viewer: &Viewer, runner: &Runner) -> Result<Vec<RunnerProject>> {
    Ok(visible(tx, viewer, runner)?.iter().map(RunnerProject::of).collect())
}

/// A machine that uses a runner's token.
#[derive(Serialize, JsonSchema)]
pub struct ManagerEntity {
    pub id: i64,
    pub system_id: String,
    pub version: Option<String>,
    pub revision: Option<String>,
    pub platform: Option<String>,
    pub architecture: Option<String>,
    pub created_at: String,
    pub contacted_at: Option<String>,
    pub ip_address: Option<String>,
    pub status: ContactStatus,
}

impl ManagerEntity {
    pub fn of(manager: Manager, now: Timestamp) -> ManagerEntity {
        ManagerEntity {
            status: super::model::contact(manager.created_at, manager.contacted_at, now),
            id: manager.id,
            system_id: manager.system_id,
            version: manager.version,
            revision: manager.revision,
            platform: manager.platform,
            architecture: manager.architecture,
            created_at: wire::text(manager.created_at),
            contacted_at: manager.contacted_at.map(wire::text),
            ip_address: manager.ip_address,
        }
    }
}

/// What is told once: the token of a runner.
#[derive(Serialize, JsonSchema)]
pub struct RunnerToken {
    pub id: i64,
    pub token: String,
    /// Tokens of runners do not end by themselves.
    pub token_expires_at: Option<String>,
}

impl RunnerToken {
    pub fn of(made: &Made) -> RunnerToken {
        RunnerToken {
            id: made.runner.id,
            token: made.token.expose().to_owned(),
            token_expires_at: None,
        }
    }
}

/// A token that took the place of another.
#[derive(Serialize, JsonSchema)]
pub struct ResetToken {
    pub token: String,
    pub token_expires_at: Option<String>,
}

impl From<kernel::secrets::Secret> for ResetToken {
    fn from(token: kernel::secrets::Secret) -> ResetToken {
        ResetToken { token: token.expose().to_owned(), token_expires_at: None }
    }
}

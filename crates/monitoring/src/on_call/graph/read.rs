//! What GraphQL reads: rotations, policies and schedules by their ids, as far
//! as the viewer may see them.

use crate::on_call::access::READ;
use crate::on_call::model::{Participant, Policy, Rotation, Rule, Schedule};
use crate::on_call::store::{policies, rotations, schedules};
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::error::Result as Done;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault};
use spaces::Project;
use spaces::access::Levels;
use spaces::graph::Projects;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::{Tx, grouped};

pub struct Turning {
    pub rotation: Rotation,
    pub schedule: Arc<Schedule>,
    /// Those who take turns, in their order.
    pub people: Vec<Participant>,
}

pub struct Ruled {
    pub policy: Policy,
    pub rules: Vec<Arc<Rule>>,
}

/// Those of these projects whose schedules the viewer may see.
pub fn readable(tx: &mut Tx<'_>, viewer: &Viewer, all: &[Project]) -> Done<HashSet<i64>> {
    let listed: Vec<&Project> = all.iter().collect();
    let levels = Levels::in_projects(tx, viewer, &listed)?;
    let may = all.iter().filter(|project| levels.may(project, READ));
    Ok(may.map(|project| project.id).collect())
}

/// The rotations of these schedules, with who takes turns.
pub fn turning(tx: &mut Tx<'_>, all: &[Arc<Schedule>], found: Vec<Rotation>) -> Done<Vec<Turning>> {
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    let mut people =
        grouped(rotations::participants(tx, &ids)?.into_iter().map(|one| (one.rotation_id, one)));
    let with = |rotation: Rotation| {
        let schedule = all.iter().find(|one| one.id == rotation.schedule_id)?;
        Some(Turning {
            people: people.remove(&rotation.id).unwrap_or_default(),
            schedule: schedule.clone(),
            rotation,
        })
    };
    Ok(found.into_iter().filter_map(with).collect())
}

pub fn ruled(tx: &mut Tx<'_>, found: Vec<Policy>) -> Done<Vec<Ruled>> {
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    let mut rules = grouped(
        policies::rules(tx, &ids)?
            .into_iter()
            .map(|rule| (rule.policy_id, Arc::new(rule))),
    );
    let with =
        |policy: Policy| Ruled { rules: rules.remove(&policy.id).unwrap_or_default(), policy };
    Ok(found.into_iter().map(with).collect())
}

/// Those of what was found whose project the viewer may see this of.
async fn seen<T: Send + 'static>(
    context: &Context, found: Vec<T>, project: impl Fn(&T) -> i64,
) -> Result<Vec<T>, Fault> {
    let (app, viewer) = caller(context)?;
    let ids: Vec<i64> = found.iter().map(&project).collect();
    let known = context.load::<Projects>(ids).await?;
    let all: Vec<Project> = known.values().map(|it| it.project.clone()).collect();
    let may = app.read(move |tx| readable(tx, &viewer, &all)).await?;
    let is_seen = |one: &T| may.contains(&project(one));
    Ok(found.into_iter().filter(is_seen).collect())
}

pub fn keyed<T>(found: Vec<T>, key: fn(&T) -> i64) -> HashMap<i64, Arc<T>> {
    let found = found.into_iter();
    found.map(|one| (key(&one), Arc::new(one))).collect()
}

pub struct Schedules;

impl Loader for Schedules {
    type Key = i64;
    type Value = Arc<Schedule>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Schedule>>, Fault> {
        let app = context.app()?.clone();
        let found = app.read(move |tx| schedules::by_ids(tx, &ids)).await?;
        let found = seen(&context, found, |one| one.project_id).await?;
        Ok(keyed(found, |one| one.id))
    }
}

pub struct Rotations;

impl Loader for Rotations {
    type Key = i64;
    type Value = Arc<Turning>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Turning>>, Fault> {
        let app = context.app()?.clone();
        let found = app.read(move |tx| rotations::by_ids(tx, &ids)).await?;
        let of: Vec<i64> = found.iter().map(|one| one.schedule_id).collect();
        let known = context.load::<Schedules>(of).await?;
        let all: Vec<Arc<Schedule>> = known.into_values().collect();
        let found = app.read(move |tx| turning(tx, &all, found)).await?;
        Ok(keyed(found, |one| one.rotation.id))
    }
}

pub struct Policies;

impl Loader for Policies {
    type Key = i64;
    type Value = Arc<Ruled>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Ruled>>, Fault> {
        let app = context.app()?.clone();
        let found = app.read(move |tx| policies::by_ids(tx, &ids)).await?;
        let found = seen(&context, found, |one| one.project_id).await?;
        let found = app.read(move |tx| ruled(tx, found)).await?;
        Ok(keyed(found, |one| one.policy.id))
    }
}

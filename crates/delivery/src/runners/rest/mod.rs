//! REST of runners, for people; what runners themselves ask is in [`program`].

mod files;
mod history;
mod jobs;
mod lists;
pub mod program;
mod results;

use super::access;
use super::entity::{ManagerEntity, ResetToken, RunnerDetails, RunnerEntity, RunnerToken};
use super::model::RunnerType;
use super::rules::{self, RunnerOptions};
use super::store;
use crate::place::Place;
use identity::Caller;
use identity::viewer::SignedInViewer;
use kernel::error::{Error, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::{
    Created, Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Routes,
};
use kernel::ids::Reference;
use spaces::SpaceRef;
use spaces::model::SourceKind;
use std::sync::Arc;

const CREATE: &[&str] = &["api", "create_runner"];
const MANAGE: &[&str] = &["api", "manage_runner"];

pub fn routes(r: &mut Routes) {
    program::routes(r);
    jobs::routes(r);
    files::routes(r);
    results::routes(r);
    lists::routes(r);
    history::routes(r);
    r.post("/user/runners", create)
        .scopes(CREATE)
        .summary("Makes a runner of the instance, of a group or of a project");
    r.get("/runners/{runner_id}", show)
        .scopes(&["api", "read_api", "manage_runner"])
        .summary("Shows a runner");
    r.get("/runners/{runner_id}/managers", managers)
        .scopes(&["api", "read_api", "manage_runner"])
        .summary("Lists the machines that use a runner's token");
    r.put("/runners/{runner_id}", update).scopes(MANAGE).summary("Changes a runner");
    r.delete("/runners/{runner_id}", destroy)
        .scopes(MANAGE)
        .summary("Deletes a runner");
    r.post("/runners/{runner_id}/reset_authentication_token", reset_token)
        .scopes(MANAGE)
        .summary("Gives a runner another token");
    r.post("/runners/reset_registration_token", reset_of_instance)
        .summary("Gives the instance another registration token");
    for (prefix, kind) in [("/projects/{id}", "project"), ("/groups/{id}", "group")] {
        r.below(prefix, kind, |r| {
            r.post("/runners/reset_registration_token", reset_registration)
                .summary("Gives it another registration token");
        });
    }
    r.post("/projects/{id}/runners", enable)
        .summary("Gives a project a runner of another project");
    r.delete("/projects/{id}/runners/{runner_id}", disable)
        .summary("Takes a runner from a project");
}

kernel::params! {
    pub struct CreateRunner {
        /// Whose jobs it takes.
        pub runner_type: RunnerType,
        /// The group, of a runner of one.
        pub group_id: Option<i64>,
        /// The project, of a runner of one.
        pub project_id: Option<i64>,
        pub options: Flat<RunnerOptions>,
    }
}

impl CreateRunner {
    /// Where it goes.
    ///
    /// # Errors
    ///
    /// Where what it says does not go together.
    fn holder(&self) -> Result<Option<(SourceKind, Reference)>> {
        let wrong = |name: &str| Error::Parameters(vec![format!("{name} is invalid")]);
        match (self.runner_type, self.group_id, self.project_id) {
            (RunnerType::Instance, None, None) => Ok(None),
            (RunnerType::Group, Some(id), None) => Ok(Some((SourceKind::Group, Reference::Id(id)))),
            (RunnerType::Project, None, Some(id)) => {
                Ok(Some((SourceKind::Project, Reference::Id(id))))
            }
            (RunnerType::Group, None, _) => Err(Error::missing("group_id")),
            (RunnerType::Project, _, None) => Err(Error::missing("project_id")),
            (_, Some(_), _) if self.runner_type != RunnerType::Group => Err(wrong("group_id")),
            _ => Err(wrong("project_id")),
        }
    }
}

async fn create(
    by: Caller, _: SignedInViewer, sent: Params<CreateRunner>,
) -> Result<Created<RunnerToken>> {
    let Params(sent) = sent;
    let holder = sent.holder()?;
    by.write(move |tx, by| {
        let place = match &holder {
            None => Place::instance(&by.viewer)?,
            Some((kind, reference)) => Place::find(tx, &by.viewer, (*kind, reference))?,
        };
        let made = rules::create(tx, &by.viewer, &place, &sent.options)?;
        Ok(Created(RunnerToken::of(&made)))
    })
    .await
}

kernel::params! {
    pub struct OneRunner {
        /// Id of the runner.
        pub runner_id: i64,
    }
}

async fn show(by: Caller, one: Params<OneRunner>) -> Result<Ok200<RunnerDetails>> {
    by.read(move |tx, by| {
        let runner = access::reading(tx, &by.viewer, one.runner_id)?;
        RunnerDetails::read(tx, &by.viewer, by.app.base_url(), &runner).map(Ok200)
    })
    .await
}

async fn managers(
    by: Caller, one: Params<OneRunner>, paging: Paging,
) -> Result<Paged<ManagerEntity>> {
    let rows = by
        .read(move |tx, by| {
            let runner = access::reading(tx, &by.viewer, one.runner_id)?;
            let now = tx.now();
            let rows = store::managers::list(tx, runner.id)?;
            Ok(rows.into_iter().map(|row| ManagerEntity::of(row, now)).collect())
        })
        .await?;
    Ok(Paged::of_whole(rows, paging))
}

kernel::params! {
    pub struct UpdateRunner {
        /// Id of the runner.
        pub runner_id: i64,
        pub options: Flat<RunnerOptions>,
    }
}

/// One of which a change is about.
const CHANGES: &str = "description, active, paused, tag_list, run_untagged, locked, access_level, \
                       maximum_timeout, maintenance_note";

async fn update(by: Caller, sent: Params<UpdateRunner>) -> Result<Ok200<RunnerDetails>> {
    let Params(sent) = sent;
    by.write(move |tx, by| {
        let before = access::managing(tx, &by.viewer, sent.runner_id)?;
        if sent.options.is_empty() {
            return Err(Error::none_of(CHANGES));
        }
        let after = rules::update(tx, &by.viewer, before, &sent.options)?;
        RunnerDetails::read(tx, &by.viewer, by.app.base_url(), &after).map(Ok200)
    })
    .await
}

async fn destroy(
    by: Caller, request: Arc<RequestContext>, one: Params<OneRunner>,
) -> Result<NoContent> {
    by.write(move |tx, by| {
        let runner = access::managing(tx, &by.viewer, one.runner_id)?;
        check_unmodified(&request, runner.updated_at)?;
        rules::destroy(tx, &by.viewer, &runner)?;
        Ok(NoContent)
    })
    .await
}

async fn reset_token(by: Caller, one: Params<OneRunner>) -> Result<Created<ResetToken>> {
    by.write(move |tx, by| {
        let runner = access::managing(tx, &by.viewer, one.runner_id)?;
        let made = rules::reset_token(tx, &by.viewer, runner)?;
        Ok(Created(made.token.into()))
    })
    .await
}

async fn reset_of_instance(by: Caller, _: SignedInViewer) -> Result<Created<ResetToken>> {
    by.write(move |tx, by| {
        let place = Place::instance(&by.viewer)?;
        rules::check_registration(tx)?;
        Ok(Created(rules::reset_registration(tx, &by.viewer, &place)?.into()))
    })
    .await
}

async fn reset_registration(by: Caller, of: SpaceRef) -> Result<Created<ResetToken>> {
    by.write(move |tx, by| {
        let place = Place::find(tx, &by.viewer, of.named())?;
        rules::check_registration(tx)?;
        Ok(Created(rules::reset_registration(tx, &by.viewer, &place)?.into()))
    })
    .await
}

kernel::params! {
    pub struct ProjectRunner {
        /// Id or path of the project.
        pub id: Reference,
        /// Id of the runner.
        pub runner_id: i64,
    }
}

async fn enable(by: Caller, one: Params<ProjectRunner>) -> Result<Created<RunnerEntity>> {
    by.write(move |tx, by| {
        let place = Place::find(tx, &by.viewer, (SourceKind::Project, &one.id))?;
        let runner = access::reading(tx, &by.viewer, one.runner_id)?;
        rules::enable(tx, &by.viewer, &place, &runner)?;
        Ok(Created(RunnerEntity::of(&runner, tx.now())))
    })
    .await
}

async fn disable(by: Caller, one: Params<ProjectRunner>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = Place::find(tx, &by.viewer, (SourceKind::Project, &one.id))?;
        let runner = access::reading(tx, &by.viewer, one.runner_id)?;
        rules::disable(tx, &by.viewer, &place, &runner)?;
        Ok(NoContent)
    })
    .await
}

//! REST of schedules (docs/interface/delivery.md 13).

use super::access;
use super::entity::{ScheduleDetails, ScheduleEntity, ScheduleVariable};
use super::inputs::InputChange;
use super::model::Schedule;
use super::rules::{self, ScheduleChange, VariableDeed};
use super::store as rows;
use crate::pipelines::access as of_pipelines;
use crate::pipelines::entity::PipelineBasic;
use crate::pipelines::store::variables::{Owner, of as variables_of};
use crate::pipelines::variables::Given;
use crate::variables::model::VariableType;
use ::store::Tx;
use http::StatusCode;
use identity::Caller;
use identity::entities::load_basic;
use kernel::error::Result;
use kernel::http::{
    Created, Flat, NoContent, Ok200, Paged, Paging, Params, Response, Routes, reply,
};
use kernel::ids::Reference;
use kernel::secrets::Secret;
use serde_json::json;
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    let all = "/projects/{id}/pipeline_schedules";
    let one = format!("{all}/{{pipeline_schedule_id}}");
    let variable = format!("{one}/variables/{{schedule_key}}");
    r.get(all, list).summary("Lists the pipeline schedules of a project");
    r.post(all, create).summary("Makes a pipeline schedule");
    r.get(&one, show).summary("Shows a pipeline schedule");
    r.put(&one, update).summary("Changes a pipeline schedule");
    r.delete(&one, destroy).summary("Deletes a pipeline schedule");
    r.get(&format!("{one}/pipelines"), pipelines)
        .summary("Lists the pipelines that a schedule began");
    r.post(&format!("{one}/play"), play)
        .answers(201, "A pipeline is to begin")
        .summary("Begins a pipeline of a schedule now");
    r.post(&format!("{one}/take_ownership"), take)
        .summary("Makes a schedule the caller's, whose rights its pipelines have then");
    r.post(&format!("{one}/variables"), add_variable)
        .summary("Gives a schedule a variable");
    r.put(&variable, change_variable).summary("Changes a variable of a schedule");
    r.delete(&variable, remove_variable)
        .answers(202, "The variable as it was")
        .summary("Takes a variable from a schedule");
}

kernel::choices! {
    /// Which schedules, in one word.
    pub enum Scope as "PipelineScheduleScope" {
        Active = "active",
        Inactive = "inactive",
    }
}

kernel::params! {
    pub struct ListSchedules {
        /// Id or path of the project.
        pub id: Reference,
        /// Only those whose pipelines begin, or those whose do not.
        pub scope: Option<Scope>,
    }
}

kernel::params! {
    pub struct CreateSchedule {
        /// Id or path of the project.
        pub id: Reference,
        /// What it is for.
        pub description: String,
        /// The branch or tag that its pipelines are for.
        pub on_ref as "ref": String,
        /// Its times: minute, hour, day, month and weekday.
        pub cron: String,
        /// The time zone of these times; UTC unless said.
        pub cron_timezone: Option<String>,
        /// Whether its pipelines begin; so unless said.
        pub active: Option<bool>,
        /// What its pipelines are given for the inputs of their file.
        pub inputs: Option<Vec<InputChange>>,
    }
}

kernel::params! {
    pub struct OneSchedule {
        /// Id or path of the project.
        pub id: Reference,
        /// The schedule.
        pub pipeline_schedule_id: i64,
    }
}

impl OneSchedule {
    fn at(&self) -> (&Reference, i64) {
        (&self.id, self.pipeline_schedule_id)
    }
}

kernel::params! {
    pub struct UpdateSchedule {
        pub at: Flat<OneSchedule>,
        pub change: Flat<ScheduleChange>,
    }
}

async fn list(
    by: Caller, asked: Params<ListSchedules>, paging: Paging,
) -> Result<Paged<ScheduleEntity>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let project = of_pipelines::read(tx, &by.viewer, &asked.id)?;
        let active = asked.scope.map(|scope| scope == Scope::Active);
        let (page, total) = rows::page(tx, project.id, active, paging)?;
        let owners: Vec<i64> = page.iter().filter_map(|one| one.owner_id).collect();
        let people = load_basic(tx, &owners)?;
        let shown = page.iter().map(|one| ScheduleEntity::of(&by.app, one, &people));
        Ok((shown.collect(), total))
    })
    .await
}

/// A schedule by itself, as the caller sees it.
fn details(
    tx: &mut Tx<'_>, by: &Caller, project: &Project, schedule: &Schedule,
) -> Result<ScheduleDetails> {
    let people = load_basic(tx, &schedule.owner_id.into_iter().collect::<Vec<_>>())?;
    let last = rows::last_pipelines(tx, vec![schedule.id])?.remove(&schedule.id);
    let web_url = project.web_url(by.app.base_url());
    let may_change = access::may_change(tx, &by.viewer, project, schedule)?;
    let variables = match may_change {
        true => {
            let all = variables_of(tx, by.app.secrets(), Owner::Schedule(schedule.id))?;
            Some(all.into_iter().map(Into::into).collect())
        }
        false => None,
    };
    Ok(ScheduleDetails {
        schedule: ScheduleEntity::of(&by.app, schedule, &people),
        last_pipeline: last.map(|one| PipelineBasic::of(&one, &web_url)),
        variables,
        inputs: may_change.then(|| schedule.inputs.0.clone()),
    })
}

async fn show(by: Caller, one: Params<OneSchedule>) -> Result<Ok200<ScheduleDetails>> {
    by.read(move |tx, by| {
        let (project, schedule) = access::read(tx, &by.viewer, one.at())?;
        details(tx, by, &project, &schedule).map(Ok200)
    })
    .await
}

async fn create(by: Caller, sent: Params<CreateSchedule>) -> Result<Created<ScheduleDetails>> {
    by.viewer.signed_in()?;
    let Params(sent) = sent;
    let change = ScheduleChange {
        description: Some(sent.description),
        on_ref: Some(sent.on_ref),
        cron: Some(sent.cron),
        cron_timezone: sent.cron_timezone,
        active: sent.active,
        inputs: sent.inputs,
    };
    by.write(move |tx, by| {
        let project = of_pipelines::run(tx, &by.viewer, &sent.id)?;
        let made = rules::create(tx, &by.viewer, &project, &change)?;
        details(tx, by, &project, &made).map(Created)
    })
    .await
}

async fn update(by: Caller, sent: Params<UpdateSchedule>) -> Result<Ok200<ScheduleDetails>> {
    by.write(move |tx, by| {
        let (project, schedule) = access::change(tx, &by.viewer, sent.at.at())?;
        let written = rules::update(tx, &by.viewer, &project, &schedule, &sent.change)?;
        details(tx, by, &project, &written).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, one: Params<OneSchedule>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (_, schedule) = access::change(tx, &by.viewer, one.at())?;
        rules::destroy(tx, &by.viewer, &schedule)?;
        Ok(NoContent)
    })
    .await
}

async fn pipelines(
    by: Caller, one: Params<OneSchedule>, paging: Paging,
) -> Result<Paged<PipelineBasic>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let (project, schedule) = access::read(tx, &by.viewer, one.at())?;
        let (page, total) = rows::pipelines(tx, schedule.id, paging)?;
        let web_url = project.web_url(by.app.base_url());
        Ok((page.iter().map(|one| PipelineBasic::of(one, &web_url)).collect(), total))
    })
    .await
}

async fn play(by: Caller, one: Params<OneSchedule>) -> Result<Response> {
    by.write(move |tx, by| {
        let (_, schedule) = access::run(tx, &by.viewer, one.at())?;
        rules::play(tx, &by.viewer, &schedule)?;
        reply::json(StatusCode::CREATED, &json!({"message": "201 Created"}))
    })
    .await
}

async fn take(by: Caller, one: Params<OneSchedule>) -> Result<Created<ScheduleDetails>> {
    by.write(move |tx, by| {
        let (project, schedule) = access::run(tx, &by.viewer, one.at())?;
        let taken = rules::take(tx, &by.viewer, &schedule)?;
        details(tx, by, &project, &taken).map(Created)
    })
    .await
}

kernel::params! {
    pub struct AddVariable {
        pub at: Flat<OneSchedule>,
        /// Its name.
        pub key: String,
        /// What pipelines are given.
        pub value: String,
        /// How it is given: `env_var`, unless said.
        pub variable_type: Option<VariableType>,
        /// `$` in it stays as it is.
        pub raw: Option<bool>,
    }
}

async fn add_variable(by: Caller, sent: Params<AddVariable>) -> Result<Created<ScheduleVariable>> {
    let given = Given {
        key: sent.key.clone(),
        value: Secret::new(sent.value.as_str()),
        variable_type: sent.variable_type.unwrap_or_default(),
        raw: sent.raw.unwrap_or(false),
    };
    by.write(move |tx, by| {
        let (project, schedule) = access::change(tx, &by.viewer, sent.at.at())?;
        let who = (&by.viewer, &project);
        let (secrets, deed) = (by.app.secrets(), VariableDeed::Add);
        rules::set_variable(tx, secrets, who, &schedule, deed, given.clone())?;
        Ok(Created(given.clone().into()))
    })
    .await
}

kernel::params! {
    pub struct OneVariable {
        pub at: Flat<OneSchedule>,
        /// The variable.
        pub schedule_key: String,
    }
}

kernel::params! {
    pub struct ChangeVariable {
        pub one: Flat<OneVariable>,
        /// What pipelines are given.
        pub value: Option<String>,
        /// How it is given.
        pub variable_type: Option<VariableType>,
        /// `$` in it stays as it is.
        pub raw: Option<bool>,
    }
}

async fn change_variable(
    by: Caller, sent: Params<ChangeVariable>,
) -> Result<Ok200<ScheduleVariable>> {
    by.write(move |tx, by| {
        let (project, schedule) = access::change(tx, &by.viewer, sent.one.at.at())?;
        let secrets = by.app.secrets();
        let before = rules::variable(tx, secrets, &schedule, &sent.one.schedule_key)?;
        let given = Given {
            value: sent.value.as_deref().map_or(before.value, Secret::new),
            variable_type: sent.variable_type.unwrap_or(before.variable_type),
            raw: sent.raw.unwrap_or(before.raw),
            key: before.key,
        };
        let (who, deed) = ((&by.viewer, &project), VariableDeed::Change);
        rules::set_variable(tx, secrets, who, &schedule, deed, given.clone())?;
        Ok(Ok200(given.into()))
    })
    .await
}

async fn remove_variable(by: Caller, one: Params<OneVariable>) -> Result<Response> {
    by.write(move |tx, by| {
        let (_, schedule) = access::change(tx, &by.viewer, one.at.at())?;
        let gone = rules::remove_variable(tx, by.app.secrets(), &schedule, &one.schedule_key)?;
        reply::json(StatusCode::ACCEPTED, &ScheduleVariable::from(gone))
    })
    .await
}

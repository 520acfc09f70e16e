//! Times in which nothing is to be deployed.

use crate::environments::entity::FreezeEntity;
use crate::environments::freezes::{self as rules, FreezeInput};
use crate::environments::model::FreezePeriod;
use crate::environments::store::freezes as rows;
use crate::pipelines::access;
use crate::pipelines::rest::OfProject;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;

pub fn routes(r: &mut Routes) {
    let one = "/projects/{id}/freeze_periods/{freeze_period_id}";
    r.get("/projects/{id}/freeze_periods", list)
        .summary("Lists the freeze periods of a project");
    r.post("/projects/{id}/freeze_periods", create).summary("Makes a freeze period");
    r.get(one, show).summary("Shows a freeze period");
    r.put(one, update).summary("Changes a freeze period");
    r.delete(one, destroy).summary("Deletes a freeze period");
}

kernel::params! {
    /// A freeze period of a project.
    pub struct OneFreeze {
        /// Id or path of the project.
        pub id: Reference,
        /// The freeze period.
        pub freeze_period_id: i64,
    }
}

kernel::params! {
    pub struct CreateFreeze {
        pub at: Flat<OfProject>,
        pub input: Flat<FreezeInput>,
    }
}

kernel::params! {
    pub struct UpdateFreeze {
        pub at: Flat<OneFreeze>,
        pub input: Flat<FreezeInput>,
    }
}

/// A freeze, for who changes the project.
fn changing(tx: &mut Tx<'_>, by: &Caller, at: &OneFreeze) -> Result<FreezePeriod> {
    let project = access::project(tx, &by.viewer, &at.id, Purpose::Update)?;
    rows::one(tx, project.id, at.freeze_period_id)?.found("Freeze Period")
}

async fn list(by: Caller, at: Params<OfProject>, paging: Paging) -> Result<Paged<FreezeEntity>> {
    by.read(move |tx, by| {
        let project = access::read(tx, &by.viewer, &at.id)?;
        let all = rows::of_project(tx, project.id)?;
        Ok(Paged::of_whole(all.into_iter().map(Into::into).collect(), paging))
    })
    .await
}

async fn show(by: Caller, at: Params<OneFreeze>) -> Result<Ok200<FreezeEntity>> {
    by.read(move |tx, by| {
        let project = access::read(tx, &by.viewer, &at.id)?;
        let period = rows::one(tx, project.id, at.freeze_period_id)?.found("Freeze Period")?;
        Ok(Ok200(period.into()))
    })
    .await
}

async fn create(by: Caller, asked: Params<CreateFreeze>) -> Result<Created<FreezeEntity>> {
    by.write(move |tx, by| {
        let project = access::project(tx, &by.viewer, &asked.at.id, Purpose::Update)?;
        Ok(Created(rules::create(tx, project.id, &asked.input)?.into()))
    })
    .await
}

async fn update(by: Caller, asked: Params<UpdateFreeze>) -> Result<Ok200<FreezeEntity>> {
    by.write(move |tx, by| {
        let before = changing(tx, by, &asked.at)?;
        Ok(Ok200(rules::update(tx, before, &asked.input)?.into()))
    })
    .await
}

async fn destroy(by: Caller, at: Params<OneFreeze>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let period = changing(tx, by, &at)?;
        rows::delete(tx, period.id)?;
        Ok(NoContent)
    })
    .await
}

//! REST of licence policies.

use super::entity::PolicyEntity;
use super::model::Mode;
use super::rules::{self, Place};
use crate::dependencies::access;
use ::store::Tx;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{NoContent, Ok200, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{self as of_spaces, Purpose};

const OF_PROJECT: &str = "/projects/{id}/license_policy";
const OF_GROUP: &str = "/groups/{id}/license_policy";

pub fn routes(r: &mut Routes) {
    r.get(OF_PROJECT, show_of_project)
        .summary("Shows the licence policy that counts for a project");
    r.put(OF_PROJECT, set_of_project)
        .summary("Sets the licence policy of a project");
    r.delete(OF_PROJECT, destroy_of_project)
        .summary("Takes the licence policy of a project away");
    r.get(OF_GROUP, show_of_group).summary("Shows the licence policy of a group");
    r.put(OF_GROUP, set_of_group).summary("Sets the licence policy of a group");
    r.delete(OF_GROUP, destroy_of_group)
        .summary("Takes the licence policy of a group away");
}

kernel::params! {
    pub struct LicensePolicyOf {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    pub struct SetLicensePolicy {
        /// Id or path.
        pub id: Reference,
        /// Whether the licences are all that may be used, or may not be used.
        pub mode: Mode,
        /// Ids of the SPDX list; `unknown` stands for what nobody knows.
        pub licenses: Vec<String>,
    }
}

fn project(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Place> {
    let project = of_spaces::project(tx, &by.viewer, id, Purpose::Update)?;
    Ok(Place::Project(Box::new(project)))
}

fn group(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Place> {
    let group = of_spaces::group(tx, &by.viewer, id, Purpose::Update)?;
    Ok(Place::Group(Box::new(group)))
}

async fn show_of_project(by: Caller, at: Params<LicensePolicyOf>) -> Result<Ok200<PolicyEntity>> {
    by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &at.id)?;
        let policy = rules::find(tx, &Place::Project(Box::new(project)))?;
        Ok(Ok200(policy.into()))
    })
    .await
}

async fn show_of_group(by: Caller, at: Params<LicensePolicyOf>) -> Result<Ok200<PolicyEntity>> {
    by.read(move |tx, by| {
        let group = access::group(tx, &by.viewer, &at.id)?;
        let policy = rules::find(tx, &Place::Group(Box::new(group)))?;
        Ok(Ok200(policy.into()))
    })
    .await
}

async fn set_of_project(by: Caller, sent: Params<SetLicensePolicy>) -> Result<Ok200<PolicyEntity>> {
    by.write(move |tx, by| {
        let place = project(tx, by, &sent.id)?;
        let policy = rules::set(tx, &by.viewer, &place, (sent.mode, &sent.licenses))?;
        Ok(Ok200(policy.into()))
    })
    .await
}

async fn set_of_group(by: Caller, sent: Params<SetLicensePolicy>) -> Result<Ok200<PolicyEntity>> {
    by.write(move |tx, by| {
        let place = group(tx, by, &sent.id)?;
        let policy = rules::set(tx, &by.viewer, &place, (sent.mode, &sent.licenses))?;
        Ok(Ok200(policy.into()))
    })
    .await
}

async fn destroy_of_project(by: Caller, at: Params<LicensePolicyOf>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = project(tx, by, &at.id)?;
        rules::destroy(tx, &by.viewer, &place)?;
        Ok(NoContent)
    })
    .await
}

async fn destroy_of_group(by: Caller, at: Params<LicensePolicyOf>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = group(tx, by, &at.id)?;
        rules::destroy(tx, &by.viewer, &place)?;
        Ok(NoContent)
    })
    .await
}

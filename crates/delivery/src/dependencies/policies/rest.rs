//! REST of licence policies.

use super::entity::PolicyEntity;
use super::model::Mode;
use super::rules;
use crate::dependencies::access;
use ::store::Tx;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{NoContent, Ok200, Params, Routes};
use kernel::ids::Reference;
use spaces::Holder;
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

fn project(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Holder> {
    let project = of_spaces::project(tx, &by.viewer, id, Purpose::Update)?;
    Ok(Holder::Project(Box::new(project)))
}

fn group(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Holder> {
    let group = of_spaces::group(tx, &by.viewer, id, Purpose::Update)?;
    Ok(Holder::Group(Box::new(group)))
}

/// Finds what has a policy, for who may do this with it.
type Find = fn(&mut Tx<'_>, &Caller, &Reference) -> Result<Holder>;

async fn show(by: Caller, at: Params<LicensePolicyOf>, find: Find) -> Result<Ok200<PolicyEntity>> {
    by.read(move |tx, by| {
        let holder = find(tx, by, &at.id)?;
        Ok(Ok200(rules::find(tx, &holder)?.into()))
    })
    .await
}

async fn set(
    by: Caller, sent: Params<SetLicensePolicy>, find: Find,
) -> Result<Ok200<PolicyEntity>> {
    by.write(move |tx, by| {
        let holder = find(tx, by, &sent.id)?;
        let policy = rules::set(tx, &by.viewer, &holder, (sent.mode, &sent.licenses))?;
        Ok(Ok200(policy.into()))
    })
    .await
}

async fn destroy(by: Caller, at: Params<LicensePolicyOf>, find: Find) -> Result<NoContent> {
    by.write(move |tx, by| {
        let holder = find(tx, by, &at.id)?;
        rules::destroy(tx, &by.viewer, &holder)?;
        Ok(NoContent)
    })
    .await
}

async fn show_of_project(by: Caller, at: Params<LicensePolicyOf>) -> Result<Ok200<PolicyEntity>> {
    let seen: Find = |tx, by, id| {
        let project = access::project(tx, &by.viewer, id)?;
        Ok(Holder::Project(Box::new(project)))
    };
    show(by, at, seen).await
}

async fn show_of_group(by: Caller, at: Params<LicensePolicyOf>) -> Result<Ok200<PolicyEntity>> {
    let seen: Find = |tx, by, id| Ok(Holder::Group(Box::new(access::group(tx, &by.viewer, id)?)));
    show(by, at, seen).await
}

async fn set_of_project(by: Caller, sent: Params<SetLicensePolicy>) -> Result<Ok200<PolicyEntity>> {
    set(by, sent, project).await
}

async fn set_of_group(by: Caller, sent: Params<SetLicensePolicy>) -> Result<Ok200<PolicyEntity>> {
    set(by, sent, group).await
}

async fn destroy_of_project(by: Caller, at: Params<LicensePolicyOf>) -> Result<NoContent> {
    destroy(by, at, project).await
}

async fn destroy_of_group(by: Caller, at: Params<LicensePolicyOf>) -> Result<NoContent> {
    destroy(by, at, group).await
}

//! `/mirror/pull` of projects, for who maintains them.

use super::entity::PullMirrorEntity;
use super::model::PullMirrorInput;
use super::{rules, store as rows, switch};
use crate::mirrors::address::FETCHED_BY;
use crate::mirrors::server::check_address_for;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::params::FromParams;
use kernel::http::{Accepted, Flat, Ok200, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::model::Project;

const PATH: &str = "/projects/{id}/mirror/pull";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, show).summary("Shows what a project follows");
    r.put(PATH, change).summary("Says what a project follows");
    // Whatever the other server says when something is pushed there is not read.
    r.post(PATH, start)
        .streams()
        .summary("Has a project follow now; takes any body, such as that of a webhook");
}

kernel::params! {
    /// A project.
    struct OfProject {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    /// What is said of the mirror of a project.
    struct MirrorChange {
        pub project: Flat<OfProject>,
        pub input: Flat<PullMirrorInput>,
    }
}

/// The project, for who maintains it, where it may follow others.
fn find(tx: &mut Tx<'_>, by: &Caller, of: &OfProject) -> Result<Project> {
    let project = access::project(tx, &by.viewer, &of.id, Purpose::Update)?;
    switch::check(tx, &project)?;
    Ok(project)
}

async fn show(by: Caller, of: Params<OfProject>) -> Result<Ok200<PullMirrorEntity>> {
    by.read(move |tx, by| {
        let project = find(tx, by, &of)?;
        Ok(Ok200(rules::find(tx, &project)?.into()))
    })
    .await
}

async fn change(by: Caller, change: Params<MirrorChange>) -> Result<Ok200<PullMirrorEntity>> {
    let (of, input) = (&change.project, &change.input);
    check_address_for(&by, &of.id, input.url.as_deref(), FETCHED_BY).await?;
    by.write(move |tx, by| {
        let (input, project) = (&change.input, find(tx, by, &change.project)?);
        let is_there = rows::of_project(tx, project.id)?.is_some();
        if is_there && **input == PullMirrorInput::default() {
            return Err(Error::none_of(&names()));
        }
        let after = rules::set(tx, by.app.secrets(), &by.viewer, &project, input)?;
        Ok(Ok200(after.into()))
    })
    .await
}

/// What can be said.
fn names() -> String {
    let names = PullMirrorInput::fields().into_iter().map(|field| field.name);
    names.collect::<Vec<_>>().join(", ")
}

async fn start(by: Caller, of: Params<OfProject>) -> Result<Accepted> {
    by.write(move |tx, by| {
        let project = find(tx, by, &of)?;
        rules::start(tx, &project)?;
        Ok(Accepted)
    })
    .await
}

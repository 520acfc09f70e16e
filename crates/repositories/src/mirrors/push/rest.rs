//! `/remote_mirrors` of projects, for who maintains them.

use super::entity::{MirrorKeyEntity, RemoteMirrorEntity};
use super::model::MirrorInput;
use super::{rules, store as rows};
use crate::mirrors::address::PUSHED_BY;
use crate::mirrors::server::check_address_for;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::model::Project;

pub(super) fn routes(r: &mut Routes) {
    r.below("/projects/{id}/remote_mirrors", "remote_mirrors", declare);
}

fn declare(r: &mut Routes) {
    r.get("", list).summary("Lists the push mirrors of a project");
    r.post("", create).summary("Adds a push mirror to a project");
    r.get("/{mirror_id}", show).summary("Shows a push mirror");
    r.put("/{mirror_id}", update).summary("Changes a push mirror");
    r.delete("/{mirror_id}", destroy).summary("Removes a push mirror");
    r.get("/{mirror_id}/public_key", public_key)
        .summary("Shows the key that a push mirror has to let in");
    r.post("/{mirror_id}/sync", sync).summary("Has a push mirror follow now");
}

kernel::params! {
    /// A project.
    struct OfProject {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    /// A mirror of a project.
    struct OneMirror {
        pub project: Flat<OfProject>,
        /// Id of the mirror.
        pub mirror_id: i64,
    }
}

kernel::params! {
    /// A mirror to be.
    struct NewMirror {
        pub project: Flat<OfProject>,
        pub input: Flat<MirrorInput>,
    }
}

kernel::params! {
    /// What may be changed of a mirror.
    struct MirrorChange {
        pub one: Flat<OneMirror>,
        pub input: Flat<MirrorInput>,
    }
}

fn find(tx: &mut Tx<'_>, by: &Caller, of: &OfProject) -> Result<Project> {
    access::project(tx, &by.viewer, &of.id, Purpose::Update)
}

async fn list(
    by: Caller, of: Params<OfProject>, paging: Paging,
) -> Result<Paged<RemoteMirrorEntity>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let project = find(tx, &by, &of)?;
        let all = rows::of_project(tx, project.id)?;
        let total = all.len() as i64;
        let skipped = usize::try_from(paging.offset()).unwrap_or(usize::MAX);
        let taken = usize::try_from(paging.fetch()).unwrap_or_default();
        let page = all.into_iter().skip(skipped).take(taken);
        Ok((page.map(RemoteMirrorEntity::from).collect(), total))
    })
    .await
}

async fn show(by: Caller, one: Params<OneMirror>) -> Result<Ok200<RemoteMirrorEntity>> {
    by.read(move |tx, by| {
        let project = find(tx, by, &one.project)?;
        Ok(Ok200(rules::find(tx, &project, one.mirror_id)?.into()))
    })
    .await
}

async fn public_key(by: Caller, one: Params<OneMirror>) -> Result<Ok200<MirrorKeyEntity>> {
    by.read(move |tx, by| {
        let project = find(tx, by, &one.project)?;
        let mirror = rules::find(tx, &project, one.mirror_id)?;
        let public_key = mirror.server.public_key.found("Public Key")?;
        Ok(Ok200(MirrorKeyEntity { public_key }))
    })
    .await
}

async fn check_address(by: &Caller, of: &OfProject, input: &MirrorInput) -> Result<()> {
    check_address_for(by, &of.id, input.url.as_deref(), PUSHED_BY).await
}

async fn create(by: Caller, new: Params<NewMirror>) -> Result<Created<RemoteMirrorEntity>> {
    check_address(&by, &new.project, &new.input).await?;
    by.write(move |tx, by| {
        let project = find(tx, by, &new.project)?;
        let made = rules::create(tx, by.app.secrets(), &by.viewer, &project, &new.input)?;
        Ok(Created(made.into()))
    })
    .await
}

async fn update(by: Caller, change: Params<MirrorChange>) -> Result<Ok200<RemoteMirrorEntity>> {
    check_address(&by, &change.one.project, &change.input).await?;
    by.write(move |tx, by| {
        let project = find(tx, by, &change.one.project)?;
        if *change.input == MirrorInput::default() {
            return Err(Error::none_of(
                "url, enabled, auth_method, keep_divergent_refs, only_protected_branches, \
                 mirror_branch_regex, host_keys",
            ));
        }
        let id = change.one.mirror_id;
        let after = rules::update(tx, by.app.secrets(), &by.viewer, &project, id, &change.input)?;
        Ok(Ok200(after.into()))
    })
    .await
}

async fn destroy(by: Caller, one: Params<OneMirror>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let project = find(tx, by, &one.project)?;
        rules::destroy(tx, &by.viewer, &project, one.mirror_id)?;
        Ok(NoContent)
    })
    .await
}

async fn sync(by: Caller, one: Params<OneMirror>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let project = find(tx, by, &one.project)?;
        rules::sync(tx, &project, one.mirror_id)?;
        Ok(NoContent)
    })
    .await
}

//! `/user/gpg_keys`, `/users/:id/gpg_keys`.

use crate::entity::GpgKeyEntity;
use crate::rules::{self, KeyInput};
use ::store::Tx;
use identity::model::User;
use identity::users;
use identity::viewer::{Admin, SignedInViewer};
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Accepted, Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;

/// What reads one's own account.
const READ_USER: &[&str] = &["api", "read_api", "read_user"];

pub(super) fn routes(r: &mut Routes) {
    r.below("/user/gpg_keys", "own", |r| {
        r.get("", list_own).scopes(READ_USER).summary("Lists the caller's GPG keys");
        r.get("/{gpg_key_id}", show_own)
            .scopes(READ_USER)
            .summary("Shows a GPG key of the caller");
        r.post("", add_own).reauthenticated().summary("Adds a GPG key of the caller");
        r.delete("/{gpg_key_id}", remove_own)
            .reauthenticated()
            .summary("Removes a GPG key of the caller");
        r.post("/{gpg_key_id}/revoke", revoke_own)
            .reauthenticated()
            .summary("Revokes a GPG key of the caller");
    });
    r.below("/users/{id}/gpg_keys", "of_user", |r| {
        r.get("", list).summary("Lists a user's GPG keys");
        r.get("/{gpg_key_id}", show).summary("Shows a GPG key of a user");
        r.post("", add).reauthenticated().summary("Adds a GPG key of a user");
        r.delete("/{gpg_key_id}", remove)
            .reauthenticated()
            .summary("Removes a GPG key of a user");
        r.post("/{gpg_key_id}/revoke", revoke)
            .reauthenticated()
            .summary("Revokes a GPG key of a user");
    });
}

kernel::params! {
    struct OneKey {
        /// Id of the key.
        pub gpg_key_id: i64,
    }
}

kernel::params! {
    struct OfUser {
        /// Id or username.
        pub id: Reference,
    }
}

kernel::params! {
    struct KeyOfUser { pub user: Flat<OfUser>, pub key: Flat<OneKey> }
}

kernel::params! {
    struct NewKeyOfUser { pub user: Flat<OfUser>, pub new: Flat<KeyInput> }
}

fn find_user(tx: &mut Tx<'_>, of: &OfUser) -> Result<User> {
    users::by_reference(tx, &of.id)?.found("User")
}

async fn list_own(app: App, viewer: SignedInViewer, paging: Paging) -> Result<Paged<GpgKeyEntity>> {
    let id = viewer.0.user.id;
    let keys = app.read(move |tx| rules::all(tx, id)).await?;
    Ok(Paged::of_whole(keys.iter().map(GpgKeyEntity::of).collect(), paging))
}

async fn list(app: App, of: Params<OfUser>, paging: Paging) -> Result<Paged<GpgKeyEntity>> {
    let read = app.read(move |tx| {
        let user = find_user(tx, &of)?;
        rules::all(tx, user.id)
    });
    Ok(Paged::of_whole(read.await?.iter().map(GpgKeyEntity::of).collect(), paging))
}

async fn show_own(
    app: App, viewer: SignedInViewer, path: Params<OneKey>,
) -> Result<Ok200<GpgKeyEntity>> {
    let user = viewer.0.user.id;
    let key = app.read(move |tx| rules::find(tx, user, path.gpg_key_id)).await?;
    Ok(Ok200(GpgKeyEntity::of(&key)))
}

async fn show(app: App, path: Params<KeyOfUser>) -> Result<Ok200<GpgKeyEntity>> {
    let read = app.read(move |tx| {
        let user = find_user(tx, &path.user)?;
        rules::find(tx, user.id, path.key.gpg_key_id)
    });
    Ok(Ok200(GpgKeyEntity::of(&read.await?)))
}

async fn add_own(
    app: App, viewer: SignedInViewer, new: Params<KeyInput>,
) -> Result<Created<GpgKeyEntity>> {
    let new = rules::read(&new).await?;
    app.write(move |tx| {
        let key = rules::create(tx, &viewer.author(), &viewer.0.user, &new)?;
        Ok(Created(GpgKeyEntity::of(&key)))
    })
    .await
}

async fn add(app: App, admin: Admin, new: Params<NewKeyOfUser>) -> Result<Created<GpgKeyEntity>> {
    let Params(NewKeyOfUser { user: of, new }) = new;
    let new = rules::read(&new).await?;
    app.write(move |tx| {
        let user = find_user(tx, &of)?;
        let key = rules::create(tx, &admin.author(), &user, &new)?;
        Ok(Created(GpgKeyEntity::of(&key)))
    })
    .await
}

async fn remove_own(app: App, viewer: SignedInViewer, path: Params<OneKey>) -> Result<NoContent> {
    app.write(move |tx| {
        rules::destroy(tx, &viewer.author(), &viewer.0.user, path.gpg_key_id)?;
        Ok(NoContent)
    })
    .await
}

async fn remove(app: App, admin: Admin, path: Params<KeyOfUser>) -> Result<NoContent> {
    app.write(move |tx| {
        let user = find_user(tx, &path.user)?;
        rules::destroy(tx, &admin.author(), &user, path.key.gpg_key_id)?;
        Ok(NoContent)
    })
    .await
}

async fn revoke_own(app: App, viewer: SignedInViewer, path: Params<OneKey>) -> Result<Accepted> {
    app.write(move |tx| {
        rules::revoke(tx, &viewer.author(), &viewer.0.user, path.gpg_key_id)?;
        Ok(Accepted)
    })
    .await
}

async fn revoke(app: App, admin: Admin, path: Params<KeyOfUser>) -> Result<Accepted> {
    app.write(move |tx| {
        let user = find_user(tx, &path.user)?;
        rules::revoke(tx, &admin.author(), &user, path.key.gpg_key_id)?;
        Ok(Accepted)
    })
    .await
}

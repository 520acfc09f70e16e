//! Keys of users: their own, and those of others.

use crate::entity::SshKeyEntity;
use crate::model::UsageType;
use crate::rules::KeyInput;
use crate::rules::keys as rules;
use crate::store::keys as rows;
use ::store::Tx;
use identity::model::User;
use identity::users;
use identity::viewer::{Admin, SignedInViewer};
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;

/// What reads one's own account.
const READ_USER: &[&str] = &["api", "read_api", "read_user"];

pub(super) fn routes(r: &mut Routes) {
    r.get("/user/keys", list_own)
        .scopes(READ_USER)
        .summary("Lists the caller's SSH keys");
    r.get("/user/keys/{key_id}", show_own)
        .scopes(READ_USER)
        .summary("Shows an SSH key of the caller");
    r.post("/user/keys", add_own)
        .reauthenticated()
        .summary("Adds an SSH key of the caller");
    r.delete("/user/keys/{key_id}", remove_own)
        .reauthenticated()
        .summary("Removes an SSH key of the caller");
    r.get("/users/{id}/keys", list).summary("Lists a user's SSH keys");
    r.get("/users/{id}/keys/{key_id}", show).summary("Shows an SSH key of a user");
    r.post("/users/{id}/keys", add)
        .reauthenticated()
        .summary("Adds an SSH key of a user");
    r.delete("/users/{id}/keys/{key_id}", remove)
        .reauthenticated()
        .summary("Removes an SSH key of a user");
}

kernel::params! {
    pub struct OwnKey {
        /// Id of the key.
        pub key_id: i64,
    }
}

kernel::params! {
    pub struct NewKey {
        pub key: Flat<KeyInput>,
        /// What it is for; for everything unless said.
        pub usage_type: Option<UsageType>,
    }
}

impl NewKey {
    fn usage(&self) -> UsageType {
        self.usage_type.unwrap_or(UsageType::AuthAndSigning)
    }
}

kernel::params! {
    pub struct OfUser {
        /// Id or username.
        pub id: Reference,
    }
}

kernel::params! {
    pub struct KeyOfUser { pub user: Flat<OfUser>, pub key: Flat<OwnKey> }
}

kernel::params! {
    pub struct NewKeyOfUser { pub user: Flat<OfUser>, pub new: Flat<NewKey> }
}

fn find_user(tx: &mut Tx<'_>, reference: &Reference) -> Result<User> {
    users::by_reference(tx, reference)?.found("User")
}

async fn list_own(app: App, viewer: SignedInViewer, paging: Paging) -> Result<Paged<SshKeyEntity>> {
    let user = viewer.0.user.clone();
    listed(&app, paging, move |_| Ok(user)).await
}

async fn list(app: App, path: Params<OfUser>, paging: Paging) -> Result<Paged<SshKeyEntity>> {
    listed(&app, paging, move |tx| find_user(tx, &path.id)).await
}

async fn listed(
    app: &App, paging: Paging, find: impl FnOnce(&mut Tx<'_>) -> Result<User> + Send + 'static,
) -> Result<Paged<SshKeyEntity>> {
    let handle = app.clone();
    let read = app.read(move |tx| {
        let user = find(tx)?;
        let keys = rows::all_of_user(tx, user.id)?;
        Ok(keys.iter().map(|key| SshKeyEntity::of(&handle, &user, key)).collect())
    });
    Ok(Paged::of_whole(read.await?, paging))
}

async fn show_own(
    app: App, viewer: SignedInViewer, path: Params<OwnKey>,
) -> Result<Ok200<SshKeyEntity>> {
    let user = viewer.0.user.clone();
    one(&app, path.key_id, move |_| Ok(user)).await
}

async fn show(app: App, path: Params<KeyOfUser>) -> Result<Ok200<SshKeyEntity>> {
    one(&app, path.key.key_id, move |tx| find_user(tx, &path.user.id)).await
}

async fn one(
    app: &App, id: i64, find: impl FnOnce(&mut Tx<'_>) -> Result<User> + Send + 'static,
) -> Result<Ok200<SshKeyEntity>> {
    let handle = app.clone();
    let read = app.read(move |tx| {
        let user = find(tx)?;
        let key = rules::find(tx, user.id, id)?;
        Ok(Ok200(SshKeyEntity::of(&handle, &user, &key)))
    });
    read.await
}

async fn add_own(
    app: App, viewer: SignedInViewer, new: Params<NewKey>,
) -> Result<Created<SshKeyEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let user = &viewer.0.user;
        let key = rules::create(tx, &viewer.author(), user, &new.key, new.usage())?;
        Ok(Created(SshKeyEntity::of(&handle, user, &key)))
    })
    .await
}

async fn add(app: App, admin: Admin, new: Params<NewKeyOfUser>) -> Result<Created<SshKeyEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let user = find_user(tx, &new.user.id)?;
        let key = rules::create(tx, &admin.author(), &user, &new.new.key, new.new.usage())?;
        Ok(Created(SshKeyEntity::of(&handle, &user, &key)))
    })
    .await
}

async fn remove_own(app: App, viewer: SignedInViewer, path: Params<OwnKey>) -> Result<NoContent> {
    let id = path.key_id;
    app.write(move |tx| rules::destroy(tx, &viewer.author(), &viewer.0.user, id))
        .await?;
    Ok(NoContent)
}

async fn remove(app: App, admin: Admin, path: Params<KeyOfUser>) -> Result<NoContent> {
    app.write(move |tx| {
        let user = find_user(tx, &path.user.id)?;
        rules::destroy(tx, &admin.author(), &user, path.key.key_id)
    })
    .await?;
    Ok(NoContent)
}

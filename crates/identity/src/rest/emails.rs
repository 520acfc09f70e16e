//! `/user/emails` and `/users/:id/emails`: further addresses.

use super::users::UserPath;
use crate::users::{self, Email};
use crate::viewer::{Admin, SignedInViewer};
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};

pub fn routes(r: &mut Routes) {
    r.get("/user/emails", list_own)
        .scopes(super::READ_USER)
        .summary("Lists the caller's further addresses");
    r.get("/user/emails/{email_id}", show_own)
        .scopes(super::READ_USER)
        .summary("Shows a further address of the caller");
    r.post("/user/emails", add_own)
        .reauthenticated()
        .summary("Adds an address of the caller");
    r.delete("/user/emails/{email_id}", remove_own)
        .reauthenticated()
        .summary("Removes a further address of the caller");
    r.get("/users/{id}/emails", list).summary("Lists a user's further addresses");
    r.post("/users/{id}/emails", add)
        .reauthenticated()
        .summary("Adds an address of a user");
    r.delete("/users/{id}/emails/{email_id}", remove)
        .reauthenticated()
        .summary("Removes a further address of a user");
}

async fn list_own(app: App, viewer: SignedInViewer, paging: Paging) -> Result<Paged<Email>> {
    let id = viewer.0.user.id;
    let emails = app.read(move |tx| users::emails(tx, id)).await?;
    Ok(Paged::of_whole(emails, paging))
}

kernel::params! {
    pub struct OwnPath {
        /// Id of the address.
        pub email_id: i64,
    }
}

async fn show_own(app: App, viewer: SignedInViewer, path: Params<OwnPath>) -> Result<Ok200<Email>> {
    let (user, id) = (viewer.0.user.id, path.email_id);
    let found = app.read(move |tx| users::email(tx, user, id)).await?;
    Ok(Ok200(found.found("Email")?))
}

kernel::params! {
    pub struct AddOwn {
        /// The address.
        pub email: String,
    }
}

async fn add_own(
    app: App, viewer: SignedInViewer, params: Params<AddOwn>,
) -> Result<Created<Email>> {
    let address = params.email.clone();
    let made = app.write(move |tx| users::add_own_email(tx, &viewer.0, &address));
    Ok(Created(made.await?))
}

async fn remove_own(app: App, viewer: SignedInViewer, path: Params<OwnPath>) -> Result<NoContent> {
    let id = path.email_id;
    app.write(move |tx| users::remove_own_email(tx, &viewer.0, id)).await?;
    Ok(NoContent)
}

async fn list(app: App, _: Admin, path: Params<UserPath>, paging: Paging) -> Result<Paged<Email>> {
    let id = path.id;
    let emails = app.read(move |tx| {
        users::find(tx, id)?.found("User")?;
        users::emails(tx, id)
    });
    Ok(Paged::of_whole(emails.await?, paging))
}

kernel::params! {
    pub struct Add {
        pub user: Flat<UserPath>,
        pub address: Flat<AddOwn>,
        /// It counts as confirmed.
        pub skip_confirmation: Option<bool>,
    }
}

async fn add(app: App, admin: Admin, params: Params<Add>) -> Result<Created<Email>> {
    let (by, sent) = (admin.author(), params.0);
    let made = app.write(move |tx| {
        let user = users::find(tx, sent.user.id)?.found("User")?;
        let confirmed = sent.skip_confirmation.unwrap_or(false);
        users::add_email(tx, &by, &user, &sent.address.email, confirmed)
    });
    Ok(Created(made.await?))
}

kernel::params! {
    pub struct OfUserPath { pub user: Flat<UserPath>, pub address: Flat<OwnPath> }
}

async fn remove(app: App, admin: Admin, path: Params<OfUserPath>) -> Result<NoContent> {
    let (by, path) = (admin.author(), path.0);
    app.write(move |tx| {
        let user = users::find(tx, path.user.id)?.found("User")?;
        users::remove_email(tx, &by, &user, path.address.email_id)
    })
    .await?;
    Ok(NoContent)
}
